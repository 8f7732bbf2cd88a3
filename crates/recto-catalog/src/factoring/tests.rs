//! Nothing is lost, and nothing grows without bound.

use proptest::prelude::*;
use recto_tokens::Tokenizer;
use serde_json::json;

use super::*;
use crate::ToolList;

fn assert_round_trip(tools: &[Tool]) -> Value {
    let encoded = encode_tools(tools);
    // As it comes back from a file.
    let text = serde_json::to_string(&encoded).unwrap();
    let decoded = decode_tools(&serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(decoded.len(), tools.len());
    for (tool, decoded) in tools.iter().zip(&decoded) {
        assert_eq!(tool, decoded);
        assert_eq!(tool.server(), decoded.server());
        assert_eq!(
            serde_json::to_string(tool.written()).unwrap(),
            serde_json::to_string(decoded.written()).unwrap()
        );
        assert_eq!(tool.input_schema(), decoded.input_schema());
    }
    encoded
}

#[test]
fn all_tools_of_the_corpus_come_back() {
    let mut count = 0;
    let mut everything = Vec::new();
    let mut sums = [0; 4];
    for file in recto_testkit::corpus::tools().unwrap_or_default() {
        if !file.relative.ends_with(".json") {
            continue;
        }
        let tools = ToolList::from_json(&file.read()).unwrap().tools;
        let encoded = assert_round_trip(&tools).to_string();
        let written = serde_json::to_string(&tools.iter().map(Tool::written).collect::<Vec<_>>()).unwrap();
        let tokens = |text: &str| usize::try_from(Tokenizer::O200k.counter().count(text)).unwrap();
        let figures = [written.len(), encoded.len(), tokens(&written), tokens(&encoded)];
        eprintln!("{}: {figures:?}", file.relative);
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum += figure;
        }
        count += tools.len();
        everything.extend(tools);
    }
    if count > 0 {
        assert_eq!(count, 1_954);
        let together = assert_round_trip(&everything).to_string().len();
        eprintln!("all: {sums:?}, together {together}");
        assert!(sums[1] * 10 < sums[0] * 6 && sums[3] * 10 < sums[2] * 6, "{sums:?}");
    }
}

#[test]
fn what_looks_like_a_reference_is_none() {
    let odd = json!([{"$": 0}, {"$": [0, "x"]}, {"$$": 1}, {"$$$": null}, {"$": 1, "b": 2}, {"": 1}, {}]);
    let schema = json!({"type": "object", "const": odd, "enum": [odd, -0.0, 0.0, 0, 1, 1.0, 1e300]});
    let tools: Vec<Tool> =
        ["a", "b", "c"].iter().map(|name| Tool::new(name, "", schema.clone()).unwrap()).collect();
    assert_round_trip(&tools);
}

#[test]
fn every_shape_and_server_comes_back() {
    let rows = json!([
        {"name": "a", "_server": "s"},
        {"name": "a", "input_schema": {"type": "object"}},
        {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}, "strict": true}},
        {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "a"}]},
        {"functionDeclarations": [{"name": "a", "parameters": {"type": "OBJECT", "properties": {"b": {"type": "STRING", "nullable": true}}}}]},
    ]);
    let mut tools = ToolList::from_value(rows).unwrap().tools;
    tools.push(tools[0].on_server("t"));
    assert_round_trip(&tools);
    assert_eq!(tools[4].input_schema()["properties"]["b"], json!({"type": ["string", "null"]}));
}

#[test]
fn broken_and_boundless_encodings_are_refused() {
    let refused = |encoded: Value| decode_tools(&encoded).unwrap_err().to_string();
    assert!(refused(json!({})).contains("`recto_tools`"));
    assert!(refused(json!({"recto_tools": 2})).contains("version is 2"));
    assert!(refused(json!({"recto_tools": 1, "table": 3})).contains("`table` is a number"));
    let with =
        |table: Value, tool: Value| json!({"recto_tools": 1, "table": table, "tools": [["mcp", null, tool]]});
    assert!(refused(with(json!([{"$": 0}]), json!({}))).contains("place 0 of its table"));
    assert!(refused(with(json!([1]), json!({"name": {"$": [0, "x"]}}))).contains("as a text"));
    assert!(refused(with(json!([]), json!({"$": -1}))).contains("refers to -1"));
    assert!(refused(with(json!([]), json!({"a": 1}))).contains("`name`"));
    let mut table = vec![json!("0123456789")];
    table.extend((0..40).map(|place| json!([{"$": place}, {"$": place}])));
    assert!(refused(with(table.into(), json!({"name": "a"}))).contains("bytes"));
    let mut table = vec![json!([])];
    table.extend((0..400).map(|place| json!([{"$": place}])));
    assert!(refused(with(table.into(), json!({"name": "a"}))).contains("nested deeper"));
}

fn json_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[$a-c]{0,3}", "a long beginning of texts, [a-c]{0,40}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| if number.is_finite() { number.into() } else { Value::Null }),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let key = prop_oneof!["[$]{0,3}", "[a-c]{1,2}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_definition_comes_back(parts in prop::collection::vec(json_value(), 1..4), picks in prop::collection::vec(0_usize..4, 1..6)) {
        let tools: Vec<Tool> = picks
            .iter()
            .map(|pick| {
                let part = &parts[pick % parts.len()];
                Tool::new("a", "", json!({"type": "object", "const": part, "enum": [part, part]})).unwrap()
            })
            .collect();
        assert_round_trip(&tools);
    }
}
