//! Flat schemas refuse nothing that the schemas of real servers admit.

use std::{cell::RefCell, collections::HashMap};

use proptest::{prelude::*, test_runner::TestRunner};
use recto_catalog::{Tool, flatten_schema, gemini_schema};
use serde_json::{Map, Value, json};

use crate::corpus::servers;

/// An argument object that an independent validator has judged.
struct Arguments {
    server: String,
    within: Option<String>,
    tool: String,
    valid: bool,
    value: Value,
}

fn arguments() -> Vec<Arguments> {
    let files = recto_testkit::corpus::tools().unwrap_or_default();
    let Some(file) = files.iter().find(|file| file.relative == "arguments.jsonl") else { return Vec::new() };
    let text = String::from_utf8(file.read()).unwrap();
    let text_of = |row: &Value, key: &str| row[key].as_str().map(str::to_owned);
    let read = |line: &str| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        Arguments {
            server: text_of(&row, "server").unwrap(),
            within: text_of(&row, "_server"),
            tool: text_of(&row, "tool").unwrap(),
            valid: row["valid"] == true,
            value: row["args"].take(),
        }
    };
    text.lines().map(read).collect()
}

/// One server of the corpus writes bounds as draft 4 has them, and names no draft.
fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::validator_for(schema)
        .or_else(|_| jsonschema::draft4::options().build(schema))
        .unwrap_or_else(|error| panic!("{error}: {schema}"))
}

fn validators(tool: &Tool) -> [jsonschema::Validator; 3] {
    let schema = tool.input_schema();
    [schema.clone(), flatten_schema(schema, false), flatten_schema(schema, true)]
        .map(|schema| validator(&schema))
}

#[test]
fn valid_arguments_are_valid_under_flat_schemas() {
    let mut judged = 0;
    let mut refused_by_flat = 0;
    let arguments = arguments();
    for (server, list) in servers().unwrap_or_default() {
        let tools: HashMap<(Option<&str>, &str), [jsonschema::Validator; 3]> =
            list.tools.iter().map(|tool| ((tool.server(), tool.name()), validators(tool))).collect();
        for row in arguments.iter().filter(|row| row.server == server) {
            let [original, flat, strict] = &tools[&(row.within.as_deref(), row.tool.as_str())];
            let is_valid = original.is_valid(&row.value);
            assert!(!is_valid || flat.is_valid(&row.value), "{server}: {}: {}", row.tool, row.value);
            assert!(!row.valid || flat.is_valid(&row.value), "{server}: {}: {}", row.tool, row.value);
            assert_eq!(is_valid, strict.is_valid(&row.value), "{server}: {}: {}", row.tool, row.value);
            refused_by_flat += usize::from(!flat.is_valid(&row.value));
            judged += 1;
        }
    }
    eprintln!("{refused_by_flat} of {judged} argument objects are refused by flat schemas");
    if judged > 0 {
        assert_eq!(judged, 9_746);
        // What types, enums and required members rule out is still ruled out.
        assert!(refused_by_flat > 2_000, "{refused_by_flat}");
    }
}

#[test]
fn flat_schemas_are_schemas_and_flat() {
    for (server, list) in servers().unwrap_or_default() {
        for tool in &list.tools {
            let before = tool.input_schema().clone();
            let flat = flatten_schema(tool.input_schema(), false);
            let name = format!("{server}: {}", tool.name());
            assert!(jsonschema::draft202012::meta::is_valid(&flat), "{name}: {flat}");
            assert!(jsonschema::draft7::meta::is_valid(&flat), "{name}: {flat}");
            assert_eq!(flatten_schema(&flat, false), flat, "{name}");
            assert_eq!(flat["type"], "object", "{name}");
            for key in flat.as_object().unwrap().keys() {
                assert!(["type", "properties", "required", "$defs"].contains(&key.as_str()), "{name}: {key}");
            }
            // Every property keeps its name and its place.
            let names = |schema: &Value| {
                schema["properties"].as_object().map(|all| all.keys().cloned().collect::<Vec<_>>())
            };
            assert_eq!(names(&flat).unwrap_or_default(), names(&before).unwrap_or_default(), "{name}");
            assert_gemini(&gemini_schema(tool.input_schema()), &name);
            assert_gemini(&gemini_schema(&flat), &name);
            assert_eq!(*tool.input_schema(), before, "{name}");
        }
    }
}

/// Checks that there is nothing that Gemini refuses.
fn assert_gemini(schema: &Value, name: &str) {
    let schema = schema.as_object().unwrap();
    let kind = schema["type"].as_str().unwrap();
    for (key, value) in schema {
        match key.as_str() {
            "properties" => {
                assert_eq!(kind, "OBJECT", "{name}");
                value.as_object().unwrap().values().for_each(|schema| assert_gemini(schema, name));
            }
            "items" => assert_gemini(value, name),
            "enum" => {
                let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
                assert!(kind == "STRING" && value.as_array().unwrap().iter().all(is_text), "{name}");
            }
            "required" => {
                let is_property = |value: &Value| schema["properties"].get(value.as_str().unwrap()).is_some();
                assert!(value.as_array().unwrap().iter().all(is_property), "{name}");
            }
            "type" | "nullable" | "description" | "format" | "minimum" | "maximum" | "minItems"
            | "maxItems" => {}
            other => panic!("{name}: {other}"),
        }
    }
    assert_eq!(kind == "ARRAY", schema.contains_key("items"), "{name}");
}

/// Schemas as they are written, well or badly, with references into each other.
fn schema() -> impl Strategy<Value = Value> + Clone {
    let leaf = prop_oneof![
        prop_oneof![
            Just("string"),
            Just("integer"),
            Just("number"),
            Just("boolean"),
            Just("null"),
            Just("object"),
            Just("array")
        ]
        .prop_map(|word| json!({"type": word})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"type": ["integer", "object"], "minimum": 0})),
        prop_oneof![Just(json!({})), Just(json!(true)), Just(json!(false)), Just(json!({"not": {}}))],
        prop::collection::vec(scalar(), 1..4).prop_map(|values| json!({"enum": values})),
        scalar().prop_map(|value| json!({"const": value})),
        "[a-c]".prop_map(|name| json!({"$ref": format!("#/$defs/{name}")})),
        Just(json!({"$ref": "#"})),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            list.clone().prop_map(|schemas| json!({"anyOf": schemas})),
            list.clone().prop_map(|schemas| json!({"oneOf": schemas})),
            list.clone().prop_map(|schemas| json!({"allOf": schemas})),
            inner.clone().prop_map(|schema| json!({"type": "array", "items": schema})),
            list.prop_map(|schemas| json!({"prefixItems": schemas, "items": false})),
            (inner.clone(), inner.clone())
                .prop_map(|(part, schema)| json!({"if": part, "then": schema, "not": {"const": 1}})),
            object(inner.clone()),
            (object(inner.clone()), prop::collection::vec(object(inner), 1..3)).prop_map(
                |(mut whole, parts)| {
                    whole["oneOf"] = parts.into();
                    whole
                }
            ),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> + Clone {
    let properties = prop::collection::vec(("[a-d]", inner), 0..4);
    let required = prop::collection::btree_set("[a-d]", 0..2);
    (properties, required, any::<Option<bool>>(), any::<bool>()).prop_map(
        |(properties, required, open, typed)| {
            let properties: Map<String, Value> = properties.into_iter().collect();
            let mut schema = json!({"properties": properties, "required": required});
            if let Some(open) = open {
                schema["additionalProperties"] = open.into();
            }
            if typed {
                schema["type"] = "object".into();
            }
            schema
        },
    )
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3_i64).prop_map(Value::from),
        prop_oneof![Just(1.0), Just(1.5)].prop_map(Value::from),
        "[a-b]".prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-d]", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Objects that a schema may well admit, made along it.
fn along(schema: &Value, root: &Value, picks: &mut impl Iterator<Item = u8>, depth: usize) -> Value {
    let pick = usize::from(picks.next().unwrap_or(0));
    if depth > 8 {
        return Value::Null;
    }
    if let Some(target) = schema["$ref"].as_str().and_then(|text| root.pointer(text.trim_start_matches('#')))
    {
        return along(target, root, picks, depth + 1);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(schemas)) = schema.get(key)
            && (schema.get("properties").is_none() || pick.is_multiple_of(2))
            && !schemas.is_empty()
        {
            return along(&schemas[pick % schemas.len()], root, picks, depth + 1);
        }
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values[pick % values.len()].clone();
    }
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let mut members = Map::new();
        for (name, schema) in properties {
            if !picks.next().unwrap_or(0).is_multiple_of(3) {
                members.insert(name.clone(), along(schema, root, picks, depth + 1));
            }
        }
        return Value::Object(members);
    }
    if let Some(Value::Array(schemas)) = schema.get("prefixItems") {
        return schemas.iter().map(|schema| along(schema, root, picks, depth + 1)).collect();
    }
    let word = match &schema["type"] {
        Value::Array(words) => words[pick % words.len()].as_str(),
        word => word.as_str(),
    };
    match word {
        Some("string") => "a".into(),
        Some("integer") => 2.into(),
        Some("number") => 1.5.into(),
        Some("boolean") => true.into(),
        Some("object") => json!({}),
        Some("array") => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            (0..pick % 3).map(|_| along(items, root, picks, depth + 1)).collect()
        }
        _ => Value::Null,
    }
}

/// Whether a cycle of references says nothing: validators may not end there.
fn refers_to_nothing(root: &Value) -> bool {
    fn leads(schema: &Value, root: &Value, depth: usize) -> bool {
        if depth > 12 {
            return true;
        }
        let target = schema["$ref"].as_str().and_then(|text| root.pointer(text.trim_start_matches('#')));
        let beside =
            ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
        let conditions = ["if", "then"].into_iter().filter_map(|key| schema.get(key));
        target.into_iter().chain(beside).chain(conditions).any(|schema| leads(schema, root, depth + 1))
    }
    leads(root, root, 0)
        || root["$defs"].as_object().is_some_and(|all| all.values().any(|schema| leads(schema, root, 0)))
}

#[test]
fn whatever_is_valid_is_valid_under_the_flat_schema() {
    let cases = (
        object(schema()),
        prop::collection::vec(schema(), 3),
        prop::collection::vec(object(schema()), 0..3),
        prop::collection::vec(value(), 1..6),
        prop::collection::vec(prop::collection::vec(any::<u8>(), 40), 8),
        any::<bool>(),
    );
    let judged = RefCell::new([0; 2]);
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 800,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let result = runner.run(&cases, |(mut root, parts, alternatives, values, picks, old)| {
        root["$defs"] = json!({"a": parts[0], "b": parts[1], "c": parts[2]});
        if !alternatives.is_empty() {
            root["anyOf"] = alternatives.into();
        }
        if old {
            root["$schema"] = "http://json-schema.org/draft-07/schema#".into();
        }
        let flat = flatten_schema(&root, false);
        prop_assert!(jsonschema::draft202012::meta::is_valid(&flat), "{} of {}", flat, root);
        prop_assert_eq!(&flatten_schema(&flat, false), &flat, "of {}", root);
        assert_gemini(&gemini_schema(&root), "any");
        if refers_to_nothing(&root) {
            return Ok(());
        }
        let (original, widened) = (validator(&root), validator(&flat));
        let made = picks.into_iter().map(|picks| along(&root, &root, &mut picks.into_iter(), 0));
        for value in values.into_iter().chain(made).filter(Value::is_object) {
            let is_valid = original.is_valid(&value);
            prop_assert!(
                !is_valid || widened.is_valid(&value),
                "{} under {} and not under {}",
                value,
                root,
                flat
            );
            judged.borrow_mut()[usize::from(is_valid)] += 1;
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let [invalid, valid] = *judged.borrow();
    eprintln!("{valid} valid values and {invalid} invalid ones");
    assert!(valid > 500, "{valid}");
}
