//! What a Chat Completions body says.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::upstream::{
    OfferedTool, ToolResult,
    reading::{joined_text, list, runs, text},
};

pub(in crate::upstream) fn offered_tools(body: &Value) -> Vec<OfferedTool> {
    let functions =
        list(body, "tools").iter().filter_map(|tool| tool.get("function").or_else(|| tool.get("custom")));
    let named = functions.map(|function| text(function, "name")).filter(|name| !name.is_empty());
    named.map(|name| OfferedTool { name: name.to_owned(), namespace: None, custom: false }).collect()
}

pub(in crate::upstream) fn tool_results(body: &Value) -> Vec<ToolResult> {
    let mut names = BTreeMap::new();
    let mut results = Vec::new();
    for message in list(body, "messages") {
        for call in list(message, "tool_calls") {
            names
                .insert(text(call, "id"), call.get("function").map_or("", |function| text(function, "name")));
        }
        if text(message, "role") == "tool" {
            let call_id = text(message, "tool_call_id");
            results.push(ToolResult {
                call_id: call_id.to_owned(),
                tool: names.get(call_id).copied().unwrap_or_default().to_owned(),
                text: message.get("content").map(joined_text).unwrap_or_default(),
            });
        }
    }
    results
}

pub(in crate::upstream) fn turn(body: &Value) -> usize {
    runs(list(body, "messages"), |message| text(message, "role") == "assistant")
}
