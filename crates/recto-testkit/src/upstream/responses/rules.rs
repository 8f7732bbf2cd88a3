//! What the Responses API refuses.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{DEFAULT_NAMESPACE, history::definitions};
use crate::upstream::reading::{is_plain_name, list, present, repeated, text, too_many_tools};

/// Lists what the Responses API would answer 400 for; empty for a valid body.
///
/// The rules are those that a layer between client and provider could break: names of tools, the pairing of calls and
/// outputs, the kinds of contents. With `previous_response_id` the calls may be at the provider, so unknown ones are
/// not complained of.
///
/// ```
/// use recto_testkit::upstream::responses::complaints;
/// use serde_json::json;
///
/// let output = json!({ "type": "function_call_output", "call_id": "call_1", "output": "x" });
/// let found = complaints(&json!({ "model": "m", "input": [output] }));
/// assert_eq!(found, ["No tool call found for function call output with call_id call_1."]);
/// ```
pub fn complaints(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if !present(body, "model") {
        found.push("Missing required parameter: 'model'.".to_owned());
    }
    match body.get("input") {
        Some(Value::String(_) | Value::Array(_)) => {}
        Some(_) => found.push("Invalid type for 'input': expected a string or an array.".to_owned()),
        None => found.push("Missing required parameter: 'input'.".to_owned()),
    }
    if body.get("instructions").is_some_and(|value| !value.is_string() && !value.is_null()) {
        found.push("Invalid type for 'instructions': expected a string.".to_owned());
    }
    tools(body, &mut found);
    for (index, item) in list(body, "input").iter().enumerate() {
        shape(index, item, &mut found);
    }
    pairs(body, &mut found);
    namespaces(body, &mut found);
    reasoning(list(body, "input"), &mut found);
    for id in repeated(list(body, "input").iter().map(|item| text(item, "id")).filter(|id| !id.is_empty())) {
        found.push(format!(
            "Duplicate item found with id {id}. Remove duplicate items from your input and try again."
        ));
    }
    found
}

fn tools(body: &Value, found: &mut Vec<String>) {
    too_many_tools(body, found);
    let definitions = definitions(body);
    let named: Vec<(String, &str)> = definitions
        .iter()
        .filter(|(_, tool)| matches!(text(tool, "type"), "function" | "custom"))
        .map(|(namespace, tool)| (namespace.unwrap_or_default().to_owned(), text(tool, "name")))
        .collect();
    for (index, (_, name)) in named.iter().enumerate() {
        if !is_plain_name(name, 64) {
            found.push(format!(
                "Invalid 'tools[{index}].name': expected a string of 1 to 64 characters that matches the pattern \
                 '^[a-zA-Z0-9_-]+$', but got '{name}'."
            ));
        }
    }
    let paths: Vec<String> = named.iter().map(|(namespace, name)| format!("{namespace}/{name}")).collect();
    for path in repeated(paths.iter().map(String::as_str)) {
        let name = path.rsplit('/').next().unwrap_or_default();
        found.push(format!("Duplicate tool name in 'tools': {name}."));
    }
    for (_, tool) in &definitions {
        if text(tool, "type").is_empty() {
            found.push("Missing required parameter: 'tools[].type'.".to_owned());
        }
        let parameters = tool.get("parameters").filter(|value| !value.is_null());
        if parameters.is_some_and(|schema| text(schema, "type") != "object") {
            let name = text(tool, "name");
            found.push(format!(
                "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"'."
            ));
        }
    }
    if let Some(choice) = body.get("tool_choice").filter(|choice| choice.is_object()) {
        let name = text(choice, "name");
        if !name.is_empty() && !definitions.iter().any(|(_, tool)| text(tool, "name") == name) {
            found.push(format!("Tool choice '{name}' not found in 'tools' parameter."));
        }
    }
}

fn shape(index: usize, item: &Value, found: &mut Vec<String>) {
    let path = format!("input[{index}]");
    match text(item, "type") {
        "message" | "" => message(&path, item, found),
        "function_call" => {
            call(&path, item, found);
            if !item.get("arguments").is_some_and(Value::is_string) {
                found.push(format!("Invalid type for '{path}.arguments': expected a string."));
            }
        }
        "custom_tool_call" => {
            call(&path, item, found);
            if !item.get("input").is_some_and(Value::is_string) {
                found.push(format!("Invalid type for '{path}.input': expected a string."));
            }
        }
        "function_call_output" | "custom_tool_call_output" => output(&path, item, found),
        _ => {}
    }
}

fn message(path: &str, item: &Value, found: &mut Vec<String>) {
    let role = text(item, "role");
    if !matches!(role, "user" | "assistant" | "system" | "developer") {
        found.push(format!(
            "Invalid value: '{role}' at '{path}.role'. Supported values are: 'assistant', 'system', 'developer', and 'user'."
        ));
    }
    if !matches!(item.get("content"), Some(Value::String(_) | Value::Array(_))) {
        found.push(format!("Invalid type for '{path}.content': expected a string or an array."));
    }
    for (position, part) in list(item, "content").iter().enumerate() {
        let kind = text(part, "type");
        let fits = match role {
            "assistant" => matches!(kind, "output_text" | "refusal"),
            _ => matches!(kind, "input_text" | "input_image" | "input_file" | "input_audio"),
        };
        if !fits {
            found.push(format!(
                "Invalid value: '{kind}' at '{path}.content[{position}].type' for the role '{role}'."
            ));
        }
    }
}

fn call(path: &str, item: &Value, found: &mut Vec<String>) {
    identifier(path, item, found);
    if !is_plain_name(text(item, "name"), 128) {
        found.push(format!(
            "Invalid '{path}.name': string does not match pattern. Expected a string that matches the pattern \
             '^[a-zA-Z0-9_-]+$'."
        ));
    }
}

fn output(path: &str, item: &Value, found: &mut Vec<String>) {
    identifier(path, item, found);
    if !matches!(item.get("output"), Some(Value::String(_) | Value::Array(_))) {
        found.push(format!("Invalid type for '{path}.output': expected a string or an array."));
    }
    for (position, part) in list(item, "output").iter().enumerate() {
        let kind = text(part, "type");
        if !matches!(kind, "input_text" | "input_image" | "input_file") {
            found.push(format!("Invalid value: '{kind}' at '{path}.output[{position}].type'."));
        }
    }
}

fn identifier(path: &str, item: &Value, found: &mut Vec<String>) {
    let chars = text(item, "call_id").chars().count();
    if chars == 0 {
        found.push(format!("Missing required parameter: '{path}.call_id'."));
    } else if chars > 64 {
        found.push(format!(
            "Invalid '{path}.call_id': string too long. Expected a string with maximum length 64, but got a string with \
             length {chars} instead."
        ));
    }
}

/// Every call has one output of its kind, behind it; every output has a call.
fn pairs(body: &Value, found: &mut Vec<String>) {
    let kinds = [
        ("function_call", "function_call_output", "function call"),
        ("custom_tool_call", "custom_tool_call_output", "custom tool call"),
    ];
    for (call_kind, output_kind, words) in kinds {
        let mut outputs = BTreeMap::new();
        for item in list(body, "input") {
            let call_id = text(item, "call_id");
            let kind = text(item, "type");
            if kind == call_kind {
                if outputs.contains_key(call_id) {
                    found.push(format!("Duplicate {words} found with call_id {call_id}."));
                }
                outputs.entry(call_id).or_insert(0_u32);
            } else if kind == output_kind {
                match outputs.get_mut(call_id) {
                    Some(count) => *count += 1,
                    None if present(body, "previous_response_id") => {}
                    None => {
                        found.push(format!("No tool call found for {words} output with call_id {call_id}."));
                    }
                }
            }
        }
        for (call_id, count) in outputs {
            match count {
                0 => found.push(format!("No tool output found for {words} {call_id}.")),
                1 => {}
                _ => found.push(format!("Multiple tool outputs found for {words} {call_id}.")),
            }
        }
    }
}

/// A call of a tool that is offered only inside of namespaces must name its namespace.
fn namespaces(body: &Value, found: &mut Vec<String>) {
    let definitions = definitions(body);
    for (index, call) in list(body, "input").iter().enumerate() {
        let name = text(call, "name");
        if text(call, "type") != "function_call" || present(call, "namespace") {
            continue;
        }
        let mut homes = definitions.iter().filter(|(_, tool)| text(tool, "name") == name).peekable();
        if homes.peek().is_some() && homes.all(|(home, _)| !matches!(home, None | Some(DEFAULT_NAMESPACE))) {
            found.push(format!(
                "Missing namespace for function_call '{name}' at 'input[{index}].namespace'. It does not exist in the default \
                 namespace."
            ));
        }
    }
}

fn reasoning(input: &[Value], found: &mut Vec<String>) {
    for (index, item) in input.iter().enumerate().filter(|(_, item)| text(item, "type") == "reasoning") {
        let follows = input.get(index + 1).is_some_and(|next| {
            let kind = text(next, "type");
            kind == "reasoning" || kind.ends_with("_call") || text(next, "role") == "assistant"
        });
        if !follows {
            let id = text(item, "id");
            found.push(format!(
                "Item '{id}' of type 'reasoning' was provided without its required following item."
            ));
        }
    }
}

#[cfg(test)]
mod tests;
