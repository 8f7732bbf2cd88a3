//! Schemas as Gemini takes them.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    build::{is_never, required},
    references::{Draft, address, pointed, reference},
};
use crate::tool::{MAX_DEPTH, is_deeper};

/// How many schemas may stand in one another, references followed. Gemini refuses schemas that are nested deeply.
const MAX_NESTING: usize = 16;

/// How many schemas one tool may be written out to.
const MAX_SCHEMAS: usize = 5_000;

/// Writes a schema as Gemini's `parameters` take it.
///
/// That subset of OpenAPI has no references, no `allOf`, types in capitals, and enums of strings only. References are written out:
/// where one comes back to what it stands in, or goes deeper than 16 schemas, only the type is left. What may be null is `nullable`.
/// Alternatives become one schema: objects with the members of all, texts with the values of all, one kind of number or list for
/// several; of alternatives that no single type holds, the first that is not null. Arrays have `items`, and `required` names
/// properties only. What admits anything is a text. Descriptions are kept if they are there.
///
/// It admits what the schema does, except that of alternatives without a common type only one is left, what admits anything takes a
/// text, and the empty text leaves enums (Gemini refuses it there).
///
/// ```
/// use recto_catalog::gemini_schema;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"id": {"type": ["integer", "null"], "exclusiveMinimum": 0}}});
/// assert_eq!(
///     gemini_schema(&schema),
///     json!({"type": "OBJECT", "properties": {"id": {"type": "INTEGER", "nullable": true}}})
/// );
/// ```
#[must_use]
pub fn gemini_schema(schema: &Value) -> Value {
    if is_deeper(schema, MAX_DEPTH) {
        return json!({"type": "OBJECT"});
    }
    let mut writer =
        Writer { root: schema, draft: Draft::of(schema), inside: HashSet::new(), left: MAX_SCHEMAS };
    let mut written = writer.write(schema, 0);
    written.remove("nullable");
    if written.get("type").and_then(Value::as_str) != Some("OBJECT") {
        written = Map::new();
        written.insert("type".to_owned(), "OBJECT".into());
    }
    Value::Object(written)
}

struct Writer<'a> {
    root: &'a Value,
    draft: Draft,
    /// The schemas that are being written out.
    inside: HashSet<usize>,
    left: usize,
}

impl<'a> Writer<'a> {
    /// Writes a schema; it has a type then.
    fn write(&mut self, schema: &'a Value, nesting: usize) -> Map<String, Value> {
        let mut written = self.said(schema, nesting);
        if !written.contains_key("type") {
            let kind = if written.contains_key("properties") {
                "OBJECT"
            } else if written.contains_key("items") {
                "ARRAY"
            } else {
                "STRING"
            };
            let mut typed = Map::new();
            typed.insert("type".to_owned(), kind.into());
            typed.extend(written);
            written = typed;
        }
        let kind = written.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if kind == "ARRAY" {
            written.entry("items").or_insert_with(|| json!({"type": "STRING"}));
        } else {
            written.shift_remove("items");
        }
        if kind != "OBJECT" {
            written.shift_remove("properties");
            written.shift_remove("required");
        }
        if kind != "STRING" {
            written.shift_remove("enum");
        }
        let Some(Value::Array(names)) = written.shift_remove("required") else { return written };
        let known = written.get("properties").and_then(Value::as_object);
        let is_known = |name: &Value| {
            name.as_str().is_some_and(|name| known.is_some_and(|known| known.contains_key(name)))
        };
        let names: Vec<Value> = names.into_iter().filter(is_known).collect();
        if !names.is_empty() {
            written.insert("required".to_owned(), Value::Array(names));
        }
        written
    }

    /// Writes what is said of a value in one place; nothing, if everything is admitted.
    fn said(&mut self, schema: &'a Value, nesting: usize) -> Map<String, Value> {
        let Value::Object(keywords) = schema else { return Map::new() };
        let at = address(schema);
        if self.left == 0 || nesting > MAX_NESTING || !self.inside.insert(at) {
            return own_type(keywords);
        }
        self.left -= 1;
        let mut written = Map::new();
        let target = reference(keywords).and_then(|text| pointed(self.root, text));
        if target.is_none() || self.draft == Draft::New {
            written = self.own(keywords, nesting);
        }
        if let Some(target) = target {
            let part = self.said(target, nesting + 1);
            merge(&mut written, part);
        }
        if let Some(Value::Array(schemas)) = keywords.get("allOf") {
            for schema in schemas {
                let part = self.said(schema, nesting + 1);
                merge(&mut written, part);
            }
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Value::Array(schemas)) = keywords.get(key) {
                let part = self.one_of(schemas, nesting);
                merge(&mut written, part);
            }
        }
        self.inside.remove(&at);
        written
    }

    /// Writes alternatives as one.
    fn one_of(&mut self, schemas: &'a [Value], nesting: usize) -> Map<String, Value> {
        let mut nullable = false;
        let mut one: Option<Map<String, Value>> = None;
        for schema in schemas.iter().filter(|schema| !is_never(schema)) {
            if schema.get("type").and_then(Value::as_str) == Some("null") {
                nullable = true;
                continue;
            }
            let part = self.write(schema, nesting + 1);
            nullable |= part.contains_key("nullable");
            one = Some(match one {
                Some(known) => either(known, part),
                None => part,
            });
        }
        let mut one = one.unwrap_or_default();
        if nullable {
            one.insert("nullable".to_owned(), true.into());
        }
        one
    }

    fn own(&mut self, keywords: &'a Map<String, Value>, nesting: usize) -> Map<String, Value> {
        let mut written = own_type(keywords);
        if let Some(text @ Value::String(_)) = keywords.get("description") {
            written.insert("description".to_owned(), text.clone());
        }
        let values = match (keywords.get("const"), keywords.get("enum")) {
            (Some(value), _) => Some(std::slice::from_ref(value)),
            (None, Some(Value::Array(values))) => Some(values.as_slice()),
            _ => None,
        };
        let kind = written.get("type").and_then(Value::as_str).unwrap_or("STRING").to_owned();
        if let Some(values) = values.filter(|_| kind == "STRING") {
            let mut seen = HashSet::new();
            let is_text = |value: &&Value| value.as_str().is_some_and(|text| !text.is_empty());
            let texts: Vec<Value> =
                values.iter().filter(is_text).filter(|value| seen.insert(*value)).cloned().collect();
            let is_all = values.iter().all(|value| value.is_string() || value.is_null());
            if !texts.is_empty() && is_all {
                written.insert("type".to_owned(), "STRING".into());
                if values.iter().any(Value::is_null) {
                    written.insert("nullable".to_owned(), true.into());
                }
                written.insert("enum".to_owned(), Value::Array(texts));
            }
        }
        if let Some(Value::String(format)) = keywords.get("format")
            && matches!(
                (kind.as_str(), format.as_str()),
                ("STRING", "date-time") | ("NUMBER", "float" | "double") | ("INTEGER", "int32" | "int64")
            )
        {
            written.insert("format".to_owned(), format.as_str().into());
        }
        let bounds: &[&str] = match kind.as_str() {
            "NUMBER" | "INTEGER" => &["minimum", "maximum"],
            "ARRAY" => &["minItems", "maxItems"],
            _ => &[],
        };
        for key in bounds {
            if let Some(bound @ Value::Number(_)) = keywords.get(*key) {
                written.insert((*key).to_owned(), bound.clone());
            }
        }
        if let Some(Value::Object(properties)) = keywords.get("properties")
            && !properties.is_empty()
        {
            let mut members = Map::with_capacity(properties.len());
            for (name, schema) in properties {
                members.insert(name.clone(), Value::Object(self.write(schema, nesting + 1)));
            }
            written.insert("properties".to_owned(), Value::Object(members));
        }
        let names = required(keywords);
        if !names.is_empty() {
            written.insert("required".to_owned(), json!(names));
        }
        let items = match (keywords.get("items"), keywords.get("prefixItems")) {
            (_, Some(Value::Array(list))) | (Some(Value::Array(list)), None) => {
                Some(self.one_of(list, nesting))
            }
            (Some(schema), _) => Some(self.write(schema, nesting + 1)),
            (None, _) => None,
        };
        if let Some(items) = items.filter(|items| items.contains_key("type")) {
            written.insert("items".to_owned(), Value::Object(items));
        }
        written
    }
}

/// Writes the type of a schema, and whether it may be null.
fn own_type(keywords: &Map<String, Value>) -> Map<String, Value> {
    let mut written = Map::new();
    let words: Vec<&str> = match keywords.get("type") {
        Some(Value::String(word)) => vec![word],
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let known = words.iter().find_map(|word| match *word {
        "string" => Some("STRING"),
        "number" => Some("NUMBER"),
        "integer" if words.contains(&"number") => Some("NUMBER"),
        "integer" => Some("INTEGER"),
        "boolean" => Some("BOOLEAN"),
        "array" => Some("ARRAY"),
        "object" => Some("OBJECT"),
        _ => None,
    });
    if let Some(kind) = known {
        written.insert("type".to_owned(), kind.into());
    }
    if words.contains(&"null") {
        written.insert("nullable".to_owned(), true.into());
    }
    written
}

/// Adds what else is said of the same value. Where both say something, the first stands; members are put together.
fn merge(known: &mut Map<String, Value>, part: Map<String, Value>) {
    if known.is_empty() {
        *known = part;
        return;
    }
    for (key, value) in part {
        match (key.as_str(), known.get_mut(&key), value) {
            ("properties", Some(Value::Object(known)), Value::Object(members)) => {
                for (name, schema) in members {
                    known.entry(name).or_insert(schema);
                }
            }
            ("required", Some(Value::Array(known)), Value::Array(names)) => {
                for name in names {
                    if !known.contains(&name) {
                        known.push(name);
                    }
                }
            }
            (_, None, value) => {
                known.insert(key, value);
            }
            _ => {}
        }
    }
}

/// Writes two alternatives as one: what either admits if they have a type in common, else the first.
fn either(mut one: Map<String, Value>, mut other: Map<String, Value>) -> Map<String, Value> {
    let kind = |schema: &Map<String, Value>| {
        schema.get("type").and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let (first, second) = (kind(&one), kind(&other));
    let is_number = |kind: &str| kind == "NUMBER" || kind == "INTEGER";
    if first != second && !(is_number(&first) && is_number(&second)) {
        return one;
    }
    if one == other {
        return one;
    }
    let mut both = Map::new();
    let kind = if first == second { first } else { "NUMBER".to_owned() };
    both.insert("type".to_owned(), kind.into());
    for key in ["description", "nullable"] {
        if let Some(value) = one.shift_remove(key).or_else(|| other.shift_remove(key)) {
            both.insert(key.to_owned(), value);
        }
    }
    if let (Some(Value::Array(mut values)), Some(Value::Array(more))) =
        (one.shift_remove("enum"), other.shift_remove("enum"))
    {
        values.extend(more);
        let mut seen = HashSet::new();
        values.retain(|value| seen.insert(value.clone()));
        both.insert("enum".to_owned(), Value::Array(values));
    }
    let members = |schema: &mut Map<String, Value>| match schema.shift_remove("properties") {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let (mut properties, more) = (members(&mut one), members(&mut other));
    for (name, schema) in more {
        let known = properties.remove_entry(&name);
        let schema = match (known, schema) {
            (Some((_, Value::Object(known))), Value::Object(schema)) => Value::Object(either(known, schema)),
            (_, schema) => schema,
        };
        properties.insert(name, schema);
    }
    if !properties.is_empty() {
        both.insert("properties".to_owned(), Value::Object(properties));
    }
    if let (Some(Value::Array(names)), Some(Value::Array(more))) =
        (one.get("required"), other.get("required"))
    {
        let names: Vec<Value> = names.iter().filter(|name| more.contains(name)).cloned().collect();
        if !names.is_empty() {
            both.insert("required".to_owned(), Value::Array(names));
        }
    }
    if let (Some(Value::Object(items)), Some(Value::Object(more))) =
        (one.shift_remove("items"), other.shift_remove("items"))
    {
        both.insert("items".to_owned(), Value::Object(either(items, more)));
    }
    both
}
