//! What a model asks the catalogue itself.

use serde_json::{Map, Value};

use super::{
    Answer,
    arguments::{WRAPPERS, object},
    find::{Found, find, gone},
    outcome::{Outcome, Question},
};
use crate::directory::Directory;

/// The longest question that is asked.
const MAX_WORDS_CHARS: usize = 500;

const CODE_NAMES: [&str; 9] = ["c", "code", "f", "op", "tool", "name", "tool_name", "operation", "id"];
const WORD_NAMES: [&str; 8] = ["s", "query", "q", "search", "words", "text", "keywords", "question"];

/// Answers `q {c?: code, s?: words}`, and a text alone.
pub(super) fn ask(directory: &Directory, tool: &str, written: Value, answer: Answer<'_>) -> Outcome {
    let how = || {
        Outcome::error(format!(
            "{tool} was asked nothing: write {tool} {{\"s\": \"what the tool should do\"}} or {tool} {{\"c\": \"its code\"}}."
        ))
    };
    let members = match asked(written) {
        Asked::Text(text) => {
            let is_code = matches!(find(directory, &text), Found::Exact(_) | Found::Removed(_));
            let name = if is_code { "c" } else { "s" };
            Map::from_iter([(name.to_owned(), Value::String(text))])
        }
        Asked::Members(members) => members,
        Asked::Nothing => return how(),
    };
    let mut results = Vec::new();
    if let Some(code) = first_text(&members, &CODE_NAMES) {
        match find(directory, &code) {
            Found::Removed(removed) => {
                return Outcome::Error {
                    message: gone(removed),
                    recoverable: false,
                    code: Some(removed.code.clone()),
                };
            }
            Found::Exact(entry) | Found::Spelled(entry) => {
                results.push(answer(Question::Code(entry.code().to_owned())));
            }
            Found::Unclear(_) => results.push(answer(Question::Code(code))),
        }
    }
    if let Some(words) = first_text(&members, &WORD_NAMES) {
        results.push(answer(Question::Words(words)));
    }
    if results.is_empty() {
        return how();
    }
    Outcome::Meta { name: tool.to_owned(), result: results.join("\n") }
}

enum Asked {
    Text(String),
    Members(Map<String, Value>),
    Nothing,
}

fn asked(written: Value) -> Asked {
    if let Value::String(text) = &written
        && !text.trim_start().starts_with(['{', '[', '"', '`'])
    {
        return if text.trim().is_empty() { Asked::Nothing } else { Asked::Text(cut(text)) };
    }
    if let Value::Array(items) = &written
        && let [Value::String(text)] = items.as_slice()
    {
        return Asked::Text(cut(text));
    }
    let as_text = written.as_str().map(cut);
    match object(written, &mut Vec::new()) {
        Ok(mut members) => {
            // Wrapped once more, as arguments of tools are.
            let wrapped =
                (members.len() == 1).then(|| WRAPPERS.iter().find_map(|name| members.get(*name))).flatten();
            if let Some(Ok(inner)) = wrapped.cloned().map(|value| object(value, &mut Vec::new())) {
                members = inner;
            }
            Asked::Members(members)
        }
        Err(_) => as_text.map_or(Asked::Nothing, Asked::Text),
    }
}

/// The first of the names that holds a text, or several texts.
fn first_text(members: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }
        _ => None,
    };
    let found = names
        .iter()
        .find_map(|name| members.get(*name).and_then(text).filter(|text| !text.trim().is_empty()))?;
    Some(cut(&found))
}

fn cut(text: &str) -> String {
    text.trim().chars().take(MAX_WORDS_CHARS).collect()
}
