use serde_json::{Value, json};

use super::complaints;
use crate::upstream::identifier::signature;

fn tool(name: &str) -> Value {
    json!({ "name": name, "input_schema": { "type": "object" } })
}

fn with_tools(tools: Value) -> Value {
    let messages = json!([{ "role": "user", "content": "go" }]);
    json!({ "model": "m", "max_tokens": 9, "tools": tools, "messages": messages })
}

fn with_messages(messages: Value) -> Value {
    json!({ "model": "m", "max_tokens": 9, "tools": [tool("bash")], "messages": messages })
}

fn called(ids: &[&str]) -> Value {
    let blocks: Vec<Value> =
        ids.iter().map(|id| json!({ "type": "tool_use", "id": id, "name": "bash", "input": {} })).collect();
    json!({ "role": "assistant", "content": blocks })
}

fn results(ids: &[&str]) -> Value {
    let blocks: Vec<Value> =
        ids.iter().map(|id| json!({ "type": "tool_result", "tool_use_id": id, "content": "x" })).collect();
    json!({ "role": "user", "content": blocks })
}

fn said(role: &str, content: impl Into<Value>) -> Value {
    json!({ "role": role, "content": content.into() })
}

#[track_caller]
fn valid(body: &Value) {
    assert_eq!(complaints(body), Vec::<String>::new());
}

/// The body is refused for one reason, whose words are given.
#[track_caller]
fn refused(body: &Value, words: &str) {
    let found = complaints(body);
    assert!(found.len() == 1 && found[0].contains(words), "{found:#?}");
}

#[test]
fn whole_conversations_are_valid() {
    valid(&with_messages(json!([
        said("user", "go"),
        called(&["a", "b"]),
        results(&["b", "a"]),
        said("assistant", "done")
    ])));
    let text_after = json!({ "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "text", "text": "x" }, { "type": "image" }] },
        { "type": "text", "text": "and now?" },
    ] });
    valid(&with_messages(json!([said("user", "go"), said("system", "note"), called(&["a"]), text_after])));
    // Neighbours of one role are merged by the API.
    valid(&with_messages(json!([
        said("user", "one"),
        said("user", "two"),
        said("assistant", "x"),
        said("assistant", "y")
    ])));
    valid(&with_messages(json!([said("user", "go"), called(&["a"]), { "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": "a" }] }])));
}

#[test]
fn what_is_required() {
    let found = complaints(&json!({}));
    assert_eq!(found, ["model: Field required", "max_tokens: Field required", "messages: Field required"]);
    refused(&with_messages(json!([])), "at least one message is required");
    refused(&with_messages(json!("hi")), "valid list");
}

#[test]
fn roles() {
    refused(&with_messages(json!([said("assistant", "hi"), said("user", "go")])), "first message must use");
    refused(&with_messages(json!([said("user", "go"), said("tool", "x")])), "messages.1.role");
}

#[test]
fn results_follow_their_calls_at_once() {
    let late = json!([said("user", "go"), called(&["a"]), said("user", "wait"), results(&["a"])]);
    let found = complaints(&with_messages(late));
    assert!(
        found.iter().any(|one| one.contains("messages.1: `tool_use` ids were found without")),
        "{found:?}"
    );
    assert!(found.iter().any(|one| one.contains("messages.3: unexpected `tool_use_id`")), "{found:?}");

    refused(
        &with_messages(json!([said("user", "go"), called(&["a", "b"]), results(&["a"])])),
        "immediately after: b.",
    );
    refused(&with_messages(json!([said("user", "go"), called(&["a"])])), "immediately after: a.");
    refused(&with_messages(json!([results(&["a"])])), "unexpected `tool_use_id`");
    refused(&with_messages(json!([said("user", "go"), called(&["a"]), results(&["a", "x"])])), "blocks: x.");
    refused(
        &with_messages(json!([said("user", "go"), called(&["a"]), results(&["a", "a"])])),
        "multiple `tool_result`",
    );
    let again = json!([said("user", "go"), called(&["a"]), results(&["a"]), called(&["a"]), results(&["a"])]);
    refused(&with_messages(again), "must be unique: a");
}

#[test]
fn results_come_first() {
    let text_first = json!({ "role": "user", "content": [
        { "type": "text", "text": "here" },
        { "type": "tool_result", "tool_use_id": "a", "content": "x" },
    ] });
    refused(&with_messages(json!([said("user", "go"), called(&["a"]), text_first])), "must come first");
}

#[test]
fn calls_and_results_stand_in_their_role() {
    let wrong_role = json!({ "role": "user", "content": [{ "type": "tool_use", "id": "a", "name": "bash", "input": {} }] });
    refused(&with_messages(json!([wrong_role, results(&["a"])])), "can only be in `assistant`");
    let mut of_assistant = results(&["a"]);
    of_assistant["role"] = "assistant".into();
    refused(
        &with_messages(json!([said("user", "go"), called(&["a"]), of_assistant])),
        "can only be in `user`",
    );
}

#[test]
fn shapes_of_calls_and_results() {
    for (key, wrong, words) in [
        ("id", json!("a b"), "tool_use.id"),
        ("name", json!("a.b"), "tool_use.name"),
        ("input", json!("{}"), "tool_use.input"),
    ] {
        let mut call = called(&["a"]);
        call["content"][0][key] = wrong;
        let id = call["content"][0]["id"].as_str().unwrap().to_owned();
        refused(&with_messages(json!([said("user", "go"), call, results(&[&id])])), words);
    }
    let mut result = results(&["a"]);
    result["content"][0]["content"] = json!({ "text": "x" });
    refused(&with_messages(json!([said("user", "go"), called(&["a"]), result])), "tool_result.content");
}

#[test]
fn empty_texts() {
    let block = |content: &str| json!([{ "type": "text", "text": content }]);
    refused(&with_messages(json!([said("user", "")])), "non-empty content");
    refused(&with_messages(json!([said("user", json!([]))])), "non-empty content");
    refused(&with_messages(json!([said("user", block(""))])), "must be non-empty");
    refused(&with_messages(json!([said("user", block(" \n"))])), "non-whitespace");
    let mut result = results(&["a"]);
    result["content"][0]["content"] = block("");
    refused(
        &with_messages(json!([said("user", "go"), called(&["a"]), result])),
        "tool_result.content.0: text",
    );
    let mut body = with_messages(json!([said("user", "go")]));
    body["system"] = block("");
    refused(&body, "system.0: text content blocks");
    body["system"] = json!([{ "type": "image" }]);
    refused(&body, "system.0.type");
    body["system"] = json!("");
    valid(&body);
    refused(&with_messages(json!([said("user", json!([{ "text": "x" }]))])), "type: Field required");
}

#[test]
fn thinking_is_given_back_unchanged() {
    let thinking = |content: &str, signed: String| {
        let block = json!({ "type": "thinking", "thinking": content, "signature": signed });
        with_messages(json!([said("user", "go"), said("assistant", json!([block]))]))
    };
    valid(&thinking("so", signature("so")));
    valid(&thinking("so", "of another model".to_owned()));
    refused(&thinking("so!", signature("so")), "Invalid `signature`");
    let mut marked = thinking("so", signature("so"));
    marked["messages"][1]["content"][0]["cache_control"] = json!({ "type": "ephemeral" });
    refused(&marked, "thinking.cache_control");
    let mut user = thinking("so", signature("so"));
    user["messages"][1]["role"] = "user".into();
    refused(&user, "`thinking` blocks");
}

#[test]
fn names_of_tools() {
    valid(&with_tools(json!([tool(&"a".repeat(128)), tool("mcp__x-1__Y")])));
    for wrong in ["", "a b", "a.b", "ä", &"a".repeat(129)] {
        refused(&with_tools(json!([tool(wrong)])), "tools.0.custom.name");
    }
    refused(&with_tools(json!([tool("a"), tool("b"), tool("a"), tool("a")])), "unique: a");
    valid(&with_tools(json!([])));
}

#[test]
fn schemas_of_tools() {
    let with_schema = |schema: Value| with_tools(json!([{ "name": "t", "input_schema": schema }]));
    valid(&with_schema(json!({ "type": "object", "properties": { "a.b-c_1": {} } })));
    valid(&with_tools(json!([{ "type": "web_search_20250305", "name": "web_search" }])));
    refused(&with_tools(json!([{ "name": "t" }])), "input_schema: Field required");
    refused(&with_schema(json!({ "type": "array" })), "input_schema.type");
    refused(&with_schema(json!({ "type": "object", "anyOf": [] })), "at the top level");
    refused(&with_schema(json!({ "type": "object", "properties": { "a b": {} } })), "Property keys");
}

#[test]
fn choices_of_tools() {
    let mut body = with_tools(json!([tool("a")]));
    body["tool_choice"] = json!({ "type": "tool", "name": "a" });
    valid(&body);
    body["tool_choice"]["name"] = "b".into();
    refused(&body, "'b' not found");
    body["tools"] = json!([]);
    refused(&body, "while providing tools");
    body["tool_choice"] = json!({ "type": "none" });
    valid(&body);
}

#[test]
fn cache_marks() {
    let mark = json!({ "type": "ephemeral" });
    let hour = json!({ "type": "ephemeral", "ttl": "1h" });
    let mut tools = vec![tool("a"), tool("b"), tool("c"), tool("d"), tool("e")];
    for tool in tools.iter_mut().take(4) {
        tool["cache_control"] = mark.clone();
    }
    let mut body = with_tools(tools.into());
    valid(&body);
    body["messages"][0]["content"] = json!([{ "type": "text", "text": "go", "cache_control": null }]);
    valid(&body);
    body["messages"][0]["content"][0]["cache_control"] = mark.clone();
    refused(&body, "maximum of 4 blocks with cache_control may be provided. Found 5.");
    body["messages"][0]["content"] = "go".into();
    body["cache_control"] = mark.clone();
    refused(&body, "Found 5");

    let mut body = with_messages(json!([said("user", "go"), called(&["a"]), results(&["a"])]));
    body["tools"][0]["cache_control"] = hour.clone();
    body["messages"][2]["content"][0]["cache_control"] = mark.clone();
    valid(&body);
    body["tools"][0]["cache_control"] = mark;
    body["messages"][2]["content"][0]["content"] =
        json!([{ "type": "text", "text": "x", "cache_control": hour }]);
    refused(&body, "must not come after");
}

#[test]
fn deferred_tools() {
    let mut body = with_tools(json!([tool("a"), tool("b")]));
    body["tools"][1]["defer_loading"] = true.into();
    valid(&body);
    body["tools"][1]["cache_control"] = json!({ "type": "ephemeral" });
    refused(&body, "cannot use prompt caching");
    body["tools"] = json!([{ "name": "a", "input_schema": { "type": "object" }, "defer_loading": true }]);
    refused(&body, "At least one tool");
}
