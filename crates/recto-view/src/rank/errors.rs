//! Errors, by structure and by words.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::OnceLock,
};

use recto_outline::{
    Column, Columns, ContentType, Hashed, Kind, Outline, Role, UnitId, Value, hash, template,
};

use super::{Leaves, listed::Listed, records, states};
use crate::literals::{Hits, Literals};

/// Words that say that something went wrong, in the cases that programs write them in. Literal variants, since a search without
/// regard to case would cost several times as much. No word begins another, so their order means nothing; in this one the search
/// takes fewest other texts for words at first sight (it looks for sixteen sets at once, and every sixteenth word is in one set).
const WORDS: [&str; 37] = [
    "assert",
    "unhealthy",
    "Traceback",
    "EXCEPTION",
    "fatal",
    "annot ",
    "CRITICAL",
    "error",
    "denied",
    "egmentation",
    "OOMKill",
    "nhealthy",
    "refused",
    "segfault",
    "not found",
    "BackOff",
    "Assert",
    "undefined ref",
    "Error",
    "critical",
    "fail",
    "Denied",
    "FAIL",
    "Not Found",
    "imeout",
    "TIMED OUT",
    "PANIC",
    "nable to",
    "FATAL",
    "Fatal",
    "timed out",
    "Evicted",
    "panic",
    "ERROR",
    "SEVERE",
    "xception",
    "Fail",
];

/// Marks of what failed: nobody writes them in passing.
const MARKS: [&str; 4] = ["\u{274C}", "\u{2717}", "\u{2718}", "\u{2715}"];
/// States of which all occurrences are looked for.
const MOST_PASSES: usize = 24;
/// The byte that all marks begin with: most sources do not have it.
const FIRST_OF_MARKS: u8 = 0xE2;
/// Summary lines that go before all errors: the last ones.
const MOST_SUMMARIES: usize = 2;

/// Errors of a source.
#[derive(Debug, Default)]
pub(super) struct Errors {
    /// The first unit of each class, in document order.
    pub(super) first: Vec<UnitId>,
    /// The others.
    pub(super) more: Vec<UnitId>,
    /// Records that hold a word for an error, which may be a title's.
    pub(super) maybe: Vec<UnitId>,
}

/// Words for errors in a source, and whether there may be marks: all that can be known of errors before there is an outline.
#[derive(Debug)]
pub(crate) struct Words {
    hits: Hits,
    may_have_marks: bool,
}

impl Words {
    pub(crate) fn of(source: &[u8]) -> Self {
        let may_have_marks = memchr::memchr(FIRST_OF_MARKS, source).is_some();
        Self { hits: words().map(|words| Hits::of(source, words)).unwrap_or_default(), may_have_marks }
    }
}

/// Words have four bytes or more, which makes their search twice as fast as one with the marks in it.
fn words() -> Option<&'static Literals> {
    static SEARCH: OnceLock<Option<Literals>> = OnceLock::new();
    SEARCH.get_or_init(|| Literals::new(&WORDS)).as_ref()
}

/// What lines about a success say: the word for the error is a name's then.
fn passed() -> Option<&'static Literals> {
    static SEARCH: OnceLock<Option<Literals>> = OnceLock::new();
    SEARCH.get_or_init(|| Literals::new(&["PASS", " ok", "Passed", "\u{2713}"])).as_ref()
}

fn marks() -> Option<&'static Literals> {
    static SEARCH: OnceLock<Option<Literals>> = OnceLock::new();
    SEARCH.get_or_init(|| Literals::new(&MARKS)).as_ref()
}

/// Finds the units that tell of an error, and sorts them into classes: texts that differ only in numbers are one class.
pub(super) fn find(outline: &Outline<'_>, rows: &Columns, leaves: &Leaves, known: Option<&Words>) -> Errors {
    let mut errors = Errors::default();
    let mut classes = HashSet::new();
    // The totals say more than any single failure.
    let (found, more) = by_structure(outline);
    let found = last_said_first(outline, found);
    let is_summary = |id: &UnitId| outline.unit(*id).kind == Kind::Summary;
    let summaries: Vec<UnitId> =
        found.iter().rev().filter(|id| is_summary(id)).take(MOST_SUMMARIES).copied().collect();
    // Every failed test counts, also where their names differ in numbers only.
    let class = |id| test(outline, id).unwrap_or_else(|| class(outline, id));
    errors.sort(&mut classes, summaries.into_iter().chain(found).map(|id| (class(id), id)));
    errors.more.extend(more);
    by_state(outline, rows, leaves, &mut errors);
    let is_read = !matches!(
        outline.content_type,
        ContentType::Code | ContentType::Numbered | ContentType::Prose | ContentType::Markup
    );
    if !is_read {
        return errors;
    }
    let usual = Usual::of(outline);
    let found;
    let known = match known {
        Some(known) => known,
        None => {
            found = Words::of(outline.source);
            &found
        }
    };
    if known.may_have_marks
        && let Some(marks) = marks()
    {
        let by_marks = mentions(outline, leaves, &usual, marks, &Hits::of(outline.source, marks));
        errors.sort(&mut classes, sorted_by_rarity(by_marks));
    }
    let by_words = words().map(|words| mentions(outline, leaves, &usual, words, &known.hits));
    let by_words = sorted_by_rarity(by_words.unwrap_or_default());
    // Titles of songs and texts of releases are full of such words: where nothing but a word speaks for it, it is but a maybe.
    let listed = Listed::new(outline, errors.first.iter().chain(&errors.more).copied());
    let (maybe, by_words): (Vec<_>, Vec<_>) = by_words.into_iter().partition(|(_, id)| listed.has(*id));
    // Words all over the source tell nothing.
    if maybe.len() * 8 <= leaves.shown.len() {
        errors.maybe = maybe.into_iter().map(|(_, id)| id).collect();
    }
    errors.sort(&mut classes, by_words);
    errors
}

impl Errors {
    /// Takes the first unit of each class that is new, and the others for later.
    fn sort(&mut self, classes: &mut HashSet<u64>, found: impl IntoIterator<Item = (u64, UnitId)>) {
        for (class, id) in found {
            if classes.insert(class) { self.first.push(id) } else { self.more.push(id) }
        }
    }
}

/// Those of rare classes first: what is said all over is rather the rule than news.
fn sorted_by_rarity(mut classed: Vec<(u64, UnitId)>) -> Vec<(u64, UnitId)> {
    let mut counts: HashMap<u64, u32, Hashed> = HashMap::default();
    for (class, _) in &classed {
        *counts.entry(*class).or_default() += 1;
    }
    // Up to a few, all counts are alike: they come as they stand.
    classed.sort_by_cached_key(|(class, _)| counts.get(class).copied().unwrap_or(1).ilog2() / 2);
    classed
}

/// What tells the error at `[start, end)` of the source from others: the string or the cell around it, or its whole unit, without
/// what varies.
fn class_at(outline: &Outline<'_>, id: UnitId, start: usize, end: usize) -> u64 {
    let unit = outline.unit(id);
    let is_end: fn(&u8) -> bool = match outline.content_type {
        ContentType::Json | ContentType::Jsonl if unit.quote == 0 => |byte| *byte == b'"',
        _ if unit.kind == Kind::Row => |byte| matches!(byte, b',' | b';' | b'\t' | b'|'),
        _ => return class(outline, id),
    };
    let before = outline.source.get(unit.body.s as usize..start).unwrap_or_default();
    let after = outline.source.get(end..unit.body.e as usize).unwrap_or_default();
    let from = start - before.iter().rev().take(400).take_while(|byte| !is_end(byte)).count();
    let to = end + after.iter().take(400).take_while(|byte| !is_end(byte)).count();
    template(outline.source.get(from..to).unwrap_or_default())
}

/// What tells a unit's error from others: its text without what varies.
fn class(outline: &Outline<'_>, id: UnitId) -> u64 {
    let text = outline.message(id);
    template(text.get(..400).unwrap_or(text))
}

/// Columns with bad states: each state is a class, shown once, and then again where else it stands.
fn by_state(outline: &Outline<'_>, rows: &Columns, leaves: &Leaves, errors: &mut Errors) {
    let unit = |at: u32| leaves.holding(outline, at);
    let columns = outline.columns.all().iter().chain(rows.all());
    let mut states: Vec<(&Column, &Value)> = columns
        .flat_map(|column| states::bad(outline, column).into_iter().map(move |value| (column, value)))
        .collect();
    // A code says it more surely than a word.
    let is_word = |value: &Value| value.span.of(outline.source).first() == Some(&b'"');
    states.sort_by_key(|(_, value)| (value.count, is_word(value), value.first[0]));
    errors.first.extend(states.iter().filter_map(|(_, value)| unit(value.first[0])));
    // Each costs a pass over the source.
    for (column, value) in states.into_iter().filter(|(_, value)| value.count > 1).take(MOST_PASSES) {
        let mut said = HashSet::<Option<u64>>::new();
        for id in states::occurrences(outline, column, value).into_iter().filter_map(unit) {
            // Records that say the same are more of the same.
            let says = records::says(outline, id);
            if says.is_none() || said.insert(says) { errors.first.push(id) } else { errors.more.push(id) }
        }
    }
}

/// The units in which one of some literals tells of an error, each with its class, in document order.
fn mentions(
    outline: &Outline<'_>,
    leaves: &Leaves,
    usual: &Usual,
    search: &Literals,
    hits: &Hits,
) -> Vec<(u64, UnitId)> {
    let mut found = Vec::new();
    let mut position = 0;
    let (mut from, mut passed) = (0, 0);
    // One hit a unit is enough: the search goes on behind it.
    while let Some(hit) = hits.next(outline.source, search, from, &mut passed) {
        let (start, end) = (hit.s as usize, hit.e as usize);
        from = end;
        match leaves.at(outline, start, position) {
            Ok(at) => {
                position = at;
                let Some(&id) = leaves.shown.get(at) else { continue };
                if is_failure(outline, id, start, end) && !usual.has(outline, id, start, end) {
                    found.push((class_at(outline, id, start, end), id));
                    from = from.max(outline.unit(id).body.e as usize);
                }
            }
            Err(at) => position = at,
        }
    }
    found
}

/// Strings of JSON in which a word tells nothing: values that most records have, and names and addresses without blanks.
#[derive(Debug, Default)]
struct Usual {
    values: HashSet<u64>,
    is_json: bool,
}

impl Usual {
    fn of(outline: &Outline<'_>) -> Self {
        let mut usual = Self::default();
        for column in outline.columns.all().iter().filter(|column| column.records >= 4) {
            let frequent = column.values.iter().filter(|value| value.count * 2 > column.records);
            usual.values.extend(frequent.map(|value| hash(value.span.of(outline.source))));
        }
        usual.is_json = matches!(outline.content_type, ContentType::Json | ContentType::Jsonl);
        usual
    }

    /// Says whether the word at `[start, end)` stands in such a string.
    fn has(&self, outline: &Outline<'_>, id: UnitId, start: usize, end: usize) -> bool {
        if !self.is_json || outline.unit(id).quote > 0 {
            return false;
        }
        let body = outline.unit(id).body;
        let before = outline.source.get(body.s as usize..start).unwrap_or_default();
        let after = outline.source.get(end..body.e as usize).unwrap_or_default();
        let Some(open) = memchr::memrchr(b'"', before) else { return false };
        let Some(close) = memchr::memchr(b'"', after) else { return false };
        let string = outline.source.get(body.s as usize + open..end + close + 1).unwrap_or_default();
        let is_key = after.get(close + 1..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"));
        if is_key {
            return false;
        }
        // What is but a word is a state, or a name: states are known by their columns.
        self.values.contains(&hash(string)) || memchr::memchr(b' ', string).is_none()
    }
}

/// The leaves that the parsers marked: the first and the last lines of failure blocks, and summaries; and what comes later, the lines in
/// the middle of a block. Of a block that gives the reason of one before, only the first line is not for later.
fn by_structure(outline: &Outline<'_>) -> (Vec<UnitId>, Vec<UnitId>) {
    let (mut found, mut again, mut more) = (Vec::new(), Vec::new(), Vec::new());
    let mut reasons = HashSet::new();
    let (mut again_until, mut middle) = (0, 0..0);
    for (id, unit) in outline.each() {
        match unit.kind {
            Kind::Failure => {
                let is_inside = id.0 < again_until;
                if !is_inside && reason(outline, id).is_some_and(|reason| !reasons.insert(reason)) {
                    again_until = unit.end;
                    again.extend([id, UnitId(id.0 + 1)]);
                    continue;
                }
                if id.0 >= middle.end {
                    middle = middle_of(outline, id);
                }
                let found = if is_inside || middle.contains(&id.0) { &mut more } else { &mut found };
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
    found.extend(again);
    (found, more)
}

/// The units between the first and the last lines of a failure block that say what went wrong: a trace, line by line.
fn middle_of(outline: &Outline<'_>, block: UnitId) -> Range<u32> {
    /// Lines of a block that are shown before those of other failures.
    const ENDS: [usize; 2] = [2, 3];
    let inside = (block.0 + 1..outline.unit(block).end).map(UnitId);
    let lines: Vec<UnitId> =
        inside.filter(|id| outline.unit(*id).kind == Kind::Failure && outline.is_leaf(*id)).collect();
    match (lines.get(ENDS[0]), lines.len().checked_sub(ENDS[1]).and_then(|last| lines.get(last))) {
        (Some(from), Some(to)) if from < to => from.0..to.0,
        _ => 0..0,
    }
}

/// What a failure block says went wrong, without what varies: its last line that says so.
fn reason(outline: &Outline<'_>, block: UnitId) -> Option<u64> {
    /// Units looked at from the end of a block.
    const LOOKED_AT: usize = 64;
    let inside = (block.0 + 1..outline.unit(block).end).rev().take(LOOKED_AT).map(UnitId);
    let mut failures = inside.filter(|id| outline.unit(*id).kind == Kind::Failure && outline.is_leaf(*id));
    failures.next().map(|last| class(outline, last))
}

/// Puts failures of which a later line tells again behind all others: test runners say in a line how a test went, and list those that
/// failed at the end, often with the reason.
fn last_said_first(outline: &Outline<'_>, mut found: Vec<UnitId>) -> Vec<UnitId> {
    let mut last: HashMap<u64, UnitId, Hashed> = HashMap::default();
    for id in &found {
        if let Some(test) = test(outline, *id) {
            last.insert(test, *id);
        }
    }
    if !last.is_empty() {
        found.sort_by_cached_key(|id| test(outline, *id).is_some_and(|test| last.get(&test) != Some(id)));
    }
    found
}

/// The test that a line says failed.
fn test(outline: &Outline<'_>, id: UnitId) -> Option<u64> {
    let is_line = outline.unit(id).kind == Kind::Failure && outline.is_leaf(id);
    is_line.then(|| subject(outline.text(id))).flatten().map(hash)
}

/// The name of a test in a line: `tests/test_a.py::test_b[c]`.
fn subject(line: &[u8]) -> Option<&[u8]> {
    let line = line.get(..400).unwrap_or(line);
    let at = memchr::memmem::find(line, b"::")?;
    let start = line.get(..at)?.iter().rposition(u8::is_ascii_whitespace).map_or(0, |before| before + 1);
    line.get(start..)?.split(u8::is_ascii_whitespace).next()
}

/// Says whether a word before one for an error takes it back: `0 failed`, `no errors`.
pub(super) fn is_denial(word: &[u8]) -> bool {
    matches!(word, b"0" | b"no" | b"No" | b"without" | b"any")
}

/// What may stand behind a word for an error in the name of a field that tells of one.
const TAILS: [&[u8]; 16] = [
    b"",
    b"s",
    b"ed",
    b"es",
    b"count",
    b"counts",
    b"code",
    b"codes",
    b"message",
    b"messages",
    b"msg",
    b"reason",
    b"text",
    b"type",
    b"detail",
    b"details",
];

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
    let (tail, after) = after.split_at(rest);
    let value = after.strip_prefix(b"\"").unwrap_or(after).trim_ascii_start();
    if let Some(stated) = value.strip_prefix(b":").or(value.strip_prefix(b"=")) {
        // `timeoutSeconds: 30` and `failureThreshold: 3` are settings; `errorCount: 3` and `failure_reason: gone` are not.
        let tail = tail.strip_prefix(b"_").unwrap_or(tail);
        if !TAILS.iter().any(|known| tail.eq_ignore_ascii_case(known)) {
            return false;
        }
        let value = stated.trim_ascii_start();
        let none: [&[u8]; 8] = [b"null", b"false", b"\"\"", b"[]", b"{}", b"None", b"none", b"nil"];
        if none.iter().any(|none| value.starts_with(none)) {
            return false;
        }
        // `[ ]`, over lines as well
        let inside =
            value.strip_prefix(b"[").or(value.strip_prefix(b"{")).unwrap_or(value).trim_ascii_start();
        if matches!(inside.first(), Some(b']' | b'}')) {
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
    if is_denial(previous) {
        return false;
    }
    let line = outline.text(id);
    let line = line.get(..300).unwrap_or(line);
    passed().is_none_or(|passed| passed.find(line, 0, line.len()).is_none())
}
