//! Anthropic Messages.

use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    adapters::{as_written, object, object_schema, others},
    catalog::Catalog,
    ledger::WireTool,
    tool::Shape,
};

/// How long a cached prefix is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheLifetime {
    /// Five minutes, the provider's default.
    #[default]
    FiveMinutes,
    /// One hour.
    OneHour,
}

/// What is asked of [`for_anthropic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnthropicOptions {
    /// Whether breakpoints are set: one on the last tool, one behind the preamble. True.
    pub cache: bool,
    /// How long what is before them is kept.
    pub lifetime: CacheLifetime,
    /// Puts the provider's own tool search first and defers all but the first so many tools (at least one stays).
    pub native_search_after: Option<usize>,
}

impl Default for AnthropicOptions {
    fn default() -> Self {
        Self { cache: true, lifetime: CacheLifetime::default(), native_search_after: None }
    }
}

/// Tools and system blocks of an Anthropic request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnthropicTools {
    /// What goes into `tools`.
    pub tools: Vec<Value>,
    /// What goes into `system`, behind the caller's own blocks; empty below level 3.
    pub system: Vec<Value>,
}

/// Returns a catalogue as Anthropic Messages takes it.
///
/// With `cache`, exactly one `cache_control` stands on the last tool that may carry one (never a deferred one; none where all are
/// deferred), and at level 3 one more behind the preamble, which is a block for each catalogue that added to it, since the provider
/// caches whole blocks: two of the four that a request may have. Marks that the definitions
/// carried themselves are taken off, with `cache` or without.
#[must_use]
pub fn for_anthropic(catalog: &Catalog, options: AnthropicOptions) -> AnthropicTools {
    let mut tools: Vec<Value> = catalog.tools().iter().map(tool).collect();
    if let Some(after) = options.native_search_after {
        for tool in tools.iter_mut().skip(after.max(1)) {
            if let Value::Object(members) = tool {
                members.insert("defer_loading".to_owned(), true.into());
                members.shift_remove("cache_control");
            }
        }
        let search = json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"});
        tools.insert(0, search);
    }
    let parts = catalog.system_parts();
    let mut system: Vec<Value> =
        parts.into_iter().map(|part| json!({"type": "text", "text": part})).collect();
    for tool in &mut tools {
        if let Value::Object(members) = tool {
            members.shift_remove("cache_control");
        }
    }
    if options.cache {
        let eligible =
            tools.iter_mut().rev().find(|tool| tool.get("defer_loading") != Some(&Value::Bool(true)));
        for place in eligible.into_iter().chain(system.last_mut()) {
            if let Value::Object(members) = place {
                members.insert("cache_control".to_owned(), mark(options.lifetime));
            }
        }
    }
    AnthropicTools { tools, system }
}

fn mark(lifetime: CacheLifetime) -> Value {
    match lifetime {
        CacheLifetime::FiveMinutes => json!({"type": "ephemeral"}),
        CacheLifetime::OneHour => json!({"type": "ephemeral", "ttl": "1h"}),
    }
}

fn tool(tool: &WireTool) -> Value {
    as_written(tool, Shape::Anthropic).unwrap_or_else(|| {
        let mut members = object([
            ("name", tool.name.as_str().into()),
            ("description", tool.description.as_str().into()),
            ("input_schema", object_schema(tool)),
        ]);
        if tool.strict {
            members.insert("strict".to_owned(), true.into());
        }
        members.extend(others(tool, Shape::Anthropic));
        Value::Object(members)
    })
}
