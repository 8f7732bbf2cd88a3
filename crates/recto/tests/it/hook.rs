//! `recto hook`: an agent's events in, its answers out, and never in its way.

mod broken;
mod context;
mod install;
mod saved;

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::desk::{Desk, Done, log, mode, reference};

/// A desk on which a hook may take as long as a build without optimisation takes.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("config/recto/config.toml", b"[hook]\ndeadline = \"20s\"\n");
    desk
}

fn after(tool: &str, input: &Value, response: &Value) -> Value {
    json!({
        "session_id": "s1", "transcript_path": "/nowhere/s1.jsonl", "cwd": "/p", "hook_event_name": "PostToolUse",
        "tool_name": tool, "tool_input": input, "tool_response": response, "tool_use_id": "toolu_1", "duration_ms": 4,
    })
}

fn bash(command: &str, stdout: &str) -> Value {
    let response = json!({ "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false, "gitOperation": { "x": [1.0] } });
    after("Bash", &json!({ "command": command }), &response)
}

fn ask(desk: &Desk, event: &Value) -> Done {
    desk.pipe(&["hook", "claude"], event.to_string().as_bytes()).ok()
}

/// What the tool's output becomes; `None` if it stands.
fn answered(desk: &Desk, event: &Value) -> Option<Value> {
    let done = ask(desk, event);
    assert_eq!(done.errors(), "");
    (!done.out().is_empty()).then(|| done.json()["hookSpecificOutput"]["updatedToolOutput"].clone())
}

/// The lines that were written down.
fn usage(desk: &Desk) -> Vec<Value> {
    let text = fs::read_to_string(desk.path("data/recto/recto.db-usage")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_large_result_becomes_a_view_in_the_tools_own_shape() {
    let desk = desk();
    let text = log(3_000);
    let event = bash("make check", &text);
    let answer = answered(&desk, &event).unwrap();
    let view = answer["stdout"].as_str().unwrap();
    assert!(view.len() <= 12 << 10 && view.contains("payment 4711 refused"), "{view}");
    // All else is as it was.
    let mut expected = event["tool_response"].clone();
    expected["stdout"] = json!(view);
    assert_eq!(answer, expected);
    // All of it can be had.
    let name = reference(view);
    assert!(view.contains(&format!("recto expand {name}#1")), "{view}");
    assert_eq!(desk.run(&["expand", &name]).ok().out(), text);
    // The same event has the same answer, for ever.
    assert_eq!(answered(&desk, &event).unwrap(), answer);
    let line = &usage(&desk)[0];
    assert_eq!((line["what"].as_str(), line["ref"].as_str()), (Some("view"), Some(&*name)));
    assert_eq!(
        (line["bytes"].as_u64(), line["shown"].as_u64()),
        (Some(text.len() as u64), Some(view.len() as u64))
    );
    assert_eq!(mode(&desk.path("data/recto/recto.db-usage")), 0o600);
}

#[test]
fn a_note_names_a_tool_where_there_is_one() {
    let desk = desk();
    let done = desk
        .pipe(&["hook", "claude", "--recall", "tool"], bash("x", &log(3_000)).to_string().as_bytes())
        .ok();
    assert!(done.out().contains(": recto_expand r:"), "{}", done.out());
}

#[test]
fn every_shape_of_the_tools() {
    let desk = desk();
    let text = log(1_000);
    let lines: Vec<&str> = text.lines().collect();
    let names: Vec<String> = (0..900).map(|n| format!("/p/src/deep/folder/file_{n}.rs")).collect();
    let cases = [
        ("Bash", json!({ "stdout": "", "stderr": text, "interrupted": true }), "/stderr"),
        (
            "Grep",
            json!({ "mode": "content", "numFiles": 0, "filenames": [], "content": text, "numLines": 1_000 }),
            "/content",
        ),
        ("Grep", json!({ "mode": "files_with_matches", "numFiles": 900, "filenames": names }), "/filenames"),
        (
            "Glob",
            json!({ "durationMs": 3, "numFiles": 900, "filenames": names, "truncated": false }),
            "/filenames",
        ),
        (
            "WebFetch",
            json!({ "bytes": 9, "code": 200, "codeText": "OK", "result": text, "durationMs": 1, "url": "u" }),
            "/result",
        ),
        ("mcp__s__t", json!(text), ""),
        (
            "mcp__s__t",
            json!([{ "type": "image", "data": "x" }, { "type": "text", "text": text, "annotations": {} }]),
            "/1/text",
        ),
        (
            "mcp__s__t",
            json!({ "content": [{ "type": "text", "text": "short" }, { "type": "text", "text": text }], "isError": false }),
            "/content/1/text",
        ),
        (
            "Read",
            json!({ "type": "text", "file": { "filePath": "/p/a.log", "content": text, "numLines": 1_001, "startLine": 1, "totalLines": 1_001 } }),
            "/file/content",
        ),
    ];
    for (tool, response, place) in cases {
        let event = after(tool, &json!({ "file_path": "/p/a.log" }), &response);
        let answer = answered(&desk, &event).unwrap_or_else(|| panic!("{tool}: it stands"));
        let view = answer.pointer(place).unwrap().clone();
        assert!(
            view.to_string().len() < 13 << 10 && view != *response.pointer(place).unwrap(),
            "{tool} {view}"
        );
        let mut expected = response.clone();
        *expected.pointer_mut(place).unwrap() = view.clone();
        assert_eq!(answer, expected, "{tool}: all else as it was");
        if tool == "Read" {
            let shown = view.as_str().unwrap();
            // A line keeps the number that it has in the file.
            let number = 1 + lines.iter().position(|line| line.contains("payment 4711")).unwrap();
            assert!(shown.contains(&format!("\n{number}\t{}", lines[number - 1])), "{shown}");
        }
    }
}

#[test]
fn several_texts_of_one_result_each_have_their_view() {
    let desk = desk();
    let (first, second) = (log(1_000), log(1_200));
    let response =
        json!({ "content": [{ "type": "text", "text": first }, { "type": "text", "text": second }] });
    let answer = answered(&desk, &after("mcp__s__t", &json!({}), &response)).unwrap();
    for (index, whole) in [first, second].iter().enumerate() {
        let view = answer["content"][index]["text"].as_str().unwrap();
        assert_eq!(desk.run(&["expand", &reference(view)]).ok().out(), *whole);
    }
    let lines = usage(&desk);
    assert_eq!(lines.iter().filter(|line| line["what"] == "view").count(), 2);
    assert_eq!(lines.iter().filter(|line| line["what"] == "recall").count(), 2, "what was asked for again");
}

#[test]
fn what_is_never_cut() {
    let desk = desk();
    let skill = format!(
        "# Deploy\n\n{}\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nmake\n```\n",
        "1. You MUST NOT push to main.\n".repeat(340)
    );
    let text = log(2_000);
    let read = |path: &str, content: &str| {
        let file =
            json!({ "filePath": path, "content": content, "numLines": 1, "startLine": 1, "totalLines": 1 });
        after("Read", &json!({ "file_path": path }), &json!({ "type": "text", "file": file }))
    };
    let listing: String = (0..14).map(|n| format!("-rw-r--r-- 1 u u {n} Nov 30 10:00 file{n}\n")).collect();
    let mut by_program = bash("kubectl get pods", &text);
    by_program["caller"] = json!({ "type": "code_execution_20250825", "tool_id": "x" });
    let mut part = read("/p/a.log", &text);
    part["tool_input"]["limit"] = json!(500);
    for event in [
        bash("ls -la", &listing),
        bash("cat -n src/main.rs", &text),
        bash("cat CLAUDE.md", &text),
        bash("recto expand r:123456789012345", &text),
        after("Skill", &json!({ "skill": "deploy" }), &json!({ "result": skill })),
        read("/p/AGENTS.md", &skill),
        read("/p/src/main.rs", &text),
        part,
        by_program,
        after("mcp__recto__recto_expand", &json!({}), &json!(text)),
        after(
            "mcp__s__t",
            &json!({}),
            &json!({ "content": [{ "type": "text", "text": text }], "structuredContent": { "a": 1 } }),
        ),
        after(
            "Bash",
            &json!({ "command": "x" }),
            &json!({ "stdout": text, "stderr": "", "interrupted": false, "isImage": true }),
        ),
    ] {
        assert_eq!(answered(&desk, &event), None, "{}", event["tool_input"]);
    }
    let lines = usage(&desk);
    assert!(lines.iter().all(|line| line["what"] == "whole"), "{lines:?}");
    assert!(!desk.store().exists(), "nothing was stored");
}

#[test]
fn own_rules_go_first() {
    let desk = desk();
    let event = after("mcp__docs__page", &json!({}), &json!(log(1_000)));
    assert!(answered(&desk, &event).is_some());
    desk.write(
        "config/recto/config.toml",
        b"[hook]\ndeadline = \"20s\"\n[[class-rule]]\nclass = \"source\"\ntools = [\"mcp__docs__*\"]\nwhy = \"mine\"\n",
    );
    assert_eq!(answered(&desk, &event), None);
    assert_eq!(usage(&desk).last().unwrap()["why"], "source: mine");
    let shown = desk.run(&["config", "show", "classes"]).ok().out();
    assert!(
        shown.contains("made, whatever they are\nsource        mine\n  tools       mcp__docs__*\n"),
        "{shown}"
    );
    let rules = desk.run(&["config", "show", "classes", "--json"]).ok().json();
    assert_eq!(rules[0]["tools"][0], "mcp__docs__*");
}

#[test]
fn a_note_does_not_reach_a_file() {
    let desk = desk();
    let plan: String = (0..320)
        .map(|n| {
            format!("{n}. Step {n} of the plan: look at module {} and write down what it needs.\n", n % 7)
        })
        .collect();
    let view = answered(&desk, &bash("cat plan.txt", &plan)).unwrap()["stdout"].as_str().unwrap().to_owned();
    let before = |tool: &str, input: Value, session: &str| json!({ "session_id": session, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "t" });
    let write = json!({ "file_path": "/p/plan.md", "content": view });
    let refused = ask(&desk, &before("Write", write.clone(), "s1")).json();
    let refused = &refused["hookSpecificOutput"];
    assert_eq!(
        (refused["hookEventName"].as_str(), refused["permissionDecision"].as_str()),
        (Some("PreToolUse"), Some("deny"))
    );
    let reason = refused["permissionDecisionReason"].as_str().unwrap();
    let way = format!("recto expand {}#1", reference(&view));
    assert!(
        reason.contains("Write to /p/plan.md") && reason.contains("`content`") && reason.contains(&way),
        "{reason}"
    );
    assert_eq!(usage(&desk).last().unwrap()["what"], "denied");
    // A note without a ref, in a session that was shown views; and in one that was not.
    let edit =
        json!({ "file_path": "/p/plan.md", "old_string": "x", "new_string": "a\n[\u{2026}12 lines #2]\nb" });
    assert!(ask(&desk, &before("Edit", edit.clone(), "s1")).out().contains("deny"));
    assert_eq!(ask(&desk, &before("Edit", edit.clone(), "s2")).out(), "");
    // A ref that is the archive's is known in any session; another's text about notes is none of ours.
    assert!(ask(&desk, &before("Write", write, "s2")).out().contains("deny"));
    let other = json!({ "file_path": "/p/doc.md", "content": "[\u{2026}12 lines #2 (source whole, 9 kB: recto expand r:999999999999999#2)]" });
    assert_eq!(ask(&desk, &before("Write", other, "s2")).out(), "");
    // What names a ref holds no note.
    assert_eq!(ask(&desk, &before("Bash", json!({ "command": way }), "s1")).out(), "");
    desk.write("config/recto/config.toml", b"[hook]\ndeadline = \"20s\"\ndeny_notes = false\n");
    assert_eq!(ask(&desk, &before("Edit", edit, "s1")).out(), "");
}

#[test]
fn named_commands_run_under_recto() {
    let desk = desk();
    let before = |command: &str| json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": command, "timeout": 9 }, "session_id": "s" });
    assert_eq!(ask(&desk, &before("cargo test")).out(), "", "by default none");
    desk.write(
        "config/recto/config.toml",
        b"[hook]\ndeadline = \"20s\"\nwrap = [\"cargo test\", \"pytest\"]\n",
    );
    let answer = ask(&desk, &before("RUST_LOG=x cargo test -- 'it''s' 2>&1 | tail -n 900")).json();
    let input = &answer["hookSpecificOutput"]["updatedInput"];
    assert_eq!(input["timeout"], 9);
    let line = input["command"].as_str().unwrap();
    // It runs this recto, which is on no path here, and the client shows its view whole if the line fails.
    let runner = format!("{} run --max-bytes 9900 --recall shell --shell", env!("CARGO_BIN_EXE_recto"));
    assert!(line.starts_with(&format!("{runner} 'RUST_LOG=x cargo test")), "{line}");
    // The shell reads the very line out of the quotes.
    let echoed = line.replacen(&runner, "printf %s", 1);
    let read = std::process::Command::new("sh").arg("-c").arg(echoed).output().unwrap().stdout;
    assert_eq!(String::from_utf8(read).unwrap(), "RUST_LOG=x cargo test -- 'it''s' 2>&1 | tail -n 900");
    for line in [
        "cargo build",
        "cd x && cargo test",
        "cargo test; rm x",
        "cargo test &",
        "diff <(cargo test) y",
        "cargo test\nls",
        "recto run -- cargo test",
    ] {
        assert_eq!(ask(&desk, &before(line)).out(), "", "{line}");
    }
}

#[test]
fn a_session_is_reminded_of_its_views_after_compaction() {
    let desk = desk();
    let start = |source: &str, session: &str| json!({ "hook_event_name": "SessionStart", "source": source, "session_id": session });
    assert_eq!(ask(&desk, &start("compact", "s1")).out(), "");
    let view = answered(&desk, &bash("make", &log(3_000))).unwrap()["stdout"].as_str().unwrap().to_owned();
    let context = ask(&desk, &start("compact", "s1")).json();
    let context = context["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    assert!(context.contains(&reference(&view)) && context.contains("(Bash, "), "{context}");
    assert_eq!(ask(&desk, &start("startup", "s1")).out(), "");
    assert_eq!(ask(&desk, &start("compact", "another")).out(), "");
}

#[test]
fn a_file_that_is_said_to_be_unchanged_is_given_whole_after_a_view() {
    let desk = desk();
    let text = log(1_000);
    let path = desk.write("a.log", text.as_bytes()).display().to_string();
    let file =
        json!({ "filePath": path, "content": text, "numLines": 1_001, "startLine": 1, "totalLines": 1_001 });
    let input = json!({ "file_path": path });
    let unchanged = after("Read", &input, &json!({ "type": "file_unchanged", "file": { "filePath": path } }));
    assert_eq!(answered(&desk, &unchanged), None, "nothing was cut before");
    assert!(answered(&desk, &after("Read", &input, &json!({ "type": "text", "file": file }))).is_some());
    let answer = answered(&desk, &unchanged).unwrap();
    assert_eq!(
        (&answer["type"], &answer["file"]["content"], &answer["file"]["totalLines"]),
        (&json!("text"), &json!(text), &json!(1_001))
    );
    // One that is too long is pointed to.
    fs::write(&path, log(6_000)).unwrap();
    let done = ask(&desk, &unchanged).json();
    let context = done["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("recto expand r:"), "{context}");
}

#[test]
fn what_sessions_need_is_not_removed() {
    let desk = desk();
    let transcript = desk.write("s1.jsonl", b"{}\n");
    let mut event = bash("make", &log(3_000));
    event["transcript_path"] = json!(transcript);
    let view = answered(&desk, &event).unwrap()["stdout"].as_str().unwrap().to_owned();
    let rows = rusqlite::Connection::open(desk.store()).unwrap();
    let gc =
        || desk.run(&["gc", "--max-bytes", "0", "--json"]).ok().json()["removed"].as_array().unwrap().len();
    // What was put just now is never removed: it was put an hour ago.
    let an_hour_ago =
        "UPDATE holdings SET put_unix_ms = put_unix_ms - 7200000, used_unix_ms = used_unix_ms - 7200000";
    rows.execute(an_hour_ago, []).unwrap();
    assert_eq!(gc(), 0);
    fs::remove_file(transcript).unwrap();
    assert_eq!(gc(), 1, "its session's file is gone");
    desk.run(&["expand", &reference(&view)]).fails(1, &["no longer kept"]);
}

#[test]
fn what_is_not_known_stands_and_is_written_down() {
    let desk = desk();
    let cases: [(&[u8], &str); 9] = [
        (b"", "not as expected"),
        (b"{", "not as expected"),
        (b"[1]", "not as expected"),
        (b"\xff\xfe{}", "cannot be read"),
        (b"{}", "no answer to the event \"\""),
        (b"{\"hook_event_name\":\"Later\"}", "no answer to the event \"Later\""),
        (br#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":"text"}"#, "shape that recto does not know"),
        (br#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":1,"stderr":""}}"#, "stdout or stderr is missing"),
        (br#"{"hook_event_name":"PostToolUse","tool_name":"Grep","tool_response":{"mode":"later"}}"#, "its mode"),
    ];
    for (event, why) in cases {
        let done = desk.pipe(&["hook", "claude"], event).ok();
        assert_eq!((done.out(), done.errors()), (String::new(), String::new()));
        let line = usage(&desk).pop().unwrap();
        assert!(line["what"] == "failed" && line["why"].as_str().unwrap().contains(why), "{line}");
    }
    // Tools without a text that could be cut are no failures.
    let done = ask(&desk, &after("TodoWrite", &json!({}), &json!({ "newTodos": [] })));
    assert_eq!((done.out(), usage(&desk).pop().unwrap()["what"].as_str()), (String::new(), Some("whole")));
}

#[test]
fn an_archive_of_a_later_recto_is_left_alone() {
    let desk = desk();
    assert!(answered(&desk, &bash("x", &log(2_500))).is_some());
    // The binary was exchanged for an older one in the middle of a session.
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    store.execute_batch("PRAGMA user_version = 9999").unwrap();
    drop(store);
    assert_eq!(ask(&desk, &bash("x", &log(3_000))).out(), "");
    let line = usage(&desk).pop().unwrap();
    assert!(line["what"] == "failed" && line["why"].as_str().unwrap().contains("9999"), "{line}");
}

#[test]
fn a_hook_never_answers_with_the_code_that_blocks() {
    let desk = desk();
    // Agents take exit code 2 for a refusal.
    for arguments in [&["hook", "claude", "--later"][..], &["hook", "another"], &["hook"]] {
        assert_eq!(desk.run(arguments).code(), 1, "{arguments:?}");
    }
    desk.write("config/recto/config.toml", b"[hook]\nlimit = 3\n");
    let done = desk.pipe(&["hook", "claude"], bash("x", &log(3_000)).to_string().as_bytes()).ok();
    assert_eq!(done.out(), "");
    let why = usage(&desk).pop().unwrap()["why"].as_str().unwrap().to_owned();
    assert!(why.contains("config.toml:2") && why.contains("limit"), "{why}");
}

#[test]
fn a_locked_archive_costs_no_more_than_the_deadline() {
    let desk = desk();
    assert!(answered(&desk, &bash("x", &log(2_500))).is_some());
    desk.write("config/recto/config.toml", b"[hook]\ndeadline = \"400ms\"\n");
    let lock = rusqlite::Connection::open(desk.store()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    let done = ask(&desk, &bash("x", &log(3_000)));
    assert_eq!(done.out(), "");
    assert!(begun.elapsed() < Duration::from_secs(8), "it waits ten seconds for a lock otherwise");
    let line = usage(&desk).pop().unwrap();
    assert!(line["why"].as_str().unwrap().starts_with("too late"), "{line}");
    drop(lock);
}

#[test]
fn without_a_home_and_in_one_that_is_read_only() {
    let desk = desk();
    let event = bash("x", &log(3_000)).to_string();
    let ask = |change: &dyn Fn(&mut std::process::Command)| {
        let mut command = desk.command(&["hook", "claude"]);
        command.env("RECTO_CONFIG", desk.path("config/recto/config.toml"));
        change(&mut command);
        let mut child = command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.as_bytes()).unwrap();
        Done(child.wait_with_output().unwrap()).ok()
    };
    let bare = ask(&|command| {
        command.env_remove("HOME").env_remove("XDG_DATA_HOME").env_remove("XDG_CONFIG_HOME");
    });
    assert!(bare.out().contains("updatedToolOutput"), "it is kept in the folder for temporary files");
    // Root may write anywhere, so the folder is one that nobody can make.
    let closed = ask(&|command| {
        command.env("XDG_DATA_HOME", "/proc/self");
    });
    assert_eq!((closed.out(), closed.errors()), (String::new(), String::new()));
}

#[test]
fn a_huge_result_is_read_to_its_end() {
    let desk = desk();
    desk.write("config/recto/config.toml", b"[hook]\ndeadline = \"50ms\"\n");
    let event = bash("x", &"all is well with this one\n".repeat(2_100_000)).to_string();
    assert!(event.len() > 50 << 20);
    let begun = Instant::now();
    let done = desk.pipe(&["hook", "claude"], event.as_bytes()).ok();
    assert_eq!((done.out(), done.errors()), (String::new(), String::new()));
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(usage(&desk).pop().unwrap()["what"], "failed");
}

#[test]
fn a_question_of_an_extension() {
    let desk = desk();
    let text = log(2_000);
    let question = json!({ "tool": "bash", "input": { "command": "make" }, "texts": ["short", text], "session": "/nowhere/s.jsonl", "later": 1 });
    let answer = desk.pipe(&["hook", "pi", "--recall", "tool"], question.to_string().as_bytes()).ok().json();
    assert_eq!(answer["texts"][0], Value::Null);
    let view = answer["texts"][1].as_str().unwrap();
    assert_eq!(desk.run(&["expand", &reference(view)]).ok().out(), text);
    // One about a call, before it is made.
    let question = json!({ "tool": "write", "input": { "path": "/p/a", "content": view }, "session": "/nowhere/s.jsonl" });
    let answer = desk.pipe(&["hook", "opencode"], question.to_string().as_bytes()).ok().json();
    assert!(answer["deny"].as_str().unwrap().contains("/p/a"), "{answer}");
    let source = json!({ "tool": "read", "input": { "path": "/p/a.rs" }, "texts": [text] });
    assert_eq!(desk.pipe(&["hook", "pi"], source.to_string().as_bytes()).ok().out(), "");
    assert_eq!(usage(&desk).pop().unwrap()["agent"], "pi");
}

#[test]
fn a_store_that_takes_no_writes_leaves_results_as_they_are() {
    let desk = desk();
    assert!(answered(&desk, &bash("x", &log(2_500))).is_some());
    fs::set_permissions(desk.store(), fs::Permissions::from_mode(0o400)).unwrap();
    let damaged = desk.path("other");
    fs::create_dir(&damaged).unwrap();
    fs::write(damaged.join("recto.db"), b"no archive at all, only some text that stands here").unwrap();
    let done = desk.pipe(
        &["hook", "claude", "--store", &damaged.join("recto.db").display().to_string()],
        bash("x", &log(3_000)).to_string().as_bytes(),
    );
    assert_eq!(done.ok().out(), "");
}

#[test]
fn it_is_put_into_settings_and_taken_out_byte_for_byte() {
    let desk = desk();
    let text = "{\n  // mine\n  \"model\": \"opus\",\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}]},\n}\n";
    let path = desk.write(".claude/settings.json", text.as_bytes());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let shown = desk.run(&["hook", "install", "claude"]).ok();
    assert!(
        shown.out().contains("+")
            && shown.out().contains("hook claude")
            && shown.errors().contains("--write"),
        "{}",
        shown.out()
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "nothing is written without --write");
    desk.run(&["hook", "install", "claude", "--write"]).ok();
    let installed = fs::read_to_string(&path).unwrap();
    assert!(
        installed.starts_with("{\n  // mine\n") && installed.matches("hook claude").count() == 3,
        "{installed}"
    );
    assert_eq!(mode(&path), 0o640);
    assert_eq!(fs::read_to_string(desk.path(".claude/settings.json.recto-backup")).unwrap(), text);
    // Again: nothing to do.
    assert!(desk.run(&["hook", "install", "claude", "--write"]).ok().errors().contains("nothing to change"));
    let status = desk.run(&["hook", "status", "--json"]).ok().json();
    assert_eq!(
        (status[0]["agent"].as_str(), status[0]["state"].as_str()),
        (Some("claude"), Some("installed"))
    );
    // The command is one that works: an agent runs it in a shell.
    let settings: Value =
        serde_json::from_str(&installed.replace("// mine", "").replace("]},\n}", "]}\n}")).unwrap();
    let line = settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    let mut shell = desk.command(&[]);
    shell = {
        let mut other = std::process::Command::new("sh");
        other
            .arg("-c")
            .arg(line)
            .env_clear()
            .envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?))));
        other
    };
    let mut child =
        shell.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(
        &mut child.stdin.take().unwrap(),
        bash("x", &log(3_000)).to_string().as_bytes(),
    )
    .unwrap();
    assert!(Done(child.wait_with_output().unwrap()).ok().out().contains("updatedToolOutput"));
    desk.run(&["hook", "uninstall", "claude", "--write"]).ok();
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(mode(&path), 0o640);
    assert!(!desk.path(".claude/settings.json.recto-backup").exists(), "the copy is of no more use");
}

#[test]
fn what_was_made_for_it_is_taken_away_with_it() {
    let desk = desk();
    for (agent, file) in [
        ("claude", ".claude/settings.json"),
        ("pi", ".pi/agent/extensions/recto.ts"),
        ("opencode", "config/opencode/plugin/recto.ts"),
    ] {
        assert!(
            desk.run(&["hook", "uninstall", agent, "--write"]).ok().errors().contains("nothing to change")
        );
        desk.run(&["hook", "install", agent, "--write"]).ok();
        assert!(desk.path(file).exists(), "{file}");
        desk.run(&["hook", "uninstall", agent, "--write"]).ok();
        assert!(!desk.path(file).exists(), "{file}");
    }
    // In a project, and through a link, which stays one.
    let real = desk.write("dotfiles/settings.json", b"{}");
    fs::create_dir(desk.path(".claude")).unwrap_or_default();
    std::os::unix::fs::symlink(&real, desk.path(".claude/settings.json")).unwrap();
    desk.run(&["hook", "install", "claude", "--project", "--write"]).ok();
    assert!(
        desk.path(".claude/settings.json").is_symlink()
            && fs::read_to_string(&real).unwrap().contains("hook claude")
    );
}

#[test]
fn settings_that_cannot_be_read_are_not_touched() {
    let desk = desk();
    for text in ["{\"hooks\": [", "[]", "{\"hooks\": {\"PostToolUse\": 3}}", ""] {
        let path = desk.write(".claude/settings.json", text.as_bytes());
        desk.run(&["hook", "install", "claude", "--write"])
            .fails(2, &["settings.json", "nothing was changed"]);
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
    desk.write(".pi/agent/extensions/recto.ts", b"export default 1;\n");
    desk.run(&["hook", "install", "pi", "--write"]).fails(2, &["is not recto's"]);
    desk.run(&["hook", "install", "gemini"]).fails(2, &["not replace it", "gemini mcp add recto"]);
    desk.run(&["hook", "install", "codex"]).fails(2, &["Codex has no hook", "recto run --max-bytes 4000"]);
}
