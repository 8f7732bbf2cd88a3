//! What is sent at each level.

use recto_catalog::{CodeStyle, Level, MapStyle, Options, Tool, compile};
use serde_json::json;

fn tools() -> Vec<Tool> {
    let create = json!({
        "type": "object", "additionalProperties": false, "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {
            "owner": {"type": "string", "description": "Who owns it"},
            "state": {"type": "string", "enum": ["open", "closed"], "default": "open"},
            "labels": {"type": "array", "items": {"type": "string", "minLength": 1}},
        },
        "required": ["owner"],
    });
    let list = json!({"type": "object", "properties": {"page": {"type": "integer"}}});
    vec![
        Tool::new("github_create", "Creates an issue. It needs a token.", create).unwrap(),
        Tool::new("github_list", "Lists issues.\nPaged.", list).unwrap(),
        Tool::new("ping", "", json!({"type": "object"})).unwrap(),
    ]
}

fn sent(options: &Options) -> String {
    let catalog = compile(&tools(), options).unwrap();
    let tools: Vec<String> =
        catalog.tools().iter().map(|tool| serde_json::to_string(tool).unwrap()).collect();
    format!("{}\n---\n{}", tools.join("\n"), catalog.system_preamble())
}

#[test]
fn each_level_as_it_is_sent() {
    insta::assert_snapshot!("level_1", sent(&Options::at(Level::Native)));
    insta::assert_snapshot!("level_2", sent(&Options::at(Level::Namespaces)));
    insta::assert_snapshot!("level_3", sent(&Options::at(Level::Map)));
    let styled =
        |style, codes| Options { map_style: Some(style), code_style: Some(codes), ..Options::at(Level::Map) };
    insta::assert_snapshot!("level_3_explicit", sent(&styled(MapStyle::Explicit, CodeStyle::Name)));
    insta::assert_snapshot!("level_3_signature", sent(&styled(MapStyle::Signature, CodeStyle::Name)));
    insta::assert_snapshot!("level_3_short_codes", sent(&styled(MapStyle::NamesRequired, CodeStyle::Short)));
}

#[test]
fn a_model_would_write_calls_so() {
    let call = |level| {
        let catalog = compile(&tools(), &Options::at(level)).unwrap();
        catalog.encode_call("github_create", json!({"owner": "me"})).unwrap().to_string()
    };
    assert_eq!(call(Level::Native), r#"{"name":"github_create","args":{"owner":"me"}}"#);
    assert_eq!(call(Level::Namespaces), r#"{"name":"github","args":{"op":"create","args":{"owner":"me"}}}"#);
    assert_eq!(call(Level::Map), r#"{"name":"t","args":{"f":"github_create","a":{"owner":"me"}}}"#);
}

#[test]
fn codes_are_there_at_level_3_only() {
    let native = compile(&tools(), &Options::at(Level::Native)).unwrap();
    assert_eq!(
        native.code_for("ping").unwrap_err().to_string(),
        "there are codes at level 3 only; this catalogue is of level 1"
    );
    let map = compile(&tools(), &Options::at(Level::Map)).unwrap();
    assert_eq!(map.code_for("ping").unwrap(), "ping");
    assert!(map.code_for("pong").is_err());
}

#[test]
fn pinned_tools_stand_beside_the_map() {
    let options = Options { pins: vec!["ping".to_owned()], ..Options::at(Level::Map) };
    let catalog = compile(&tools(), &options).unwrap();
    let names: Vec<&str> = catalog.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["t", "q", "ping"]);
    assert!(!catalog.system_preamble().contains("ping"));
    let unknown = Options { pins: vec!["pong".to_owned()], ..Options::at(Level::Map) };
    let catalog = compile(&tools(), &unknown).unwrap();
    assert_eq!(catalog.notes()[0].message, "pinned, but there is no such tool");
}

#[test]
fn every_tool_of_a_namespace_has_an_operation_of_its_own() {
    let tools = ["s_x", "x", "s.x", "_x"].map(|name| super::tool(name, &[]).on_server("s"));
    let catalog = compile(&tools, &Options::at(Level::Namespaces)).unwrap();
    let operations = &catalog.tools().iter().find(|tool| tool.name == "s").unwrap().operations;
    let codes: std::collections::BTreeSet<&String> = operations.values().collect();
    assert_eq!((operations.len(), codes.len()), (4, 4), "{operations:?}");
    for tool in &tools {
        let call = catalog.encode_call(tool.name(), json!({})).unwrap();
        let outcome = catalog.resolve(call["name"].as_str().unwrap(), call["args"].clone());
        assert!(
            matches!(&outcome, recto_catalog::Outcome::Call { name, .. } if name == tool.name()),
            "{outcome:?}"
        );
    }
}
