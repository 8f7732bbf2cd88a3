//! All that a call of one tool needs.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    parameters::{Detail, Writer, parameters_of},
    safe,
};
use crate::{
    directory::Entry,
    sentence::first_sentence,
    signature::{Member, members},
};

/// Objects are opened this deep, and a definition is written up to this many schemas.
const DETAIL: Detail = Detail { depth: 4, choices: 1_000, schemas: 400 };

/// How long a signature may be; one that is longer is written less deep.
const MAX_SIGNATURE_CHARS: usize = 3_000;

/// How long the text of a parameter may be, and the texts of all of them.
const MAX_TEXT_CHARS: usize = 160;
const MAX_TEXTS_CHARS: usize = 2_400;

/// How deep members of parameters are told about.
const MAX_TEXT_DEPTH: usize = 2;

/// Returns what a model needs to call a tool: its signature with types, all values of enums and nested objects, its first
/// sentence, and what the texts of its parameters say that their names do not.
///
/// Strings are unmarked, `?` marks what may be left out, `{}` an object, `[]` a list. It is bounded, whatever the definition:
/// where something is left out stands `…`.
#[must_use]
pub fn describe(entry: &Entry) -> String {
    let tool = entry.tool();
    let schema = tool.input_schema();
    let parameters = parameters_of(schema);
    let mut text = safe::name(entry.code()).into_owned();
    let signatures = (0..=DETAIL.depth).rev().map(|depth| {
        let mut writer = Writer::new(schema, Detail { depth, ..DETAIL });
        let written = parameters.iter().take(DETAIL.schemas).map(|parameter| writer.parameter(parameter, 0));
        let mut written = written.collect::<Vec<_>>();
        if parameters.len() > DETAIL.schemas {
            written.push("…".to_owned());
        }
        written.join(",")
    });
    let mut signature = String::new();
    for next in signatures {
        signature = next;
        if signature.len() <= MAX_SIGNATURE_CHARS {
            break;
        }
    }
    text.push('(');
    text.push_str(&safe::line(&signature, MAX_SIGNATURE_CHARS * 4));
    text.push(')');
    let sentence = safe::line(first_sentence(tool.description()), 240);
    if !sentence.is_empty() {
        text.push_str("\n  ");
        text.push_str(&sentence);
    }
    let mut left = MAX_TEXTS_CHARS;
    let mut hidden = 0;
    for (path, said) in texts(&parameters, schema, tool.name()) {
        if said.len() > left {
            hidden += 1;
            continue;
        }
        left -= said.len();
        text.push_str(&format!("\n  {path}: {said}"));
    }
    if hidden > 0 {
        text.push_str(&format!("\n  … {hidden} more texts of parameters"));
    }
    text
}

/// The texts of parameters that say more than the names, those of the parameters themselves first.
fn texts(parameters: &[Member<'_>], root: &Value, tool: &str) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let mut level: Vec<(String, Member<'_>)> = parameters
        .iter()
        .map(|parameter| (safe::name(parameter.name).into_owned(), parameter.clone()))
        .collect();
    for depth in 0..=MAX_TEXT_DEPTH {
        let mut next = Vec::new();
        for (path, parameter) in level.iter().take(DETAIL.schemas) {
            let Some(schema) = parameter.schemas.first() else { continue };
            let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            if says_more(description, path, tool) {
                texts.push((path.clone(), safe::line(description, MAX_TEXT_CHARS)));
            }
            if depth < MAX_TEXT_DEPTH {
                let items = schema.get("items");
                let (inner, mark) = items.map_or((*schema, ""), |items| (items, "[]"));
                let inside = inner.as_object().map(|inner| members(inner, root)).unwrap_or_default();
                next.extend(
                    inside
                        .into_iter()
                        .map(|member| (format!("{path}{mark}.{}", safe::name(member.name)), member)),
                );
            }
        }
        level = next;
    }
    texts
}

/// Tells whether a text has words besides those of the name and those that say nothing.
fn says_more(description: &str, path: &str, tool: &str) -> bool {
    let known: HashSet<String> = words(&format!("{path} {tool}")).collect();
    let empty = [
        "the", "of", "to", "for", "a", "an", "in", "and", "or", "this", "that", "is", "be", "from", "with",
        "on",
    ];
    let mut new = words(description)
        .filter(|word| !empty.contains(&word.as_str()) && !known.iter().any(|known| alike(known, word)));
    new.nth(1).is_some()
}

fn alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short == long || (short.len() >= 3 && long.starts_with(short))
}

/// The words of a text in lower case; those of `camelCase` apart, and other scripts letter by letter.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in text.chars().take(1_000) {
        let is_new = !c.is_alphanumeric()
            || (before.is_lowercase() && c.is_uppercase())
            || (!c.is_ascii() && c.is_alphabetic() && c.to_lowercase().eq(c.to_uppercase()));
        if is_new {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.into_iter().filter(|word| !word.is_empty())
}
