//! What a Messages body says.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::upstream::{
    OfferedTool, ToolResult,
    reading::{joined_text, list, runs, text},
};

pub(in crate::upstream) fn offered_tools(body: &Value) -> Vec<OfferedTool> {
    let named = list(body, "tools").iter().map(|tool| text(tool, "name")).filter(|name| !name.is_empty());
    named.map(|name| OfferedTool { name: name.to_owned(), namespace: None, custom: false }).collect()
}

pub(in crate::upstream) fn tool_results(body: &Value) -> Vec<ToolResult> {
    let mut names = BTreeMap::new();
    let mut results = Vec::new();
    for block in list(body, "messages").iter().flat_map(|message| list(message, "content")) {
        match text(block, "type") {
            "tool_use" => {
                names.insert(text(block, "id"), text(block, "name"));
            }
            "tool_result" => {
                let call_id = text(block, "tool_use_id");
                results.push(ToolResult {
                    call_id: call_id.to_owned(),
                    tool: names.get(call_id).copied().unwrap_or_default().to_owned(),
                    text: block.get("content").map(joined_text).unwrap_or_default(),
                });
            }
            _ => {}
        }
    }
    results
}

pub(in crate::upstream) fn turn(body: &Value) -> usize {
    runs(list(body, "messages"), |message| text(message, "role") == "assistant")
}
