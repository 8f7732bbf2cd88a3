//! Whether a call was the right one: the tool's name, and what the arguments hold.

use serde_json::{Map, Value};

use super::scenario::Expected;

/// What a call of a real tool is worth.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Grade {
    Right,
    WrongTool,
    /// What differs first, in words.
    WrongArguments(String),
}

pub(super) fn grade(name: &str, arguments: &Value, expected: &Expected) -> Grade {
    if name != expected.tool {
        return Grade::WrongTool;
    }
    match difference(arguments, &expected.args) {
        Some(difference) => Grade::WrongArguments(difference),
        None => Grade::Right,
    }
}

/// Finds what arguments lack of what they should hold. Objects may hold more; lists must be as long; numbers are equal by value.
fn difference(arguments: &Value, expected: &Map<String, Value>) -> Option<String> {
    let member =
        |path: &str, key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let mut open: Vec<(String, Option<&Value>, &Value)> =
        expected.iter().rev().map(|(key, value)| (key.clone(), arguments.get(key), value)).collect();
    while let Some((path, found, wanted)) = open.pop() {
        match (found, wanted) {
            (Some(Value::Object(found)), Value::Object(wanted)) => {
                open.extend(
                    wanted.iter().rev().map(|(key, value)| (member(&path, key), found.get(key), value)),
                );
            }
            (Some(Value::Array(found)), Value::Array(wanted)) if found.len() == wanted.len() => {
                let pairs = found.iter().zip(wanted).enumerate().rev();
                open.extend(
                    pairs.map(|(index, (found, wanted))| (format!("{path}[{index}]"), Some(found), wanted)),
                );
            }
            (Some(found), wanted) if found == wanted => {}
            // 1.0 is 1; whole numbers are compared as such, since not each is one of floating point.
            (Some(Value::Number(found)), Value::Number(wanted))
                if (found.is_f64() || wanted.is_f64()) && found.as_f64() == wanted.as_f64() => {}
            (Some(found), wanted) => return Some(format!("{path} is {found}, not {wanted}")),
            (None, wanted) => return Some(format!("{path} is not there; it should be {wanted}")),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Grade, grade};
    use crate::tools::live::scenario::Expected;

    #[test]
    fn what_is_expected_must_be_there() {
        let expected =
            |args: Value| Expected { tool: "a".to_owned(), args: args.as_object().unwrap().clone() };
        let arguments = json!({"n": 1.0, "s": "x", "l": [{"a": 1, "b": 2}], "o": {"k": {"z": null}}});
        for right in [
            json!({}),
            json!({"n": 1}),
            json!({"l": [{"b": 2}], "s": "x"}),
            json!({"o": {"k": {}}}),
            json!({"o": {"k": {"z": null}}}),
        ] {
            assert_eq!(grade("a", &arguments, &expected(right.clone())), Grade::Right, "{right}");
        }
        for (wrong, why) in [
            (json!({"n": 2}), "n is 1.0, not 2"),
            (json!({"s": "x", "t": 1}), "t is not there; it should be 1"),
            (json!({"l": []}), "l is [{\"a\":1,\"b\":2}], not []"),
            (json!({"l": [{"b": 3}]}), "l[0].b is 2, not 3"),
            (json!({"o": {"k": {"z": 0}}}), "o.k.z is null, not 0"),
        ] {
            assert_eq!(grade("a", &arguments, &expected(wrong)), Grade::WrongArguments(why.to_owned()));
        }
        assert_eq!(grade("b", &arguments, &expected(json!({}))), Grade::WrongTool);
        assert_eq!(
            grade("a", &Value::Null, &expected(json!({"n": 1}))),
            Grade::WrongArguments("n is not there; it should be 1".to_owned())
        );
    }
}
