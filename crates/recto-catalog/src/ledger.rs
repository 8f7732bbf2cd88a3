//! What a catalogue has sent so far: what the next one keeps.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    directory::Removed,
    map::MapStyle,
    options::{CodeStyle, Level},
    tool::Shape,
};

/// How one tool is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Detail {
    /// Not at all; `q` finds it.
    Search,
    /// By its name, in the map.
    Name,
    /// By its name and the arguments that it requires, in the map.
    Required,
    /// By its whole signature, in the map.
    Signature,
    /// As a tool of its own.
    Native,
}

/// A tool as it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireTool {
    /// What the model calls it.
    pub name: String,
    /// What the model reads of it.
    pub description: String,
    /// The schema that the model and the provider are given.
    pub input_schema: Value,
    /// Whether the provider is asked to hold the model to the schema exactly.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// The code that each operation stands for, where it is the tool of a namespace (level 2).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub operations: BTreeMap<String, String>,
    /// The shape that the tool was written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// What else the definition held, in its own shape: annotations, an output schema, marks for a provider.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub rest: Map<String, Value>,
    /// The definition as it was written, at level 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Value>,
}

/// One tool in a [`Ledger`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerEntry {
    /// What the model names it by.
    pub code: String,
    /// What stands in front of its line in the map, where codes are short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// The name that its server knows it by.
    pub name: String,
    /// Its server, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The first 16 digits of a hash over its definition.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// How it is offered.
    pub detail: Detail,
    /// What was last sent of it: its line of the map, or the first 16 digits of a hash over what stands for it.
    pub sent: String,
    /// Whether it is gone. Its code stays its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
}

/// What a catalogue has sent so far. Append-only: the catalogue that is made on it keeps every byte of it in its place.
///
/// A carrier keeps the ledger beside the conversation (in the archive) and gives it back as [`crate::Options::base`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    /// The form of the ledger; 1.
    pub version: u32,
    /// The level.
    pub level: Level,
    /// How lines of the map are written.
    pub map_style: MapStyle,
    /// What stands for a tool in the map.
    pub code_style: CodeStyle,
    /// The budget, where tools were chosen by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u64>,
    /// Every tool that there ever was, in the order in which they came.
    pub entries: Vec<LedgerEntry>,
    /// The tools as they were sent, in order.
    pub tools: Vec<WireTool>,
    /// The preamble as it was sent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preamble: String,
    /// Where in the preamble each catalogue's part ends, in bytes: what is cached block by block is cut there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<usize>,
}

impl Ledger {
    /// The form that is written.
    pub(crate) const VERSION: u32 = 1;

    /// Returns the words that stand for tools besides their codes: no newcomer may have one of them for its code.
    pub(crate) fn reserved(&self) -> BTreeSet<String> {
        self.entries.iter().filter_map(|entry| entry.short.clone()).collect()
    }

    /// Returns the digests of the definitions that the codes were given to, in the codes' order.
    pub(crate) fn digests(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.digest.clone()).collect()
    }

    /// Returns the codes given so far, in their order.
    pub(crate) fn codes(&self) -> Vec<Removed> {
        self.entries
            .iter()
            .map(|entry| Removed {
                code: entry.code.clone(),
                name: entry.name.clone(),
                server: entry.server.clone(),
            })
            .collect()
    }
}
