//! Tools in the shapes that servers and providers write.

use recto_catalog::{Shape, ToolList};
use serde_json::{Value, json};

#[test]
fn every_shape_is_read() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let given = json!({"tools": [
        {"name": "mcp", "inputSchema": schema},
        {"name": "anthropic", "input_schema": schema},
        {"type": "custom", "name": "custom", "input_schema": schema},
        {"type": "function", "function": {"name": "chat", "parameters": schema, "strict": true}},
        {"type": "function", "name": "responses", "parameters": schema},
        {"functionDeclarations": [{"name": "gemini", "parametersJsonSchema": schema}]},
        {"type": "namespace", "name": "inner", "tools": [{"type": "function", "name": "of_namespace", "parameters": schema}]},
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "custom", "name": "patch", "format": {"type": "grammar"}},
        {"name": "bare"},
    ]});
    let list = ToolList::from_value(given).unwrap();
    let read: Vec<(&str, Shape)> = list.tools.iter().map(|tool| (tool.name(), tool.shape())).collect();
    assert_eq!(
        read,
        [
            ("mcp", Shape::Mcp),
            ("anthropic", Shape::Anthropic),
            ("custom", Shape::Anthropic),
            ("chat", Shape::OpenAiChat),
            ("responses", Shape::OpenAiResponses),
            ("gemini", Shape::Gemini),
            ("of_namespace", Shape::OpenAiResponses),
            ("bare", Shape::Mcp),
        ]
    );
    assert_eq!(list.tools[6].server(), Some("inner"));
    assert_eq!(list.tools[7].input_schema(), &json!({"type": "object"}));
    assert!(list.tools[3].is_strict());
    assert_eq!(list.provider_tools.len(), 2);
    let envelope = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a"}]}});
    assert_eq!(ToolList::from_value(envelope).unwrap().tools.len(), 1);
}

fn refused(value: Value) -> String {
    ToolList::from_value(value).unwrap_err().to_string()
}

#[test]
fn what_is_no_list_of_tools_is_said() {
    insta::assert_snapshot!(refused(json!("x")), @"no tools found: expected an array of tools, or an object with `tools` (a tools/list answer, a request to a model) or `functionDeclarations`; this is a string");
    insta::assert_snapshot!(refused(json!({"tool": []})), @"no tools found: expected an array of tools, or an object with `tools` (a tools/list answer, a request to a model) or `functionDeclarations`; this is an object without them");
    insta::assert_snapshot!(refused(json!({"tools": {}})), @"no tools found: expected an array of tools, or an object with `tools` (a tools/list answer, a request to a model) or `functionDeclarations`; this is `tools` as an object");
    insta::assert_snapshot!(refused(json!([{"description": "d"}])), @"tool 0: it has no `name`");
    insta::assert_snapshot!(refused(json!([{"name": ""}])), @r#"tool 0 (""): its `name` is empty"#);
    insta::assert_snapshot!(refused(json!([{"name": 7, "inputSchema": {}}])), @"tool 0: its `name` is a number, not a string");
    insta::assert_snapshot!(refused(json!([{"name": "a", "inputSchema": [1]}])), @r#"tool 0 ("a"): its schema is an array, not an object"#);
    insta::assert_snapshot!(refused(json!([null])), @"tool 0: it is null, not an object");
    let mut deep = json!({});
    for _ in 0..200 {
        deep = json!({"properties": deep});
    }
    insta::assert_snapshot!(refused(json!([{"name": "a", "inputSchema": deep}])), @r#"tool 0 ("a"): its definition is nested deeper than 120: simplify its schema"#);
    insta::assert_snapshot!(ToolList::from_json(b"{").unwrap_err(), @"the tools are not JSON: EOF while parsing an object at line 1 column 1");
}

#[test]
fn answers_of_several_servers_are_read_together() {
    let answer = |name: &str| json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}]});
    let list = ToolList::from_value(
        json!([answer("a"), {"name": "files", "tools": [{"name": "b"}]}, {"googleSearch": {}}]),
    )
    .unwrap();
    let tools: Vec<_> = list.tools.iter().map(|tool| (tool.name(), tool.server())).collect();
    assert_eq!(tools, [("a", None), ("b", Some("files"))]);
    assert_eq!(list.provider_tools.len(), 1);
    insta::assert_snapshot!(refused(json!([{"nothing": 1}])), @"tool 0: it has no `name`");
}
