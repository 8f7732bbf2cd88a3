//! JSON as a model wrote it, read so that nothing of it is lost: no number is rounded to another one, no member is dropped for a later one.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::text::quoted;

/// Says why a text cannot be read as JSON without loss.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InexactJson {
    /// The text is no JSON.
    #[error("{message}")]
    NotJson {
        /// What is wrong, and where.
        message: String,
    },
    /// A member is written twice in one object, with different values: which one is meant is not known.
    #[error("{} is passed twice, with different values: pass it once.", quoted(.name))]
    Twice {
        /// The member's name.
        name: String,
    },
    /// A whole number has more digits than 64 bits hold, and would be passed on as another one.
    #[error(
        "{number} is too large to be passed on as it is: whole numbers reach from {} to {}; pass it as a string where the tool takes one.",
        i64::MIN,
        u64::MAX
    )]
    TooLarge {
        /// The number, its middle cut if it is long.
        number: String,
    },
}

/// Reads JSON of a call, as a model wrote it.
///
/// Numbers keep their value, not their notation: `1e2` is `100.0`. Fractions are as exact as 64 bits are.
///
/// # Errors
/// If it is no JSON, or reading it would lose something: see [`InexactJson`].
///
/// ```
/// use recto_catalog::read_exactly;
///
/// assert_eq!(read_exactly(r#"{"id": 9007199254740993}"#)?, serde_json::json!({"id": 9_007_199_254_740_993_u64}));
/// let error = read_exactly(r#"{"path": "a", "path": "b"}"#).unwrap_err();
/// assert_eq!(error.to_string(), "\"path\" is passed twice, with different values: pass it once.");
/// # Ok::<(), recto_catalog::InexactJson>(())
/// ```
pub fn read_exactly(text: &str) -> Result<Value, InexactJson> {
    let value = match serde_json::from_str::<Exact>(text) {
        Ok(Exact(value)) => value,
        Err(error) => {
            let message = error.to_string();
            // An error of a visitor is a text: its own mark tells it from one of the parser.
            return Err(match message.strip_prefix(TWICE).and_then(name_told) {
                Some(name) => InexactJson::Twice { name },
                None => InexactJson::NotJson { message },
            });
        }
    };
    match too_large(text) {
        Some(number) => Err(InexactJson::TooLarge { number: shortened(number) }),
        None => Ok(value),
    }
}

/// What an error begins with that tells of a member written twice: no message of the parser does.
const TWICE: &str = "member written twice: ";

/// Reads the name out of such an error, which the parser adds a place to.
fn name_told(text: &str) -> Option<String> {
    serde_json::Deserializer::from_str(text).into_iter::<String>().next()?.ok()
}

struct Exact(Value);

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExactVisitor).map(Self)
    }
}

struct ExactVisitor;

impl<'de> Visitor<'de> for ExactVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Exact(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Exact(value))) = members.next_entry::<String, Exact>()? {
            match object.get(&name) {
                Some(before) if *before != value => {
                    return Err(A::Error::custom(format_args!("{TWICE}{}", Value::String(name))));
                }
                _ => {
                    object.insert(name, value);
                }
            }
        }
        Ok(Value::Object(object))
    }
}

/// Finds the first whole number in JSON that 64 bits do not hold.
fn too_large(json: &str) -> Option<&str> {
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let rest = json.get(at..).unwrap_or_default();
                let end = rest.find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'));
                let number = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                let is_whole = !number.contains(['.', 'e', 'E']);
                if is_whole && number.parse::<i64>().is_err() && number.parse::<u64>().is_err() {
                    return Some(number);
                }
                at += number.len();
            }
            _ => at += 1,
        }
    }
    None
}

/// How many digits of a number that is too large are told at each end.
const TOLD_DIGITS: usize = 12;

fn shortened(number: &str) -> String {
    match (number.get(..TOLD_DIGITS), number.len().checked_sub(TOLD_DIGITS).and_then(|at| number.get(at..))) {
        (Some(first), Some(last)) if number.len() > 3 * TOLD_DIGITS => format!("{first}…{last}"),
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_loses_nothing_is_read_as_any_parser_would() {
        for text in [
            "{}",
            r#"{"a": [1, -2, 0.5, true, null, "x\"9999999999999999999999\""], "b": {"c": 18446744073709551615}}"#,
            r#"{"n": -9223372036854775808, "m": 1e40, "k": 1e2}"#,
            r#"{"a": 1, "a": 1}"#,
            r#""99999999999999999999999""#,
        ] {
            assert_eq!(read_exactly(text).unwrap(), serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn what_would_be_lost_is_refused() {
        let twice = |name: &str| InexactJson::Twice { name: name.to_owned() };
        assert_eq!(read_exactly(r#"[{"a\nb": 1, "a\u000ab": 2}]"#), Err(twice("a\nb")));
        assert_eq!(read_exactly(r#"{"o": {"k": {"a": 1}, "k": {"a": 1.5}}}"#), Err(twice("k")));
        let large = |number: &str| InexactJson::TooLarge { number: number.to_owned() };
        assert_eq!(read_exactly(r#"{"id": 18446744073709551616}"#), Err(large("18446744073709551616")));
        assert_eq!(read_exactly("[-9223372036854775809]"), Err(large("-9223372036854775809")));
        let long = format!("[{}]", "9".repeat(300));
        assert_eq!(read_exactly(&long), Err(large("999999999999…999999999999")));
        for text in ["", "{", "nul", r#"{"a": 01}"#, "[1e999]", r#"{"member written twice: ""#] {
            assert!(matches!(read_exactly(text), Err(InexactJson::NotJson { .. })), "{text}");
        }
        assert!(matches!(read_exactly(&"[".repeat(100_000)), Err(InexactJson::NotJson { .. })));
        assert_eq!(read_exactly("[0, 5]"), Ok(json!([0, 5])));
    }
}
