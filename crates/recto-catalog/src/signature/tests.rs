//! Lines that say what they seem to say, whatever a server calls its things.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn line(schema: Value) -> String {
    signature_line(&Tool::new("t", "", schema).unwrap(), None)
}

#[test]
fn kinds_are_said_in_a_word() {
    let schema = json!({
        "type": "object",
        "properties": {
            "s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": ["number", "integer", "null"]}, "b": {"type": "boolean"},
            "o": {"type": "object", "properties": {"x": {}}}, "l": {"type": "array", "items": {"type": "string"}},
            "e": {"type": "array", "items": {"enum": ["a", "b"]}}, "any": {}, "u": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            "r": {"$ref": "#/$defs/r"}, "loop": {"$ref": "#/$defs/loop"}, "w": {"enum": ["int", "1", "a b", "x/y", 2, null, true]},
            "many": {"enum": ["1a", "2a", "3a", "4a", "5a", "6a", "7a", "8a", "9a"]}, "z": {"type": "null"},
            "narrowed": {"type": "object", "anyOf": [{"required": ["x"]}]}
        },
        "required": ["i", "unnamed"],
        "$defs": {"r": {"type": "boolean"}, "loop": {"type": "array", "items": {"$ref": "#/$defs/loop"}}}
    });
    assert_eq!(
        line(schema),
        "t(i:int,unnamed:any,s?,n?:num,b?:bool,o?:obj,l?:[],e?:(a|b)[],any?:any,u?:str|int,r?:bool,loop?:any[][][],\
         w?:\"int\"|\"1\"|\"a b\"|x/y|2|true,many?:1a|2a|3a|4a|5a|6a|7a|…,z?:null,narrowed?:obj)"
    );
}

#[test]
fn parameters_are_found_wherever_they_are_named() {
    let schema = json!({
        "type": "object", "properties": {"a": {"type": "string"}}, "allOf": [{"$ref": "#/$defs/b"}],
        "oneOf": [{"properties": {"c": {"const": 1}}, "required": ["c", "a"]}, {"properties": {"c": {"const": 2}}, "required": ["c"]}],
        "$defs": {"b": {"properties": {"b": {"type": "integer"}}, "required": ["b"]}}
    });
    let tool = Tool::new("t", "", schema).unwrap();
    assert_eq!(signature_line(&tool, Some("x y")), "\"x y\"(b:int,c:1|2,a?)");
    assert_eq!(names_line(&tool, None, false), "t(b,c)");
    let none = Tool::new("t", "", json!({"type": "object"})).unwrap();
    assert_eq!((names_line(&none, None, false), names_line(&none, None, true)), ("t".into(), "t()".into()));
}

#[test]
fn a_name_cannot_forge_a_line() {
    let name = "a?:int)\nevil(\u{202e}x";
    let tool =
        Tool::new(name, "", json!({"properties": {name: {"enum": [name, "|", ""]}, "": {}, "$a": {}}}))
            .unwrap();
    let line = signature_line(&tool, None);
    let quoted = "\"a?:int)\\nevil(\\u202ex\"";
    assert_eq!(line, format!("{quoted}({quoted}?:{quoted}|\"|\"|\"\",\"\"?:any,\"$a\"?:any)"));
    assert_eq!(Signature::parse(&line), Some(Signature::of(&tool, None)));
}

#[test]
fn what_is_no_line_is_not_read() {
    for broken in ["", "(", "a(", "a(b", "a(b,)", "a(,)", "a)b", "\"a", "a(b:x|y", "a b", "a(b?:\"x)"] {
        assert_eq!(Signature::parse(broken), None, "{broken}");
    }
}

proptest! {
    #[test]
    fn every_line_is_read_back(name in ".+", names in prop::collection::vec(".*", 0..6), values in prop::collection::vec(".*", 0..6)) {
        let mut properties = Map::new();
        for name in &names {
            properties.insert(name.clone(), json!({"enum": values}));
        }
        let required: Vec<&String> = names.iter().step_by(2).collect();
        let tool = Tool::new(&name, "", json!({"type": "object", "properties": properties, "required": required})).unwrap();
        let line = signature_line(&tool, None);
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(Signature::parse(&line), Some(Signature::of(&tool, None)));
        let names = Signature::parse(&names_line(&tool, None, true)).unwrap();
        let required: Vec<_> = Signature::of(&tool, None).parameters.into_iter().filter(|parameter| parameter.required).collect();
        prop_assert_eq!(names.parameters.len(), required.len());
        prop_assert!(names.parameters.iter().zip(&required).all(|(one, other)| one.name == other.name));
    }

    #[test]
    fn no_text_breaks_the_reader(text in "[a(),:?$\"|\\\\ …]{0,30}") {
        Signature::parse(&text);
        crate::map::read(&text);
    }
}
