//! What a value is, in a word.

use serde_json::{Map, Value};

use super::{is_plain, quoted};
use crate::schema::{is_never, pointed};

/// How many schemas are followed into one another.
const MAX_NESTING: usize = 6;

/// How many alternatives are shown; of more, one less, and the sign that there are more.
const MAX_ALTERNATIVES: usize = 8;

/// A value of more bytes is not shown.
const MAX_VALUE_BYTES: usize = 40;

/// How many schemas are looked at for one word.
const MAX_SCHEMAS: usize = 64;

const MORE: &str = "…";

/// Words with a meaning of their own, which a value that is written so is quoted for.
const WORDS: [&str; 10] = ["any", "bool", "false", "int", "null", "num", "obj", "str", "true", MORE];

/// Returns what stands behind `:` for a parameter; nothing for a text.
pub(super) fn kind(schemas: &[&Value], root: &Value) -> String {
    let mut reader = Reader { root, left: MAX_SCHEMAS };
    let mut pieces = Vec::new();
    for schema in schemas {
        reader.add(schema, 0, &mut pieces);
    }
    let kind = joined(pieces);
    if kind == "str" { String::new() } else { kind }
}

struct Reader<'a> {
    root: &'a Value,
    left: usize,
}

impl Reader<'_> {
    /// Adds the alternatives of a schema. Null is one only where there is no other.
    fn add(&mut self, schema: &Value, nesting: usize, pieces: &mut Vec<String>) {
        if is_never(schema) {
            return;
        }
        let Value::Object(keywords) = schema else { return push(pieces, "any") };
        if nesting > MAX_NESTING || self.left == 0 {
            return push(pieces, "any");
        }
        self.left -= 1;
        if let Some(value) = keywords.get("const") {
            return add_values(std::slice::from_ref(value), pieces);
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            return add_values(values, pieces);
        }
        let mut own = Vec::new();
        self.add_types(keywords, nesting, &mut own);
        // What only narrows a type that is said beside it, such as what is required of an object, says nothing here.
        for part in self.parts(keywords, nesting) {
            if !part.is_empty()
                && !part.iter().any(|piece| piece == "any")
                && (own.is_empty() || own == ["obj"])
            {
                own = part;
            }
        }
        if own.is_empty() {
            own.push("any".to_owned());
        }
        for piece in own {
            push(pieces, &piece);
        }
    }

    /// Returns what a reference and what alternatives say, each by itself.
    fn parts(&mut self, keywords: &Map<String, Value>, nesting: usize) -> Vec<Vec<String>> {
        let mut parts = Vec::new();
        if let Some(target) =
            keywords.get("$ref").and_then(Value::as_str).and_then(|text| pointed(self.root, text))
        {
            let mut part = Vec::new();
            self.add(target, nesting + 1, &mut part);
            parts.push(part);
        }
        if let Some(Value::Array(schemas)) = keywords.get("allOf") {
            for schema in schemas {
                let mut part = Vec::new();
                self.add(schema, nesting + 1, &mut part);
                parts.push(part);
            }
        }
        for key in ["anyOf", "oneOf"] {
            let Some(Value::Array(schemas)) = keywords.get(key) else { continue };
            let mut part = Vec::new();
            for schema in schemas {
                self.add(schema, nesting + 1, &mut part);
            }
            let is_null = |piece: &String| piece == "null";
            if !part.iter().all(is_null) {
                part.retain(|piece| !is_null(piece));
            }
            parts.push(part);
        }
        parts
    }

    fn add_types(&mut self, keywords: &Map<String, Value>, nesting: usize, pieces: &mut Vec<String>) {
        let words: Vec<&str> = match keywords.get("type") {
            Some(Value::String(word)) => vec![word],
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
            _ if keywords.contains_key("properties") => vec!["object"],
            _ if keywords.contains_key("items") => vec!["array"],
            _ => Vec::new(),
        };
        for word in &words {
            match *word {
                "string" => push(pieces, "str"),
                "integer" if !words.contains(&"number") => push(pieces, "int"),
                "number" => push(pieces, "num"),
                "boolean" => push(pieces, "bool"),
                "object" => push(pieces, "obj"),
                "array" => {
                    let list = self.list(keywords, nesting);
                    push(pieces, &list);
                }
                "null" if words.len() == 1 => push(pieces, "null"),
                _ => {}
            }
        }
    }

    fn list(&mut self, keywords: &Map<String, Value>, nesting: usize) -> String {
        let mut inner = Vec::new();
        match (keywords.get("prefixItems"), keywords.get("items")) {
            (Some(Value::Array(schemas)), _) | (None, Some(Value::Array(schemas))) => {
                for schema in schemas {
                    self.add(schema, nesting + 1, &mut inner);
                }
            }
            (_, Some(schema)) => self.add(schema, nesting + 1, &mut inner),
            (_, None) => push(&mut inner, "any"),
        }
        array_of(&joined(inner))
    }
}

fn add_values(values: &[Value], pieces: &mut Vec<String>) {
    // One more than is ever shown is enough to tell that there are more.
    for value in values.iter().take(4 * MAX_ALTERNATIVES) {
        match value {
            Value::String(text) if text.len() > MAX_VALUE_BYTES => push(pieces, MORE),
            Value::String(text) => push(pieces, &word(text)),
            Value::Number(number) => push(pieces, &number.to_string()),
            Value::Bool(value) => push(pieces, if *value { "true" } else { "false" }),
            Value::Null if values.len() == 1 => push(pieces, "null"),
            Value::Null => {}
            Value::Array(_) => push(pieces, "any[]"),
            Value::Object(_) => push(pieces, "obj"),
        }
    }
}

/// Writes an array of what has this word.
pub(crate) fn array_of(kind: &str) -> String {
    match kind {
        // As with single values, a text has no mark.
        "str" => "[]".to_owned(),
        several if has_alternatives(several) => format!("({several})[]"),
        one => format!("{one}[]"),
    }
}

/// Whether a `|` stands outside of braces.
fn has_alternatives(kind: &str) -> bool {
    let mut depth = 0_i32;
    kind.bytes().any(|byte| {
        depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        byte == b'|' && depth <= 0
    })
}

/// Writes a text that a value may be.
pub(crate) fn word(text: &str) -> String {
    let is_number = || text.parse::<f64>().is_ok();
    if is_plain(text) && !WORDS.contains(&text) && !is_number() { text.to_owned() } else { quoted(text) }
}

fn push(pieces: &mut Vec<String>, piece: &str) {
    if pieces.len() <= 4 * MAX_ALTERNATIVES && !pieces.iter().any(|known| known == piece) {
        pieces.push(piece.to_owned());
    }
}

fn joined(mut pieces: Vec<String>) -> String {
    if pieces.iter().any(|piece| piece == "any") {
        return "any".to_owned();
    }
    let mut has_more = pieces.iter().any(|piece| piece == MORE);
    pieces.retain(|piece| piece != MORE);
    if pieces.len() + usize::from(has_more) > MAX_ALTERNATIVES {
        pieces.truncate(MAX_ALTERNATIVES - 1);
        has_more = true;
    }
    if has_more {
        pieces.push(MORE.to_owned());
    }
    match pieces.as_slice() {
        [] => "any".to_owned(),
        // Of texts that are all too long to show, a text is what is left to say.
        [only] if only == MORE => "str".to_owned(),
        _ => pieces.join("|"),
    }
}
