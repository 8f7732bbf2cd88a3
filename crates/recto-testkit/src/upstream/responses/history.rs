//! What a Responses body says.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::upstream::{
    OfferedTool, ToolResult,
    reading::{joined_text, list, runs, text},
};

/// The tools of `tools`, of `additional_tools` items in the input, and of namespaces in both.
pub(in crate::upstream) fn offered_tools(body: &Value) -> Vec<OfferedTool> {
    definitions(body)
        .into_iter()
        .filter(|(_, definition)| !text(definition, "name").is_empty())
        .map(|(namespace, definition)| OfferedTool {
            name: text(definition, "name").to_owned(),
            namespace: namespace.map(str::to_owned),
            custom: text(definition, "type") == "custom",
        })
        .collect()
}

/// All definitions of tools, with the name of the namespace around them.
pub(super) fn definitions(body: &Value) -> Vec<(Option<&str>, &Value)> {
    let additional = list(body, "input").iter().filter(|item| text(item, "type") == "additional_tools");
    let top = list(body, "tools").iter().chain(additional.flat_map(|item| list(item, "tools")));
    top.flat_map(|tool| match text(tool, "type") {
        "namespace" => list(tool, "tools").iter().map(|inner| (Some(text(tool, "name")), inner)).collect(),
        _ => vec![(None, tool)],
    })
    .collect()
}

pub(in crate::upstream) fn tool_results(body: &Value) -> Vec<ToolResult> {
    let mut names = BTreeMap::new();
    let mut results = Vec::new();
    for item in list(body, "input") {
        let call_id = text(item, "call_id");
        match text(item, "type") {
            "function_call" | "custom_tool_call" => {
                names.insert(call_id, text(item, "name"));
            }
            "function_call_output" | "custom_tool_call_output" => results.push(ToolResult {
                call_id: call_id.to_owned(),
                tool: names.get(call_id).copied().unwrap_or_default().to_owned(),
                text: item.get("output").map(joined_text).unwrap_or_default(),
            }),
            _ => {}
        }
    }
    results
}

pub(in crate::upstream) fn turn(body: &Value) -> usize {
    runs(list(body, "input"), |item| {
        let kind = text(item, "type");
        kind == "reasoning" || kind.ends_with("_call") || text(item, "role") == "assistant"
    })
}
