//! The answers to `q`.

use super::{describe::describe, hit::hit_line, safe};
use crate::{
    directory::{Directory, Entry},
    search::{SearchIndex, has_words},
};

/// How many tools a look-up in words answers, if nothing else is asked for.
pub const DEFAULT_SEARCH_LIMIT: usize = 8;

/// How many tools a look-up in words answers at most.
pub const MAX_SEARCH_LIMIT: usize = 50;

/// How many tools are named where a code is none.
const NEAREST: usize = 3;

/// How much of a code or of words is repeated in an answer.
const MAX_ECHO_CHARS: usize = 80;

/// Answers a look-up in words: a line a tool, the best first; else how to ask.
///
/// `limit` counts up to [`MAX_SEARCH_LIMIT`].
#[must_use]
pub fn answer_words(directory: &Directory, index: &SearchIndex, words: &str, limit: usize) -> String {
    if !has_words(words) {
        return how_to_ask(directory);
    }
    let lines = lines(directory, index, words, limit.clamp(1, MAX_SEARCH_LIMIT));
    if lines.is_empty() {
        return format!(
            "No tool of {} has to do with {}. Say it in other words: a verb and a thing, like \"create event\".",
            directory.entries().len(),
            safe::quoted(words, MAX_ECHO_CHARS)
        );
    }
    lines.join("\n")
}

/// Answers a look-up of one code: all that a call needs ([`describe`]); of a code that is none, the nearest ones and what its
/// words find.
#[must_use]
pub fn answer_code(directory: &Directory, index: &SearchIndex, code: &str) -> String {
    if let Some(entry) = directory.get(code) {
        return describe(entry);
    }
    let echo = safe::quoted(code, MAX_ECHO_CHARS);
    if !code.chars().any(char::is_alphanumeric) {
        return how_to_ask(directory);
    }
    let mut answer = if directory.removed().iter().any(|removed| removed.code == code) {
        format!("The tool {echo} was removed.")
    } else {
        format!("No tool has the code {echo}.")
    };
    let mut entries = nearest(directory, code);
    for hit in index.find(code, NEAREST) {
        let entry = directory.entries().get(hit.place);
        entries.extend(entry.filter(|entry| entries.iter().all(|known| known.code() != entry.code())));
    }
    entries.truncate(NEAREST * 2 - 1);
    if entries.is_empty() {
        answer.push_str(" Look it up by what it should do: a verb and a thing, like \"create event\".");
    } else {
        answer.push_str(" Nearest:");
    }
    for entry in entries {
        answer.push('\n');
        answer.push_str(&hit_line(entry));
    }
    answer
}

fn lines(directory: &Directory, index: &SearchIndex, words: &str, limit: usize) -> Vec<String> {
    let hits = index.find(words, limit);
    hits.iter().filter_map(|hit| directory.entries().get(hit.place)).map(hit_line).collect()
}

fn how_to_ask(directory: &Directory) -> String {
    let example = directory.entries().first().map_or("list_issues", Entry::code);
    format!(
        "Ask with words that say what should be done, a verb and a thing ({{\"s\": \"create event\"}}), or with a code \
         ({{\"c\": {example:?}}}). There are {} tools.",
        directory.entries().len()
    )
}

/// The tools whose codes are written most like `code`: letters and digits only, whatever the case.
fn nearest<'a>(directory: &'a Directory, code: &str) -> Vec<&'a Entry> {
    let wanted = folded(code);
    let length = wanted.chars().count();
    let most = 1 + length / 4;
    let mut near: Vec<(usize, &str, &Entry)> = Vec::new();
    for entry in directory.entries() {
        let code = folded(entry.code());
        if code.len().abs_diff(wanted.len()) > most {
            continue;
        }
        let distance = strsim::osa_distance(&code, &wanted);
        if distance <= most {
            near.push((distance, entry.code(), entry));
        }
    }
    near.sort_unstable_by_key(|(distance, code, _)| (*distance, *code));
    near.into_iter().take(NEAREST).map(|(_, _, entry)| entry).collect()
}

fn folded(code: &str) -> String {
    code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}
