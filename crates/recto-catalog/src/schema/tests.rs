//! What is written for single schemas.

use serde_json::{Value, json};

use super::*;

fn flat(schema: Value) -> Value {
    let flat = flatten_schema(&schema, false);
    assert_eq!(flatten_schema(&flat, false), flat, "of {schema}");
    flat
}

/// The schema of the property `p` of an object.
fn property(schema: Value, definitions: Value) -> Value {
    let whole = json!({"type": "object", "properties": {"p": schema}, "$defs": definitions});
    flat(whole)["properties"]["p"].take()
}

#[test]
fn prose_goes_and_properties_with_its_names_stay() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "title": "T", "description": "D", "type": "object",
        "properties": {"description": {"type": "string", "description": "x", "default": "y"}, "title": {"type": "string", "pattern": "^a"},
            "default": {"const": {"description": "kept"}}},
        "required": ["title"], "additionalProperties": false
    });
    assert_eq!(
        flat(schema.clone()),
        json!({"type": "object", "properties": {"description": {"type": "string"}, "title": {"type": "string"},
            "default": {"enum": [{"description": "kept"}]}}, "required": ["title"]})
    );
    let strict = flatten_schema(&schema, true);
    assert_eq!(
        strict,
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {"description": {"type": "string"}, "title": {"type": "string", "pattern": "^a"},
            "default": {"const": {"description": "kept"}}},
            "required": ["title"], "additionalProperties": false})
    );
    assert_eq!(flatten_schema(&strict, true), strict);
}

#[test]
fn a_strict_schema_whose_prose_is_referred_to_stays_as_it_is() {
    let schema =
        json!({"type": "object", "properties": {"a": {"$ref": "#/default"}}, "default": {"type": "string"}});
    assert_eq!(flatten_schema(&schema, true), schema);
}

#[test]
fn alternatives_become_one_where_that_is_exact() {
    let of = |schema| property(schema, json!({}));
    assert_eq!(
        of(json!({"anyOf": [{"type": "string"}, {"type": "null"}]})),
        json!({"type": ["string", "null"]})
    );
    assert_eq!(of(json!({"oneOf": [{"const": "a"}, {"const": "b"}]})), json!({"enum": ["a", "b"]}));
    assert_eq!(
        of(json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]})),
        json!({"type": ["string", "array"], "items": {"type": "string"}})
    );
    assert_eq!(of(json!({"anyOf": [{"not": {}}, {"type": "integer"}]})), json!({"type": "integer"}));
    assert_eq!(of(json!({"anyOf": [{"type": "integer"}, {"type": "number"}]})), json!({"type": "number"}));
    assert_eq!(of(json!({"anyOf": [{"type": "integer"}, {}]})), json!({}));
    assert_eq!(
        of(
            json!({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"required": ["a"]}]})
        ),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
    );
    // Values may be open: the list is worth keeping.
    let open = json!({"anyOf": [{"enum": ["a"]}, {"type": "string"}]});
    assert_eq!(of(open.clone()), open);
    let two = json!({"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "object", "required": ["b"]}]});
    assert_eq!(of(two.clone()), two);
}

#[test]
fn references_are_followed_as_far_as_they_lead_anywhere() {
    let definitions = json!({
        "a": {"$ref": "#/$defs/b"}, "b": {"type": "string"}, "x": {"$ref": "#/$defs/y"}, "y": {"anyOf": [{"$ref": "#/$defs/x"}]},
        "odd/name%": {"type": "integer"}
    });
    let of = |reference: &str| property(json!({"$ref": reference}), definitions.clone());
    assert_eq!(of("#/$defs/a"), json!({"type": "string"}));
    assert_eq!(of("#/$defs/odd~1name%25"), json!({"type": "integer"}));
    for nowhere in ["#/$defs/x", "#/$defs/nothing", "other.json#/a", "#anchor", "", "#/type", "#/$defs/%zz"] {
        assert_eq!(of(nowhere), json!({}), "{nowhere}");
    }
}

#[test]
fn what_is_inside_itself_is_a_definition() {
    let tree = json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/definitions/tree"}}}});
    let schema = json!({"type": "object", "properties": {"root": {"$ref": "#/definitions/tree"}}, "definitions": {"tree": tree}});
    assert_eq!(
        flat(schema),
        json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/a"}}}}}})
    );
    let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}, "at": {"type": "string"}}});
    assert_eq!(flat(schema.clone()), schema);
    // The whole may be a text, and what stands for it inside still may.
    let schema = json!({"properties": {"next": {"$ref": "#"}}});
    assert_eq!(
        flat(schema),
        json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"properties": {"next": {"$ref": "#/$defs/a"}}}}})
    );
}

#[test]
fn what_occurs_often_is_written_once() {
    let part =
        json!({"type": "object", "properties": {"first": {"type": "string"}, "second": {"type": "integer"}}});
    let schema = json!({"type": "object", "properties": {"a": part, "b": part, "c": part}});
    assert_eq!(
        flat(schema),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/a"}, "c": {"$ref": "#/$defs/a"}},
            "$defs": {"a": part}})
    );
}

#[test]
fn alternatives_at_the_top_are_laid_over_one_another() {
    let schema = json!({
        "type": "object", "properties": {"a": {"type": "string"}},
        "oneOf": [
            {"properties": {"b": {"type": "string"}, "k": {"const": 1}}, "required": ["b", "k"]},
            {"properties": {"c": {"type": "string"}, "k": {"const": 2}}, "required": ["c", "k"]}
        ]
    });
    assert_eq!(
        flat(schema),
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}, "k": {"enum": [1, 2]}, "c": {}}, "required": ["k"]})
    );
    let closed = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "additionalProperties": false});
    assert_eq!(
        flat(json!({"anyOf": [closed("b"), closed("c"), {"type": "string"}]})),
        json!({"type": "object", "properties": {"b": {"type": "string"}, "c": {"type": "string"}}})
    );
}

#[test]
fn tuples_of_every_draft_are_kept() {
    let tuple =
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {}});
    let items = json!([{"type": "string"}, {"type": "integer"}]);
    assert_eq!(
        property(json!({"type": "array", "items": items, "additionalItems": false}), json!({})),
        tuple
    );
    assert_eq!(property(json!({"type": "array", "prefixItems": items, "items": false}), json!({})), tuple);
}

#[test]
fn broken_schemas_admit_what_they_may() {
    let of = |schema| property(schema, json!({}));
    for anything in [
        json!(null),
        json!(3),
        json!("string"),
        json!([]),
        json!({"type": 3}),
        json!({"type": ["string", "text"]}),
        json!({"enum": 3}),
        json!({"enum": []}),
        json!({"required": true}),
        json!({"properties": []}),
        json!({"anyOf": {}}),
        json!({"anyOf": []}),
        json!({"allOf": [3]}),
        json!({"items": 3}),
        json!({"not": {"type": "string"}}),
        json!(false),
    ] {
        assert_eq!(of(anything.clone()), json!({}), "{anything}");
    }
    for top in [
        json!({}),
        json!({"type": "string"}),
        json!({"$ref": "#"}),
        json!({"properties": 1, "required": {}}),
        json!(3),
    ] {
        assert_eq!(flat(top), json!({"type": "object", "properties": {}}));
    }
}

#[test]
fn what_is_deep_or_doubles_again_and_again_ends() {
    let doubling = |keyword: &str| {
        let mut definitions = serde_json::Map::new();
        for level in 0..60 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            let body = match keyword {
                "properties" => json!({"type": "object", "properties": {"a": next, "b": next}}),
                keyword => json!({keyword: [next, {"type": "object", "properties": {"x": next}}, next]}),
            };
            definitions.insert(format!("d{level}"), body);
        }
        definitions
            .insert("d60".to_owned(), json!({"type": "object", "properties": {"end": {"type": "string"}}}));
        json!({"type": "object", "$ref": "#/$defs/d0", "properties": {"p": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
    };
    for keyword in ["properties", "anyOf", "oneOf", "allOf"] {
        let flat = flatten_schema(&doubling(keyword), false);
        assert!(flat.to_string().len() < 100_000, "{keyword}: {}", flat.to_string().len());
        assert!(!is_deeper(&flat, MAX_DEPTH), "{keyword}");
        assert!(gemini_schema(&doubling(keyword)).to_string().len() < 1_000_000, "{keyword}");
    }
    let mut deep = json!({"type": "string"});
    for _ in 0..50 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    assert!(!is_deeper(&flat(deep.clone()), MAX_DEPTH));
    for _ in 0..50 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    assert_eq!(flat(deep), json!({"type": "object", "properties": {}}));
    // Each refers to the next one and to all before it.
    let chain: serde_json::Map<String, Value> = (0..2_000)
        .map(|at| {
            (
                format!("d{at}"),
                json!({"anyOf": [{"$ref": format!("#/$defs/d{}", at + 1)}, {"$ref": "#/$defs/d0"}]}),
            )
        })
        .collect();
    flat(
        json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/d1999"}, "q": {"$ref": "#/$defs/d0"}}, "$defs": chain}),
    );
}

#[test]
fn gemini_gets_what_it_takes() {
    let schema = json!({
        "$schema": "x", "type": "object", "additionalProperties": false, "required": ["a", "gone"],
        "properties": {
            "a": {"type": "string", "format": "uri", "pattern": "^a", "description": "A."},
            "b": {"type": "array"},
            "c": {"type": "integer", "enum": [1, 2], "exclusiveMinimum": 0, "minimum": 0},
            "d": {"anyOf": [{"type": "null"}, {"const": "x"}, {"enum": ["y", ""]}]},
            "e": {"oneOf": [{"type": "object", "properties": {"k": {"const": "1"}, "l": {"type": "integer"}}, "required": ["k", "l"]},
                {"type": "object", "properties": {"k": {"const": "2"}}, "required": ["k"]}]},
            "f": {"$ref": "#/$defs/tree"},
            "g": {},
            "h": {"type": ["integer", "string", "null"], "default": 3},
            "i": {"allOf": [{"$ref": "#/$defs/missing"}, {"type": "boolean"}]}
        },
        "$defs": {"tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}}}}
    });
    let before = schema.clone();
    assert_eq!(
        gemini_schema(&schema),
        json!({
            "type": "OBJECT",
            "properties": {
                "a": {"type": "STRING", "description": "A."},
                "b": {"type": "ARRAY", "items": {"type": "STRING"}},
                "c": {"type": "INTEGER", "minimum": 0},
                "d": {"type": "STRING", "enum": ["x", "y"], "nullable": true},
                "e": {"type": "OBJECT", "properties": {"k": {"type": "STRING", "enum": ["1", "2"]}, "l": {"type": "INTEGER"}}, "required": ["k"]},
                "f": {"type": "OBJECT", "properties": {"left": {"type": "OBJECT"}}},
                "g": {"type": "STRING"},
                "h": {"type": "INTEGER", "nullable": true},
                "i": {"type": "BOOLEAN"}
            },
            "required": ["a"]
        })
    );
    assert_eq!(schema, before);
}

#[test]
fn geminis_own_schemas_are_read() {
    let schema = json!({
        "type": "OBJECT", "required": ["a"], "propertyOrdering": ["a"],
        "properties": {"type": {"type": "STRING", "format": "enum", "enum": ["STRING"], "nullable": true},
            "nullable": {"anyOf": [{"type": "INTEGER"}, {"type": "BOOLEAN"}], "nullable": true},
            "a": {"type": "ARRAY", "minItems": "2", "items": {"type": "NUMBER", "nullable": false}}}
    });
    let read = from_gemini(&schema);
    assert_eq!(
        read,
        json!({
            "type": "object", "required": ["a"], "propertyOrdering": ["a"],
            "properties": {"type": {"type": ["string", "null"], "enum": ["STRING", null]},
                "nullable": {"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "null"}]},
                "a": {"type": "array", "minItems": 2, "items": {"type": "number"}}}
        })
    );
    assert_eq!(from_gemini(&read), read);
}

#[test]
fn references_within_a_schema_are_followed_and_no_others() {
    let root = json!({"$defs": {"a/b c": {"type": "string"}}});
    assert_eq!(pointed(&root, "#"), Some(&root));
    assert_eq!(pointed(&root, "#/$defs/a~1b%20c"), Some(&json!({"type": "string"})));
    for elsewhere in ["#/$defs/none", "other.json", "https://example.com/#/$defs/x", "#/%zz", ""] {
        assert_eq!(pointed(&root, elsewhere), None, "{elsewhere}");
    }
}
