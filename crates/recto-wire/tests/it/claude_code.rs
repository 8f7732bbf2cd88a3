//! Lines of Claude Code.

use recto_wire::{Format::ClaudeCode, Kept, Link, RecordKind, Role, unquote};

use crate::{
    laws,
    reading::{self, assert_told},
};

#[test]
fn messages_and_their_blocks() {
    assert_told(
        ClaudeCode,
        r#"{"type":"assistant","uuid":"a","parentUuid":"u","message":{"id":"msg_1","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"Look"},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}]}}"#,
        &["Assistant", "thinking", "text Look", r#"call toolu_1 Bash {"command":"ls"}"#],
    );
    assert_told(
        ClaudeCode,
        r#"{"type":"user","isMeta":true,"message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"no"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},"bare",{"type":"tool_result","tool_use_id":"toolu_2","content":"yes"}]}}"#,
        &[
            "User",
            "error toolu_1",
            "- text no",
            "- image image/png \"AAAA\"",
            "text bare",
            "result toolu_2",
            "- text yes",
        ],
    );
}

#[test]
fn what_the_model_does_not_read_is_silent() {
    for line in [
        r#"{"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error"}]}}"#,
        r#"{"type":"user","isVisibleInTranscriptOnly":true,"message":{"content":"shown"}}"#,
        r#"{"type":"system","subtype":"turn_duration","durationMs":1}"#,
        r#"{"type":"attachment","attachment":{"type":"date_change","newDate":"2026-01-01"}}"#,
        r#"{"type":"attachment","attachment":{"type":"hook_success","hookEvent":"PostToolUse","content":"x"}}"#,
        r#"{"type":"attachment","attachment":{"type":"skill_listing","content":""}}"#,
        r#"{"type":"attachment"}"#,
    ] {
        assert_told(ClaudeCode, line, &["Silent"]);
    }
}

#[test]
fn what_the_client_says_to_the_model_is_custom() {
    for (attachment, texts) in [
        (r#"{"type":"queued_command","prompt":"stop"}"#, &["text stop"][..]),
        (
            r#"{"type":"queued_command","prompt":[{"type":"text","text":"see"},{"type":"image","source":{"data":"AA","media_type":"image/png"}}]}"#,
            &["text see", "image image/png \"AA\""],
        ),
        (r#"{"type":"nested_memory","content":{"path":"p","content":"rules"}}"#, &["text rules"]),
        (r#"{"type":"file","content":{"type":"text","file":{"content":"body"}}}"#, &["text body"]),
        (r#"{"type":"hook_success","hookEvent":"SessionStart","content":"hi"}"#, &["text hi"]),
        (
            r#"{"type":"invoked_skills","skills":[{"content":"one"},{"content":"two"}]}"#,
            &["text one", "text two"],
        ),
        (r#"{"type":"hook_additional_context","content":["a","b"]}"#, &["text a", "text b"]),
        (r#"{"type":"edited_text_file","snippet":"1","snippet":"2"}"#, &["text 2 (frozen)"]),
    ] {
        let line = format!(r#"{{"type":"attachment","attachment":{attachment}}}"#);
        assert_told(ClaudeCode, &line, &[&["Custom"], texts].concat());
    }
    let command = r#"{"type":"system","subtype":"local_command","content":"<local-command-stdout>x</local-command-stdout>"}"#;
    assert_told(ClaudeCode, command, &["Custom", "text <local-command-stdout>x</local-command-stdout>"]);
}

#[test]
fn a_compaction_says_what_came_before_and_what_is_kept() {
    let line = r#"{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"logicalParentUuid":"a9","compactMetadata":{"preservedSegment":{"headUuid":"h","anchorUuid":"x","tailUuid":"t"}}}"#;
    let record = laws::check_line(ClaudeCode, line.as_bytes());
    let RecordKind::Boundary(boundary) = record.kind else { panic!("{:?}", record.kind) };
    let text = |span: recto_wire::Span| unquote(span.of(line.as_bytes())).unwrap().into_owned();
    assert_eq!((text(boundary.resumes), text(boundary.kept_until)), ("a9".into(), "t".into()));
    assert!(matches!(boundary.kept, Kept::Id(head) if text(head) == "h"));
    assert_eq!(record.parent, Link::Root);

    let summary = r#"{"type":"user","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"content":"s"}}"#;
    assert_told(ClaudeCode, summary, &["Summary", "text s"]);
}

#[test]
fn sidechains_and_links_are_told() {
    let line = br#"{"type":"user","uuid":"u2","parentUuid":"u1","isSidechain":true,"cwd":"/p","sessionId":"s","timestamp":"t","message":{"content":"x"}}"#;
    let record = ClaudeCode.line(line);
    assert!(record.is_side && matches!(record.parent, Link::Id(id) if id.of(line) == b"\"u1\""));
    assert_eq!((record.id.of(line), record.folder.of(line)), (&b"\"u2\""[..], &b"\"/p\""[..]));
    let unlinked = ClaudeCode.line(br#"{"type":"user","message":{"content":"x"}}"#);
    assert_eq!(unlinked.parent, Link::Previous);
}

#[test]
fn calls_and_results_may_be_lines_of_their_own() {
    assert_told(
        ClaudeCode,
        r#"{"type":"tool_use","name":"bash","input":{"command":"ls"},"uuid":"t1"}"#,
        &["Assistant", r#"call  bash {"command":"ls"}"#],
    );
    assert_told(
        ClaudeCode,
        r#"{"type":"tool_result","name":"bash","output":"a b"}"#,
        &["User", "result ", "- text a b"],
    );
}

/// Results inside results are no depth of this reader.
#[test]
fn nesting_is_read_one_level_deep() {
    let inner = r#"{"type":"tool_result","content":[{"type":"text","text":"deep"}]}"#;
    let line = format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":[{inner}]}}]}}}}"#
    );
    assert_told(ClaudeCode, &line, &["User", "result ", "- opaque"]);
}

#[test]
fn the_fixture_of_all_lines_has_what_it_has() {
    let files = reading::files();
    let Some((file, _)) =
        files.iter().find(|(file, _)| file.relative == "claude-code/agent-sessions_small.jsonl")
    else {
        return;
    };
    let records = reading::records(&file.read(), &file.relative, ClaudeCode);
    let count = |kind| records.iter().filter(|(_, record)| record.kind == kind).count();
    let boundaries = records.iter().filter(|(_, record)| matches!(record.kind, RecordKind::Boundary(_)));
    assert_eq!(boundaries.count(), 2);
    assert_eq!(count(RecordKind::Message(Role::Summary)), 1);
    assert!(count(RecordKind::Message(Role::Custom)) >= 10, "{}", count(RecordKind::Message(Role::Custom)));
    assert_eq!(count(RecordKind::Unknown), 0);
}
