//! What the Chat Completions API refuses.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::upstream::reading::{is_plain_name, list, present, repeated, text, too_many_tools};

/// Lists what the Chat Completions API would answer 400 for; empty for a valid body.
///
/// The rules are those that a layer between client and provider could break: names of tools, empty lists, roles,
/// contents, and the pairing of calls and tool messages.
///
/// ```
/// use recto_testkit::upstream::chat::complaints;
/// use serde_json::json;
///
/// let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "go" }], "tools": [] });
/// assert_eq!(complaints(&body), ["Invalid 'tools': empty array. Expected an array with minimum length 1."]);
/// ```
pub fn complaints(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for key in ["model", "messages"] {
        if !present(body, key) {
            found.push(format!("Missing required parameter: '{key}'."));
        }
    }
    if body.get("messages").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        found.push("Invalid 'messages': empty array. Expected an array with minimum length 1.".to_owned());
    }
    tools(body, &mut found);
    for (index, message) in list(body, "messages").iter().enumerate() {
        shape(index, message, &mut found);
    }
    pairs(list(body, "messages"), &mut found);
    found
}

fn tools(body: &Value, found: &mut Vec<String>) {
    too_many_tools(body, found);
    let tools = list(body, "tools");
    if tools.is_empty() {
        if present(body, "tools") {
            found.push("Invalid 'tools': empty array. Expected an array with minimum length 1.".to_owned());
        }
        if present(body, "tool_choice") && text(body, "tool_choice") != "none" {
            found.push(
                "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
                    .to_owned(),
            );
        }
        if present(body, "parallel_tool_calls") {
            found.push(
                "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified."
                    .to_owned(),
            );
        }
    }
    let empty = Value::Null;
    let functions: Vec<&Value> =
        tools.iter().map(|tool| tool.get(text(tool, "type")).unwrap_or(&empty)).collect();
    for (index, (tool, function)) in tools.iter().zip(&functions).enumerate() {
        if !matches!(text(tool, "type"), "function" | "custom") {
            found.push(format!(
                "Invalid value for 'tools[{index}].type'. Supported values are: 'function' and 'custom'."
            ));
        } else if !is_plain_name(text(function, "name"), 64) {
            found.push(format!(
                "Invalid 'tools[{index}].function.name': expected a string of 1 to 64 characters that matches the pattern \
                 '^[a-zA-Z0-9_-]+$', but got '{}'.",
                text(function, "name")
            ));
        }
        let parameters = function.get("parameters").filter(|value| !value.is_null());
        if parameters.is_some_and(|schema| text(schema, "type") != "object") {
            found.push(format!(
                "Invalid schema for function '{}': schema must be a JSON Schema of 'type: \"object\"'.",
                text(function, "name")
            ));
        }
    }
    let names: Vec<&str> = functions.iter().map(|function| text(function, "name")).collect();
    for name in repeated(names.iter().copied()) {
        found.push(format!("Duplicate function name in 'tools': {name}."));
    }
    let chosen = body.pointer("/tool_choice/function/name").and_then(Value::as_str);
    if let Some(chosen) = chosen.filter(|chosen| !names.contains(chosen)) {
        found.push(format!("Tool choice '{chosen}' not found in 'tools' parameter."));
    }
}

fn shape(index: usize, message: &Value, found: &mut Vec<String>) {
    let path = format!("messages[{index}]");
    let role = text(message, "role");
    if !matches!(role, "system" | "developer" | "user" | "assistant" | "tool" | "function") {
        found.push(format!("Invalid value: '{role}' at '{path}.role'."));
    }
    let calls = list(message, "tool_calls");
    let has_calls = present(message, "tool_calls");
    if has_calls && calls.is_empty() {
        found.push(format!(
            "Invalid '{path}.tool_calls': empty array. Expected an array with minimum length 1."
        ));
    }
    if has_calls && role != "assistant" {
        found.push(format!(
            "Invalid '{path}.tool_calls': only messages of the role 'assistant' may have tool calls."
        ));
    }
    let may_be_null =
        role == "assistant" && (has_calls || present(message, "refusal") || present(message, "audio"));
    match message.get("content") {
        Some(Value::String(_)) => {}
        Some(Value::Array(parts)) => {
            if parts.is_empty() {
                found.push(format!(
                    "Invalid '{path}.content': empty array. Expected an array with minimum length 1."
                ));
            }
            for (position, part) in parts.iter().enumerate().filter(|(_, part)| text(part, "type").is_empty())
            {
                found.push(format!(
                    "Missing required parameter: '{path}.content[{position}].type' in {part}."
                ));
            }
        }
        None | Some(Value::Null) if may_be_null => {}
        _ => found.push(format!("Invalid value for '{path}.content': expected a string or an array.")),
    }
    for (position, call) in calls.iter().enumerate() {
        let path = format!("{path}.tool_calls[{position}]");
        if text(call, "id").is_empty() {
            found.push(format!("Missing required parameter: '{path}.id'."));
        }
        let function = call.get("function");
        if !function.is_some_and(|function| is_plain_name(text(function, "name"), 64)) {
            found.push(format!("Invalid '{path}.function.name': expected a name of 1 to 64 characters."));
        }
        if !function.and_then(|function| function.get("arguments")).is_some_and(Value::is_string) {
            found.push(format!("Invalid type for '{path}.function.arguments': expected a string."));
        }
    }
}

fn pairs(messages: &[Value], found: &mut Vec<String>) {
    let mut called = BTreeSet::new();
    let mut open = BTreeSet::new();
    let mut open_since = 0;
    for (index, message) in messages.iter().enumerate() {
        if text(message, "role") == "tool" {
            let id = text(message, "tool_call_id");
            if called.is_empty() {
                found.push(format!(
                    "messages[{index}]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
                ));
            } else if !called.contains(id) {
                found.push(format!("Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message."));
            } else if !open.remove(id) {
                found.push(format!("messages[{index}]: Duplicate tool message for tool_call_id '{id}'."));
            }
            continue;
        }
        unanswered(open_since, &open, found);
        called = list(message, "tool_calls").iter().map(|call| text(call, "id")).collect();
        open = called.clone();
        open_since = index;
    }
    unanswered(open_since, &open, found);
}

fn unanswered(index: usize, open: &BTreeSet<&str>, found: &mut Vec<String>) {
    if !open.is_empty() {
        let ids: Vec<&str> = open.iter().copied().collect();
        found.push(format!(
            "messages[{index}]: An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: {}",
            ids.join(", ")
        ));
    }
}

#[cfg(test)]
mod tests;
