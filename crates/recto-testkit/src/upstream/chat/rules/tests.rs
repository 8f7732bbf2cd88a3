use serde_json::{Value, json};

use super::complaints;

fn with_messages(messages: Value) -> Value {
    json!({ "model": "m", "messages": messages })
}

fn with_tools(tools: Value) -> Value {
    json!({ "model": "m", "messages": [user()], "tools": tools })
}

fn function(name: &str) -> Value {
    json!({ "type": "function", "function": { "name": name, "parameters": { "type": "object" } } })
}

fn user() -> Value {
    json!({ "role": "user", "content": "go" })
}

fn called(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "id": id, "type": "function", "function": { "name": "bash", "arguments": "{}" } }))
        .collect();
    json!({ "role": "assistant", "content": null, "tool_calls": calls })
}

fn result(id: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": "x" })
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
    let system = json!({ "role": "system", "content": "s" });
    let done = json!({ "role": "assistant", "content": "done" });
    valid(&with_messages(json!([
        system,
        user(),
        called(&["a", "b"]),
        result("b"),
        result("a"),
        done,
        user()
    ])));
    valid(&with_messages(json!([{ "role": "user", "content": [{ "type": "text", "text": "go" }] }])));
}

#[test]
fn what_is_required() {
    let found = complaints(&json!({}));
    assert_eq!(found, ["Missing required parameter: 'model'.", "Missing required parameter: 'messages'."]);
    refused(&with_messages(json!([])), "'messages': empty array");
}

#[test]
fn every_call_has_one_tool_message() {
    refused(&with_messages(json!([user(), called(&["a"])])), "response messages: a");
    refused(
        &with_messages(json!([user(), called(&["a", "b"]), result("a"), user()])),
        "response messages: b",
    );
    refused(&with_messages(json!([user(), result("a")])), "must be a response to a preceding message");
    refused(
        &with_messages(json!([user(), called(&["a"]), result("a"), result("a")])),
        "Duplicate tool message",
    );
    refused(&with_messages(json!([user(), called(&["a"]), result("a"), result("b")])), "'b' not found");
    // Another message between a call and its result.
    assert_eq!(complaints(&with_messages(json!([user(), called(&["a"]), user(), result("a")]))).len(), 2);
}

#[test]
fn shapes_of_messages() {
    refused(&with_messages(json!([{ "role": "model", "content": "x" }])), "messages[0].role");
    refused(&with_messages(json!([{ "role": "assistant", "content": null }])), "messages[0].content");
    refused(&with_messages(json!([{ "role": "user", "content": [] }])), "messages[0].content': empty array");
    refused(&with_messages(json!([{ "role": "user", "content": [{ "text": "x" }] }])), "content[0].type");
    let empty = json!({ "role": "assistant", "content": "x", "tool_calls": [] });
    refused(&with_messages(json!([user(), empty])), "tool_calls': empty array");
    let mut of_user = called(&["a"]);
    of_user["role"] = "user".into();
    of_user["content"] = "x".into();
    refused(&with_messages(json!([of_user, result("a")])), "only messages of the role 'assistant'");
}

#[test]
fn shapes_of_calls() {
    let wrong = |key: &str, value: Value| {
        let mut call = called(&["a"]);
        call["tool_calls"][0]["function"][key] = value;
        with_messages(json!([user(), call, result("a")]))
    };
    refused(&wrong("name", json!("a.b")), "tool_calls[0].function.name");
    refused(&wrong("arguments", json!({})), "tool_calls[0].function.arguments");
    refused(&with_messages(json!([user(), called(&[""]), result("")])), "tool_calls[0].id");
}

#[test]
fn tools() {
    valid(&with_tools(json!([function("a"), function(&"b".repeat(64))])));
    let many = |count: usize| -> Value { (0..count).map(|number| function(&format!("t{number}"))).collect() };
    valid(&with_tools(many(128)));
    refused(&with_tools(many(129)), "array too long");
    for wrong in ["", "a.b", "ä", &"a".repeat(65)] {
        refused(&with_tools(json!([function(wrong)])), "Invalid 'tools[0].function.name'");
    }
    refused(&with_tools(json!([function("a"), function("a")])), "Duplicate function name in 'tools': a.");
    refused(&with_tools(json!([])), "'tools': empty array");
    refused(&with_tools(json!([{ "type": "search" }])), "tools[0].type");
    let wrong = json!({ "type": "function", "function": { "name": "a", "parameters": { "type": "array" } } });
    refused(&with_tools(json!([wrong])), "Invalid schema for function 'a'");
}

#[test]
fn choices_need_tools() {
    let mut body = with_tools(json!([function("a")]));
    body["tool_choice"] = json!({ "type": "function", "function": { "name": "a" } });
    body["parallel_tool_calls"] = true.into();
    valid(&body);
    body["tool_choice"]["function"]["name"] = "b".into();
    refused(&body, "'b' not found");
    let mut body = with_messages(json!([user()]));
    body["tool_choice"] = "auto".into();
    refused(&body, "'tool_choice' is only allowed");
    body["tool_choice"] = "none".into();
    valid(&body);
    body["parallel_tool_calls"] = true.into();
    refused(&body, "'parallel_tool_calls' is only allowed");
}
