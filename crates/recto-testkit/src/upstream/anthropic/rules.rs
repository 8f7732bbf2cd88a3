//! What the Messages API refuses, but for the order of messages.

use serde_json::Value;

use super::pairing;
use crate::upstream::reading::{is_plain_name, list, present, repeated, text};

/// Lists what the Messages API would answer 400 for; empty for a valid body.
///
/// The rules are those that a layer between client and provider could break: names and schemas of tools, cache marks,
/// roles, texts, and the pairing of calls and results. Parameters (`temperature`, limits of models) are not judged. A
/// body for `count_tokens` is judged without `max_tokens` by the server.
///
/// ```
/// use recto_testkit::upstream::anthropic::complaints;
/// use serde_json::json;
///
/// let body = json!({ "model": "m", "max_tokens": 9, "messages": [{ "role": "user", "content": "" }] });
/// assert_eq!(complaints(&body), ["messages.0: all messages must have non-empty content"]);
/// ```
pub fn complaints(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for key in ["model", "max_tokens", "messages"] {
        if !present(body, key) {
            found.push(format!("{key}: Field required"));
        }
    }
    tools(body, &mut found);
    tool_choice(body, &mut found);
    system(body, &mut found);
    cache_marks(body, &mut found);
    pairing::complaints(body, &mut found);
    found
}

fn tools(body: &Value, found: &mut Vec<String>) {
    let tools = list(body, "tools");
    for (index, tool) in tools.iter().enumerate() {
        let path = format!("tools.{index}");
        if !is_plain_name(text(tool, "name"), 128) {
            found.push(format!("{path}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"));
        }
        // Tools that the provider runs have a dated type and a schema of their own.
        if matches!(text(tool, "type"), "" | "custom") {
            schema(tool.get("input_schema").unwrap_or(&Value::Null), &path, found);
        }
        if is_deferred(tool) && present(tool, "cache_control") {
            found.push(format!("{path}: Tools with defer_loading cannot use prompt caching"));
        }
    }
    for name in repeated(tools.iter().map(|tool| text(tool, "name"))) {
        found.push(format!("tools: Tool names must be unique: {name}"));
    }
    if !tools.is_empty() && tools.iter().all(is_deferred) {
        found.push("tools: At least one tool must have defer_loading=false".to_owned());
    }
}

fn is_deferred(tool: &Value) -> bool {
    tool.get("defer_loading").and_then(Value::as_bool).unwrap_or_default()
}

fn schema(schema: &Value, path: &str, found: &mut Vec<String>) {
    let path = format!("{path}.custom.input_schema");
    if !schema.is_object() {
        found.push(format!("{path}: Field required"));
        return;
    }
    if text(schema, "type") != "object" {
        found.push(format!("{path}.type: Input should be 'object'"));
    }
    if ["oneOf", "allOf", "anyOf"].iter().any(|key| present(schema, key)) {
        found.push(format!("{path}: input_schema does not support oneOf, allOf, or anyOf at the top level"));
    }
    let keys =
        schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|members| members.keys());
    for key in keys.filter(|key| !is_plain_name(&key.replace('.', "-"), 64)) {
        found.push(format!(
            "{path}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$': {key}"
        ));
    }
}

fn tool_choice(body: &Value, found: &mut Vec<String>) {
    let Some(choice) = body.get("tool_choice").filter(|choice| !choice.is_null()) else { return };
    let tools = list(body, "tools");
    let kind = text(choice, "type");
    if tools.is_empty() && kind != "none" {
        found.push("tool_choice: tool_choice may only be specified while providing tools".to_owned());
    } else if kind == "tool" && !tools.iter().any(|tool| text(tool, "name") == text(choice, "name")) {
        found.push(format!("tool_choice: Tool '{}' not found in provided tools", text(choice, "name")));
    }
}

fn system(body: &Value, found: &mut Vec<String>) {
    match body.get("system") {
        None | Some(Value::String(_) | Value::Array(_)) => {}
        Some(_) => found.push("system: Input should be a valid string or list".to_owned()),
    }
    for (index, block) in list(body, "system").iter().enumerate() {
        if text(block, "type") != "text" {
            found.push(format!("system.{index}.type: Input should be 'text'"));
        } else if text(block, "text").is_empty() {
            found.push(format!("system.{index}: text content blocks must be non-empty"));
        }
    }
}

/// At most four marks, and none of an hour behind one of five minutes, in the order tools, system, messages.
fn cache_marks(body: &Value, found: &mut Vec<String>) {
    let mut lives = Vec::new();
    let mut mark = |holder: &Value| {
        if let Some(mark) = holder.get("cache_control").filter(|mark| !mark.is_null()) {
            lives.push(if text(mark, "ttl") == "1h" { Life::Hour } else { Life::Minutes });
        }
    };
    list(body, "tools").iter().chain(list(body, "system")).for_each(&mut mark);
    for block in list(body, "messages").iter().flat_map(|message| list(message, "content")) {
        list(block, "content").iter().for_each(&mut mark);
        mark(block);
    }
    mark(body);
    if lives.len() > 4 {
        found.push(format!(
            "A maximum of 4 blocks with cache_control may be provided. Found {}.",
            lives.len()
        ));
    }
    let first_short = lives.iter().position(|life| *life == Life::Minutes);
    if first_short.is_some_and(|first| lives.iter().skip(first).any(|life| *life == Life::Hour)) {
        found.push(
            "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block".to_owned(),
        );
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Minutes,
    Hour,
}

#[cfg(test)]
mod tests;
