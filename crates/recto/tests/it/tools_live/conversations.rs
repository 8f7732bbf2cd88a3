//! What models do with tools, and how it is graded.

use recto_testkit::upstream::{Script, Turn, Usage};
use serde_json::json;

use super::{Bench, KEY, lines, one_line, upstream};

const PROVIDERS: [&str; 3] = ["anthropic", "openai", "openai-responses"];

#[test]
fn a_look_up_is_answered_and_the_call_graded() {
    for provider in PROVIDERS {
        let usage = Usage { input: 100, cache_read: 40, cache_creation: 0, output: 7 };
        let first =
            Turn::call("q", json!({"s": "pages of issues"})).saying("I look.").thinking("Which tool?");
        let script = Script::new().turn(first.with_usage(usage)).then(move |request| {
            let told = request.last_tool_result().unwrap();
            assert!(told.contains("issues_list(owner,repo"), "{told}");
            let call = json!({"f": "issues_list", "a": {"owner": "rust-lang", "repo": "cargo", "page": "2"}});
            Turn::call("t", call).with_usage(usage)
        });
        let upstream = upstream(script);
        let done = Bench::new().live(&upstream.url(), provider, &["--levels", "3"]).ok();
        assert_eq!(upstream.complaints(), [""; 0], "{provider}");
        assert_eq!(
            one_line(&done),
            json!({
                "scenario": "second page", "level": 3, "mapStyle": "name+required", "model": "fake-1", "rep": 1,
                "outcome": "right", "tool": "issues_list", "turns": 2, "lookUps": 1, "errors": 0, "repairs": 1,
                "inputTokens": 280, "cachedTokens": 80, "outputTokens": 14,
            }),
            "{provider}"
        );
        let requests = upstream.model_requests();
        let asked = String::from_utf8(requests[0].body.clone()).unwrap();
        let (own, map) =
            (asked.find("You work with issues.").unwrap(), asked.find("issues_list(owner,repo)"));
        assert!(own < map.unwrap(), "{asked}");
        let key = requests[0].header("x-api-key").or_else(|| requests[0].header("authorization"));
        assert!(key.unwrap().ends_with(KEY));
        if provider == "anthropic" {
            let echoed = &requests[1].value["messages"][1]["content"];
            assert_eq!(
                (&echoed[0]["thinking"], &echoed[1]["text"]),
                (&json!("Which tool?"), &json!("I look."))
            );
        }
    }
}

#[test]
fn an_error_is_told_and_the_call_mended() {
    for provider in PROVIDERS {
        // Two calls in one answer: both are answered.
        let first = Turn::call("issues_list", json!({"repo": "cargo", "page": 2}))
            .and_call("no_such_tool", json!({}));
        let script = Script::new().turn(first).then(|request| {
            let results = request.tool_results();
            assert_eq!(results.len(), 2);
            assert!(results[0].text.contains("owner"), "{results:?}");
            assert!(results[1].text.contains("no_such_tool"), "{results:?}");
            Turn::call("issues_list", json!({"owner": "rust-lang", "repo": "cargo", "page": 2}))
        });
        let upstream = upstream(script);
        let done = Bench::new().live(&upstream.url(), provider, &["--levels", "1"]).ok();
        assert_eq!(upstream.complaints(), [""; 0], "{provider}");
        let line = one_line(&done);
        assert_eq!(
            (&line["outcome"], &line["errors"], &line["turns"]),
            (&json!("right"), &json!(2), &json!(2))
        );
        assert!(line.get("mapStyle").is_none(), "{line}");
    }
}

#[test]
fn every_end_has_its_outcome() {
    let wrong_tool = Turn::call("issues_create", json!({"owner": "rust-lang", "repo": "cargo"}));
    let wrong_arguments =
        Turn::call("issues_list", json!({"owner": "rust-lang", "repo": "cargo", "page": 1}));
    for (turn, outcome, tool, message) in [
        (wrong_tool, "wrong tool", json!("issues_create"), json!(null)),
        (wrong_arguments, "wrong arguments", json!("issues_list"), json!("page is 1, not 2")),
        (Turn::say("Which page do you mean?"), "no call", json!(null), json!("Which page do you mean?")),
    ] {
        for provider in PROVIDERS {
            let upstream = upstream(Script::new().turn(turn.clone()));
            let done = Bench::new().live(&upstream.url(), provider, &["--levels", "0"]).ok();
            let line = one_line(&done);
            assert_eq!(
                (&line["outcome"], &line["tool"], &line["message"]),
                (&json!(outcome), &tool, &message)
            );
        }
    }
    let look_up = Turn::call("q", json!({"s": "issues"}));
    let upstream = upstream(Script::new().turn(look_up.clone()).turn(look_up.clone()).turn(look_up));
    let done = Bench::new().live(&upstream.url(), "anthropic", &["--levels", "3", "--turns", "2"]).ok();
    let line = one_line(&done);
    assert_eq!((&line["outcome"], &line["turns"], &line["lookUps"]), (&json!("turns"), &json!(2), &json!(2)));
    assert_eq!(upstream.model_requests().len(), 2);
}

#[test]
fn each_scenario_is_played_at_each_level() {
    let bench = Bench::new();
    bench.scenarios(&[
        json!({"prompt": "Is it there?", "expect": {"tool": "ping"}, "tools": ["ping", "issues_list"]}),
        json!({"prompt": "List them.", "expect": {"tool": "issues_list"}}),
    ]);
    let script = Script::new().then(|request| {
        let names = request.tool_names();
        if names.contains(&"t".to_owned()) {
            Turn::call("t", json!({"f": "ping"}))
        } else {
            Turn::call("ping", json!({}))
        }
    });
    let upstream = upstream(script);
    let done = bench.live(&upstream.url(), "openai", &["--reps", "2", "--levels", "1,3"]).ok();
    let ends: Vec<String> = lines(&done)
        .iter()
        .map(|line| format!("{} {} {} {}", line["scenario"], line["level"], line["rep"], line["outcome"]))
        .collect();
    insta::assert_snapshot!(ends.join("\n"), @r#"
    "line 1" 1 1 "right"
    "line 1" 1 2 "right"
    "line 1" 3 1 "right"
    "line 1" 3 2 "right"
    "line 2" 1 1 "wrong tool"
    "line 2" 1 2 "wrong tool"
    "line 2" 3 1 "wrong tool"
    "line 2" 3 2 "wrong tool"
    "#);
    assert_eq!(upstream.model_requests()[0].tool_names(), ["issues_list", "ping"]);
    let table = done.errors();
    let row = table.lines().find(|line| line.trim_start().starts_with('3')).unwrap();
    let cells: Vec<&str> = row.split_whitespace().take(7).collect();
    assert_eq!(cells, ["3", "2", "2", "0", "0", "0", "0"], "{table}");
}
