//! Files and exports of opencode.

use recto_wire::{Format::OpenCode, Kept, RecordKind, Role, unquote};

use crate::{
    laws,
    reading::{assert_told, tell},
};

fn part(members: &str) -> String {
    format!(r#"{{"id":"prt_1","sessionID":"s","messageID":"m",{members}}}"#)
}

#[test]
fn parts_of_every_type() {
    for (members, expected) in [
        (r#""type":"text","text":"x""#, &["Part", "text x"][..]),
        (r#""type":"text","text":"x","synthetic":true"#, &["Part", "text x"]),
        (r#""type":"text","text":"x","ignored":true"#, &["Silent"]),
        (r#""type":"reasoning","text":"x""#, &["Part", "thinking"]),
        (r#""type":"file","mime":"image/png","url":"data:x""#, &["Part", "image image/png \"data:x\""]),
        (r#""type":"file","mime":"text/plain","url":"file:///x""#, &["Silent"]),
        (
            r#""type":"tool","callID":"c","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a","attachments":[{"type":"file","mime":"image/png","url":"data:y"}]}"#,
            &[
                "Part",
                r#"call c bash {"command":"ls"}"#,
                "result c",
                "- text a",
                "- image image/png \"data:y\"",
            ],
        ),
        (
            r#""type":"tool","callID":"c","tool":"bash","state":{"status":"error","input":{},"error":"no"}"#,
            &["Part", "call c bash {}", "error c", "- text no"],
        ),
        (
            r#""type":"tool","callID":"c","tool":"bash","state":{"status":"running","input":{}}"#,
            &["Part", "call c bash {}"],
        ),
        (
            r#""type":"tool","callID":"c","tool":"bash","state":{"status":"completed","input":{},"output":"gone","time":{"start":1,"end":2,"compacted":3}}"#,
            &["Part", "call c bash {}", "result c (frozen)"],
        ),
        (r#""type":"patch","hash":"h","files":[]"#, &["Silent"]),
        (r#""type":"step-start","snapshot":"x""#, &["Silent"]),
        (r#""type":"step-finish","reason":"stop""#, &["Silent"]),
        (r#""type":"snapshot","snapshot":"x""#, &["Silent"]),
        (r#""type":"subtask","prompt":"p","agent":"a""#, &["Silent"]),
        (r#""type":"of tomorrow","text":"x""#, &["Unknown"]),
    ] {
        assert_told(OpenCode, &part(members), expected);
    }
}

#[test]
fn a_part_says_its_message_or_leaves_it_to_the_folder() {
    let told = part(r#""type":"text","text":"x""#);
    assert_eq!(OpenCode.line(told.as_bytes()).message.of(told.as_bytes()), b"\"m\"");
    let untold = br#"{"id":"p_user_1","type":"text","text":"Hello","time":{"start":1730000001000}}"#;
    let record = laws::check_line(OpenCode, untold);
    assert!(record.message.is_empty() && record.kind == RecordKind::Part);
    assert_eq!(record.time.of(untold), b"1730000001000");
}

#[test]
fn a_compaction_keeps_a_tail() {
    let line = part(r#""type":"compaction","auto":true,"tail_start_id":"m7""#);
    let record = laws::check_line(OpenCode, line.as_bytes());
    let RecordKind::Boundary(boundary) = record.kind else { panic!("{:?}", record.kind) };
    assert!(matches!(boundary.kept, Kept::Id(id) if unquote(id.of(line.as_bytes())).unwrap() == "m7"));
    assert_eq!(record.message.of(line.as_bytes()), b"\"m\"");
}

#[test]
fn messages_and_sessions_are_files_of_their_own() {
    assert_told(
        OpenCode,
        r#"{"id":"m","sessionID":"s","role":"user","system":"be brief","time":{"created":1}}"#,
        &["User", "system", "text be brief"],
    );
    assert_told(OpenCode, r#"{"id":"m","sessionID":"s","role":"assistant"}"#, &["Assistant"]);
    assert_told(OpenCode, r#"{"id":"m","sessionID":"s","role":"assistant","summary":true}"#, &["Summary"]);
    let session =
        br#"{"id":"s","projectID":"p","directory":"/p","parentID":"s0","title":"t","time":{"created":5}}"#;
    let record = laws::check_line(OpenCode, session);
    assert_eq!((record.kind, record.is_side), (RecordKind::Session, true));
    assert_eq!((record.session.of(session), record.folder.of(session)), (&b"\"s\""[..], &b"\"/p\""[..]));
}

#[test]
fn exports_are_one_document() {
    let export = br#"{"info":{"id":"s","directory":"/p"},"messages":[
        {"info":{"id":"m1","role":"user","sessionID":"s"},"parts":[{"id":"p1","type":"text","text":"x"}]},
        {"info":{"id":"m2","role":"assistant"},"parts":[{"id":"p2","type":"step-start"},{"id":"p3","type":"tool","callID":"c","tool":"ls","state":{"status":"completed","input":{},"output":"o"}}]},
        {"parts":[{"id":"p4","type":"compaction","tail_start_id":"m1"}],"info":{"id":"m3","role":"user"}},
        {}]}"#;
    let records = OpenCode.document(export).unwrap();
    laws::check_document(OpenCode, export, &records);
    let told: Vec<Vec<String>> = records.iter().map(|record| tell(export, record)).collect();
    assert_eq!(
        told,
        [
            &["Session"][..],
            &["User", "text x"],
            &["Assistant", "call c ls {}", "result c", "- text o"],
            &["Boundary"],
            &["Unknown"],
        ]
    );
    assert_eq!(records[2].message.of(export), b"\"m2\"");
    assert!(matches!(records[1].kind, RecordKind::Message(Role::User)));
}
