//! What a schema asks for, in a few words.

use serde_json::Value;

use super::text::{MAX_QUOTED_CHARS, one_line, shown};
use crate::schema::pointed;

/// How many references and alternatives are followed for a word.
const MAX_STEPS: usize = 8;

/// How long what is said of a schema may be.
const MAX_KIND_CHARS: usize = 80;

/// How many values of an enum stand for all of them.
const MAX_VALUES: usize = 6;

/// Names what a schema takes: `string`, `integer`, `"open" or "closed"`, `array of string`. Empty where nothing is said.
pub(super) fn kind_of(root: &Value, schema: &Value) -> String {
    one_line(&kind(root, schema, MAX_STEPS), MAX_KIND_CHARS)
}

fn kind(root: &Value, schema: &Value, steps: usize) -> String {
    let Some(steps) = steps.checked_sub(1) else { return String::new() };
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return pointed(root, reference).map(|schema| kind(root, schema, steps)).unwrap_or_default();
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let few: Vec<String> = values.iter().take(MAX_VALUES).map(shown).collect();
        let more = if values.len() > MAX_VALUES { " …" } else { "" };
        return format!("{}{more}", few.join(" | "));
    }
    if let Some(value) = schema.get("const") {
        return shown(value);
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => {
            let items = schema.get("items").map(|items| kind(root, items, steps)).unwrap_or_default();
            return if items.is_empty() { "array".to_owned() } else { format!("array of {items}") };
        }
        Some(Value::String(name)) if name == "object" => return object(schema),
        Some(Value::String(name)) => return name.chars().take(MAX_QUOTED_CHARS).collect(),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).take(MAX_VALUES).collect();
            return names.join(" or ");
        }
        _ => {}
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(alternatives)) = schema.get(keyword) {
            let mut kinds: Vec<String> = Vec::new();
            for alternative in alternatives.iter().take(MAX_VALUES) {
                let kind = kind(root, alternative, steps);
                if !kind.is_empty() && !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            return kinds.join(" or ");
        }
    }
    if let Some(Value::Array(parts)) = schema.get("allOf") {
        return parts
            .iter()
            .map(|part| kind(root, part, steps))
            .find(|kind| !kind.is_empty())
            .unwrap_or_default();
    }
    if schema.get("properties").is_some() { object(schema) } else { String::new() }
}

/// Names the members that an object must have.
fn object(schema: &Value) -> String {
    let required = schema.get("required").and_then(Value::as_array);
    let names: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    if names.is_empty() {
        return "object".to_owned();
    }
    let few: Vec<String> = names.iter().take(MAX_VALUES).map(|name| super::text::member("", name)).collect();
    let more = if names.len() > MAX_VALUES { ", …" } else { "" };
    format!("object {{{}{more}}}", few.join(", "))
}
