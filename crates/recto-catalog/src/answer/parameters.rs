//! The parameters of a tool in few words: `a,b?:int,c:{d,e?:bool[]},f:x|y`.

use serde_json::{Map, Value};

use super::safe;
use crate::{
    schema::pointed,
    signature::{Member, array_of, members, word},
};

/// How many references are followed, and alternatives looked at.
const MAX_PARTS: usize = 100;

/// How much of a schema is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    /// How deep objects and arrays are opened; deeper ones are `obj` and `any[]`.
    pub(super) depth: usize,
    /// How many values of an enum are listed before `…`.
    pub(super) choices: usize,
    /// How many schemas are written in all, so that definitions that name each other do not grow without end.
    pub(super) schemas: usize,
}

/// Returns the parameters of a tool with this schema.
pub(super) fn parameters_of(schema: &Value) -> Vec<Member<'_>> {
    schema.as_object().map(|keywords| members(keywords, schema)).unwrap_or_default()
}

/// Follows a chain of `$ref`s inside of the definition to its end. None if it leads nowhere, outside, or round in a circle.
fn followed<'a>(mut schema: &'a Value, root: &'a Value) -> Option<&'a Map<String, Value>> {
    for _ in 0..MAX_PARTS {
        let members = schema.as_object()?;
        let Some(Value::String(reference)) = members.get("$ref") else { return Some(members) };
        schema = pointed(root, reference)?;
    }
    None
}

/// Writes the parameters of a schema.
pub(super) struct Writer<'a> {
    root: &'a Value,
    detail: Detail,
    left: usize,
    /// The schemas of objects that are being written, to tell circles.
    open: Vec<&'a Map<String, Value>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(root: &'a Value, detail: Detail) -> Self {
        Self { root, detail, left: detail.schemas, open: Vec::new() }
    }

    /// `name`, `name?`, `name:int`: a string is unmarked.
    pub(super) fn parameter(&mut self, parameter: &Member<'a>, depth: usize) -> String {
        let mut text = safe::name(parameter.name).into_owned();
        if !parameter.is_required {
            text.push('?');
        }
        let kind =
            parameter.schemas.first().map_or_else(|| "any".to_owned(), |schema| self.kind(schema, depth));
        if kind != "str" {
            text.push(':');
            text.push_str(&kind);
        }
        text
    }

    fn kind(&mut self, schema: &'a Value, depth: usize) -> String {
        if self.left == 0 {
            return "…".to_owned();
        }
        self.left -= 1;
        let Some(schema) = followed(schema, self.root) else { return "any".to_owned() };
        if let Some(value) = schema.get("const") {
            return choice(value);
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return self.choices(values);
        }
        if let Some(Value::Array(schemas)) = schema.get("anyOf").or_else(|| schema.get("oneOf"))
            && !schema.contains_key("properties")
        {
            return self.alternatives(schemas, depth);
        }
        let names: Vec<&str> = match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if schema.contains_key("properties") || schema.contains_key("allOf") => vec!["object"],
            _ if schema.contains_key("items") => vec!["array"],
            _ => Vec::new(),
        };
        let mut kinds: Vec<String> = Vec::new();
        for name in names.into_iter().take(8) {
            let kind = match name.to_ascii_lowercase().as_str() {
                "string" => match schema.get("format").and_then(Value::as_str) {
                    Some(format @ ("date-time" | "date" | "time" | "email" | "uri" | "uuid")) => {
                        format.to_owned()
                    }
                    _ => "str".to_owned(),
                },
                "integer" => "int".to_owned(),
                "number" => "num".to_owned(),
                "boolean" => "bool".to_owned(),
                "null" => "null".to_owned(),
                "array" => self.list(schema, depth),
                "object" => self.object(schema, depth),
                _ => "any".to_owned(),
            };
            kinds.push(kind);
        }
        if kinds.is_empty() { "any".to_owned() } else { kinds.join("|") }
    }

    fn choices(&self, values: &[Value]) -> String {
        let mut text: Vec<String> = values.iter().take(self.detail.choices).map(choice).collect();
        if values.len() > self.detail.choices {
            text.push("…".to_owned());
        }
        if text.is_empty() { "any".to_owned() } else { text.join("|") }
    }

    fn alternatives(&mut self, schemas: &'a [Value], depth: usize) -> String {
        let mut kinds: Vec<String> = Vec::new();
        for schema in schemas.iter().take(MAX_PARTS) {
            let kind = self.kind(schema, depth);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.is_empty() { "any".to_owned() } else { kinds.join("|") }
    }

    fn list(&mut self, schema: &'a Map<String, Value>, depth: usize) -> String {
        match schema.get("items") {
            Some(items @ Value::Object(_)) if depth < self.detail.depth => {
                array_of(&self.kind(items, depth + 1))
            }
            _ => array_of("any"),
        }
    }

    fn object(&mut self, schema: &'a Map<String, Value>, depth: usize) -> String {
        let is_circle = self.open.iter().any(|open| std::ptr::eq(*open, schema));
        if depth >= self.detail.depth || is_circle {
            return "obj".to_owned();
        }
        self.open.push(schema);
        let mut written: Vec<String> = Vec::new();
        for member in members(schema, self.root) {
            if self.left == 0 {
                written.push("…".to_owned());
                break;
            }
            written.push(self.parameter(&member, depth + 1));
        }
        if let Some(value @ Value::Object(members)) = schema.get("additionalProperties")
            && !members.is_empty()
        {
            let kind = self.kind(value, depth + 1);
            written.push(format!("*:{kind}"));
        }
        self.open.pop();
        if written.is_empty() { "obj".to_owned() } else { format!("{{{}}}", written.join(",")) }
    }
}

/// How much of one value of an enum is written.
const MAX_VALUE_CHARS: usize = 200;

/// One value of an enum: plain where it reads as a string that is nothing else, else as JSON.
fn choice(value: &Value) -> String {
    match value {
        Value::String(text) => word(&safe::beginning(text, MAX_VALUE_CHARS)),
        Value::Array(_) | Value::Object(_) => safe::line(&value.to_string(), 60),
        other => other.to_string(),
    }
}
