//! Gemini's schemas read as JSON Schema.

use serde_json::{Map, Value, json};

/// Returns a schema of Gemini's `parameters` as JSON Schema: types in small letters, `nullable` as a type, bounds as numbers.
///
/// What is JSON Schema already is returned as it is.
pub(crate) fn from_gemini(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let mut read = Map::with_capacity(keywords.len());
    let nullable = keywords.get("nullable") == Some(&Value::Bool(true));
    for (key, value) in keywords {
        let value = match (key.as_str(), value) {
            ("nullable", Value::Bool(_)) => continue,
            ("type", Value::String(word)) if word == "TYPE_UNSPECIFIED" => continue,
            ("type", Value::String(word)) => {
                let word = small(word);
                if nullable && word != "null" { json!([word, "null"]) } else { word.into() }
            }
            ("type", Value::Array(words)) => {
                let mut words: Vec<Value> = words
                    .iter()
                    .map(|word| word.as_str().map_or_else(|| word.clone(), |word| small(word).into()))
                    .collect();
                let null = Value::from("null");
                if nullable && !words.contains(&null) {
                    words.push(null);
                }
                Value::Array(words)
            }
            ("enum", Value::Array(values)) if nullable && !values.contains(&Value::Null) => {
                values.iter().cloned().chain([Value::Null]).collect()
            }
            ("properties", Value::Object(properties)) => Value::Object(
                properties.iter().map(|(name, schema)| (name.clone(), from_gemini(schema))).collect(),
            ),
            ("items", schema) => from_gemini(schema),
            ("anyOf", Value::Array(schemas)) => {
                let mut schemas: Vec<Value> = schemas.iter().map(from_gemini).collect();
                if nullable {
                    schemas.push(json!({"type": "null"}));
                }
                Value::Array(schemas)
            }
            // Whole numbers of 64 bits are written as texts in that API.
            (
                "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties",
                Value::String(digits),
            ) => match digits.parse::<u64>() {
                Ok(number) => number.into(),
                Err(_) => continue,
            },
            ("format", Value::String(format)) if format == "enum" => continue,
            (_, value) => value.clone(),
        };
        read.insert(key.clone(), value);
    }
    Value::Object(read)
}

fn small(word: &str) -> String {
    match word {
        "STRING" | "NUMBER" | "INTEGER" | "BOOLEAN" | "ARRAY" | "OBJECT" | "NULL" => {
            word.to_ascii_lowercase()
        }
        other => other.to_owned(),
    }
}
