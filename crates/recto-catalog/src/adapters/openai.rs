//! OpenAI Chat Completions and Responses; xAI and others take the first.

use serde_json::{Value, json};

use crate::{
    adapters::{Adapted, as_written, object, object_schema, others},
    catalog::Catalog,
    ledger::WireTool,
    tool::Shape,
};

/// Returns a catalogue as OpenAI Chat Completions takes it (and xAI, and most servers that speak its dialect).
#[must_use]
pub fn for_openai(catalog: &Catalog) -> Adapted {
    let tools = catalog.tools().iter().map(|tool| {
        as_written(tool, Shape::OpenAiChat).unwrap_or_else(|| {
            let mut function = object([
                ("name", tool.name.as_str().into()),
                ("description", tool.description.as_str().into()),
                ("parameters", object_schema(tool)),
            ]);
            if tool.strict {
                function.insert("strict".to_owned(), true.into());
            }
            let mut members = object([("type", "function".into()), ("function", Value::Object(function))]);
            members.extend(others(tool, Shape::OpenAiChat).into_iter().filter(|(key, _)| key != "type"));
            Value::Object(members)
        })
    });
    Adapted { tools: tools.collect(), system_preamble: catalog.system_preamble().to_owned() }
}

/// Returns a catalogue as OpenAI Responses takes it: flat, which tools need together with reasoning.
///
/// `strict` is always written, since Responses takes an absent one for true, and a schema that was not made for that is refused.
/// With `native_search_after`, the provider's own tool search comes first and all but the first so many tools (at least one) are
/// deferred.
#[must_use]
pub fn for_openai_responses(catalog: &Catalog, native_search_after: Option<usize>) -> Adapted {
    let mut tools: Vec<Value> = catalog.tools().iter().map(flat).collect();
    if let Some(after) = native_search_after {
        for tool in tools.iter_mut().skip(after.max(1)) {
            if let Value::Object(members) = tool {
                members.insert("defer_loading".to_owned(), true.into());
            }
        }
        tools.insert(0, json!({"type": "tool_search"}));
    }
    Adapted { tools, system_preamble: catalog.system_preamble().to_owned() }
}

fn flat(tool: &WireTool) -> Value {
    as_written(tool, Shape::OpenAiResponses).unwrap_or_else(|| {
        let mut members = object([
            ("type", "function".into()),
            ("name", tool.name.as_str().into()),
            ("description", tool.description.as_str().into()),
            ("parameters", object_schema(tool)),
            ("strict", tool.strict.into()),
        ]);
        members.extend(others(tool, Shape::OpenAiResponses).into_iter().filter(|(key, _)| key != "type"));
        Value::Object(members)
    })
}
