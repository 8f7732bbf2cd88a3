//! Which level suits a set of tools.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    options::{Level, NamespaceOf, namespace},
    tool::Tool,
};

/// Below this many tools a map saves less than the look-ups that it costs.
pub const MAP_FROM_TOOLS: usize = 15;

/// A level, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recommendation {
    /// 1 or 3.
    pub level: Level,
    /// One sentence.
    pub reason: String,
    /// How many tools there are.
    pub tool_count: usize,
    /// How many namespaces they are of.
    pub namespace_count: usize,
    /// How many tools the largest namespace has.
    pub ops_per_namespace: usize,
}

/// Recommends a level: 1 for a few tools, 3 for many. Never 2, which costs more than 3 and enforces no more.
///
/// ```
/// use recto_catalog::{Level, recommend_level};
///
/// assert_eq!(recommend_level(&[], None).level, Level::Native);
/// ```
#[must_use]
pub fn recommend_level(tools: &[Tool], namespace_of: Option<&NamespaceOf>) -> Recommendation {
    let mut namespaces: BTreeMap<String, usize> = BTreeMap::new();
    for tool in tools {
        let name = namespace_of.map_or_else(|| namespace(tool).to_owned(), |name| name(tool));
        *namespaces.entry(name).or_default() += 1;
    }
    let tool_count = tools.len();
    let (level, reason) = if tool_count < MAP_FROM_TOOLS {
        let reason = format!(
            "{tool_count} tools are fewer than {MAP_FROM_TOOLS}: a map would cost more in look-ups than it saves"
        );
        (Level::Native, reason)
    } else {
        let reason =
            format!("{tool_count} tools: a map of one line each and two tools to call and to look up");
        (Level::Map, reason)
    };
    Recommendation {
        level,
        reason,
        tool_count,
        namespace_count: namespaces.len(),
        ops_per_namespace: namespaces.values().copied().max().unwrap_or_default(),
    }
}
