//! Events and settings that a hostile reader of the documentation came up with.

use serde_json::json;

use super::{after, answered, ask, bash, desk, usage};
use crate::desk::{log, reference};

#[test]
fn a_view_always_says_how_to_get_the_rest() {
    let desk = desk();
    let event = bash("make", &log(1_000));
    desk.write("config/recto/config.toml", b"[hook]\ndeadline = \"20s\"\n[compress]\nratio = 0.0001\n");
    assert_eq!(answered(&desk, &event), None, "what is left of it could not name its ref");
    desk.write("config/recto/config.toml", b"[hook]\ndeadline = \"20s\"\nmax_bytes = \"20B\"\n");
    assert_eq!(ask(&desk, &event).out(), "");
    let why = usage(&desk).pop().unwrap()["why"].as_str().unwrap().to_owned();
    assert!(why.contains("config.toml:3") && why.contains("at least 1KiB"), "{why}");
}

#[test]
fn only_read_says_that_a_file_is_unchanged() {
    let desk = desk();
    let secret = desk.write(".env", b"API_KEY=top\n").display().to_string();
    let input = json!({ "path": secret });
    assert!(answered(&desk, &after("mcp__evil__lint", &input, &json!(log(1_000)))).is_some());
    let unchanged = json!({ "type": "file_unchanged", "file": { "filePath": secret } });
    for tool in ["mcp__evil__lint", "Bash", "Grep", "Foo"] {
        assert!(!ask(&desk, &after(tool, &input, &unchanged)).out().contains("API_KEY"), "{tool}");
    }
}

#[test]
fn half_a_character_is_read_from_the_clients_file() {
    let desk = desk();
    let text = log(2_000);
    let path = desk.write("b1.txt", text.as_bytes()).display().to_string();
    let event = bash("make", "cut here").to_string().replace("cut here", "cut here \\ud83d");
    let done = desk.pipe(&["hook", "claude"], event.as_bytes()).ok();
    assert_eq!(done.out(), "");
    let line = usage(&desk).pop().unwrap();
    assert_eq!(
        (line["what"].as_str(), line["why"].as_str()),
        (Some("whole"), Some("it holds half a character"))
    );
    let event =
        event.replace("\"stderr\":\"\"", &format!("\"stderr\":\"\",\"persistedOutputPath\":\"{path}\""));
    let answer = desk.pipe(&["hook", "claude"], event.as_bytes()).ok().json();
    let view = answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"].as_str().unwrap().to_owned();
    assert_eq!(desk.run(&["expand", &reference(&view)]).ok().out(), text);
}

#[test]
fn the_texts_of_a_result_share_its_budget() {
    let desk = desk();
    let blocks = |count: usize, lines: usize| {
        let block = |n: usize| json!({ "type": "text", "text": format!("block {n}\n{}", log(lines)) });
        json!((0..count).map(block).collect::<Vec<_>>())
    };
    for (count, lines, most) in [(6, 1_000, 13 << 10), (20, 160, 22 << 10)] {
        let response = blocks(count, lines);
        let answer = answered(&desk, &after("mcp__s__t", &json!({}), &response)).unwrap();
        let shown: usize =
            answer.as_array().unwrap().iter().map(|block| block["text"].as_str().unwrap().len()).sum();
        assert!(shown <= most, "{count} blocks: {shown} bytes");
    }
    assert_eq!(answered(&desk, &after("mcp__s__t", &json!({}), &blocks(3, 60))), None, "small as a whole");
}

#[test]
fn an_extension_is_refused_only_what_its_session_was_shown() {
    let desk = desk();
    let note = json!({ "tool": "write", "input": { "path": "notes.md", "content": "Progress: \u{2026}3 items #4 on the list" }, "session": "s" });
    let deny = || desk.pipe(&["hook", "pi"], note.to_string().as_bytes()).ok().out();
    assert_eq!(deny(), "");
    let question =
        json!({ "tool": "bash", "input": { "command": "make" }, "texts": [log(2_000)], "session": "s" });
    let answer = desk.pipe(&["hook", "pi"], question.to_string().as_bytes()).ok().json();
    let name = reference(answer["texts"][0].as_str().unwrap());
    assert!(deny().contains(&format!("recto expand {name}#4")), "{}", deny());
}

#[test]
fn a_note_is_not_let_by_for_the_sake_of_a_word() {
    let desk = desk();
    assert!(answered(&desk, &bash("make", &log(2_000))).is_some());
    let line = "recto --version; cat > f <<'E'\n[\u{2026}78 #2]\nE";
    let event = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": line }, "session_id": "s1",
    });
    assert!(ask(&desk, &event).out().contains("\"deny\""));
}

#[test]
fn what_is_damaged_is_healed_by_the_same_bytes() {
    let desk = desk();
    let text = log(2_000);
    let event = bash("make", &text);
    let first = answered(&desk, &event).unwrap();
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    store.execute("UPDATE chunks SET frame = zeroblob(length(frame))", []).unwrap();
    drop(store);
    let name = reference(first["stdout"].as_str().unwrap());
    assert_ne!(desk.run(&["expand", &name]).code(), 0);
    // The model runs the command again, at once.
    assert_eq!(answered(&desk, &event).unwrap(), first);
    assert_eq!(desk.run(&["expand", &name]).ok().out(), text);
}

#[test]
fn lines_that_other_shells_read_otherwise_are_not_wrapped() {
    let desk = desk();
    desk.write("config/recto/config.toml", b"[hook]\ndeadline = \"20s\"\nwrap = [\"make\", \"npm start\"]\n");
    let before = |command: &str, background: bool| {
        json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s",
            "tool_input": { "command": command, "run_in_background": background },
        })
    };
    assert!(ask(&desk, &before("make check 2>&1 | tail", false)).out().contains("--shell"));
    assert_eq!(ask(&desk, &before("npm start", true)).out(), "", "it is asked for while it runs");
    for line in ["make \"$(<args)\"", "make >& log", "make >&log", "time make", "make \"unclosed"] {
        assert_eq!(ask(&desk, &before(line, false)).out(), "", "{line}");
    }
}
