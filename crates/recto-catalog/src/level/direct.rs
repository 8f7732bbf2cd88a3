//! Levels 0 and 1: every tool as itself.

use crate::{
    directory::{Directory, Entry},
    ledger::WireTool,
    level::{Draft, short_tool},
    options::Level,
};

/// Offers every tool as itself.
pub(crate) fn build(draft: &mut Draft, directory: &Directory, level: Level) {
    for entry in directory.entries() {
        let tool = if level == Level::Passthrough { whole_tool(entry) } else { short_tool(entry) };
        draft.offer(entry, tool);
    }
}

fn whole_tool(entry: &Entry) -> WireTool {
    let tool = entry.tool();
    WireTool {
        name: entry.code().to_owned(),
        description: tool.description().to_owned(),
        input_schema: tool.input_schema().clone(),
        strict: tool.is_strict(),
        operations: std::collections::BTreeMap::new(),
        shape: Some(tool.shape()),
        rest: serde_json::Map::new(),
        written: Some(tool.written().clone()),
    }
}
