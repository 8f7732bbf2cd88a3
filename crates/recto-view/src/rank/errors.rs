//! Errors, by structure and by words.

use std::sync::OnceLock;

use recto_outline::{ContentType, Kind, Outline, Role, UnitId};

use super::{Leaves, templates::masked};
use crate::literals::Literals;

/// Words that say that something went wrong, in the cases that programs write them in. Literal variants, since a search without
/// regard to case would cost several times as much.
const WORDS: [&str; 36] = [
    "error",
    "Error",
    "ERROR",
    "fail",
    "Fail",
    "FAIL",
    "fatal",
    "Fatal",
    "FATAL",
    "panic",
    "PANIC",
    "xception",
    "EXCEPTION",
    "CRITICAL",
    "critical",
    "Traceback",
    "denied",
    "Denied",
    "refused",
    "timed out",
    "imeout",
    "annot ",
    "nable to",
    "not found",
    "Not Found",
    "undefined ref",
    "segfault",
    "egmentation",
    "assert",
    "Assert",
    "BackOff",
    "OOMKill",
    "Evicted",
    "unhealthy",
    "nhealthy",
    "SEVERE",
];

/// Summary lines that go before all errors: the last ones.
const MOST_SUMMARIES: usize = 2;

/// Errors of a source.
#[derive(Debug, Default)]
pub(super) struct Errors {
    /// The first unit of each class, in document order.
    pub(super) first: Vec<UnitId>,
    /// The others.
    pub(super) more: Vec<UnitId>,
}

fn words() -> Option<&'static Literals> {
    static WORDS_SOUGHT: OnceLock<Option<Literals>> = OnceLock::new();
    WORDS_SOUGHT.get_or_init(|| Literals::new(&WORDS)).as_ref()
}

/// Finds the units that tell of an error, and sorts them into classes: texts that differ only in numbers are one class.
pub(super) fn find(outline: &Outline<'_>, leaves: &Leaves) -> Errors {
    let mut found = by_structure(outline);
    let by_words = !matches!(
        outline.content_type,
        ContentType::Code | ContentType::Numbered | ContentType::Prose | ContentType::Markup
    );
    let is_sparse =
        !matches!(outline.content_type, ContentType::Csv | ContentType::MarkdownTable | ContentType::Rag);
    if by_words && let Some(search) = words() {
        let mut position = 0;
        let mut last = None;
        let mut from = 0;
        // One hit a unit is enough: the search goes on behind it.
        while let Some(hit) = search.find(outline.source, from) {
            let (start, end) = (hit.start(), hit.end());
            from = end;
            match leaves.at(outline, start, position) {
                Ok(at) => {
                    position = at;
                    let Some(&id) = leaves.shown.get(at) else { continue };
                    if last != Some(id) && is_failure(outline, id, start, end) {
                        found.push(id);
                        last = Some(id);
                        from = from.max(outline.unit(id).body.e as usize);
                    }
                }
                Err(at) => position = at,
            }
        }
        // Words all over the source tell nothing.
        if !is_sparse && found.len() * 8 > leaves.shown.len() {
            found.clear();
        }
    }
    found.sort_unstable();
    found.dedup();
    let mut errors = Errors::default();
    let mut classes = std::collections::HashSet::new();
    // The totals say more than any single failure.
    let is_summary = |id: &UnitId| outline.unit(*id).kind == Kind::Summary;
    let summaries: Vec<UnitId> =
        found.iter().rev().filter(|id| is_summary(id)).take(MOST_SUMMARIES).copied().collect();
    for id in summaries.into_iter().chain(found) {
        let text = outline.message(id);
        let class = masked(text.get(..400).unwrap_or(text));
        if classes.insert(class) { errors.first.push(id) } else { errors.more.push(id) }
    }
    errors
}

/// The leaves that the parsers marked: the first lines of failure blocks, and summaries.
fn by_structure(outline: &Outline<'_>) -> Vec<UnitId> {
    let mut found = Vec::new();
    for (id, unit) in outline.each() {
        match unit.kind {
            Kind::Failure => {
                found.push(id);
                // The lines just below say what failed.
                found.extend(
                    outline
                        .children(id)
                        .filter(|child| outline.is_leaf(*child) && outline.unit(*child).kind != Kind::Blank)
                        .take(3),
                );
            }
            Kind::Summary if outline.is_leaf(id) && unit.role != Role::Frame => found.push(id),
            _ => {}
        }
    }
    found
}

/// Says whether the word at `[start, end)` of the source tells of a failure of its unit, or is only mentioned: a count of
/// none, an empty field, a passed test's name.
fn is_failure(outline: &Outline<'_>, id: UnitId, start: usize, end: usize) -> bool {
    let source = outline.source;
    let unit = outline.unit(id);
    let before = source.get(unit.body.s as usize..start).unwrap_or_default();
    let after = source.get(end..unit.body.e as usize).unwrap_or_default();
    // The rest of the word, and an `s` of the plural.
    let rest =
        after.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(after.len());
    let after = after.get(rest..).unwrap_or_default();
    let value = after.strip_prefix(b"\"").unwrap_or(after).trim_ascii_start();
    if let Some(stated) = value.strip_prefix(b":").or(value.strip_prefix(b"=")) {
        let value = stated.trim_ascii_start();
        let none: [&[u8]; 8] = [b"null", b"false", b"\"\"", b"[]", b"{}", b"None", b"none", b"nil"];
        if none.iter().any(|none| value.starts_with(none)) {
            return false;
        }
        if value.first() == Some(&b'0')
            && !value.get(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.')
        {
            return false;
        }
    }
    let word_start =
        before.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').map_or(0, |at| at + 1);
    let word = source.get(unit.body.s as usize + word_start..end + rest).unwrap_or_default();
    let is_lower = !word.iter().any(u8::is_ascii_uppercase);
    let before = before.get(..word_start).unwrap_or_default();
    let dot_before = before.last() == Some(&b'.');
    let dot_after = after.first() == Some(&b'.') && after.get(1).is_some_and(u8::is_ascii_alphanumeric);
    let names_value = matches!(value.first(), Some(b':' | b'='));
    // `session.timeout.ms = 6000` and `test_fail_slots` are names; `request_error: refused` tells of one.
    if is_lower && (dot_before || dot_after || (word.contains(&b'_') && !names_value)) {
        return false;
    }
    let before = before.trim_ascii_end();
    let previous = before.rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
    if matches!(previous, b"0" | b"no" | b"No" | b"without" | b"any") {
        return false;
    }
    let line = outline.text(id);
    let line = line.get(..300).unwrap_or(line);
    let passed: [&[u8]; 4] = [b"PASS", b" ok", b"Passed", "\u{2713}".as_bytes()];
    !passed.iter().any(|mark| memchr::memmem::find(line, mark).is_some())
}
