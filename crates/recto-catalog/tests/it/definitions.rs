//! Definitions that nobody should write, compiled in every way.

use crate::compile_laws;

#[test]
fn what_holds_of_every_catalogue_holds_of_odd_definitions() {
    for text in [
        "[]",
        r#"[{"name": "t"}, {"name": "q"}, {"name": "describe_op"}, {"name": "tools"}] t"#,
        r##"[{"name": "a", "inputSchema": {"$ref": "#"}}, {"name": "b", "inputSchema": {"$ref": "#/nowhere"}}] nothing"##,
        r##"[{"name": "tree", "inputSchema": {"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}}}] a leaf"##,
        r##"[{"name": "x", "inputSchema": {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}}]"##,
        r#"[{"name": "x", "description": "one"}, {"name": "x", "description": "another"}, {"name": "x", "description": "one", "_server": "s"}] x"#,
        r##"[{"name": "line\nbreak", "inputSchema": {"properties": {"a\n": {"enum": ["\u202e", "$a", 1, 1.0]}}, "required": ["a\n", ""]}}, {"name": "#"}] ""##,
        r#"[{"type": "function", "function": {"name": "f", "strict": true, "parameters": {"allOf": [{"properties": {"p": {"const": null}}}], "additionalProperties": false}}}]"#,
        r#"[{"functionDeclarations": [{"name": "g", "parameters": {"type": "OBJECT", "properties": {"n": {"type": "ARRAY", "nullable": true}}}}]}]"#,
    ] {
        compile_laws::check_text(text);
    }
}
