//! Faults told in one line that a model can act on: the fix first, then the rest as far as it fits.

use jsonschema::JsonType;
use serde_json::Value;

use super::{
    fault::{Fault, Problem},
    text::{folded, listed, member, nearest, path, quoted, shown},
};

/// How long the sentences of one message may be together.
const MAX_CHARS: usize = 400;

/// What is told where faults cannot be collected.
const UNTOLD: &str = "The arguments are not valid; they are too many, or nested too deep, for the alternatives of this tool's schema to say where: pass less at once.";

/// Tells what is wrong with `arguments`. `declared` are the names of the top level.
pub(super) fn tell(faults: &[Fault], arguments: &Value, declared: &[String]) -> String {
    let mut sentences = names(faults, arguments, declared);
    let rest = faults.iter().filter(|fault| !is_told_better(fault, faults));
    sentences.extend(rest.map(|fault| sentence(fault, arguments)));
    sentences.dedup();
    let total = sentences.len();
    let mut line = String::new();
    let mut told = 0;
    for sentence in sentences {
        if told > 0 && line.chars().count() + sentence.chars().count() > MAX_CHARS {
            break;
        }
        if told > 0 {
            line.push(' ');
        }
        line.push_str(&sentence);
        told += 1;
    }
    if told < total {
        line.push_str(&format!(" And {} more.", total - told));
    }
    if line.is_empty() { UNTOLD.to_owned() } else { line }
}

/// Tells whether nothing is to be said about a fault by itself: names are told together, and what says more about the same value
/// is told instead.
fn is_told_better(fault: &Fault, faults: &[Fault]) -> bool {
    let beside = |is: fn(&Problem) -> bool| {
        faults.iter().any(|other| other.pointer == fault.pointer && is(&other.problem))
    };
    match &fault.problem {
        Problem::Missing { .. } | Problem::Unknown { .. } => true,
        Problem::Type { .. } => beside(|other| matches!(other, Problem::Choice { .. })),
        Problem::Rule { must, .. } if must.starts_with("must match") => {
            beside(|other| matches!(other, Problem::Rule { advice, .. } if !advice.is_empty()))
        }
        _ => false,
    }
}

/// Sentences about names that are missing and names that are not known, which are often one and the same.
fn names(faults: &[Fault], arguments: &Value, declared: &[String]) -> Vec<String> {
    let mut places: Vec<&str> = Vec::new();
    for fault in faults {
        if matches!(fault.problem, Problem::Missing { .. } | Problem::Unknown { .. })
            && !places.contains(&fault.pointer.as_str())
        {
            places.push(&fault.pointer);
        }
    }
    let mut sentences = Vec::new();
    for place in places {
        let here = faults.iter().filter(|fault| fault.pointer == place);
        let mut missing: Vec<(&str, &str)> = Vec::new();
        let mut unknown: Vec<(&str, &[String])> = Vec::new();
        for fault in here {
            match &fault.problem {
                Problem::Missing { name, kind } => missing.push((name, kind)),
                Problem::Unknown { name, accepted } => unknown.push((name, accepted)),
                _ => {}
            }
        }
        names_at(place, missing, &unknown, arguments, declared, &mut sentences);
    }
    sentences
}

fn names_at(
    place: &str,
    mut missing: Vec<(&str, &str)>,
    unknown: &[(&str, &[String])],
    arguments: &Value,
    declared: &[String],
    sentences: &mut Vec<String>,
) {
    let here = path(arguments, place);
    let passed = arguments.pointer(place).and_then(Value::as_object);
    let inside = if here.is_empty() { String::new() } else { format!(" in {here}") };
    let mut accepted: Vec<&str> =
        unknown.iter().flat_map(|(_, names)| names.iter().map(String::as_str)).collect();
    if place.is_empty() {
        accepted.extend(declared.iter().map(String::as_str));
    }
    let mut known: Vec<&str> = Vec::new();
    for name in accepted {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let is_passed = |name: &str| passed.is_some_and(|members| members.contains_key(name));
    let alone = unknown.len() == 1 && missing.len() == 1;
    let mut strangers = Vec::new();
    for (name, _) in unknown {
        let wanted = missing.iter().map(|(name, _)| *name);
        let free = known.iter().copied().filter(|known| !is_passed(known));
        let meant = nearest(name, wanted)
            .or_else(|| nearest(name, free))
            .or_else(|| missing.first().filter(|_| alone).map(|(name, _)| *name));
        match meant {
            Some(meant) => {
                missing.retain(|(name, _)| *name != meant);
                sentences.push(format!(
                    "You passed {}{inside}; did you mean {}? Rename it.",
                    quoted(name),
                    quoted(meant)
                ));
            }
            None => strangers.push(quoted(name)),
        }
    }
    if !strangers.is_empty() {
        let (verb, it) =
            if strangers.len() == 1 { ("is no argument", "it") } else { ("are no arguments", "them") };
        let verb = if here.is_empty() { verb.to_owned() } else { format!("must not be{inside}") };
        sentences.push(format!("{} {verb}: leave {it} out.", listed(strangers)));
    }
    if !missing.is_empty() {
        let names = missing.iter().map(|(name, kind)| {
            let name = member(&here, name);
            if kind.is_empty() { name } else { format!("{name} ({kind})") }
        });
        sentences.push(format!("Missing: {}.", listed(names)));
    }
    if !unknown.is_empty() {
        let names = known.iter().map(|name| member("", name));
        let what = if here.is_empty() { "It takes".to_owned() } else { format!("{here} takes") };
        let names = if known.is_empty() { "no arguments".to_owned() } else { listed(names) };
        sentences.push(format!("{what} {names}."));
    }
}

fn sentence(fault: &Fault, arguments: &Value) -> String {
    let here = path(arguments, &fault.pointer);
    let here = if here.is_empty() { "The arguments".to_owned() } else { here };
    let value = arguments.pointer(&fault.pointer).unwrap_or(&Value::Null);
    match &fault.problem {
        Problem::Type { allowed, items } => {
            let mut kinds: Vec<String> = allowed.iter().map(|kind| kind_name(*kind).to_owned()).collect();
            kinds.sort_by_key(|kind| kind == "null");
            if let Some(array) = kinds.iter_mut().find(|kind| *kind == "an array" && !items.is_empty()) {
                *array = format!("an array of {items}");
            }
            let advice = type_advice(allowed, items, value);
            format!("{here} must be {}; you passed {}{advice}.", alternatives(&kinds), shown(value))
        }
        Problem::Choice { options } => choice(&here, options, value),
        Problem::Rule { must, advice } => {
            let advice = if advice.is_empty() { String::new() } else { format!(", for example {advice}") };
            let passed = if must.starts_with("must be ") || must.starts_with("must match") {
                format!("; you passed {}", shown(value))
            } else if must.starts_with("must have") {
                format!("; you passed {}", size(value))
            } else {
                String::new()
            };
            format!("{here} {must}{advice}{passed}.")
        }
        Problem::Missing { .. } | Problem::Unknown { .. } => String::new(),
    }
}

fn size(value: &Value) -> String {
    match value {
        Value::String(text) => text.chars().count().to_string(),
        Value::Array(items) => items.len().to_string(),
        Value::Object(members) => members.len().to_string(),
        other => shown(other),
    }
}

fn choice(here: &str, options: &[Value], value: &Value) -> String {
    if options.is_empty() {
        return format!(
            "{here} can be nothing: its schema admits no value. Leave it out; you passed {}.",
            shown(value)
        );
    }
    if let [only] = options {
        return format!("{here} must be {}; you passed {}.", shown(only), shown(value));
    }
    let meant = meant(options, value);
    let advice = meant.map(|meant| format!(": pass {}", shown(meant))).unwrap_or_default();
    // The one that is meant comes first, so that it is seen where the list is cut.
    let rest = options.iter().filter(|option| meant.is_none_or(|meant| meant != *option));
    let all = meant.into_iter().chain(rest).map(shown);
    format!("{here} must be one of {}; you passed {}{advice}.", listed(all), shown(value))
}

/// How many values of an enum are compared with one that is none of them.
const MAX_COMPARED_VALUES: usize = 2_000;

/// The one of the values that is near to what was passed: written otherwise, as another kind of scalar, or misspelled.
fn meant<'a>(options: &'a [Value], value: &Value) -> Option<&'a Value> {
    let options = options.get(..options.len().min(MAX_COMPARED_VALUES)).unwrap_or_default();
    let written = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => return None,
    };
    let text = |option: &Value| match option {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(option.to_string()),
        _ => None,
    };
    let same =
        options.iter().find(|option| text(option).is_some_and(|text| folded(&text) == folded(&written)));
    if same.is_some_and(|_| !folded(&written).is_empty()) {
        return same;
    }
    let texts = options.iter().filter_map(Value::as_str);
    let near = nearest(&written, texts)?;
    options.iter().find(|option| option.as_str() == Some(near))
}

fn type_advice(allowed: &[JsonType], items: &str, value: &Value) -> String {
    let takes = |kind| allowed.contains(&kind);
    match value {
        Value::Number(number) if takes(JsonType::String) => format!(": pass \"{number}\""),
        Value::Bool(flag) if takes(JsonType::String) => format!(": pass \"{flag}\""),
        Value::String(text) if takes(JsonType::Object) && text.trim_start().starts_with('{') => {
            ": pass the object itself, not JSON as text".to_owned()
        }
        Value::String(text) if takes(JsonType::Boolean) && text.eq_ignore_ascii_case("true") => {
            ": pass true".to_owned()
        }
        Value::String(text) if takes(JsonType::Boolean) && text.eq_ignore_ascii_case("false") => {
            ": pass false".to_owned()
        }
        Value::String(text) if takes(JsonType::Array) => {
            if text.trim().is_empty() {
                ": pass [], or leave it out where it may be absent".to_owned()
            } else if text.trim_start().starts_with('[') {
                ": pass the array itself, not JSON as text".to_owned()
            } else if text.contains(',') {
                ": pass each item as its own string in an array".to_owned()
            } else {
                let is_number = text.parse::<serde_json::Number>().is_ok();
                let of_numbers = items.contains("integer") || items.contains("number");
                match (of_numbers, is_number) {
                    (true, true) => format!(": pass [{text}]"),
                    (true, false) => String::new(),
                    (false, _) => format!(": pass [{}]", quoted(text)),
                }
            }
        }
        Value::Null => ": pass a value, or leave it out where it may be absent".to_owned(),
        Value::Object(_) if takes(JsonType::Array) && (items.is_empty() || items.starts_with("object")) => {
            ": pass [{…}]".to_owned()
        }
        _ => String::new(),
    }
}

fn kind_name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

fn alternatives(words: &[String]) -> String {
    match words {
        [] => "something else".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
