//! Arguments as a model wrote them, made into arguments that the tool's schema takes: or why not.
//!
//! What is valid is never touched. A repair is made only where exactly one is possible, and only if the result is valid as a whole.

use jsonschema::JsonType;
use serde_json::{Map, Value};

use super::{
    exact::{InexactJson, read_exactly},
    fault::{Fault, MAX_ERRORS, Problem},
    limits, message,
    outcome::Repair,
    text::{folded, path},
    validator::Validator,
};

/// What models wrap arguments in once more.
pub(super) const WRAPPERS: [&str; 13] = [
    "arguments",
    "args",
    "input",
    "parameters",
    "params",
    "a",
    "kwargs",
    "tool_input",
    "toolInput",
    "tool_args",
    "arguments_json",
    "payload",
    "properties",
];

/// What models name a tool by beside its arguments.
pub(super) const NAMERS: [&str; 9] =
    ["name", "tool", "tool_name", "toolName", "function", "function_name", "code", "f", "op"];

/// How often arguments may be wrapped or written as text within text.
const MAX_LAYERS: usize = 3;

/// How many values of one call are repaired.
const MAX_MENDED: usize = 16;

/// Makes what was written for a tool into arguments that its schema takes. `names` are what the tool may be called by.
pub(super) fn settle(
    validator: &Validator,
    names: &[&str],
    written: Value,
    repairs: &mut Vec<Repair>,
) -> Result<Value, String> {
    limits::check(&written)?;
    validator.fits(&written)?;
    let already = repairs.len();
    match fitted(validator, names, written, repairs) {
        Ok(value) => {
            note_unchecked(validator, repairs);
            Ok(value)
        }
        Err(message) => {
            repairs.truncate(already);
            Err(message)
        }
    }
}

/// What is right as it is, or with repairs.
fn fitted(
    validator: &Validator,
    names: &[&str],
    written: Value,
    repairs: &mut Vec<Repair>,
) -> Result<Value, String> {
    let mut value = written;
    if value.is_object() && validator.accepts(&value) {
        return Ok(value);
    }
    value = Value::Object(opened(validator, value, repairs)?);
    limits::check(&value)?;
    validator.fits(&value)?;
    if validator.accepts(&value) {
        return Ok(value);
    }
    value = unwrapped(validator, names, value, repairs);
    if validator.accepts(&value) {
        return Ok(value);
    }
    let faults = mend(validator, &mut value, repairs);
    if faults.is_empty() && validator.accepts(&value) {
        return Ok(value);
    }
    Err(message::tell(&faults, &value, validator.names()))
}

fn note_unchecked(validator: &Validator, repairs: &mut Vec<Repair>) {
    if let Some(reason) = validator.unchecked() {
        repairs.push(Repair::Unchecked { reason: reason.to_owned() });
    } else if let Some(reason) = validator.left_out() {
        repairs.push(Repair::PartlyUnchecked { reason: reason.to_owned() });
    }
}

/// Makes an object of what stands for one: text, null, an array of one.
pub(super) fn opened(
    validator: &Validator,
    written: Value,
    repairs: &mut Vec<Repair>,
) -> Result<Map<String, Value>, String> {
    let takes = || {
        let names = validator.names();
        if names.is_empty() { "{}".to_owned() } else { format!("an object with {}", names_of(names)) }
    };
    object(written, repairs)
        .map_err(|error| error.told(|found| format!("The arguments are {found}: pass {}.", takes())))
}

fn names_of(names: &[String]) -> String {
    super::text::listed(names.iter().map(|name| super::text::member("", name)))
}

/// Why no object could be made of what was written.
pub(super) enum NoObject {
    /// It is something else: what.
    Other(String),
    /// It is JSON as text that cannot be read without loss.
    Inexact(InexactJson),
}

impl NoObject {
    /// Tells it in a sentence: what cannot be read says so itself.
    pub(super) fn told(self, sentence: impl FnOnce(&str) -> String) -> String {
        match self {
            Self::Other(found) => sentence(&found),
            Self::Inexact(InexactJson::NotJson { .. }) => sentence("text that is not JSON"),
            Self::Inexact(error) => error.to_string(),
        }
    }
}

/// Makes an object of what stands for one, or tells what it is instead.
pub(super) fn object(written: Value, repairs: &mut Vec<Repair>) -> Result<Map<String, Value>, NoObject> {
    let mut value = written;
    for _ in 0..=MAX_LAYERS {
        value = match value {
            Value::Object(members) => return Ok(members),
            Value::Null => {
                repairs.push(Repair::NoArguments);
                return Ok(Map::new());
            }
            Value::String(text) if text.trim().is_empty() => {
                repairs.push(Repair::NoArguments);
                return Ok(Map::new());
            }
            Value::String(text) => {
                let inner = read_exactly(unfenced(&text)).map_err(NoObject::Inexact)?;
                if !repairs
                    .iter()
                    .any(|repair| matches!(repair, Repair::ReadText { path } if path.is_empty()))
                {
                    repairs.push(Repair::ReadText { path: String::new() });
                }
                inner
            }
            Value::Array(items) if items.is_empty() => {
                repairs.push(Repair::NoArguments);
                return Ok(Map::new());
            }
            Value::Array(mut items) => {
                if items.len() != 1 || !items.first().is_some_and(|item| item.is_object() || item.is_string())
                {
                    return Err(NoObject::Other(format!("an array of {}", items.len())));
                }
                repairs.push(Repair::OutOfArray);
                items.remove(0)
            }
            other => return Err(NoObject::Other(crate::tool::kind(&other).to_owned())),
        };
    }
    Err(NoObject::Other("text within text".to_owned()))
}

/// Takes away a Markdown fence that encloses the whole text.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inside) = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")) else {
        return text;
    };
    inside.strip_prefix("json").unwrap_or(inside).trim()
}

/// Takes arguments out of what they are wrapped in, if that is no name of the tool's own and what comes out is meant for it.
fn unwrapped(validator: &Validator, names: &[&str], value: Value, repairs: &mut Vec<Repair>) -> Value {
    let mut value = value;
    for _ in 0..MAX_LAYERS {
        let Some((wrapper, inner, was_text)) = inner(validator, names, &value) else { return value };
        let inner = Value::Object(inner);
        let is_meant = validator.accepts(&inner)
            || inner.as_object().is_some_and(|members| members.keys().any(|name| validator.declares(name)))
            || self::inner(validator, names, &inner).is_some();
        if !is_meant || limits::check(&inner).is_err() || validator.fits(&inner).is_err() {
            return value;
        }
        if was_text {
            repairs.push(Repair::ReadText { path: wrapper.clone() });
        }
        repairs.push(Repair::Unwrapped { name: wrapper });
        value = inner;
        if validator.accepts(&value) {
            return value;
        }
    }
    value
}

/// What is wrapped: an object that is the only member, or stands beside the tool's own name.
fn inner(validator: &Validator, names: &[&str], value: &Value) -> Option<(String, Map<String, Value>, bool)> {
    let members = value.as_object()?;
    let is_wrapper = |name: &str| WRAPPERS.contains(&name) && !validator.declares(name);
    let (wrapper, inside) = members.iter().find(|(name, _)| is_wrapper(name))?;
    let beside_own_name = || {
        members.iter().any(|(key, value)| {
            NAMERS.contains(&key.as_str())
                && !validator.declares(key)
                && value.as_str().is_some_and(|value| names.iter().any(|name| folded(name) == folded(value)))
        })
    };
    match members.len() {
        1 => {}
        2 if beside_own_name() => {}
        _ => return None,
    }
    match inside {
        Value::Object(inside) => Some((wrapper.clone(), inside.clone(), false)),
        Value::String(text) => match read_exactly(unfenced(text)) {
            Ok(Value::Object(inside)) => Some((wrapper.clone(), inside, true)),
            _ => None,
        },
        _ => None,
    }
}

/// Repairs single values. Returns what is still wrong.
fn mend(validator: &Validator, root: &mut Value, repairs: &mut Vec<Repair>) -> Vec<Fault> {
    let mut faults = validator.all_faults(root);
    // Where there is more wrong than is looked at, it cannot be told whether a repair helps.
    if faults.len() >= MAX_ERRORS || !validator.is_quick(root) {
        return faults;
    }
    let mut tried: Vec<String> = Vec::new();
    for _ in 0..MAX_MENDED {
        let next = faults.iter().find(|fault| {
            !tried.contains(&fault.pointer)
                && matches!(fault.problem, Problem::Type { .. } | Problem::Choice { .. })
        });
        let Some(fault) = next.cloned() else { break };
        tried.push(fault.pointer.clone());
        let mut fitting = Vec::new();
        for (candidate, repair) in candidates(&fault, root) {
            let Some(before) = swap(root, &fault.pointer, candidate.clone()) else { continue };
            let after = validator.all_faults(root);
            swap(root, &fault.pointer, before);
            let helps =
                after.len() < faults.len() && !after.iter().any(|after| after.is_within(&fault.pointer));
            if helps {
                fitting.push((candidate, repair, after));
            }
        }
        // Two readings are none: the model is asked instead.
        if let Ok([(candidate, repair, after)]) = <[_; 1]>::try_from(fitting) {
            swap(root, &fault.pointer, candidate);
            repairs.push(repair);
            faults = after;
        } else if leave_out_null(validator, root, &fault.pointer, &mut faults) {
            repairs.push(Repair::NullLeftOut { path: path(root, &fault.pointer) });
        }
    }
    faults
}

/// The values that could be meant by one of the wrong kind.
fn candidates(fault: &Fault, root: &Value) -> Vec<(Value, Repair)> {
    let Problem::Type { allowed, .. } = &fault.problem else { return Vec::new() };
    let Some(value) = root.pointer(&fault.pointer) else { return Vec::new() };
    // The whole is an object already.
    if fault.pointer.is_empty() {
        return Vec::new();
    }
    let takes = |kind: JsonType| allowed.contains(&kind);
    let takes_number = takes(JsonType::Number) || takes(JsonType::Integer);
    let path = path(root, &fault.pointer);
    let mut found = Vec::new();
    match value {
        Value::String(text) => {
            if let (true, Some(number)) = (takes_number, exact_number(text)) {
                found.push((number, Repair::TextToNumber { path: path.clone() }));
            }
            if let (true, Ok(flag)) = (takes(JsonType::Boolean), text.parse::<bool>()) {
                found.push((Value::Bool(flag), Repair::TextToBoolean { path: path.clone() }));
            }
            let text = text.trim();
            if text.starts_with(['{', '[']) {
                match read_exactly(text) {
                    Ok(value @ Value::Object(_)) if takes(JsonType::Object) => {
                        found.push((value, Repair::ReadText { path }));
                    }
                    Ok(value @ Value::Array(_)) if takes(JsonType::Array) => {
                        found.push((value, Repair::ReadText { path }));
                    }
                    _ => {}
                }
            } else if takes(JsonType::Array) && is_one(text) {
                found.push((Value::Array(vec![value.clone()]), Repair::IntoArray { path }));
            }
        }
        Value::Number(_) | Value::Bool(_) if takes(JsonType::Array) => {
            found.push((Value::Array(vec![value.clone()]), Repair::IntoArray { path }));
        }
        _ => {}
    }
    found
}

/// Whether a text can only be one item of an array: an empty one may be none, one with spaces or commas may be several.
fn is_one(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|'))
}

/// How many digits a fraction may have to be the same number when it is read.
const EXACT_DIGITS: usize = 15;

/// Reads a text that is exactly a number, and keeps its value: no spaces, no leading zeros, no exponent.
fn exact_number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    match fraction {
        None => text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok(),
        Some(fraction) if all_digits(fraction) && digits.len() <= EXACT_DIGITS => {
            serde_json::from_str(text).ok()
        }
        Some(_) => None,
    }
}

/// Leaves out a member that is null and may be absent but not null.
fn leave_out_null(validator: &Validator, root: &mut Value, pointer: &str, faults: &mut Vec<Fault>) -> bool {
    if root.pointer(pointer) != Some(&Value::Null) {
        return false;
    }
    let Some((parent, name)) = pointer.rsplit_once('/') else { return false };
    let name = name.replace("~1", "/").replace("~0", "~");
    let Some(Value::Object(members)) = root.pointer_mut(parent) else { return false };
    let Some(place) = members.keys().position(|key| *key == name) else { return false };
    members.shift_remove(&name);
    let after = validator.all_faults(root);
    if after.len() < faults.len() && !after.iter().any(|after| after.is_within(pointer)) {
        *faults = after;
        return true;
    }
    if let Some(Value::Object(members)) = root.pointer_mut(parent) {
        members.shift_insert(place, name, Value::Null);
    }
    false
}

/// Puts a value in the place of another one, which it returns.
fn swap(root: &mut Value, pointer: &str, value: Value) -> Option<Value> {
    root.pointer_mut(pointer).map(|place| std::mem::replace(place, value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_texts_that_are_exactly_numbers_are() {
        for (text, number) in [
            ("5", json!(5)),
            ("-5", json!(-5)),
            ("0", json!(0)),
            ("2.50", json!(2.5)),
            ("18446744073709551615", json!(u64::MAX)),
        ] {
            assert_eq!(exact_number(text), Some(number), "{text}");
        }
        for text in [
            "",
            "-",
            "05",
            "+5",
            " 5",
            "5 ",
            "1e3",
            ".5",
            "5.",
            "0x5",
            "NaN",
            "1.2.3",
            "99999999999999999999",
            "٥",
        ] {
            assert_eq!(exact_number(text), None, "{text}");
        }
    }
}
