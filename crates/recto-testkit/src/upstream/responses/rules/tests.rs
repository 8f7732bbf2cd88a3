use serde_json::{Value, json};

use super::complaints;

fn with_input(input: Value) -> Value {
    json!({ "model": "m", "input": input })
}

fn with_tools(tools: Value) -> Value {
    json!({ "model": "m", "input": "go", "tools": tools })
}

fn function(name: &str) -> Value {
    json!({ "type": "function", "name": name, "parameters": { "type": "object" } })
}

fn call(id: &str) -> Value {
    json!({ "type": "function_call", "call_id": id, "name": "shell", "arguments": "{}" })
}

fn output(id: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": id, "output": "x" })
}

fn user() -> Value {
    json!({ "role": "user", "content": [{ "type": "input_text", "text": "go" }] })
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
    valid(&with_input(json!("go")));
    valid(&with_input(json!([user(), call("a"), call("b"), output("b"), output("a")])));
    valid(&with_input(json!([
        { "type": "additional_tools", "role": "developer", "tools": [
            { "type": "namespace", "name": "functions", "tools": [{ "type": "custom", "name": "exec" }] },
        ] },
        user(),
        { "type": "reasoning", "id": "rs_1", "summary": [] },
        { "type": "custom_tool_call", "id": "ctc_1", "call_id": "a", "name": "exec", "input": "ls" },
        { "type": "custom_tool_call_output", "call_id": "a", "output": [{ "type": "input_text", "text": "x" }] },
        { "role": "assistant", "content": [{ "type": "output_text", "text": "done" }] },
        { "type": "configuration_update" },
    ])));
}

#[test]
fn what_is_required() {
    let found = complaints(&json!({}));
    assert_eq!(found, ["Missing required parameter: 'model'.", "Missing required parameter: 'input'."]);
    refused(&with_input(json!(1)), "'input'");
    refused(&json!({ "model": "m", "input": "go", "instructions": ["a"] }), "'instructions'");
}

#[test]
fn every_call_has_one_output() {
    refused(&with_input(json!([user(), call("a")])), "No tool output found for function call a.");
    refused(
        &with_input(json!([user(), output("a")])),
        "No tool call found for function call output with call_id a.",
    );
    refused(&with_input(json!([user(), call("a"), output("a"), output("a")])), "Multiple tool outputs");
    refused(&with_input(json!([user(), call("a"), output("a"), call("a")])), "Duplicate function call");
    let custom = json!({ "type": "custom_tool_call", "call_id": "a", "name": "exec", "input": "" });
    refused(&with_input(json!([user(), custom])), "No tool output found for custom tool call a.");
    // Of another kind, and before its call.
    assert_eq!(complaints(&with_input(json!([user(), custom, output("a")]))).len(), 2);
    assert_eq!(complaints(&with_input(json!([user(), output("a"), call("a")]))).len(), 2);
    let mut continued = with_input(json!([output("a")]));
    continued["previous_response_id"] = "resp_1".into();
    valid(&continued);
}

#[test]
fn shapes_of_items() {
    let mut wrong = call("a");
    wrong["arguments"] = json!({});
    refused(&with_input(json!([wrong, output("a")])), "input[0].arguments");
    let mut wrong = call("a");
    wrong["name"] = "a.b".into();
    refused(&with_input(json!([wrong, output("a")])), "input[0].name");
    let long = "c".repeat(65);
    assert!(complaints(&with_input(json!([call(&long), output(&long)])))[0].contains("length 65 instead"));
    let mut wrong = output("a");
    wrong["output"] = json!({});
    refused(&with_input(json!([call("a"), wrong])), "input[1].output");
    let mut wrong = output("a");
    wrong["output"] = json!([{ "type": "text", "text": "x" }]);
    refused(&with_input(json!([call("a"), wrong])), "input[1].output[0].type");
    let wrong = json!({ "type": "custom_tool_call", "call_id": "a", "name": "exec", "input": {} });
    let answer = json!({ "type": "custom_tool_call_output", "call_id": "a", "output": "" });
    refused(&with_input(json!([wrong, answer])), "input[0].input");
    let mut wrong = with_input(json!([call("a"), output("a")]));
    wrong["input"][0]["call_id"] = "".into();
    assert!(complaints(&wrong).contains(&"Missing required parameter: 'input[0].call_id'.".to_owned()));
}

#[test]
fn contents_fit_their_role() {
    refused(&with_input(json!([{ "role": "tool", "content": "x" }])), "'tool' at 'input[0].role'");
    refused(&with_input(json!([{ "role": "user" }])), "input[0].content");
    let wrong = json!([{ "type": "input_text", "text": "x" }]);
    refused(&with_input(json!([{ "role": "assistant", "content": wrong }])), "'input_text'");
    let wrong = json!([{ "type": "output_text", "text": "x" }]);
    refused(&with_input(json!([{ "role": "user", "content": wrong }])), "'output_text'");
}

#[test]
fn reasoning_is_followed() {
    let reasoning = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
    refused(&with_input(json!([user(), reasoning])), "'rs_1' of type 'reasoning'");
    refused(&with_input(json!([user(), reasoning, user()])), "'rs_1' of type 'reasoning'");
    valid(&with_input(json!([user(), reasoning, call("a"), output("a")])));
}

#[test]
fn identifiers_of_items_are_unique() {
    let one = json!({ "type": "message", "id": "msg_1", "role": "user", "content": "x" });
    refused(&with_input(json!([one, one])), "Duplicate item found with id msg_1");
}

#[test]
fn tools() {
    valid(&with_tools(json!([function("a"), { "type": "web_search" }, function(&"b".repeat(64))])));
    valid(&with_tools(json!([])));
    for wrong in ["", "a.b", "ä", &"a".repeat(65)] {
        refused(&with_tools(json!([function(wrong)])), "Invalid 'tools[0].name'");
    }
    refused(
        &with_tools(json!([function("a"), function("b"), function("a")])),
        "Duplicate tool name in 'tools': a.",
    );
    let namespace = json!({ "type": "namespace", "name": "n", "tools": [function("a")] });
    valid(&with_tools(json!([function("a"), namespace])));
    refused(
        &with_tools(json!([{ "type": "namespace", "name": "n", "tools": [function("a"), function("a")] }])),
        "Duplicate",
    );
    let wrong = json!({ "type": "function", "name": "a", "parameters": { "type": "string" } });
    refused(&with_tools(json!([wrong])), "Invalid schema for function 'a'");
    refused(&with_tools(json!([{ "name": "a" }])), "tools[].type");
    let mut body = with_tools(json!([function("a")]));
    body["tool_choice"] = json!({ "type": "function", "name": "b" });
    refused(&body, "'b' not found");
    body["tool_choice"] = "required".into();
    valid(&body);
}

#[test]
fn too_many() {
    let tools =
        |count: usize| -> Value { (0..count).map(|number| function(&format!("t{number}"))).collect() };
    valid(&with_tools(tools(128)));
    refused(&with_tools(tools(129)), "array too long");
}

#[test]
fn calls_keep_their_namespace() {
    let mut body = with_input(json!([user(), call("a"), output("a")]));
    valid(&body);
    body["tools"] = json!([{ "type": "namespace", "name": "functions", "tools": [function("shell")] }]);
    valid(&body);
    body["tools"][0]["name"] = "mcp__x".into();
    refused(&body, "Missing namespace for function_call 'shell'");
    body["input"][1]["namespace"] = "mcp__x".into();
    valid(&body);
}
