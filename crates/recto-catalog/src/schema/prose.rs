//! Schemas without prose, and else as they are.

use serde_json::{Map, Value};

use super::references::pointed;

/// What is said of values to people, and changes nothing of what is valid.
const PROSE: [&str; 10] = [
    "$comment",
    "default",
    "deprecated",
    "description",
    "example",
    "examples",
    "markdownDescription",
    "readOnly",
    "title",
    "writeOnly",
];

/// Keywords that hold schemas by names that mean nothing.
const NAMED: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Keywords whose values are no schemas.
const VALUES: [&str; 2] = ["const", "enum"];

pub(super) fn without_prose(schema: &Value) -> Value {
    let stripped = stripped(schema);
    // A reference may point into what has gone.
    let mut open = vec![&stripped];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                if let Some(Value::String(text)) = members.get("$ref")
                    && pointed(&stripped, text).is_none()
                    && pointed(schema, text).is_some()
                {
                    return schema.clone();
                }
                open.extend(members.values());
            }
            _ => {}
        }
    }
    stripped
}

fn stripped(schema: &Value) -> Value {
    match schema {
        Value::Array(schemas) => schemas.iter().map(stripped).collect(),
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, _)| !PROSE.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| (key.clone(), member(key, value))).collect())
        }
        other => other.clone(),
    }
}

fn member(key: &str, value: &Value) -> Value {
    match value {
        Value::Object(schemas) if NAMED.contains(&key) => Value::Object(
            schemas.iter().map(|(name, schema)| (name.clone(), stripped(schema))).collect::<Map<_, _>>(),
        ),
        _ if VALUES.contains(&key) => value.clone(),
        _ => stripped(value),
    }
}
