//! Catalogues as each provider takes them. Pure: what they are given is not changed.

mod anthropic;
mod gemini;
mod mcp;
mod openai;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{ledger::WireTool, tool::Shape};

pub use anthropic::{AnthropicOptions, AnthropicTools, CacheLifetime, for_anthropic};
pub use gemini::for_gemini;
pub use mcp::for_mcp;
pub use openai::{for_openai, for_openai_responses};

/// Tools as a provider takes them, and the text for its system prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Adapted {
    /// What goes into the request's `tools`.
    pub tools: Vec<Value>,
    /// What goes into its system prompt; empty below level 3.
    pub system_preamble: String,
}

/// Returns the whole definition, where it is sent as it is and is of this shape.
fn as_written(tool: &WireTool, shape: Shape) -> Option<Value> {
    if tool.shape != Some(shape) {
        return None;
    }
    let mut written = tool.written.clone()?;
    let name = match shape {
        Shape::OpenAiChat => written.get_mut("function")?.get_mut("name")?,
        _ => written.get_mut("name")?,
    };
    // A tool of another server may have the same name, or a provider not take this one.
    *name = Value::from(tool.name.as_str());
    if let Value::Object(members) = &mut written {
        members.shift_remove("_server");
    }
    Some(written)
}

/// What a definition of this shape held besides what every tool has; nothing for one of another shape.
fn others(tool: &WireTool, shape: Shape) -> Map<String, Value> {
    if tool.shape == Some(shape) { tool.rest.clone() } else { Map::new() }
}

/// The schema of a tool, with the `"type": "object"` that every provider demands.
fn object_schema(tool: &WireTool) -> Value {
    let mut schema = Map::new();
    if tool.input_schema.get("type").is_none() {
        schema.insert("type".to_owned(), "object".into());
    }
    schema.extend(tool.input_schema.as_object().cloned().unwrap_or_default());
    Value::Object(schema)
}

/// A map of members in the order given.
fn object<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
