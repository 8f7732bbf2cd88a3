//! `recto session show`: a conversation in lines, its atoms, what is wrong with it.

use crate::desk::Desk;

fn claude(uuid: &str, parent: Option<&str>, rest: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    format!(r#"{{"uuid":"{uuid}","parentUuid":{parent},"sessionId":"s","cwd":"/w",{rest}}}"#)
}

/// A session with everything that is marked.
fn marked() -> String {
    [
        claude("u1", None, r#""type":"user","message":{"role":"user","content":"An old question"}"#),
        claude("a1", Some("u1"), r#""type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"An old answer"}]}"#),
        claude("b1", None, r#""type":"system","subtype":"compact_boundary","logicalParentUuid":"a1""#),
        claude("s1", Some("b1"), r#""type":"user","isCompactSummary":true,"message":{"role":"user","content":"What was said so far"}"#),
        claude("u2", Some("s1"), r#""type":"user","message":{"role":"user","content":[{"type":"text","text":"Look at\n this \u001b[2J"},{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlhQAHwAA=="}}]}"#),
        claude("a2", Some("u2"), r#""type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"thinking","thinking":"Which file?","signature":"x"}]}"#),
        claude("a3", Some("a2"), r#""type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Read","input":{"file_path":"/w/a.rs"}}]}"#),
        claude("r1", Some("a3"), r#""type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"fn a()\n[recto: 12 lines, recto expand r:123456789012345]"}]}"#),
        claude("a4", Some("r1"), r#""type":"assistant","message":{"id":"m3","role":"assistant","content":[{"type":"tool_use","id":"c2","name":"Bash","input":{"command":"make"}}]}"#),
        claude("r2", Some("a4"), r#""type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","is_error":true,"content":"no rule"}]}"#),
        claude("a5", Some("r2"), r#""type":"assistant","message":{"id":"m4","role":"assistant","content":[{"type":"tool_use","id":"c3","name":"Bash","input":{"command":"make it"}}]}"#),
    ]
    .join("\n")
        + "\n"
}

#[test]
fn a_conversation_is_a_line_for_each_thing_said() {
    let desk = Desk::new();
    desk.write("marked.jsonl", marked().as_bytes());
    insta::assert_snapshot!(desk.shown(&desk.run(&["session", "show", "marked.jsonl"])));
    insta::assert_snapshot!(
        "full",
        desk.shown(&desk.run(&["session", "show", "marked.jsonl", "--full", "--from", "5", "-n", "5"]))
    );
    // Another branch has what stands on it.
    let leaf = desk.run(&["session", "show", "marked.jsonl", "--leaf", "a1"]).ok().out();
    assert!(
        leaf.contains("An old answer") && !leaf.contains("not read") && !leaf.contains("Look at"),
        "{leaf}"
    );
}

#[test]
fn atoms_are_those_of_the_specification() {
    let desk = Desk::new();
    desk.write("marked.jsonl", marked().as_bytes());
    let json = desk.run(&["session", "show", "marked.jsonl", "--json"]).ok().json();
    insta::assert_snapshot!(serde_json::to_string_pretty(&json["atoms"]).unwrap());
    assert_eq!(json["lines"][0]["marks"], serde_json::json!(["not read"]));
    assert_eq!(json["problems"][0]["line"], 11);
    // What the lines say of their atoms is in the list.
    let known: Vec<&str> =
        json["atoms"].as_array().unwrap().iter().map(|atom| atom["ref"].as_str().unwrap()).collect();
    for line in json["lines"].as_array().unwrap() {
        assert!(line.get("atom").is_none_or(|atom| known.contains(&atom.as_str().unwrap())), "{line}");
    }
}

#[test]
fn what_is_wrong_is_listed_with_what_to_do() {
    let desk = Desk::new();
    let lines = [
        claude("u1", Some("u2"), r#""type":"user","message":{"role":"user","content":"One"}"#),
        "{ this is no JSON }".to_owned(),
        claude("u2", Some("u1"), r#""type":"user","message":{"role":"user","content":"Two"}"#),
        claude(
            "r1",
            Some("u2"),
            r#""type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"nobody","content":"lost"}]}"#,
        ),
        claude("x1", Some("r1"), r#""type":"a-new-type""#),
        claude(
            "a1",
            Some("r1"),
            r#""type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Three"}]}"#,
        ),
        r#"{"type":"user","uuid":"u9","message":{"role":"us"#.to_owned(),
    ];
    desk.write("wrong.jsonl", lines.join("\n").as_bytes());
    insta::assert_snapshot!(desk.shown(&desk.run(&["session", "show", "wrong.jsonl"])));
}

#[test]
fn wrong_arguments_say_what_is_there() {
    let desk = Desk::new();
    desk.write("marked.jsonl", marked().as_bytes());
    desk.write("empty.jsonl", b"");
    desk.run(&["session", "show", "marked.jsonl", "--from", "99"]).fails(2, &["--from 99", "lines"]);
    desk.run(&["session", "show", "marked.jsonl", "--leaf", "zzz"]).fails(2, &["no record", "zzz"]);
    desk.run(&["session", "show", "empty.jsonl"]).fails(2, &["empty.jsonl is empty"]);
    desk.run(&["session", "show", "."]).fails(2, &["is a folder", "recto session ls"]);
    desk.run(&["session", "show"]).fails(2, &["no client has a session"]);
    desk.run(&["session", "show", "abc"]).fails(2, &["no file \"abc\""]);
    let forced = desk.run(&["session", "show", "empty.jsonl", "--format", "pi"]).ok();
    assert!(forced.out().is_empty() && forced.errors().contains("nothing was said"));
}
