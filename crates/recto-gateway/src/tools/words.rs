//! What was wrong, in words for a model: what it can do about it, and no path of the machine.

use recto_archive::{Archive, ArchiveError, Ref, Scope, block_on};
use recto_recall::{Asked, RecallError, Search};
use serde_json::Value;

use super::StoreError;

/// Longest text of a caller that is shown back to it.
const SHOWN_CHARS: usize = 80;

/// Longest error.
const ERROR_CHARS: usize = 3_000;

/// Refs that are looked at for one that was meant.
const LOOKED_AT: usize = 20_000;
const LISTED_AT_ONCE: u32 = 1_000;

/// Refs with more other digits than this are not nearly the same.
const NEAR_DIGITS: usize = 3;
const NEAREST: usize = 3;

/// The beginning of a text.
pub(crate) fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Words that may show what a caller wrote, cut where they are too many for a model to read.
pub(crate) fn capped(mut words: String) -> String {
    if let Some((end, _)) = words.char_indices().nth(ERROR_CHARS) {
        words.truncate(end);
        words.push('…');
    }
    words
}

pub(crate) fn of_store(error: &StoreError) -> String {
    match error {
        StoreError::Absent => {
            "nothing is stored yet: recto keeps an original when it first leaves something out, \
                               and only then are there refs to ask for"
                .to_owned()
        }
        StoreError::Archive(error) => of_archive(error),
    }
}

/// An error that a ref met, with the refs that may have been meant.
pub(crate) fn of_ref(error: &RecallError, archive: &dyn Archive, scope: &Scope, asked: &Asked) -> String {
    let RecallError::Archive(ArchiveError::NotFound { .. }) = error else { return of_recall(error) };
    let near = nearest(archive, scope, asked.name());
    let near = if near.is_empty() { String::new() } else { format!("; nearest: {}", near.join(", ")) };
    format!(
        "no such ref {}; refs are copied from recto's notes and look like r:123456789012345{near}",
        asked.name()
    )
}

/// What is wrong with a pattern, and the pattern that finds it as it is written.
pub(crate) fn of_pattern(error: &RecallError, pattern: &str) -> String {
    let RecallError::Pattern { source } = error else { return of_recall(error) };
    let literal = Value::String(Search::literal(pattern));
    format!("pattern: {source}\nto find it as literal text: \"pattern\": {literal}")
}

pub(crate) fn of_recall(error: &RecallError) -> String {
    match error {
        RecallError::Archive(error) => of_archive(error),
        RecallError::ElisionNumber { text } => {
            format!("ref: {:?} is no number of an elision; write r:123456789012345#3", shortened(text))
        }
        RecallError::ShortRef { text, fewest } => {
            format!("ref: {:?} is too short; give its first {fewest} digits at least", shortened(text))
        }
        RecallError::NoElisions { name, .. } => {
            format!(
                "{name} names a whole original, which has no elisions; leave out the number, and take lines if it is long"
            )
        }
        RecallError::Missing { .. } | RecallError::MapDamaged { .. } | RecallError::Damaged { .. } => {
            damaged()
        }
        RecallError::PatternTooLarge { .. } => {
            "pattern: too large when compiled; use smaller counts of repetition".to_owned()
        }
        RecallError::File { .. } => unreadable(),
        other => other.to_string(),
    }
}

fn of_archive(error: &ArchiveError) -> String {
    match error {
        ArchiveError::InvalidRef { text, why } => {
            format!(
                "ref: {text:?} is not a ref ({why}); refs look like r:123456789012345 or r:123456789012345#3"
            )
        }
        ArchiveError::AmbiguousRef { .. } => error.to_string(),
        ArchiveError::NotFound { .. } => "no such ref; refs are copied from recto's notes".to_owned(),
        ArchiveError::Gone { why, .. } => {
            format!("no longer kept: {why}; make the output anew if you need it")
        }
        ArchiveError::Corrupt { .. } => damaged(),
        ArchiveError::Busy { .. } => "the store is busy; try again".to_owned(),
        ArchiveError::NewerSchema { .. } => {
            "a newer recto wrote the store; ask the user to upgrade this one".to_owned()
        }
        _ => unreadable(),
    }
}

fn damaged() -> String {
    "its stored bytes are damaged; ask the user to run `recto store verify`".to_owned()
}

fn unreadable() -> String {
    "the store cannot be read; ask the user to run `recto store verify`".to_owned()
}

/// The refs of this principal that differ least from a text, by the fewest changes of digits.
fn nearest(archive: &dyn Archive, scope: &Scope, text: &str) -> Vec<String> {
    let digits = text.strip_prefix("r:").unwrap_or(text);
    let mut near: Vec<(usize, String)> = Vec::new();
    let (mut after, mut seen): (Option<Ref>, usize) = (None, 0);
    while seen < LOOKED_AT {
        let listed = block_on(archive.refs(scope, after.as_ref(), LISTED_AT_ONCE)).unwrap_or_default();
        seen += listed.len();
        for (name, _) in &listed {
            // The beginning of a ref is compared with the beginnings of others.
            let of_name: String = name.digits().chars().take(digits.chars().count()).collect();
            let changes = strsim::levenshtein(digits, &of_name);
            if changes <= NEAR_DIGITS {
                near.push((changes, name.to_string()));
            }
        }
        match listed.into_iter().next_back() {
            Some((last, _)) => after = Some(last),
            None => break,
        }
    }
    near.sort();
    near.truncate(NEAREST);
    near.into_iter().map(|(_, name)| name).collect()
}
