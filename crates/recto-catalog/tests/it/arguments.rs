//! Arguments that an independent validator judged, held against the schemas of real servers.

use std::collections::{BTreeMap, HashMap};

use recto_catalog::{Directory, Outcome, Surface, Tool, resolve};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::corpus::servers;

/// One row of `arguments.jsonl`.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) server: String,
    #[serde(rename = "_server")]
    pub(crate) within: Option<String>,
    pub(crate) tool: String,
    pub(crate) valid: bool,
    #[serde(default)]
    pub(crate) why: String,
    pub(crate) args: Value,
}

/// The judged arguments, each with its tool.
pub(crate) fn rows() -> Option<Vec<(Row, Tool)>> {
    let mut tools: HashMap<(String, Option<String>, String), Tool> = HashMap::new();
    for (file, list) in servers()? {
        for tool in list.tools {
            tools.insert((file.clone(), tool.server().map(str::to_owned), tool.name().to_owned()), tool);
        }
    }
    let files = recto_testkit::corpus::tools()?;
    let file = files.iter().find(|file| file.relative == "arguments.jsonl")?;
    let text = String::from_utf8(file.read()).unwrap();
    let rows = text.lines().map(|line| {
        let row: Row = serde_json::from_str(line).unwrap();
        let key = (row.server.clone(), row.within.clone(), row.tool.clone());
        let tool = tools.get(&key).unwrap_or_else(|| panic!("no tool {key:?}")).clone();
        (row, tool)
    });
    Some(rows.collect())
}

#[test]
fn the_standard_decides_as_an_independent_validator_does() {
    let Some(rows) = rows() else { return };
    assert_eq!(rows.len(), 9_746);
    let mut differing = Vec::new();
    for (row, tool) in &rows {
        assert_eq!(tool.validator().unchecked(), None, "{}", tool.name());
        let checked = tool.check(&row.args);
        if checked.is_ok() != row.valid {
            differing.push(format!("{} {}: {} {:?} {}", row.server, row.tool, row.valid, checked, row.args));
        }
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
}

#[test]
fn what_is_called_is_valid_and_what_is_valid_is_called_as_it_is() {
    let Some(rows) = rows() else { return };
    for (row, tool) in &rows {
        let directory = Directory::new(std::slice::from_ref(tool), &[]);
        let code = directory.entries()[0].code();
        let outcome = resolve(&directory, &Surface::Direct, code, row.args.clone(), &|_| String::new());
        match outcome {
            Outcome::Call { arguments, repairs, .. } => {
                assert!(row.valid, "{} {}", row.tool, row.args);
                assert_eq!((&arguments, repairs.as_slice()), (&row.args, [].as_slice()), "{}", row.tool);
            }
            // None of the valid ones has a name that its schema does not declare, and none of the others has one reading.
            Outcome::Error { message, .. } => {
                assert!(!row.valid, "{message}: {}", row.args);
                assert!(message.chars().count() <= 520 && !message.contains(['\n', '\r']), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// What models are told of arguments that are wrong in each way, on a few servers each: read it when it changes.
#[test]
fn errors_say_what_to_write() {
    let Some(rows) = rows() else { return };
    let mut told: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
    for (row, tool) in rows.iter().filter(|(row, _)| !row.valid) {
        let lines = told.entry(&row.why).or_default();
        let length = row.args.to_string().len();
        if lines.len() == 4 || length > 300 || lines.iter().any(|(server, _)| *server == row.server) {
            continue;
        }
        lines.push((&row.server, format!("{}\n    {}", tool.check(&row.args).unwrap_err(), row.args)));
    }
    let mut text = String::new();
    for (why, lines) in told {
        text.push_str(&format!("{why}\n"));
        for (_, line) in lines {
            text.push_str(&format!("  {line}\n"));
        }
    }
    insta::assert_snapshot!(text);
}

/// 882 of the schemas name no dialect. 2020-12 and draft 7 decide alike on all 5,790 judged arguments of those; one is of neither,
/// but of draft 4 (`exclusiveMinimum: true`).
#[test]
fn every_schema_of_every_server_can_be_checked_against() {
    let Some(servers) = servers() else { return };
    let mut tools = 0;
    for (name, list) in servers {
        for tool in list.tools {
            assert_eq!(tool.validator().unchecked(), None, "{name}: {}", tool.name());
            tools += 1;
        }
    }
    assert_eq!(tools, 1_954);
}

#[test]
fn each_dialect_has_its_own_keywords() {
    let checks = |schema: Value, valid: Value, invalid: Value| {
        let tool = Tool::new("x", "", schema.clone()).unwrap();
        assert_eq!(tool.validator().unchecked(), None, "{schema}");
        assert_eq!(tool.check(&valid), Ok(()), "{schema}");
        assert!(tool.check(&invalid).is_err(), "{schema}");
    };
    let in_a = |schema: Value| json!({"properties": {"a": schema}});
    let tuple = json!([{"type": "integer"}, {"type": "string"}]);
    // 2020-12: `prefixItems`; and `items` beside it is about the rest (Core, 10.3.1).
    checks(
        in_a(json!({"prefixItems": tuple, "items": false})),
        json!({"a": [1, "x"]}),
        json!({"a": [1, "x", 2]}),
    );
    // Draft 7 writes a tuple as `items` (Validation, 6.4.1): no schema of 2020-12, so it is read as draft 7.
    checks(in_a(json!({"items": tuple})), json!({"a": [1, "x"]}), json!({"a": ["x"]}));
    // Draft 4: `exclusiveMinimum` is a boolean (Validation, 5.1.3).
    checks(in_a(json!({"minimum": 0, "exclusiveMinimum": true})), json!({"a": 1}), json!({"a": 0}));
    // Draft 7 named: siblings of `$ref` do not count (Core, 8.3), as they do in 2020-12.
    let referring = |dialect: &str| {
        json!({
            "$schema": dialect,
            "definitions": {"text": {"type": "string"}},
            "properties": {"a": {"$ref": "#/definitions/text", "maxLength": 1}},
        })
    };
    checks(referring("http://json-schema.org/draft-07/schema#"), json!({"a": "long"}), json!({"a": 1}));
    checks(
        referring("https://json-schema.org/draft/2020-12/schema"),
        json!({"a": "x"}),
        json!({"a": "long"}),
    );
    // A number whose fraction is zero is an integer (Validation of 2020-12, 6.1.1).
    checks(in_a(json!({"type": "integer"})), json!({"a": 5.0}), json!({"a": 5.5}));
    // `format` is held against the value: MCP's clients have nothing else to tell a model that it is wrong.
    checks(
        in_a(json!({"type": "string", "format": "date-time"})),
        json!({"a": "2026-01-31T09:30:00Z"}),
        json!({"a": "yesterday"}),
    );
}
