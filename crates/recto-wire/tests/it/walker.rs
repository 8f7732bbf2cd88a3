//! Counts calls, results and texts in values, by other means than the readers: a walk over everything, and what the forms call their parts.

use recto_wire::Format;
use serde_json::Value;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) calls: usize,
    pub(crate) results: usize,
    pub(crate) texts: usize,
}

pub(crate) fn count(format: Format, line: &Value) -> Counts {
    let mut counts = Counts::default();
    match format {
        Format::ClaudeCode => claude_code(line, &mut counts),
        Format::Codex => codex(line, &mut counts),
        Format::GeminiCli => gemini_cli(line, &mut counts),
        Format::OpenCode => opencode(line, &mut counts),
        Format::Pi => pi(line, &mut counts),
        _ => {}
    }
    counts
}

fn is(value: &Value, name: &str, text: &str) -> bool {
    value[name] == text
}

fn strings(value: &Value) -> usize {
    match value {
        Value::String(_) => 1,
        Value::Array(items) => items.iter().map(strings).sum(),
        _ => 0,
    }
}

fn typed_texts(value: &Value, names: &[&str]) -> usize {
    match value {
        Value::Array(items) => items.iter().map(|item| typed_texts(item, names)).sum(),
        Value::Object(_) => {
            usize::from(names.iter().any(|name| is(value, "type", name)) && value["text"].is_string())
        }
        _ => strings(value),
    }
}

fn claude_code(line: &Value, counts: &mut Counts) {
    let is_hidden = line["isApiErrorMessage"] == true
        || line["isVisibleInTranscriptOnly"] == true && line["isCompactSummary"] != true;
    if is(line, "type", "tool_use") {
        counts.calls += 1;
    } else if is(line, "type", "tool_result") {
        counts.results += 1;
        counts.texts += strings(&line["output"]);
    } else if is(line, "subtype", "local_command") {
        counts.texts += 1;
    } else if (is(line, "type", "user") || is(line, "type", "assistant")) && !is_hidden {
        let content = &line["message"]["content"];
        counts.texts += typed_texts(content, &["text"]);
        for block in content.as_array().into_iter().flatten() {
            if is(block, "type", "tool_use") {
                counts.calls += 1;
            } else if is(block, "type", "tool_result") {
                counts.results += 1;
                counts.texts += typed_texts(&block["content"], &["text"]);
            }
        }
    }
}

fn codex(line: &Value, counts: &mut Counts) {
    match line["type"].as_str() {
        Some("compacted") if line["payload"]["replacement_history"].is_array() => {
            let items = line["payload"]["replacement_history"].as_array();
            items.into_iter().flatten().for_each(|item| codex_item(item, counts));
        }
        Some("compacted") => counts.texts += strings(&line["payload"]["message"]),
        Some("response_item") => codex_item(&line["payload"], counts),
        _ if line["payload"].is_null() => codex_item(line, counts),
        _ => {}
    }
}

fn codex_item(item: &Value, counts: &mut Counts) {
    const TEXTS: [&str; 3] = ["input_text", "output_text", "text"];
    match item["type"].as_str() {
        Some("message" | "agent_message") => counts.texts += typed_texts(&item["content"], &TEXTS),
        Some(
            "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" | "tool_call",
        ) => {
            counts.calls += 1;
        }
        Some("tool_search_output") => counts.results += 1,
        Some("tool_result") => {
            counts.results += 1;
            counts.texts += strings(&item["result"]["stdout"]) + strings(&item["result"]["stderr"]);
        }
        Some(name) if name.ends_with("_output") => {
            counts.results += 1;
            counts.texts += typed_texts(&item["output"], &TEXTS) + strings(&item["output"]["content"]);
        }
        _ => {}
    }
}

fn pi(line: &Value, counts: &mut Counts) {
    let message = &line["message"];
    counts.texts += strings(&line["summary"]) + strings(&line["content"]);
    if !is(line, "type", "message")
        || is(message, "stopReason", "aborted")
        || is(message, "stopReason", "error")
    {
        return;
    }
    counts.texts += typed_texts(&message["content"], &["text"]);
    counts.texts += strings(&message["command"]) + strings(&message["output"]);
    counts.results += usize::from(is(message, "role", "toolResult"));
    let blocks = message["content"].as_array().into_iter().flatten();
    counts.calls += blocks.filter(|block| is(block, "type", "toolCall")).count();
}

fn gemini_cli(line: &Value, counts: &mut Counts) {
    let message = if line["message"].is_object() { &line["message"] } else { line };
    if ["info", "system"].iter().any(|name| is(line, "type", name)) {
        return;
    }
    if message["content"].as_str().is_some_and(|text| !text.is_empty()) {
        counts.texts += 1;
    }
    let parts = [&message["content"], &message["parts"]];
    for part in parts.into_iter().filter_map(Value::as_array).flatten() {
        counts.texts += usize::from(part["text"].is_string() && part["thought"] != true);
        counts.calls += usize::from(part["functionCall"].is_object());
    }
    for call in message["toolCalls"].as_array().into_iter().flatten() {
        counts.calls += 1;
        for part in call["result"].as_array().into_iter().flatten() {
            counts.results += 1;
            counts.texts += strings(&part["functionResponse"]["response"]["output"]);
        }
    }
}

fn opencode(file: &Value, counts: &mut Counts) {
    if is(file, "type", "text") {
        counts.texts += 1;
    } else if is(file, "type", "tool") {
        counts.calls += 1;
        counts.results += usize::from(file["state"]["output"].is_string());
        counts.texts += strings(&file["state"]["output"]);
    }
}
