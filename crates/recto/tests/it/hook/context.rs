//! What was decided with `recto session prune --log-only`, told before each request.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::{desk, usage};
use crate::desk::{Desk, log, reference};

/// A session of Pi in which these commands gave these texts; calls are named by the first word.
fn session(desk: &Desk, results: &[(&str, &str)]) -> PathBuf {
    let mut lines = vec![
        json!({ "type": "session", "version": 3, "id": "0d4f-1", "timestamp": "2026-01-02T03:04:05Z", "cwd": "/p" }),
        json!({ "type": "message", "id": "m0", "parentId": null, "timestamp": "2026-01-02T03:04:05Z",
            "message": { "role": "user", "content": "Look.", "timestamp": 1 } }),
    ];
    let mut parent = "m0".to_owned();
    for (number, (id, text)) in results.iter().enumerate() {
        let call = json!({ "type": "toolCall", "id": id, "name": "bash", "arguments": { "command": format!("run {number}") } });
        let content = json!([{ "type": "text", "text": text }]);
        for (kind, message) in [
            ("a", json!({ "role": "assistant", "content": [call], "timestamp": 1, "stopReason": "toolUse" })),
            (
                "r",
                json!({ "role": "toolResult", "toolCallId": id, "toolName": "bash", "content": content, "isError": false, "timestamp": 1 }),
            ),
        ] {
            let own = format!("{kind}{number}");
            lines.push(json!({ "type": "message", "id": own, "parentId": parent, "timestamp": "2026-01-02T03:04:05Z", "message": message }));
            parent = own;
        }
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    desk.write("run.jsonl", text.as_bytes())
}

/// What stands for results: their places, and the only text of each.
fn ask(desk: &Desk, session: &str, results: &[(&str, &str)]) -> Vec<(u64, String)> {
    let results: Vec<Value> = results.iter().map(|(id, text)| json!({ "id": id, "texts": [text] })).collect();
    let question = json!({ "session": session, "results": results }).to_string();
    let done = desk.pipe(&["hook", "pi", "--context"], question.as_bytes()).ok();
    assert_eq!(done.errors(), "");
    let answer = done.json();
    let found = answer["results"].as_array().unwrap().iter();
    found.map(|one| (one["at"].as_u64().unwrap(), one["texts"][0].as_str().unwrap().to_owned())).collect()
}

fn prune(desk: &Desk, more: &[&str]) {
    let before = fs::read(desk.path("run.jsonl")).unwrap();
    desk.run(&[&["session", "prune", "run.jsonl", "--log-only"], more].concat()).ok();
    assert_eq!(fs::read(desk.path("run.jsonl")).unwrap(), before);
}

#[test]
fn nothing_stands_where_nothing_was_decided() {
    let desk = desk();
    let text = log(1_000);
    let file = session(&desk, &[("call-1", &text)]).display().to_string();
    for session in [&*file, "0d4f-1", "", "/nowhere.jsonl"] {
        assert_eq!(ask(&desk, session, &[("call-1", &text)]), []);
    }
    let answer =
        desk.pipe(&["hook", "opencode", "--context"], br#"{"session":"s","results":[]}"#).ok().json();
    assert_eq!(answer, json!({ "results": [], "decided": 0 }));
    assert!(!desk.store().exists(), "a question makes no archive");
    assert_eq!(usage(&desk).len(), 0);
}

#[test]
fn what_was_decided_is_told_byte_for_byte() {
    let desk = desk();
    let (one, two, small) = (log(1_000), log(1_200), log(3));
    let results = [("call-1", &*one), ("call-2", &*small), ("call-3", &*two)];
    let file = session(&desk, &results).display().to_string();
    prune(&desk, &["--policy", "prune"]);
    let told = ask(&desk, &file, &results);
    assert_eq!(told.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 2]);
    for (at, view) in &told {
        assert!(view.len() < 8_192, "{view}");
        let original = results[usize::try_from(*at).unwrap()].1;
        assert_eq!(desk.run(&["expand", &reference(view)]).ok().out(), original);
    }
    assert_eq!(ask(&desk, "0d4f-1", &results), told, "by its id, and again");
    prune(&desk, &["--policy", "prune"]);
    assert_eq!(ask(&desk, &file, &results), told, "decided anew, it is the same");

    // Anything else that stands there stands: another text, another call, what stands already.
    let other = one.replacen("INFO", "info", 1);
    let standing = &told[0].1;
    let asked = [("call-1", &*other), ("call-9", &*one), ("call-1", &**standing)];
    assert_eq!(ask(&desk, &file, &asked), []);
    assert_eq!(ask(&desk, "0d4f-2", &results), []);
    assert!(usage(&desk).iter().all(|line| line["what"] != "failed"), "nothing failed");
}

#[test]
fn what_stands_only_becomes_smaller() {
    let desk = desk();
    let text = log(1_000);
    let file = session(&desk, &[("call-1", &text)]).display().to_string();
    prune(&desk, &["--policy", "prune"]);
    let first = ask(&desk, &file, &[("call-1", &text)]).remove(0).1;
    prune(
        &desk,
        &[
            "--policy",
            "prune",
            "--prune-config",
            r#"{"thresholdChars":2000,"headChars":1000,"tailChars":500}"#,
        ],
    );
    let second = ask(&desk, &file, &[("call-1", &text)]).remove(0).1;
    assert!(second.len() < first.len(), "{second}");
    // Where the earlier one stands, the later one takes its place.
    assert_eq!(ask(&desk, &file, &[("call-1", &first)]).remove(0).1, second);
    prune(&desk, &["--policy", "prune"]);
    assert_eq!(ask(&desk, &file, &[("call-1", &text)]).remove(0).1, second);
    // The file's own text has not become what recto made of it.
    assert_eq!(
        desk.run(&["session", "recall", "--session", "run.jsonl", "call-1"]).ok().out().trim_end(),
        text.trim_end()
    );
}

#[test]
fn results_of_one_id_are_told_apart() {
    let desk = desk();
    let (one, two) = (log(1_000), log(1_100));
    let file = session(&desk, &[("call", &one), ("call", &two)]).display().to_string();
    prune(&desk, &["--policy", "prune"]);
    let both = ask(&desk, &file, &[("call", &one), ("call", &two)]);
    assert_eq!(both.len(), 2);
    assert_ne!(both[0].1, both[1].1);
    // A request may hold the later one only, and say so.
    assert_eq!(ask(&desk, &file, &[("call", &two)]), [(0, both[1].1.clone())]);
    let question = json!({ "session": file, "results": [{ "id": "call", "nth": 1, "texts": [two] }] });
    let answer = desk.pipe(&["hook", "pi", "--context"], question.to_string().as_bytes()).ok().json();
    assert_eq!(answer, json!({ "results": [{ "at": 0, "texts": [both[1].1] }], "decided": 1 }));
}

#[test]
fn a_question_that_cannot_be_read_is_counted() {
    let desk = desk();
    for question in ["", "{}", r#"{"session":"a","results":[{"id":1}]}"#] {
        assert_eq!(desk.pipe(&["hook", "pi", "--context"], question.as_bytes()).ok().out(), "");
    }
    let lines = usage(&desk);
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line["what"] == "failed" && line["agent"] == "pi"), "{lines:?}");
}

#[test]
fn a_decision_is_about_results_and_writes_no_file() {
    let desk = desk();
    session(&desk, &[("call-1", &log(1_000))]);
    desk.run(&["session", "prune", "run.jsonl", "--log-only", "--policy", "arguments"])
        .fails(2, &["--log-only", "arguments"]);
    desk.run(&["session", "prune", "run.jsonl", "--log-only", "--in-place"]).fails(2, &["--in-place"]);
    let done = desk.run(&["session", "prune", "run.jsonl", "--log-only", "--json"]).ok();
    assert_eq!(
        (&done.json()["dryRun"], &done.json()["changes"][0]["callId"]),
        (&json!(false), &json!("call-1"))
    );
    assert!(done.errors().contains("decided: ") || done.errors().is_empty(), "{}", done.errors());
}
