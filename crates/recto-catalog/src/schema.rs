//! Schemas of arguments, made small.
//!
//! [`flatten_schema`] reads a schema into a graph in which equal parts are one node (`build`, `graph`, with `combine` for `allOf` and
//! `anyOf`, `references` for `$ref`, `top` for what stands at the top), decides which nodes are worth a definition of their own
//! (`sharing`), and writes it (`write`). `prose` is what strict tools lose, `dialect` what Gemini takes and writes.

mod build;
mod combine;
mod dialect;
mod from_gemini;
mod graph;
mod prose;
mod references;
pub(crate) mod sharing;
mod top;
mod write;

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

pub(crate) use build::{is_never, required};
pub use dialect::gemini_schema;
pub(crate) use from_gemini::from_gemini;
pub(crate) use references::{Draft, pointed};

use crate::tool::{MAX_DEPTH, is_deeper};

/// Makes the schema of a tool's arguments small without refusing what it admits.
///
/// What is left are types, enums, names, what is required, items and alternatives. Prose, defaults, patterns, formats, bounds,
/// `additionalProperties` and conditions go. References are followed; what occurs again, or inside itself, is a definition with a
/// short name in `$defs` where that is smaller. The result is `{"type": "object", "properties": ...}` without alternatives at the
/// top, in the terms of draft 2020-12, whatever the draft was. It only widens: each **object** that is valid under `schema` is
/// valid under the result. What cannot be read (a reference to nothing or to another document) admits everything.
///
/// With `strict` only prose goes, and the result admits exactly what `schema` does.
///
/// Flattening what is flat changes nothing. A schema nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH) is not read: the result
/// admits any object, or is the schema itself where that is strict.
///
/// ```
/// use recto_catalog::flatten_schema;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"unit": {"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}], "description": "Of temperature."}},
///     "additionalProperties": false,
///     "$defs": {"Unit": {"type": "string", "enum": ["celsius", "kelvin"], "title": "Unit"}}
/// });
/// assert_eq!(
///     flatten_schema(&schema, false),
///     json!({
///         "type": "object",
///         "properties": {"unit": {"enum": ["celsius", "kelvin", null]}}
///     })
/// );
/// ```
#[must_use]
pub fn flatten_schema(schema: &Value, strict: bool) -> Value {
    if strict {
        return if is_deeper(schema, MAX_DEPTH) { schema.clone() } else { prose::without_prose(schema) };
    }
    let Some((mut flat, is_recursive)) = flattened(schema) else {
        return json!({"type": "object", "properties": {}});
    };
    // Which of the schemas that are inside one another are written as definitions depends on where each is referred to from; that
    // settles when it is read again.
    for _ in 0..if is_recursive { MAX_PASSES } else { 0 } {
        match flattened(&flat) {
            Some((again, _)) if again != flat => flat = again,
            _ => break,
        }
    }
    flat
}

/// How often a schema that is inside of itself is read again.
const MAX_PASSES: usize = 8;

/// Flattens once, and tells whether anything is inside of itself. `None` if the schema is nested too deep.
fn flattened(schema: &Value) -> Option<(Value, bool)> {
    let mut builder = build::Builder::new(schema)?;
    let top = builder.top(schema);
    let flat = builder.finish(top);
    let is_recursive = flat.slots.iter().any(Option::is_some);
    Some((write::write(&flat), is_recursive))
}
