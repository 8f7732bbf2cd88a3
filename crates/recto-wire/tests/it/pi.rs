//! Sessions of Pi, of all three versions.

use recto_wire::{Format::Pi, Kept, Link, RecordKind};

use crate::{
    laws,
    reading::{self, assert_told},
};

fn message(message: &str) -> String {
    format!(r#"{{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{message}}}"#)
}

#[test]
fn messages_of_every_role() {
    for (inner, expected) in [
        (r#"{"role":"user","content":"plain"}"#, &["User", "text plain"][..]),
        (
            r#"{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","data":"AA","mimeType":"image/png"}]}"#,
            &["User", "text see", "image image/png \"AA\""],
        ),
        (
            r#"{"role":"assistant","stopReason":"toolUse","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s"},{"type":"text","text":"x"},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls"}}]}"#,
            &["Assistant", "thinking", "text x", r#"call c bash {"command":"ls"}"#],
        ),
        (
            r#"{"role":"assistant","stopReason":"aborted","content":[{"type":"text","text":"x"}]}"#,
            &["Silent"],
        ),
        (
            r#"{"role":"toolResult","toolCallId":"c","isError":true,"content":[{"type":"text","text":"no"}],"details":{"diff":"x"}}"#,
            &["Tool", "error c", "- text no"],
        ),
        (r#"{"role":"toolResult","toolCallId":"c","content":"yes"}"#, &["Tool", "result c", "- text yes"]),
        (
            r#"{"role":"bashExecution","command":"ls","output":"a","exitCode":0}"#,
            &["Bash", "text ls", "text a"],
        ),
        (r#"{"role":"bashExecution","command":"ls","output":"a","excludeFromContext":true}"#, &["Silent"]),
        (r#"{"role":"custom","customType":"x","content":"c"}"#, &["Custom", "text c"]),
        (r#"{"role":"hookMessage","content":"c"}"#, &["Custom", "text c"]),
        (r#"{"role":"branchSummary","summary":"s","fromId":"z"}"#, &["Summary", "text s"]),
        (r#"{"role":"compactionSummary","summary":"s"}"#, &["Summary", "text s"]),
        (r#"{"role":"of tomorrow","content":"c"}"#, &["Unknown"]),
    ] {
        assert_told(Pi, &message(inner), expected);
    }
}

#[test]
fn entries_beside_messages() {
    assert_told(
        Pi,
        r#"{"type":"custom_message","customType":"x","content":"c","display":false}"#,
        &["Custom", "text c"],
    );
    assert_told(Pi, r#"{"type":"branch_summary","fromId":"z","summary":"s"}"#, &["Summary", "text s"]);
    for name in ["custom", "label", "session_info", "model_change", "thinking_level_change"] {
        assert_told(Pi, &format!(r#"{{"type":"{name}","id":"a","content":"x"}}"#), &["Silent"]);
    }
}

#[test]
fn compactions_keep_from_an_id_or_a_number() {
    let by_id = br#"{"type":"compaction","id":"c","parentId":"b","summary":"s","firstKeptEntryId":"k"}"#;
    let record = laws::check_line(Pi, by_id);
    let RecordKind::Boundary(boundary) = record.kind else { panic!("{:?}", record.kind) };
    assert!(matches!(boundary.kept, Kept::Id(id) if id.of(by_id) == b"\"k\""));
    assert!(matches!(record.parent, Link::Id(id) if id.of(by_id) == b"\"b\""));
    let by_number = br#"{"type":"compaction","summary":"s","firstKeptEntryIndex":12}"#;
    let record = laws::check_line(Pi, by_number);
    assert!(matches!(record.kind, RecordKind::Boundary(boundary) if boundary.kept == Kept::Index(12)));
    assert_eq!((record.parent, record.pieces.len()), (Link::Previous, 1));
}

#[test]
fn headers_say_where() {
    let line = br#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/p"}"#;
    let record = laws::check_line(Pi, line);
    assert_eq!((record.kind, record.parent), (RecordKind::Session, Link::Root));
    assert_eq!(
        (record.session.of(line), record.folder.of(line), record.id.len()),
        (&b"\"s\""[..], &b"\"/p\""[..], 0)
    );
    assert_eq!(
        Pi.line(br#"{"type":"message","id":"a","parentId":null,"message":{"role":"user"}}"#).parent,
        Link::Root
    );
}

/// Calls of turns that were broken off have no results, so that nothing is orphaned where they are left out.
#[test]
fn no_result_is_orphaned_by_what_is_left_out() {
    let files = reading::files();
    let Some((file, _)) =
        files.iter().find(|(file, _)| file.relative == "pi/pi-mono_before-compaction.jsonl")
    else {
        return;
    };
    let mut calls = std::collections::BTreeSet::new();
    for (line, record) in reading::records(&file.read(), &file.relative, Pi) {
        for piece in &record.pieces {
            match piece.slot {
                recto_wire::Slot::ToolCall { id, .. } => assert!(calls.insert(id.of(&line).to_vec())),
                recto_wire::Slot::ToolResult { call, .. } => assert!(calls.contains(call.of(&line))),
                _ => {}
            }
        }
    }
    assert_eq!(calls.len(), 449);
}
