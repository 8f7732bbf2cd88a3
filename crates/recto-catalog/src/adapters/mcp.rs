//! MCP's `tools/list`.

use serde_json::{Value, json};

use crate::{
    adapters::{Adapted, as_written, object, others},
    catalog::Catalog,
    tool::Shape,
};

/// Returns a catalogue as a `tools/list` answer holds it. What hosts read and models do not (annotations, titles, output schemas)
/// stays.
#[must_use]
pub fn for_mcp(catalog: &Catalog) -> Adapted {
    let tools = catalog.tools().iter().map(|tool| {
        as_written(tool, Shape::Mcp).unwrap_or_else(|| {
            let schema = match tool.input_schema.get("type") {
                Some(_) => tool.input_schema.clone(),
                // MCP demands the word.
                None => {
                    let mut schema = json!({"type": "object"});
                    if let (Value::Object(schema), Value::Object(members)) = (&mut schema, &tool.input_schema)
                    {
                        schema.extend(members.clone());
                    }
                    schema
                }
            };
            let mut members = object([
                ("name", tool.name.as_str().into()),
                ("description", tool.description.as_str().into()),
                ("inputSchema", schema),
            ]);
            members.extend(others(tool, Shape::Mcp));
            Value::Object(members)
        })
    });
    Adapted { tools: tools.collect(), system_preamble: catalog.system_preamble().to_owned() }
}
