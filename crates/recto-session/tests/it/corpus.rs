//! Real sessions of Claude Code and Pi, made into events by the simplest reading that keeps calls, results and images apart.

use recto_session::{Atoms, Boundary, Draft, EventKind, Log, Protection, PruneConfig, prune_session};
use recto_testkit::corpus;
use serde_json::{Value, json};

use crate::laws;

/// Appends what one line of a transcript says. Lines of one message share its id, and so a step.
fn append(log: &mut Log, line: &Value, step: &mut (u64, Value)) {
    let message = &line["message"];
    if message["role"] == "assistant" && (message["id"].is_null() || message["id"] != step.1) {
        *step = (step.0 + 1, message["id"].clone());
    }
    let content = &message["content"];
    let blocks = content.as_array().cloned().unwrap_or_default();
    let mut add = |kind, data: &Value| {
        log.append(&Draft::new(kind).step(step.0).data(&data.to_string()).unwrap()).unwrap();
    };
    match message["role"].as_str() {
        Some("assistant") => {
            let is_call = |block: &&Value| matches!(block["type"].as_str(), Some("tool_use" | "toolCall"));
            let said: Vec<_> = blocks.iter().filter(|block| !is_call(block)).collect();
            add(EventKind::Assistant, &json!({"content": said}));
            for call in blocks.iter().filter(is_call) {
                let arguments = call.get("input").unwrap_or(&call["arguments"]);
                add(
                    EventKind::ToolCall,
                    &json!({"callId": call["id"], "name": call["name"], "arguments": arguments}),
                );
            }
        }
        Some("user") => {
            let is_result = |block: &&Value| block["type"] == "tool_result";
            for result in blocks.iter().filter(is_result) {
                let data = json!({"callId": result["tool_use_id"], "isError": result["is_error"], "content": result["content"]});
                add(EventKind::ToolResult, &data);
            }
            if !blocks.iter().any(|block| is_result(&block)) {
                add(EventKind::User, &json!({"content": content}));
            }
        }
        Some("toolResult") => {
            add(EventKind::ToolResult, &json!({"callId": message["toolCallId"], "content": content}));
        }
        _ => {}
    }
}

#[test]
fn real_sessions_keep_the_laws() {
    let Some(mut files) = corpus::transcripts() else { return };
    files.retain(|file| matches!(file.kind.as_str(), "claude-code" | "pi"));
    let (mut rewritten, mut free, mut exchanges) = (0, 0, 0);
    for file in &files {
        let (mut log, mut step) = (Log::new(), (0, Value::Null));
        for line in String::from_utf8(file.read()).unwrap().lines() {
            if let Ok(line) = serde_json::from_str(line) {
                append(&mut log, &line, &mut step);
            }
        }
        let again = Log::from_jsonl(&log.to_jsonl()).unwrap();
        assert_eq!((again.to_jsonl(), again.projection()), (log.to_jsonl(), log.projection()));
        laws::check_atoms(&log);
        let small = PruneConfig::chars(2000, 1000, 300).unwrap().with_boundary(Boundary::Grapheme);
        for config in [PruneConfig::default(), small] {
            laws::check_prune(&log, &config);
        }
        let mut pruned = log.clone();
        rewritten += prune_session(&mut pruned, &PruneConfig::default()).unwrap().rewritten.len();
        laws::check_atoms(&pruned);
        for atom in Atoms::of(&log, log.projection()).all() {
            assert_ne!(atom.protection, Some(Protection::UnknownKind), "{}", file.relative);
            free += usize::from(atom.protection.is_none());
            exchanges += usize::from(atom.kind == recto_session::AtomKind::ToolExchange);
        }
    }
    assert!(rewritten > 10 && free > 500 && exchanges > 300, "{rewritten} {free} {exchanges}");
}
