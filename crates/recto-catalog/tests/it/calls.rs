//! Calls that must never go wrong: valid ones of real tools, arbitrary ones, and definitions made to break their checking.

use std::{thread, time::Instant};

use proptest::prelude::*;
use recto_catalog::{
    Directory, MAX_ARGUMENT_BYTES, MapTools, Outcome, Question, Repair, Surface, Tool, resolve,
};
use serde_json::{Value, json};

use crate::{arguments::rows, laws::check, repairs};

fn silent(_: Question) -> String {
    String::new()
}

#[test]
fn a_valid_call_is_passed_on_as_it_is_at_every_level() {
    let Some(rows) = rows() else { return };
    for (row, tool) in rows.iter().filter(|(row, _)| row.valid).step_by(5) {
        let directory = Directory::new(std::slice::from_ref(tool), &[]);
        let code = directory.entries()[0].code();
        let through = json!({"f": code, "a": row.args});
        for (surface, name, arguments) in
            [(Surface::Direct, code, row.args.clone()), (Surface::Map(MapTools::default()), "t", through)]
        {
            let Outcome::Call { arguments, repairs, .. } = check(&directory, &surface, name, &arguments)
            else {
                panic!("{} {}", row.tool, row.args)
            };
            assert_eq!((arguments, repairs), (row.args.clone(), Vec::new()), "{}", row.tool);
        }
    }
}

/// JSON of the kind that models write: known and unknown names, values of every kind, text within text.
fn written() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        Just("owner"),
        Just("repo"),
        Just("f"),
        Just("a"),
        Just("t"),
        Just("q"),
        Just("args"),
        Just("arguments"),
        Just("name"),
        Just("title"),
        Just("input"),
        Just("labels"),
        Just("perPage"),
        Just("draft"),
        Just("op"),
        Just("x\ny"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop_oneof![
            Just("list_issues"),
            Just("create-issue"),
            Just("t"),
            Just("q"),
            Just("5"),
            Just("true"),
            Just("[]"),
            Just("\u{2028}"),
            Just("old_tool")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            3 => prop::collection::vec((name.clone(), inner.clone()), 0..5)
                .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
            1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            1 => inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_written_only_a_named_tool_is_called_with_valid_arguments(
        name in prop_oneof![
            Just("t"), Just("q"), Just("list_issues"), Just("createIssue"), Just("functions.t"), Just("search"), Just("github"),
            Just("describe_op"), Just("old_tool"), Just(""),
        ],
        arguments in written(),
    ) {
        let directory = repairs::directory();
        for surface in repairs::surfaces(&directory) {
            check(&directory, &surface, name, &arguments);
        }
    }

    #[test]
    fn whatever_a_schema_is_checking_ends(schema in written(), arguments in written()) {
        let schema = json!({"type": "object", "properties": {"a": schema}, "required": [schema]});
        let tool = Tool::new("x", "", schema).unwrap();
        let directory = Directory::new(&[tool], &[]);
        check(&directory, &Surface::Direct, "x", &arguments);
    }
}

fn tool(name: &str, schema: Value) -> Tool {
    Tool::new(name, "", schema).unwrap()
}

fn call(tool: &Tool, arguments: Value) -> Outcome {
    let directory = Directory::new(std::slice::from_ref(tool), &[]);
    check(&directory, &Surface::Direct, directory.entries()[0].code(), &arguments)
}

#[test]
fn a_broken_schema_is_said_and_its_calls_are_passed_on_unchecked() {
    let names = |count: usize, each: fn(usize) -> Value| -> Value {
        (0..count).map(|place| (format!("d{place}"), each(place))).collect::<serde_json::Map<_, _>>().into()
    };
    let doubling = names(60, |place| {
        let next = json!({"$ref": format!("#/$defs/d{}", (place + 1).min(59))});
        if place == 59 { json!({}) } else { json!({"allOf": [next, next]}) }
    });
    let chain = names(5_000, |place| json!({"$ref": format!("#/$defs/d{}", (place + 1) % 5_001)}));
    for (what, schema) in [
        (
            "no type and a negation",
            json!({"properties": {"a": {"type": "file"}, "b": {"not": {"type": "null"}}}}),
        ),
        ("no pattern of names", json!({"patternProperties": {"([": {}}, "additionalProperties": false})),
        ("no items", json!({"properties": {"b": {"items": 5}}})),
        ("itself", json!({"$ref": "#"})),
        (
            "each other",
            json!({"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"anyOf": [{"$ref": "#/$defs/x"}]}}}),
        ),
        ("doubling", json!({"$ref": "#/$defs/d0", "$defs": doubling})),
        ("a long chain", json!({"$ref": "#/$defs/d0", "$defs": chain})),
    ] {
        let tool = tool("x", schema);
        let reason = tool.validator().unchecked().unwrap_or_else(|| panic!("{what}")).to_owned();
        assert!(reason.chars().count() < 200, "{reason}");
        let Outcome::Call { arguments, repairs, .. } = call(&tool, json!({"a": 1})) else { panic!("{what}") };
        assert_eq!((arguments, repairs), (json!({"a": 1}), vec![Repair::Unchecked { reason }]), "{what}");
        assert!(matches!(call(&tool, json!(5)), Outcome::Error { .. }), "{what}");
    }
}

/// One fault in a schema does not leave the rest of it unchecked.
#[test]
fn what_is_broken_in_a_schema_is_left_out_and_the_rest_is_checked() {
    let of = |a: Value| json!({"type": "object", "properties": {"a": a, "n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false});
    for (what, schema) in [
        ("required is no list", of(json!({"required": true}))),
        ("no such type", of(json!({"type": "file"}))),
        ("no such type among others", of(json!({"type": ["string", "file"]}))),
        ("no schema", of(json!("string"))),
        ("dangling", of(json!({"$ref": "#/$defs/none", "type": "string"}))),
        ("remote", of(json!({"$ref": "https://example.com/schema.json"}))),
        ("a file", of(json!({"$ref": "file:///etc/hostname"}))),
        ("no pattern", of(json!({"pattern": "(["}))),
        ("several", of(json!({"type": "text", "minLength": -1, "enum": 5, "description": {}}))),
    ] {
        let tool = tool("x", schema);
        let validator = tool.validator();
        assert_eq!(validator.unchecked(), None, "{what}");
        let reason = validator.left_out().unwrap_or_else(|| panic!("{what}")).to_owned();
        let Outcome::Call { arguments, repairs, .. } = call(&tool, json!({"a": 1, "n": 2})) else {
            panic!("{what}")
        };
        assert_eq!(arguments, json!({"a": 1, "n": 2}), "{what}");
        assert_eq!(repairs, [Repair::PartlyUnchecked { reason: reason.clone() }], "{what}");
        let Outcome::Call { repairs, .. } = call(&tool, json!({"a": 1, "n": "2"})) else { panic!("{what}") };
        assert_eq!(repairs.len(), 2, "{what}");
        assert!(matches!(call(&tool, json!({"a": 1, "n": "two"})), Outcome::Error { .. }), "{what}");
        assert!(matches!(call(&tool, json!({"a": 1, "n": 2, "m": 3})), Outcome::Error { .. }), "{what}");
    }
}

#[test]
fn names_that_a_schema_says_how_to_write_are_admitted() {
    let metrics = tool("metrics", json!({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}));
    assert!(matches!(call(&metrics, json!({"cpu": 1})), Outcome::Call { .. }));
    assert!(matches!(call(&metrics, json!({"CPU": 1})), Outcome::Error { .. }));
}

#[test]
fn recursion_is_followed_as_deep_as_the_arguments() {
    let tree = tool(
        "tree",
        json!({"type": "object", "properties": {"name": {"type": "string"}, "child": {"$ref": "#"}}, "required": ["name"], "additionalProperties": false}),
    );
    assert!(matches!(call(&tree, json!({"name": "a", "child": {"name": "b"}})), Outcome::Call { .. }));
    let Outcome::Error { message, .. } =
        call(&tree, json!({"name": "a", "child": {"name": "b", "child": {"nam": "c"}}}))
    else {
        panic!("a child without a name")
    };
    assert_eq!(
        message,
        r#"tree: You passed "nam" in child.child; did you mean "name"? Rename it. child.child takes name, child."#
    );
}

#[test]
fn many_items_of_many_alternatives_are_checked_and_what_multiplies_without_end_is_refused() {
    let alternatives: Vec<Value> =
        (0..200).map(|n| json!({"properties": {"k": {"const": n}}, "required": ["k"]})).collect();
    let union =
        tool("union", json!({"properties": {"all": {"type": "array", "items": {"anyOf": alternatives}}}}));
    let mut items: Vec<Value> = (0..2_000).map(|n| json!({"k": n % 200})).collect();
    let Outcome::Call { repairs, .. } = call(&union, json!({"all": items})) else { panic!("a valid call") };
    assert_eq!(repairs, []);
    items.push(json!({"k": "one"}));
    let Outcome::Error { message, .. } = call(&union, json!({"all": items})) else {
        panic!("an invalid call")
    };
    assert!(message.starts_with("union: The arguments are not valid; they are too many"), "{message}");

    let branch = json!({"type": "object", "properties": {"c": {"$ref": "#/$defs/node"}}});
    let doubling =
        tool("doubling", json!({"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [branch, branch]}}}));
    let nested = |depth| (0..depth).fold(json!({}), |inner, _| json!({ "c": inner }));
    assert!(matches!(call(&doubling, nested(12)), Outcome::Call { .. }));
    let Outcome::Error { message, .. } = call(&doubling, nested(60)) else { panic!("too much") };
    assert!(message.contains("nested too deep, for the alternatives"), "{message}");
}

/// A thread's usual stack holds the deepest arguments that are checked, in an unoptimised build too.
#[test]
fn deep_arguments_of_deep_schemas_do_not_exhaust_the_stack() {
    for alternatives in [1, 10, 11, 40, 100] {
        let mut node = json!({"type": "object", "properties": {"c": {"$ref": "#"}}});
        for _ in 0..alternatives / 2 {
            node = json!({"allOf": [node]});
        }
        node["type"] = json!("object");
        let deep = tool("deep", node);
        let run = move || {
            for depth in [5, 30, 100, 126, 127, 400] {
                let mut arguments = json!({"c": {}});
                for _ in 0..depth {
                    arguments = json!({ "c": arguments });
                }
                let mut wrong = arguments.clone();
                wrong["d"] = json!(1);
                for arguments in [arguments, wrong] {
                    let directory = Directory::new(std::slice::from_ref(&deep), &[]);
                    let outcome = resolve(&directory, &Surface::Direct, "deep", arguments, &silent);
                    assert!(depth <= 126 || matches!(outcome, Outcome::Error { .. }));
                }
            }
        };
        thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
    }
}

#[test]
fn large_arguments_are_refused_and_slow_patterns_end() {
    let any = tool("any", json!({"type": "object", "properties": {"text": {"type": "string"}}}));
    let Outcome::Error { message, .. } = call(&any, json!({"text": "x".repeat(MAX_ARGUMENT_BYTES)})) else {
        panic!("too large")
    };
    assert_eq!(
        message,
        "any: The arguments are larger than 16 MiB: pass less, or pass a file's path where the tool takes one."
    );
    let slow = tool(
        "slow",
        json!({"type": "object", "properties": {"text": {"pattern": "^(?=(a+)+$)(a|b|ab)*c$"}}}),
    );
    let before = Instant::now();
    assert!(matches!(call(&slow, json!({"text": "ab".repeat(5_000)})), Outcome::Error { .. }));
    assert!(before.elapsed().as_secs() < 20, "{:?}", before.elapsed());
    let many = tool(
        "many",
        json!({"type": "object", "properties": {"list": {"type": "array", "items": {"type": "integer"}}}}),
    );
    let list: Vec<Value> = (0..100_000).map(|n| json!(n.to_string())).collect();
    let Outcome::Error { message, .. } = call(&many, json!({ "list": list })) else { panic!("not integers") };
    assert!(message.ends_with(" more."), "{message}");
}

#[test]
fn undeclared_names_are_refused_unless_the_schema_admits_them() {
    let refused = |schema: Value, arguments: Value| match call(&tool("x", schema), arguments) {
        Outcome::Call { repairs, .. } => {
            assert!(repairs.is_empty());
            None
        }
        Outcome::Error { message, .. } => Some(message),
        other => panic!("{other:?}"),
    };
    let a = json!({"a": {"type": "string"}});
    assert_eq!(
        refused(json!({"type": "object", "properties": a}), json!({"b": 1})).unwrap(),
        r#"x: "b" is no argument: leave it out. It takes a."#
    );
    assert!(
        refused(json!({"type": "object", "properties": {}}), json!({"b": 1}))
            .unwrap()
            .ends_with("It takes no arguments.")
    );
    for admitting in [
        json!({"properties": a, "additionalProperties": true}),
        json!({"properties": a, "additionalProperties": {"type": "integer"}}),
        json!({"properties": a, "patternProperties": {"^b": {}}}),
        json!({"allOf": [{"properties": a}, {"properties": {"b": {}}}]}),
        json!({"anyOf": [{"properties": a}, {"$ref": "#/$defs/b"}], "$defs": {"b": {"properties": {"b": {}}}}}),
        json!({"if": {"properties": a}, "then": {"properties": {"b": {}}}}),
        json!({"properties": a, "dependentRequired": {"b": ["a"]}, "unevaluatedProperties": true}),
    ] {
        assert_eq!(refused(admitting.clone(), json!({"b": 1, "a": "x"})), None, "{admitting}");
    }
    for refusing in [
        json!({"properties": a, "additionalProperties": false}),
        json!({"properties": a, "patternProperties": {"^c": {}}}),
        json!({"properties": a, "not": {"properties": {"b": {"type": "null"}}}}),
    ] {
        assert!(refused(refusing.clone(), json!({"b": 1})).is_some(), "{refusing}");
    }
    // By the standard alone all of this is valid; and of a tool that writes no schema nothing is known.
    assert_eq!(tool("x", json!({"type": "object", "properties": a})).check(&json!({"b": 1})), Ok(()));
    let list = recto_catalog::ToolList::from_json(br#"[{"name": "free"}]"#).unwrap();
    assert!(matches!(call(&list.tools[0], json!({"b": 1})), Outcome::Call { .. }));
}

#[test]
fn tools_with_the_names_of_the_catalogues_own_are_called_through_it() {
    let schema = json!({"type": "object", "properties": {"f": {"type": "string"}, "x": {"type": "integer"}}});
    let directory =
        Directory::new(&[tool("t", schema.clone()), tool("q", schema), tool("list", json!({}))], &[]);
    let surface = Surface::Map(MapTools::default());
    let called = |name: &str, arguments: Value| match check(&directory, &surface, name, &arguments) {
        Outcome::Call { code, arguments, .. } => format!("{code} {arguments}"),
        Outcome::Meta { name, result } => format!("{name}: {result}"),
        Outcome::Error { message, .. } => format!("error: {message}"),
        other => panic!("{other:?}"),
    };
    assert_eq!(called("t", json!({"f": "t", "a": {"x": 1}})), r#"t {"x":1}"#);
    assert_eq!(called("t", json!({"f": "q", "a": {"f": "list"}})), r#"q {"f":"list"}"#);
    assert_eq!(called("t", json!({"f": "list", "a": {}})), "list {}");
    assert_eq!(called("q", json!({"s": "lists"})), r#"q: Words("lists")"#);
    assert_eq!(
        called("t", json!({"x": 1})),
        "error: t does not say which tool to call: write t {\"f\": name, \"a\": {arguments}}. The tool \"t\" itself is called as \
         t {\"f\": \"t\", \"a\": {arguments}}."
    );
}

#[test]
fn codes_of_other_catalogues_and_of_tools_that_went_call_nothing() {
    let old = Directory::new(&[tool("list_issues", json!({})).on_server("a")], &[]);
    let known: Vec<recto_catalog::Removed> = old
        .entries()
        .iter()
        .map(|entry| recto_catalog::Removed {
            code: entry.code().to_owned(),
            name: entry.tool().name().to_owned(),
            server: Some("a".to_owned()),
        })
        .collect();
    // The tool went, and another server offers one of the same name, and one of a like name.
    let tools = [tool("list_issues", json!({})).on_server("b"), tool("listIssues", json!({})).on_server("c")];
    let directory = Directory::new(&tools, &known);
    for name in [
        "list_issues",
        "list-issues",
        "a.list_issues",
        "ListIssues",
        "mcp__a__list_issues",
        "z9_unknown_code",
    ] {
        for (surface, name, arguments) in [
            (Surface::Direct, name, json!({})),
            (Surface::Map(MapTools::default()), "t", json!({"f": name})),
            (Surface::Map(MapTools::default()), name, json!({})),
        ] {
            let outcome = check(&directory, &surface, name, &arguments);
            assert!(matches!(outcome, Outcome::Error { .. }), "{name}: {outcome:?}");
        }
    }
    assert!(matches!(check(&directory, &Surface::Direct, "b.list_issues", &json!({})), Outcome::Call { .. }));
}

#[test]
fn outcomes_are_written_as_the_wire_has_them() {
    let directory = repairs::directory();
    let wire = |name: &str, arguments: Value| {
        serde_json::to_value(check(&directory, &Surface::Map(MapTools::default()), name, &arguments)).unwrap()
    };
    assert_eq!(
        wire("t", json!({"f": "list_issues", "a": {"owner": "o", "repo": "r", "perPage": "5"}})),
        json!({
            "kind": "call", "name": "list_issues", "server": "files", "code": "list_issues",
            "args": {"owner": "o", "repo": "r", "perPage": 5},
            "repairs": [{"kind": "text_to_number", "path": "perPage", "message": "perPage was a number as text; it was made a number."}],
        })
    );
    assert_eq!(wire("q", json!({"s": "x"})), json!({"kind": "meta", "name": "q", "result": "Words(\"x\")"}));
    assert_eq!(
        wire("t", json!({"f": "old_tool"})),
        json!({"kind": "error", "message": "\"old_tool\" was removed and cannot be called any more: use another tool.", "recoverable": false, "code": "old_tool"})
    );
}

/// Breaks valid calls of real tools in the ways that models do, and holds each repaired one against the call that was meant.
#[test]
fn a_repaired_call_is_the_one_that_was_meant() {
    let Some(rows) = rows() else { return };
    let flat = |code: &str, arguments: &Value| {
        let mut flat = json!({ "f": code });
        for (name, value) in arguments.as_object().into_iter().flatten() {
            flat[name] = value.clone();
        }
        flat
    };
    let numbers_as_text = |arguments: &Value| {
        let members = arguments.as_object().into_iter().flatten();
        members
            .map(|(name, value)| {
                (name.clone(), if value.is_i64() { value.to_string().into() } else { value.clone() })
            })
            .collect::<serde_json::Map<_, _>>()
    };
    type Broken<'a> = (&'static str, &'a dyn Fn(&str, &Value) -> Value);
    let ways: [Broken<'_>; 9] = [
        ("text", &|code, arguments| json!({"f": code, "a": arguments.to_string()})),
        (
            "text twice",
            &|code, arguments| json!({"f": code, "a": Value::from(arguments.to_string()).to_string()}),
        ),
        ("all as text", &|code, arguments| json!({"f": code, "a": arguments}).to_string().into()),
        ("wrapped", &|code, arguments| json!({"f": code, "a": {"arguments": arguments}})),
        ("array", &|code, arguments| json!({"f": code, "a": [arguments]})),
        ("misnamed", &|code, arguments| json!({"name": code, "parameters": arguments})),
        ("nested", &|code, arguments| json!({"f": "t", "a": {"f": code, "a": arguments}})),
        ("flat", &flat),
        ("numbers", &|code, arguments| json!({"f": code, "a": numbers_as_text(arguments)})),
    ];
    let surface = Surface::Map(MapTools::default());
    for (way, broken) in ways {
        let (mut meant, mut all) = (0, 0);
        for (row, tool) in rows.iter().filter(|(row, _)| row.valid).step_by(11) {
            let directory = Directory::new(std::slice::from_ref(tool), &[]);
            let code = directory.entries()[0].code();
            let written = broken(code, &row.args);
            all += 1;
            match resolve(&directory, &surface, "t", written.clone(), &silent) {
                Outcome::Call { arguments, repairs, .. } => {
                    let as_written = written["a"] == arguments && repairs.is_empty();
                    assert!(
                        arguments == row.args || as_written,
                        "{way}: {written} became {arguments} {repairs:?}"
                    );
                    meant += 1;
                }
                outcome => assert!(matches!(outcome, Outcome::Error { .. }), "{outcome:?}"),
            }
        }
        assert!(meant * 100 >= all * 98, "{way}: {meant} of {all}");
    }
}

#[test]
fn of_alternatives_the_one_that_comes_closest_is_told() {
    let shape = json!({"anyOf": [
        {"type": "object", "properties": {"type": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["type", "radius"]},
        {"type": "object", "properties": {"type": {"const": "square"}, "side": {"$ref": "#/$defs/side"}}, "required": ["type", "side"]},
        {"type": "null"},
    ]});
    let schema = json!({
        "type": "object",
        "properties": {
            "shape": shape,
            "id": {"oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^[a-z]+$"}]},
            "steps": {"type": "array", "items": {"anyOf": [{"enum": ["up", "down"]}, {"const": "stop"}]}},
        },
        "$defs": {"side": {"type": "number", "exclusiveMinimum": 0}},
    });
    let tool = tool("draw", schema);
    let told = |arguments: Value| match call(&tool, arguments) {
        Outcome::Call { arguments, .. } => arguments.to_string(),
        Outcome::Error { message, .. } => message,
        other => panic!("{other:?}"),
    };
    let square = |side: Value| json!({"shape": {"type": "square", "side": side}});
    assert_eq!(told(square(json!(true))), "draw: shape.side must be a number; you passed true.");
    assert_eq!(told(square(json!(0))), "draw: shape.side must be more than 0; you passed 0.");
    assert_eq!(told(square(json!("2.5"))), r#"{"shape":{"type":"square","side":2.5}}"#);
    assert_eq!(told(json!({"shape": {"type": "square", "sides": 1}})), "draw: Missing: shape.side (number).");
    assert_eq!(
        told(json!({"shape": {"type": "Square", "side": 1}})),
        r#"draw: shape.type must be one of "square", "circle"; you passed "Square": pass "square"."#
    );
    assert_eq!(told(json!({"shape": 5})), "draw: shape must be an object or null; you passed 5.");
    assert_eq!(told(json!({"id": "A1"})), r#"draw: id must match the pattern ^[a-z]+$; you passed "A1"."#);
    assert_eq!(
        told(json!({"id": true})),
        r#"draw: id must be an integer or a string; you passed true: pass "true"."#
    );
    assert_eq!(
        told(json!({"steps": ["up", "Stop"]})),
        r#"draw: steps[1] must be one of "stop", "up", "down"; you passed "Stop": pass "stop"."#
    );
}
