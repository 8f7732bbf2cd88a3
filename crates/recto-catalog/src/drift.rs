//! How definitions have changed from one list of tools to another.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{letters::is_hidden, tool::Tool};

/// How deep schemas are compared member by member; what is deeper is compared as a whole.
const COMPARED_DEPTH: usize = 32;

/// What differs between two lists of tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// Tools that the second list has alone.
    pub added: Vec<ToolName>,
    /// Tools that the first list has alone.
    pub removed: Vec<ToolName>,
    /// Tools that are written differently.
    pub changed: Vec<ToolDrift>,
}

/// A tool's name and server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ToolName {
    /// Its name.
    pub name: String,
    /// Its server, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// What differs in one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDrift {
    /// The tool.
    #[serde(flatten)]
    pub tool: ToolName,
    /// What differs, in the order of the definition.
    pub changes: Vec<Change>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Where: `description`, `inputSchema.repo`, `inputSchema.items[].name`.
    pub path: String,
    /// What, in a few words.
    pub what: String,
    /// Whether a call that was right before may be wrong now.
    pub breaking: bool,
}

impl Drift {
    /// Compares two lists of tools, by name and server.
    ///
    /// ```
    /// use recto_catalog::{Drift, Tool};
    /// use serde_json::json;
    ///
    /// let before = [Tool::new("read", "", json!({"type": "object"}))?];
    /// let after = [Tool::new("read", "", json!({"type": "object", "required": ["path"]}))?];
    /// assert!(Drift::between(&before, &after).is_breaking());
    /// # Ok::<(), recto_catalog::CatalogError>(())
    /// ```
    #[must_use]
    pub fn between(before: &[Tool], after: &[Tool]) -> Self {
        let (before, after) = (by_name(before), by_name(after));
        let mut drift = Self::default();
        for (name, tool) in &before {
            match after.get(name) {
                None => drift.removed.push(name.clone()),
                Some(other) if other.digest() == tool.digest() => {}
                Some(other) => {
                    let changes = changes(tool, other);
                    if !changes.is_empty() {
                        drift.changed.push(ToolDrift { tool: name.clone(), changes });
                    }
                }
            }
        }
        drift.added = after.into_keys().filter(|name| !before.contains_key(name)).collect();
        drift
    }

    /// Tells whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }

    /// Tells whether a call that was right before may be wrong now.
    #[must_use]
    pub fn is_breaking(&self) -> bool {
        !self.removed.is_empty()
            || self.changed.iter().any(|tool| tool.changes.iter().any(|change| change.breaking))
    }
}

fn by_name(tools: &[Tool]) -> BTreeMap<ToolName, &Tool> {
    let named = tools.iter().map(|tool| {
        (ToolName { name: tool.name().to_owned(), server: tool.server().map(str::to_owned) }, tool)
    });
    named.collect()
}

fn changes(before: &Tool, after: &Tool) -> Vec<Change> {
    let mut changes = Changes(Vec::new());
    if before.description() != after.description() {
        changes.add("description", "reworded".to_owned(), false);
    }
    changes.schemas("inputSchema", before.input_schema(), after.input_schema(), 0);
    if let (Value::Object(one), Value::Object(other)) = (before.written(), after.written()) {
        let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        let known = [
            "name",
            "description",
            "inputSchema",
            "input_schema",
            "parameters",
            "parametersJsonSchema",
            "function",
            "_server",
        ];
        for key in keys.into_iter().filter(|key| !known.contains(&key.as_str())) {
            match (one.get(key), other.get(key)) {
                (None, Some(_)) => changes.add(key, "added".to_owned(), false),
                (Some(_), None) => changes.add(key, "removed".to_owned(), false),
                (one, other) if one != other => changes.add(key, "changed".to_owned(), false),
                _ => {}
            }
        }
    }
    changes.0
}

/// Differences as they are found.
struct Changes(Vec<Change>);

impl Changes {
    fn add(&mut self, path: &str, what: String, breaking: bool) {
        self.0.push(Change { path: path.to_owned(), what, breaking });
    }

    /// Compares two schemas. Recursion is bounded by [`COMPARED_DEPTH`].
    fn schemas(&mut self, path: &str, before: &Value, after: &Value, depth: usize) {
        if before == after {
            return;
        }
        let (Value::Object(one), Value::Object(other)) = (before, after) else {
            return self.add(path, format!("{} became {}", brief(before), brief(after)), true);
        };
        if depth >= COMPARED_DEPTH {
            return self.add(path, "changed".to_owned(), true);
        }
        self.properties(path, one, other, depth);
        let empty = Value::Null;
        if let (Some(one), Some(other)) = (one.get("items"), other.get("items")) {
            self.schemas(&format!("{path}[]"), one, other, depth + 1);
        }
        self.lists(path, "type", one, other);
        self.lists(path, "enum", one, other);
        let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        for key in keys {
            let (one, other) = (one.get(key).unwrap_or(&empty), other.get(key).unwrap_or(&empty));
            if one == other || matches!(key.as_str(), "properties" | "required" | "type" | "enum") {
                continue;
            }
            match key.as_str() {
                "items" if !one.is_null() && !other.is_null() => {}
                "description" | "title" | "examples" | "$comment" | "$schema" => {
                    self.add(path, format!("{key} reworded"), false)
                }
                "default" | "deprecated" | "readOnly" => {
                    self.add(path, format!("{key} {} became {}", brief(one), brief(other)), false)
                }
                // Whatever a keyword demands, to demand it no more makes no call wrong.
                _ if other.is_null() => self.add(path, format!("{key} {} is gone", brief(one)), false),
                "additionalProperties" if *other != Value::Bool(false) => {
                    self.add(path, format!("{key} is {} now", brief(other)), other.is_object())
                }
                _ if one.is_null() => self.add(path, format!("{key} {} is new", brief(other)), true),
                _ => self.add(path, format!("{key} {} became {}", brief(one), brief(other)), true),
            }
        }
    }

    fn properties(&mut self, path: &str, one: &Map<String, Value>, other: &Map<String, Value>, depth: usize) {
        let none = Map::new();
        let members =
            |schema: &'_ Map<String, Value>| schema.get("properties").and_then(Value::as_object).cloned();
        let (before, after) = (members(one).unwrap_or_else(|| none.clone()), members(other).unwrap_or(none));
        let (was_required, is_required) = (required(one), required(other));
        for (name, schema) in &before {
            let path = format!("{path}.{}", shown(name));
            match after.get(name) {
                None => self.add(&path, "removed".to_owned(), true),
                Some(other) => {
                    match (was_required.contains(name.as_str()), is_required.contains(name.as_str())) {
                        (false, true) => self.add(&path, "required now".to_owned(), true),
                        (true, false) => self.add(&path, "optional now".to_owned(), false),
                        _ => {}
                    }
                    self.schemas(&path, schema, other, depth + 1);
                }
            }
        }
        for name in after.keys().filter(|name| !before.contains_key(*name)) {
            let is_required = is_required.contains(name.as_str());
            let what = if is_required { "added, required" } else { "added" };
            self.add(&format!("{path}.{}", shown(name)), what.to_owned(), is_required);
        }
        let unlisted = is_required
            .difference(&was_required)
            .filter(|name| !before.contains_key(**name) && !after.contains_key(**name));
        for name in unlisted {
            self.add(&format!("{path}.{}", shown(name)), "required now".to_owned(), true);
        }
    }

    /// Compares the values of `type` or `enum`: fewer may break a call, more do not.
    fn lists(&mut self, path: &str, key: &str, one: &Map<String, Value>, other: &Map<String, Value>) {
        let (Some(before), Some(after)) = (one.get(key), other.get(key)) else {
            match (one.get(key), other.get(key)) {
                (None, Some(after)) => self.add(path, format!("{key} {} is new", brief(after)), true),
                (Some(before), None) => self.add(path, format!("{key} {} is gone", brief(before)), false),
                _ => {}
            }
            return;
        };
        if before == after {
            return;
        }
        let (before, after) = (values(before), values(after));
        let is_number_now = |value: &str| {
            key == "type" && value == "\"integer\"" && after.iter().any(|value| value == "\"number\"")
        };
        let gone: Vec<&str> = before
            .iter()
            .filter(|value| !after.contains(value) && !is_number_now(value))
            .map(String::as_str)
            .collect();
        let new: Vec<&str> =
            after.iter().filter(|value| !before.contains(value)).map(String::as_str).collect();
        let mut words = Vec::new();
        if !gone.is_empty() {
            words.push(format!("without {}", cut(&gone.join(", "))));
        }
        if !new.is_empty() {
            words.push(format!("with {}", cut(&new.join(", "))));
        }
        if !words.is_empty() {
            self.add(path, format!("{key} {}", words.join(", ")), !gone.is_empty());
        }
    }
}

fn required(schema: &Map<String, Value>) -> BTreeSet<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn values(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().map(Value::to_string).collect(),
        other => vec![other.to_string()],
    }
}

fn brief(value: &Value) -> String {
    cut(&value.to_string())
}

/// A text of at most 60 characters, on one line.
fn cut(text: &str) -> String {
    let mut cut: String =
        text.chars().take(60).map(|c| if c.is_control() || is_hidden(c) { ' ' } else { c }).collect();
    if text.chars().nth(60).is_some() {
        cut.push('…');
    }
    cut
}

/// A name as part of a path; quoted where it could be taken for more than one part.
fn shown(name: &str) -> String {
    let is_plain =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '$');
    if is_plain { name.to_owned() } else { cut(&Value::from(name).to_string()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn between(before: Value, after: Value) -> Vec<String> {
        let tool = |schema| [Tool::new("a", "Says.", schema).unwrap()];
        let drift = Drift::between(&tool(before), &tool(after));
        let changes = drift.changed.iter().flat_map(|tool| &tool.changes);
        changes
            .map(|change| {
                format!("{}{}: {}", if change.breaking { "! " } else { "" }, change.path, change.what)
            })
            .collect()
    }

    #[test]
    fn what_breaks_calls_is_told_from_what_does_not() {
        let before = json!({"type": "object", "properties": {
            "a": {"type": "integer"}, "b": {"type": "string", "enum": ["x", "y"]}, "c": {"type": "string", "description": "old"},
            "d": {"type": "array", "items": {"type": "object", "properties": {"e.f": {"type": "string"}}}},
        }, "required": ["a"]});
        let after = json!({"type": "object", "properties": {
            "a": {"type": "number"}, "b": {"type": "string", "enum": ["x", "z"]}, "c": {"type": "string", "description": "new", "maxLength": 5},
            "d": {"type": "array", "items": {"type": "object", "properties": {"e.f": {"type": ["string", "null"]}}}}, "g": {"type": "string"},
        }, "required": ["b"], "additionalProperties": false});
        assert_eq!(
            between(before, after),
            [
                "inputSchema.a: optional now",
                "inputSchema.a: type with \"number\"",
                "! inputSchema.b: required now",
                "! inputSchema.b: enum without \"y\", with \"z\"",
                "inputSchema.c: description reworded",
                "! inputSchema.c: maxLength 5 is new",
                "inputSchema.d[].\"e.f\": type with \"null\"",
                "inputSchema.g: added",
                "! inputSchema: additionalProperties false is new",
            ]
        );
    }

    #[test]
    fn tools_come_and_go() {
        let tool = |name: &str| Tool::new(name, "", json!({})).unwrap();
        let drift = Drift::between(&[tool("a"), tool("b")], &[tool("b"), tool("c")]);
        assert_eq!(
            (drift.added[0].name.as_str(), drift.removed[0].name.as_str(), drift.changed.len()),
            ("c", "a", 0)
        );
        assert!(drift.is_breaking());
        assert!(Drift::between(&[tool("a")], &[tool("a")]).is_empty());
    }
}
