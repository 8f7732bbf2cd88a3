//! Rollouts of Codex.

use recto_wire::{Boundary, Format::Codex, Kept, RecordKind};

use crate::{laws, reading::assert_told};

fn item(payload: &str) -> String {
    format!(r#"{{"timestamp":"t","type":"response_item","payload":{payload}}}"#)
}

#[test]
fn items_of_every_type() {
    for (payload, expected) in [
        (
            r#"{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}"#,
            &["System", "text rules"][..],
        ),
        (
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:x"}]}"#,
            &["User", "text see", "image  \"data:x\""],
        ),
        (
            r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"x"}],"encrypted_content":"e"}"#,
            &["Assistant", "thinking"],
        ),
        (
            r#"{"type":"function_call","id":"fc","name":"shell","arguments":"{\"a\":1}","call_id":"c1"}"#,
            &["Assistant", r#"call c1 shell "{\"a\":1}""#],
        ),
        (
            r#"{"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"*** x"}"#,
            &["Assistant", r#"call c2 apply_patch "*** x""#],
        ),
        (
            r#"{"type":"local_shell_call","call_id":"c3","action":{"type":"exec","command":["ls"]}}"#,
            &["Assistant", r#"call c3 local_shell_call {"type":"exec","command":["ls"]}"#],
        ),
        (
            r#"{"type":"tool_search_call","call_id":"c4","arguments":{"query":"q"}}"#,
            &["Assistant", r#"call c4 tool_search_call {"query":"q"}"#],
        ),
        (
            r#"{"type":"tool_search_output","call_id":"c4","tools":[{"name":"n"}]}"#,
            &["Tool", "result c4", "- tool"],
        ),
        (
            r#"{"type":"web_search_call","id":"ws","action":{"type":"search","query":"q"}}"#,
            &["Assistant", "opaque"],
        ),
        (r#"{"type":"image_generation_call","id":"ig","result":"AAAA"}"#, &["Assistant", "image  \"AAAA\""]),
        (
            r#"{"type":"agent_message","author":"a","content":[{"type":"input_text","text":"done"},{"type":"encrypted_content","encrypted_content":"e"}]}"#,
            &["Custom", "text done", "opaque"],
        ),
        (r#"{"type":"ghost_snapshot","ghost_commit":{"id":"x"}}"#, &["Silent"]),
        (r#"{"type":"of tomorrow"}"#, &["Unknown"]),
        (
            r#"{"type":"tool_call","function":{"name":"run"},"arguments":{"command":"ls"}}"#,
            &["Assistant", r#"call  run {"command":"ls"}"#],
        ),
        (
            r#"{"type":"tool_result","name":"run","result":{"stdout":"a","stderr":"","exitCode":0}}"#,
            &["Tool", "result ", "- text a", "- text "],
        ),
    ] {
        assert_told(Codex, &item(payload), expected);
    }
}

#[test]
fn outputs_of_every_shape() {
    for (output, expected) in [
        (r#""plain""#, &["Tool", "result c", "- text plain"][..]),
        (
            r#""{\"output\":\"x\",\"metadata\":{}}""#,
            &["Tool", "result c", r#"- text {"output":"x","metadata":{}}"#],
        ),
        (r#"{"content":"no","success":false}"#, &["Tool", "error c", "- text no"]),
        (
            r#"{"content":[{"type":"input_text","text":"p"}],"success":true}"#,
            &["Tool", "result c", "- text p"],
        ),
        (
            r#"[{"type":"input_text","text":"one"},{"type":"input_image","image_url":"data:y"}]"#,
            &["Tool", "result c", "- text one", "- image  \"data:y\""],
        ),
        (r#"{"type":"input_text","text":"alone"}"#, &["Tool", "result c", "- text alone"]),
        (r#"{"code":5}"#, &["Tool", "result c", "- opaque"]),
    ] {
        for name in ["function_call_output", "custom_tool_call_output", "local_shell_call_output"] {
            let line = item(&format!(r#"{{"type":"{name}","call_id":"c","output":{output}}}"#));
            assert_told(Codex, &line, expected);
        }
    }
}

#[test]
fn a_compaction_holds_a_conversation() {
    let line = r#"{"type":"compacted","payload":{"message":"unread","replacement_history":[
        {"type":"message","role":"user","content":[{"type":"input_text","text":"ask"}]},{"type":"ghost_snapshot"},
        {"type":"function_call_output","call_id":"c","output":"out"},{"type":"compaction","encrypted_content":"e"}]}}"#;
    assert_told(
        Codex,
        line,
        &[
            "Boundary",
            "message User",
            "- text ask",
            "message Tool",
            "- result c",
            "- text out",
            "message Summary",
            "- opaque",
        ],
    );
    let record = laws::check_line(Codex, line.as_bytes());
    assert_eq!(record.kind, RecordKind::Boundary(Boundary { kept: Kept::Nothing, ..Boundary::default() }));
    // The result is the message's, its text is the result's.
    assert_eq!((record.pieces[3].parent, record.pieces[4].parent), (Some(2), Some(3)));
    assert_told(Codex, r#"{"type":"compacted","payload":{"message":"sum"}}"#, &["Boundary", "text sum"]);
}

#[test]
fn headers_have_instructions_and_tools() {
    let line = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s1","cwd":"/p","base_instructions":{"text":"be good"},"dynamic_tools":[{"name":"n"}],"source":{"subagent":{}}}}"#;
    assert_told(Codex, line, &["Session", "system", "text be good", "tools", "tool"]);
    let record = Codex.line(line.as_bytes());
    assert!(record.is_side);
    assert_eq!(
        (record.session.of(line.as_bytes()), record.folder.of(line.as_bytes())),
        (&b"\"s1\""[..], &b"\"/p\""[..])
    );
    let old = r#"{"id":"s1","timestamp":"t","instructions":"old"}"#;
    assert_told(Codex, old, &["Session", "system", "text old"]);
    assert_told(Codex, r#"{"record_type":"state"}"#, &["Silent"]);
}

#[test]
fn bare_items_of_old_files_are_read() {
    let line = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"old"}]}"#;
    assert_told(Codex, line, &["Assistant", "text old"]);
    assert_told(
        Codex,
        r#"{"type":"function_call_output","call_id":"c","output":"o"}"#,
        &["Tool", "result c", "- text o"],
    );
}

#[test]
fn what_repeats_it_for_the_screen_is_silent() {
    for name in ["event_msg", "turn_context", "world_state", "inter_agent_communication_metadata"] {
        assert_told(
            Codex,
            &format!(r#"{{"type":"{name}","payload":{{"type":"user_message","message":"x"}}}}"#),
            &["Silent"],
        );
    }
}
