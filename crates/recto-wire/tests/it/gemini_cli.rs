//! Chats of Gemini CLI, as lines and as documents, and those of its kin.

use recto_wire::{Format::GeminiCli, Link, RecordKind, Role};

use crate::{
    laws,
    reading::{assert_told, tell},
};

#[test]
fn a_call_and_its_result_stand_in_one_message() {
    let line = r#"{"id":"a","type":"gemini","content":"","thoughts":[{"subject":"s","description":"d"}],"toolCalls":[
        {"id":"c1","name":"ls","args":{"path":"."},"result":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a b"}}},{"inlineData":{"mimeType":"image/png","data":"AA"}}],"status":"success","resultDisplay":"unread"},
        {"id":"c2","name":"rm","args":{},"status":"error","result":[{"functionResponse":{"id":"c2","response":{"error":"no"}}}]},
        {"id":"c3","name":"mcp","args":{},"result":[{"functionResponse":{"id":"c3","response":{"content":[{"type":"text","text":"p"}],"n":5}}}]},
        {"id":"c4","name":"old","args":{},"result":"plain"},
        {"id":"c5","name":"stopped","args":{},"status":"cancelled","result":null}]}"#;
    assert_told(
        GeminiCli,
        line,
        &[
            "Assistant",
            "thinking",
            r#"call c1 ls {"path":"."}"#,
            "result c1",
            "- text a b",
            "image image/png \"AA\"",
            "call c2 rm {}",
            "error c2",
            "- text no",
            "call c3 mcp {}",
            "result c3",
            "- text p",
            "- opaque",
            "call c4 old {}",
            "result c4",
            "- text plain",
            "call c5 stopped {}",
        ],
    );
}

#[test]
fn contents_of_every_shape() {
    for (line, expected) in [
        (r#"{"id":"1","type":"user","content":"x","displayContent":"unread"}"#, &["User", "text x"][..]),
        (r#"{"id":"1","type":"user","content":[{"text":"x"},"y"]}"#, &["User", "text x", "text y"]),
        (r#"{"id":"1","type":"user","content":{"text":"x"}}"#, &["User", "text x"]),
        (
            r#"{"id":"1","type":"model","parts":[{"text":"x","thought":true},{"text":"y"}]}"#,
            &["Assistant", "thinking", "text y"],
        ),
        (
            r#"{"role":"user","parts":[{"functionResponse":{"name":"ls","id":"c","response":{"output":"o"}}}]}"#,
            &["User", "result c", "- text o"],
        ),
        (
            r#"{"role":"model","parts":[{"functionCall":{"id":"c","name":"ls","args":{}}}]}"#,
            &["Assistant", "call c ls {}"],
        ),
        (
            r#"{"role":"user","parts":[{"fileData":{"fileUri":"u","mimeType":"a/b"}},{"executableCode":{}}]}"#,
            &["User", "image a/b \"u\"", "opaque"],
        ),
        (r#"{"id":"1","type":"info","content":"x"}"#, &["Silent"]),
        (r#"{"id":"1","type":"of tomorrow","content":"x"}"#, &["Unknown"]),
    ] {
        assert_told(GeminiCli, line, expected);
    }
}

#[test]
fn lines_change_what_came_before() {
    assert_told(GeminiCli, r#"{"$set":{"lastUpdated":"t"}}"#, &["Silent"]);
    assert_told(GeminiCli, r#"{"$rewindTo":"m3"}"#, &["Rewind m3"]);
    assert_told(
        GeminiCli,
        r#"{"$set":{"messages":[{"id":"1","type":"user","content":"x"},{"id":"2","type":"info","content":"y"},{"id":"3","type":"gemini","content":"z"}]}}"#,
        &["Boundary", "message User", "- text x", "message Assistant", "- text z"],
    );
    let header = br#"{"sessionId":"s","projectHash":"h","startTime":"t","kind":"main"}"#;
    let record = laws::check_line(GeminiCli, header);
    assert_eq!((record.kind, record.session.of(header)), (RecordKind::Session, &b"\"s\""[..]));
}

#[test]
fn documents_are_a_session_and_its_messages() {
    let chat = br#"{ "sessionId": "s", "new": [1], "messages": [
        {"id": "1", "type": "user", "content": "x"},
        {"id": "2", "type": "gemini", "content": "y"} ], "last": 1 }"#;
    let checkpoint =
        br#"{"history":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"text":"y"}]}]}"#;
    let bare = br#"[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"text":"y"}]}]"#;
    for source in [&chat[..], checkpoint, bare] {
        let records = GeminiCli.document(source).unwrap();
        laws::check_document(GeminiCli, source, &records);
        let told: Vec<Vec<String>> = records.iter().map(|record| tell(source, record)).collect();
        assert_eq!(
            told[1..],
            [vec!["User".to_owned(), "text x".into()], vec!["Assistant".into(), "text y".into()]]
        );
    }
}

/// Qwen Code: a tree, one answer in several lines of one id.
#[test]
fn its_kin_is_read() {
    let line = br#"{"uuid":"b","parentUuid":"a","sessionId":"s","cwd":"/p","type":"assistant","message":{"role":"model","parts":[{"text":"t","thought":true},{"functionCall":{"id":"c","name":"read","args":{}}}]}}"#;
    let record = laws::check_line(GeminiCli, line);
    assert_eq!(tell(line, &record), ["Assistant", "thinking", "call c read {}"]);
    assert!(matches!(record.parent, Link::Id(id) if id.of(line) == b"\"a\""));
    assert_eq!((record.id.of(line), record.message.of(line)), (&b"\"b\""[..], &b"\"b\""[..]));
    let result = br#"{"uuid":"c","parentUuid":"b","sessionId":"s","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c","response":{"output":"o"}}}]}}"#;
    assert_eq!(GeminiCli.line(result).kind, RecordKind::Message(Role::Tool));
}
