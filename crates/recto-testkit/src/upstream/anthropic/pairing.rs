//! What the Messages API refuses in messages: roles, empty texts, calls and results that do not pair.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::upstream::{
    identifier::{SIGNATURE_PREFIX, signature},
    reading::{is_plain_name, list, present, repeated, text},
};

pub(super) fn complaints(body: &Value, found: &mut Vec<String>) {
    let Some(messages) = body.get("messages") else { return };
    let Some(messages) = messages.as_array() else {
        found.push("messages: Input should be a valid list".to_owned());
        return;
    };
    match messages.first() {
        None => found.push("messages: at least one message is required".to_owned()),
        Some(first) if text(first, "role") != "user" => {
            found.push("messages.0: first message must use the \"user\" role".to_owned());
        }
        Some(_) => {}
    }
    let mut known_ids = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        let is_last = index + 1 == messages.len();
        content(index, message, is_last, &mut known_ids, found);
        results_of_the_last(
            index,
            index.checked_sub(1).and_then(|before| messages.get(before)),
            message,
            found,
        );
    }
    // A conversation cannot end with a call.
    if let Some(last) = messages.last() {
        unanswered(messages.len() - 1, calls(last), &BTreeSet::new(), found);
    }
}

fn content<'a>(
    index: usize,
    message: &'a Value,
    is_last: bool,
    known_ids: &mut BTreeSet<&'a str>,
    found: &mut Vec<String>,
) {
    let role = text(message, "role");
    if !matches!(role, "user" | "assistant" | "system") {
        found.push(format!("messages.{index}.role: Input should be 'user' or 'assistant', not \"{role}\""));
    }
    let is_empty = match message.get("content") {
        Some(Value::String(content)) => content.trim().is_empty(),
        Some(Value::Array(blocks)) => blocks.is_empty(),
        _ => true,
    };
    if is_empty && !(is_last && role == "assistant") {
        found.push(format!("messages.{index}: all messages must have non-empty content"));
    }
    let mut after_other = false;
    for (position, part) in list(message, "content").iter().enumerate() {
        let path = format!("messages.{index}.content.{position}");
        match text(part, "type") {
            "" => found.push(format!("{path}.type: Field required")),
            "text" => empty_text(part, &path, found),
            "tool_use" => call(part, role, &path, known_ids, found),
            "tool_result" => {
                if after_other {
                    found.push(format!(
                        "{path}: tool_result blocks must come first in the content of a message"
                    ));
                }
                result(part, role, &path, found);
            }
            "thinking" => thinking(part, role, &path, found),
            _ => {}
        }
        after_other |= text(part, "type") != "tool_result";
    }
}

fn empty_text(block: &Value, path: &str, found: &mut Vec<String>) {
    let content = text(block, "text");
    if content.is_empty() {
        found.push(format!("{path}: text content blocks must be non-empty"));
    } else if content.trim().is_empty() {
        found.push(format!("{path}: text content blocks must contain non-whitespace text"));
    }
}

fn call<'a>(
    block: &'a Value,
    role: &str,
    path: &str,
    known_ids: &mut BTreeSet<&'a str>,
    found: &mut Vec<String>,
) {
    let id = text(block, "id");
    if role != "assistant" {
        found.push(format!("{path}: `tool_use` blocks can only be in `assistant` messages"));
    }
    if !is_plain_name(id, usize::MAX) {
        found.push(format!("{path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"));
    } else if !known_ids.insert(id) {
        found.push(format!("{path}: `tool_use` ids must be unique: {id}"));
    }
    if !is_plain_name(text(block, "name"), 200) {
        found.push(format!("{path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,200}}$'"));
    }
    if !block.get("input").is_some_and(Value::is_object) {
        found.push(format!("{path}.tool_use.input: Input should be a valid dictionary"));
    }
}

fn result(block: &Value, role: &str, path: &str, found: &mut Vec<String>) {
    if role != "user" {
        found.push(format!("{path}: `tool_result` blocks can only be in `user` messages"));
    }
    match block.get("content") {
        None | Some(Value::String(_) | Value::Array(_)) => {}
        Some(_) => found.push(format!("{path}.tool_result.content: Input should be a valid string or list")),
    }
    for (position, part) in list(block, "content").iter().enumerate() {
        match text(part, "type") {
            "" => found.push(format!("{path}.tool_result.content.{position}.type: Field required")),
            "text" => empty_text(part, &format!("{path}.tool_result.content.{position}"), found),
            _ => {}
        }
    }
}

fn thinking(block: &Value, role: &str, path: &str, found: &mut Vec<String>) {
    if role != "assistant" {
        found.push(format!("{path}: `thinking` blocks can only be in `assistant` messages"));
    }
    if present(block, "cache_control") {
        found.push(format!("{path}.thinking.cache_control: Extra inputs are not permitted"));
    }
    let signed = text(block, "signature");
    if signed.starts_with(SIGNATURE_PREFIX) && signed != signature(text(block, "thinking")) {
        found.push(format!("{path}: Invalid `signature` in `thinking` block"));
    }
}

fn results_of_the_last(index: usize, before: Option<&Value>, message: &Value, found: &mut Vec<String>) {
    let called: Vec<&str> = before.map(calls).unwrap_or_default();
    let answered: Vec<&str> = list(message, "content")
        .iter()
        .filter(|block| text(block, "type") == "tool_result")
        .map(|block| text(block, "tool_use_id"))
        .collect();
    for id in repeated(answered.iter().copied()) {
        found.push(format!(
            "messages.{index}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
        ));
    }
    for id in answered.iter().filter(|id| !called.contains(id)) {
        found.push(format!(
            "messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must \
             have a corresponding `tool_use` block in the previous message."
        ));
    }
    if index > 0 {
        unanswered(index - 1, called, &answered.into_iter().collect(), found);
    }
}

fn calls(message: &Value) -> Vec<&str> {
    let blocks = list(message, "content").iter().filter(|block| text(block, "type") == "tool_use");
    blocks.map(|block| text(block, "id")).collect()
}

fn unanswered(index: usize, called: Vec<&str>, answered: &BTreeSet<&str>, found: &mut Vec<String>) {
    let open: Vec<&str> = called.into_iter().filter(|id| !answered.contains(id)).collect();
    if !open.is_empty() {
        found.push(format!(
            "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` \
             block must have a corresponding `tool_result` block in the next message.",
            open.join(", ")
        ));
    }
}
