//! What a caller asks of a catalogue.

use std::{collections::BTreeMap, fmt, sync::Arc};

use recto_tokens::Tokenizer;
use serde::{Deserialize, Serialize};

use crate::{ledger::Ledger, map::MapStyle, tool::Tool};

/// How much of the definitions is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
#[non_exhaustive]
pub enum Level {
    /// 0: the definitions as they are.
    Passthrough,
    /// 1: the same tools, called as before and held to a schema by the provider; a signature and one sentence instead of prose,
    /// schemas without prose that still admit every valid call.
    #[default]
    Native,
    /// 2: one tool for each namespace, `{op, args}`, and `describe_op`.
    Namespaces,
    /// 3: two tools, `t` calls and `q` looks up, and a map of one line a tool in the system prompt.
    Map,
}

impl Level {
    /// Returns its number, 0 to 3.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Passthrough => 0,
            Self::Native => 1,
            Self::Namespaces => 2,
            Self::Map => 3,
        }
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> Self {
        level.number()
    }
}

impl TryFrom<u8> for Level {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            0 => Ok(Self::Passthrough),
            1 => Ok(Self::Native),
            2 => Ok(Self::Namespaces),
            3 => Ok(Self::Map),
            other => Err(format!("there is no level {other}: levels are 0, 1, 2 and 3")),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.number())
    }
}

/// What a model writes for a tool in the map of level 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CodeStyle {
    /// The tool's name itself: the smallest map, and a code that can stand for nothing else.
    #[default]
    Name,
    /// A few characters in front of each line, made of a hash of the name: for models that answer without a call when a map is of
    /// bare names.
    Short,
}

/// What is to be small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Objective {
    /// The room that definitions take in the context window.
    #[default]
    Occupancy,
    /// The bill, look-ups and turns included, by what was measured of the named model.
    Cost,
}

/// Names the namespace of a tool.
pub type NamespaceOf = Arc<dyn Fn(&Tool) -> String + Send + Sync>;

/// Names the tool of a namespace (level 2).
pub type AliasOf = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// What a caller asks of a catalogue. `Options::default()` is level 1 with all that is safe.
#[derive(Clone)]
pub struct Options {
    /// The level; unset, it is the base's, else 1. Not together with `budget_tokens`.
    pub level: Option<Level>,
    /// The most tokens that tools and preamble may cost together, counted with `tokenizer`.
    pub budget_tokens: Option<u64>,
    /// How a line of the map is written; unset, it is the base's, else what the policy table says of `model`.
    pub map_style: Option<MapStyle>,
    /// What stands for a tool in the map; unset, it is the base's, else what the policy table says of `model`.
    pub code_style: Option<CodeStyle>,
    /// Names the namespace of a tool; unset, it is its server, else what stands before the first `_` or `.` of its name.
    pub namespace_of: Option<NamespaceOf>,
    /// Names the tool of a namespace at level 2; unset, it is the namespace.
    pub alias_of: Option<AliasOf>,
    /// How many hits a look-up answers. 8.
    pub search_limit: usize,
    /// Whether calls are checked against their schemas. True.
    pub validate: bool,
    /// The model that will read it; unset changes nothing.
    pub model: Option<String>,
    /// What is to be small.
    pub objective: Objective,
    /// Tools that are always offered as themselves, by name or code.
    pub pins: Vec<String>,
    /// How often each tool was called, by name or code: what a budget is spent on first.
    pub uses: BTreeMap<String, u64>,
    /// What a budget is counted with.
    pub tokenizer: Tokenizer,
    /// The ledger of the catalogue before: what it sent keeps its bytes and places.
    pub base: Option<Ledger>,
    /// Whether everything is sent anew: of the base only the codes are kept. For a cache that is cold, or another level or budget.
    pub afresh: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            level: None,
            budget_tokens: None,
            map_style: None,
            code_style: None,
            namespace_of: None,
            alias_of: None,
            search_limit: 8,
            validate: true,
            model: None,
            objective: Objective::default(),
            pins: Vec::new(),
            uses: BTreeMap::new(),
            tokenizer: Tokenizer::default(),
            base: None,
            afresh: false,
        }
    }
}

impl Options {
    /// Options of one level, all else as by default.
    #[must_use]
    pub fn at(level: Level) -> Self {
        Self { level: Some(level), ..Self::default() }
    }

    /// Options of a budget, all else as by default.
    #[must_use]
    pub fn within(budget_tokens: u64) -> Self {
        Self { budget_tokens: Some(budget_tokens), ..Self::default() }
    }

    pub(crate) fn namespace_of(&self, tool: &Tool) -> String {
        self.namespace_of.as_ref().map_or_else(|| namespace(tool).to_owned(), |name| name(tool))
    }

    pub(crate) fn alias_of(&self, namespace: &str) -> String {
        self.alias_of.as_ref().map_or_else(|| namespace.to_owned(), |name| name(namespace))
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Options")
            .field("level", &self.level)
            .field("budget_tokens", &self.budget_tokens)
            .field("map_style", &self.map_style)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// The server of a tool, else what stands before the first `_` or `.` of its name; empty where there is neither.
pub(crate) fn namespace(tool: &Tool) -> &str {
    tool.server().unwrap_or_else(|| {
        let name = tool.name();
        name.find(['_', '.']).and_then(|end| name.get(..end)).unwrap_or_default()
    })
}
