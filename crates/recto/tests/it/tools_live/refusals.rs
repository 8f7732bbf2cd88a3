//! Providers that refuse, input that is wrong, and where keys go.

use std::{
    os::unix::fs::PermissionsExt as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use recto_testkit::upstream::{Script, Turn};
use serde_json::json;

use super::{Bench, KEY, canned::Canned, one_line, upstream};
use crate::desk::Done;

fn right() -> Turn {
    Turn::call("issues_list", json!({"owner": "rust-lang", "repo": "cargo", "page": 2}))
}

#[test]
fn what_failed_for_now_is_asked_again() {
    for (provider, status) in [("anthropic", 500), ("openai", 429), ("anthropic", 529)] {
        let asked = Arc::new(AtomicUsize::new(0));
        let upstream = upstream(Script::new().then(move |_| match asked.fetch_add(1, Ordering::SeqCst) {
            0 => Turn::fail(status, "overloaded_error", "not now"),
            _ => right(),
        }));
        let done = Bench::new().live(&upstream.url(), provider, &["--levels", "1"]).ok();
        assert_eq!(one_line(&done)["outcome"], "right");
        assert_eq!(upstream.model_requests().len(), 2);
    }
}

#[test]
fn a_wait_that_is_asked_for_is_kept() {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "ping", "input": {}});
    let canned = Canned::start(vec![
        (503, "retry-after: 2\r\n", json!({})),
        (200, "", json!({"content": [call], "usage": {"input_tokens": 3}})),
    ]);
    let began = std::time::Instant::now();
    let done = Bench::new().live(&canned.url, "anthropic", &["--levels", "1"]).ok();
    assert!(began.elapsed().as_millis() >= 2_000);
    assert_eq!(one_line(&done)["outcome"], "wrong tool");
}

#[test]
fn what_fails_for_good_is_reported() {
    let upstream = upstream(Script::new().turn(Turn::fail(500, "api_error", "broken")));
    let done = Bench::new().live(&upstream.url(), "anthropic", &["--levels", "1"]).fails(1, &["failed"]);
    let line = one_line(&done);
    assert_eq!((&line["outcome"], &line["message"]), (&json!("failed"), &json!("500: broken")));
    assert_eq!(upstream.model_requests().len(), 4);
}

#[test]
fn a_key_is_in_no_message_and_a_wrong_one_ends_it() {
    for provider in ["anthropic", "openai", "openai-responses"] {
        let said = format!("no such key: {KEY}");
        let upstream = upstream(Script::new().turn(Turn::fail(401, "authentication_error", said)));
        let done = Bench::new().live(&upstream.url(), provider, &["--levels", "1", "--reps", "3"]);
        let done = done.fails(1, &["401", "_API_KEY", "nothing more was asked"]);
        assert_eq!(one_line(&done)["outcome"], "failed");
        assert_eq!(upstream.model_requests().len(), 1, "a wrong key stays wrong");
    }
    let canned = Canned::start(vec![(404, "", json!({"error": {"message": "model: fake-1"}}))]);
    Bench::new()
        .live(&canned.url, "anthropic", &["--reps", "9"])
        .fails(1, &["404: model: fake-1", "nothing more"]);
    let said = format!("the header {KEY} is odd \u{1b}[2J");
    let upstream = upstream(Script::new().turn(Turn::fail(400, "invalid_request_error", said)));
    let done = Bench::new().live(&upstream.url(), "anthropic", &["--levels", "1"]).fails(1, &["failed"]);
    let message = one_line(&done)["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("400: the header [key] is odd"), "{message}");
    assert!(!message.contains('\u{1b}'), "{message}");
}

#[test]
fn a_key_is_on_no_command_line_and_in_no_environment() {
    let upstream = upstream(Script::new().turn(right()));
    let bench = Bench::new();
    let spy = "#!/bin/sh\nprintf '%s\\n' \"$@\" > args\nenv > environment\nls -l .tmp* > modes\nexec /usr/bin/env -i /usr/bin/curl \"$@\"\n";
    let curl = bench.desk.write("bin/curl", spy.as_bytes());
    std::fs::set_permissions(&curl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bench.desk.path("bin").display());
    let arguments =
        ["--live", "anthropic", "--model", "m", "--scenarios", "scenarios.jsonl", "--levels", "1"];
    let done = Done(bench.command(&upstream.url(), &arguments).env("PATH", path).output().unwrap()).ok();
    assert_eq!(one_line(&done)["outcome"], "right");
    let read = |name: &str| std::fs::read_to_string(bench.desk.path(name)).unwrap();
    assert_eq!(read("args"), "-q\n-sS\n--max-time\n180\n--config\n-\n");
    assert!(!read("environment").contains(KEY));
    let modes = read("modes");
    assert!(
        modes.lines().count() == 2 && modes.lines().all(|line| line.starts_with("-rw-------")),
        "{modes}"
    );
    assert_eq!(upstream.requests()[0].header("x-api-key"), Some(KEY));
}

#[test]
fn nothing_is_asked_without_a_key_a_safe_address_or_curl() {
    let bench = Bench::new();
    let arguments = ["--live", "openai", "--model", "m", "--scenarios", "scenarios.jsonl"];
    let run = |change: &dyn Fn(&mut std::process::Command)| {
        let mut command = bench.command("http://127.0.0.1:1", &arguments);
        change(&mut command);
        Done(command.output().unwrap())
    };
    run(&|command| {
        command.env_remove("OPENAI_API_KEY").env("OPENAI_BASE_URL", "https://example.invalid");
    })
    .fails(2, &["OPENAI_API_KEY is not set"]);
    run(&|command| {
        command.env("OPENAI_BASE_URL", "http://example.invalid");
    })
    .fails(2, &["OPENAI_BASE_URL", "plain text"]);
    let odd = run(&|command| {
        command.env("OPENAI_API_KEY", "sk-odd\nheader = x");
    });
    assert!(!odd.fails(2, &["OPENAI_API_KEY", "characters"]).errors().contains("sk-odd"));
    let without = run(&|command| {
        command.env("PATH", bench.desk.path("nowhere"));
    });
    without.fails(1, &["curl is not there"]);
}

#[test]
fn scenarios_are_checked_before_anything_is_asked() {
    let upstream = upstream(Script::new().turn(right()));
    let bench = Bench::new();
    let good = r#"{"prompt": "p", "expect": {"tool": "ping"}}"#;
    for (line, words) in [
        ("{\"prompt\": \"p\"", &["line 3", "EOF"][..]),
        (r#"{"prompt": "p"}"#, &["line 3", "expect"]),
        (r#"{"prompt": "p", "expect": {"tool": "ping", "arguments": {}}}"#, &["line 3", "arguments"]),
        (r#"{"prompt": "p", "expect": {"tool": "ping", "args": [1]}}"#, &["line 3", "map"]),
        (r#"{"prompt": " ", "expect": {"tool": "ping"}}"#, &["line 3", "empty"]),
        (r#"{"prompt": "p", "expect": {"tool": "pong"}}"#, &["line 3", "\"pong\""]),
        (
            r#"{"prompt": "p", "expect": {"tool": "ping"}, "tools": ["issues_list"]}"#,
            &["line 3", "not offered"],
        ),
        (
            r#"{"prompt": "p", "expect": {"tool": "ping"}, "tools": ["ping", "x"]}"#,
            &["line 3", "no tool \"x\""],
        ),
        ("\"p\"", &["line 3"]),
    ] {
        bench.desk.write("scenarios.jsonl", format!("{good}\n\n{line}\n").as_bytes());
        bench.live(&upstream.url(), "anthropic", &[]).fails(2, words);
    }
    bench.desk.write("scenarios.jsonl", b"\n");
    bench.live(&upstream.url(), "anthropic", &[]).fails(2, &["no scenario"]);
    for (more, word) in [
        (&["--levels", "4"][..], "possible values: 0, 1, 2, 3"),
        (&["--reps", "0"], "--reps"),
        (&["--json"], "cannot be used with"),
    ] {
        bench.live(&upstream.url(), "anthropic", more).fails(2, &[word]);
    }
    bench
        .desk
        .run(&["tools", "bench", "tools.json", "--live", "anthropic"])
        .fails(2, &["--model", "--scenarios"]);
    bench.desk.run(&["tools", "bench", "tools.json", "--reps", "2"]).fails(2, &["--live"]);
    assert!(upstream.requests().is_empty());
}
