//! MCP's `tools/list`.

use serde_json::Value;

use crate::{
    adapters::{Adapted, as_written, object, object_schema, others},
    catalog::Catalog,
    tool::Shape,
};

/// Returns a catalogue as a `tools/list` answer holds it. What hosts read and models do not (annotations, titles, output schemas)
/// stays.
#[must_use]
pub fn for_mcp(catalog: &Catalog) -> Adapted {
    let tools = catalog.tools().iter().map(|tool| {
        as_written(tool, Shape::Mcp).unwrap_or_else(|| {
            let mut members = object([
                ("name", tool.name.as_str().into()),
                ("description", tool.description.as_str().into()),
                ("inputSchema", object_schema(tool)),
            ]);
            members.extend(others(tool, Shape::Mcp));
            Value::Object(members)
        })
    });
    Adapted { tools: tools.collect(), system_preamble: catalog.system_preamble().to_owned() }
}
