//! What a catalogue saves.

use recto_tokens::{Counter, Tokenizer};
use serde::Serialize;
use serde_json::Value;

use crate::{
    budget::sent,
    catalog::Catalog,
    map::MapStyle,
    options::{CodeStyle, Level},
};

/// What a catalogue saves, counted with one tokenizer.
///
/// Both sides are counted as the compact JSON array of `{name, description, inputSchema}`, which is what a provider is given of a
/// tool, and the preamble as it is. What a provider writes around it is not counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// The level.
    pub level: Level,
    /// How lines of the map are written (level 3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_style: Option<MapStyle>,
    /// The style that was asked for, where one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_map_style: Option<MapStyle>,
    /// Why it is another one, where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_reason: Option<String>,
    /// What stands for a tool in the map, where that is not its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_style: Option<CodeStyle>,
    /// How many tools can be called.
    pub tool_count: usize,
    /// How many tools are sent.
    pub wire_tool_count: usize,
    /// The tokenizer.
    pub tokenizer: &'static str,
    /// Tokens of the definitions as they are.
    pub original_tokens: u64,
    /// Tokens of what is sent, preamble included.
    pub compressed_tokens: u64,
    /// What is saved of 100, in hundredths: 9731 is 97.31 %. Negative where more is sent than there was.
    #[serde(serialize_with = "percent")]
    pub saved_pct: i64,
    /// Characters of the definitions as they are.
    pub original_chars: usize,
    /// Characters of what is sent.
    pub compressed_chars: usize,
}

fn percent<S: serde::Serializer>(hundredths: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(clippy::cast_precision_loss, reason = "at most a few thousand digits before the point")]
    serializer.serialize_f64(*hundredths as f64 / 100.0)
}

impl Stats {
    pub(crate) fn of(catalog: &Catalog, tokenizer: Tokenizer) -> Self {
        let counter = tokenizer.counter();
        let original = original_json(catalog);
        let wire = wire_json(catalog);
        let preamble = catalog.system_preamble();
        let original_tokens = counter.count(&original);
        let compressed_tokens = counter.count(&wire) + counter.count(preamble);
        let choice = catalog.map_choice();
        let is_map = catalog.level() == Level::Map;
        Self {
            level: catalog.level(),
            map_style: is_map.then_some(choice.map_style),
            requested_map_style: choice.requested_map_style,
            fallback_reason: choice.fallback_reason.clone().or_else(|| choice.code_reason.clone()),
            code_style: (is_map && choice.code_style != CodeStyle::Name).then_some(choice.code_style),
            tool_count: catalog.directory().entries().len(),
            wire_tool_count: catalog.tools().len(),
            tokenizer: tokenizer.name(),
            original_tokens,
            compressed_tokens,
            saved_pct: saved(original_tokens, compressed_tokens),
            original_chars: original.chars().count(),
            compressed_chars: wire.chars().count() + preamble.chars().count(),
        }
    }
}

/// What tools and preamble cost, in tokens.
pub(crate) fn tokens(catalog: &Catalog, counter: &dyn Counter) -> u64 {
    counter.count(&wire_json(catalog)) + counter.count(catalog.system_preamble())
}

fn saved(original: u64, compressed: u64) -> i64 {
    let (original, compressed) = (i128::from(original), i128::from(compressed));
    if original == 0 {
        return 0;
    }
    i64::try_from((original - compressed) * 10_000 / original).unwrap_or(i64::MIN)
}

fn original_json(catalog: &Catalog) -> String {
    let mut text = String::from("[");
    for (place, entry) in catalog.directory().entries().iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        let tool = entry.tool();
        text.push_str("{\"name\":");
        text.push_str(&Value::from(tool.name()).to_string());
        text.push_str(",\"description\":");
        text.push_str(&Value::from(tool.description()).to_string());
        text.push_str(",\"inputSchema\":");
        text.push_str(&tool.input_schema().to_string());
        text.push('}');
    }
    text.push(']');
    text
}

fn wire_json(catalog: &Catalog) -> String {
    let tools: Vec<String> = catalog.tools().iter().map(sent).collect();
    format!("[{}]", tools.join(","))
}
