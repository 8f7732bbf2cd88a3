//! The laws that every view keeps, whatever its source and policy. The fuzz targets check the same ones.

use std::{collections::HashSet, fmt};

use recto_outline::{Encoding, Fuel, outline};
use recto_view::{
    CompressionResult, MARK, Mode, Policy, Recall, Source, SpanMap, ViewError, chunks, decode, expand,
    render, verify, view,
};

/// A view with the text that it shows.
pub(crate) struct Shown {
    pub(crate) map: SpanMap,
    pub(crate) text: String,
    /// Nothing of the source is shown but blanks: one line stands for it, or nothing at all.
    pub(crate) is_frameless: bool,
    /// The text is a table's, and not made of the source's bytes.
    pub(crate) is_table: bool,
}

/// Says which source and policy broke a law.
pub(crate) struct Case<'c> {
    pub(crate) name: &'c dyn fmt::Display,
    pub(crate) policy: &'c Policy,
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Policy { mode, budget, query, content_type, .. } = self.policy;
        write!(f, "{}: {mode}, {budget:?}, query {query:?}, type {content_type:?}", self.name)
    }
}

/// Makes the view and checks every law that concerns it alone; none where the policy allows the documented errors.
pub(crate) fn check(
    name: &dyn fmt::Display,
    source: &Source<'_>,
    policy: &Policy,
    reference: Option<&str>,
) -> Option<Shown> {
    let case = Case { name, policy };
    let outlined = outline(source.bytes(), policy.content_type, &mut Fuel::unlimited());
    let outlined = outlined.unwrap_or_else(|error| panic!("{case}: {error}"));
    outlined.check().unwrap_or_else(|broken| panic!("{case}: {broken}"));
    let made = match view(source, policy, reference, &mut Fuel::unlimited()) {
        Ok(made) => made,
        Err(error) => {
            documented(&case, source, policy, reference, &error);
            return None;
        }
    };
    let map = made.map().unwrap_or_else(|| panic!("{case}: no span map")).clone();
    verify(source, &map).unwrap_or_else(|error| panic!("{case}: {error}\n{map:?}"));
    let joined = joined(&case, &map, source.bytes());
    let text = render(&made.result, source).unwrap_or_else(|error| panic!("{case}: {error}"));
    assert!(
        chunks(&map, source.bytes()).collect::<Vec<_>>().concat() == joined.as_bytes(),
        "{case}: `chunks` shows other bytes"
    );
    let is_table = matches!(made.result, CompressionResult::Table { .. });
    if is_table {
        assert_eq!(made.mode, Mode::Table, "{case}");
        table(&case, source.bytes(), &map, &text);
    } else {
        assert_eq!(text, joined, "{case}: `render` shows other bytes");
    }
    budgets(&case, source, policy, &map, &text);
    whole(&case, source, &made.result, &map);
    notes(&case, source, policy, reference, &map);
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || b"\xEF\xBB\xBF".contains(byte);
    let is_frameless =
        map.spans.iter().all(|span| source.bytes()[span.s as usize..span.e as usize].iter().all(is_blank));
    Some(Shown { is_frameless, map, text, is_table })
}

/// A table reads back as JSON: the source's tokens, with strings for what is left out.
fn table(case: &Case<'_>, source: &[u8], map: &SpanMap, text: &str) {
    let decoded = decode(text).unwrap_or_else(|error| panic!("{case}: {error}\n{text}"));
    let source = str::from_utf8(source).unwrap_or_else(|error| panic!("{case}: {error}"));
    if map.elisions.is_empty() {
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        assert_eq!(without_blanks(&decoded), without_blanks(source), "{case}: decoded from\n{text}");
    }
    for note in map.elisions.iter().filter_map(|elision| elision.note.as_deref()) {
        let lines = note.matches('\n').count();
        assert!(text.contains(note) && lines <= 1, "{case}: {note} is not in\n{text}");
    }
}

/// A JSON text less the blanks between its tokens.
pub(crate) fn without_blanks(json: &str) -> String {
    let (mut is_inside, mut is_escaped) = (false, false);
    let is_kept = |character: &char| {
        let is_kept = is_inside || !matches!(character, ' ' | '\t' | '\r' | '\n');
        is_inside = if is_inside { is_escaped || *character != '"' } else { *character == '"' };
        is_escaped = is_inside && !is_escaped && *character == '\\';
        is_kept
    };
    json.chars().filter(is_kept).collect()
}

/// An error is one of the documented ones, and says the truth.
fn documented(
    case: &Case<'_>,
    source: &Source<'_>,
    policy: &Policy,
    reference: Option<&str>,
    error: &ViewError,
) {
    assert_eq!(policy.mode, Mode::Exact, "{case}: {error}");
    match error {
        ViewError::NotText { .. } => {
            assert!(
                matches!(Encoding::of(source.bytes()), Encoding::Utf16 | Encoding::Binary),
                "{case}: {error}"
            );
        }
        ViewError::BudgetTooSmall { least, unit, .. } => {
            let budget = policy.budget;
            let limit = if *unit == "bytes" { budget.max_bytes } else { budget.max_tokens };
            assert!(limit.is_some_and(|limit| limit < *least), "{case}: {error}");
            // What it names as the least budget is one.
            let mut enough = policy.clone();
            match *unit {
                "bytes" => enough.budget.max_bytes = Some(*least),
                _ => enough.budget.max_tokens = Some(*least),
            }
            match view(source, &enough, reference, &mut Fuel::unlimited()) {
                Ok(_) => {}
                Err(ViewError::BudgetTooSmall { unit: other, .. }) if other != *unit => {}
                Err(again) => panic!("{case}: {error}; and then: {again}"),
            }
        }
        _ => panic!("{case}: {error}"),
    }
}

/// The rendered text, put together without the crate's own means; every piece of it is text for itself.
fn joined(case: &Case<'_>, map: &SpanMap, source: &[u8]) -> String {
    let mut text = String::new();
    let mut elisions = map.elisions.iter().peekable();
    for after in -1..map.spans.len() as i64 {
        if let Ok(index) = usize::try_from(after) {
            let span = map.spans[index];
            let piece = &source[span.s as usize..span.e as usize];
            let piece = str::from_utf8(piece)
                .unwrap_or_else(|error| panic!("{case}: span {span:?} cuts a character: {error}"));
            text.push_str(piece);
        }
        while let Some(elision) = elisions.next_if(|elision| elision.after == after) {
            text.push_str(elision.note.as_deref().unwrap_or_default());
        }
    }
    text
}

fn budgets(case: &Case<'_>, source: &Source<'_>, policy: &Policy, map: &SpanMap, text: &str) {
    let source_bytes = source.bytes().len() as u64;
    let length = text.len() as u64;
    assert!(length <= source_bytes, "{case}: {length} B shown of {source_bytes} B");
    let kept: u64 = map.spans.iter().map(|span| span.e - span.s).sum();
    assert_eq!(map.stats.kept_bytes, kept, "{case}: keptBytes");
    if let Some(max_bytes) = policy.budget.max_bytes {
        assert!(length <= max_bytes, "{case}: {length} B shown\n{text}");
    }
    if let Some(max_tokens) = policy.budget.max_tokens {
        let tokens = policy.tokenizer.counter().count(text);
        assert!(tokens <= max_tokens, "{case}: {tokens} tokens shown\n{text}");
    }
    if policy.mode != Mode::Exact
        && let Some(ratio_ppm) = policy.budget.ratio_ppm
    {
        let share = u128::from(source_bytes) * u128::from(ratio_ppm) / 1_000_000;
        assert!(u128::from(length) <= share, "{case}: {length} B shown, {share} B allowed\n{text}");
    }
}

/// Spans and what `expand` gives for each elision are the source.
fn whole(case: &Case<'_>, source: &Source<'_>, result: &CompressionResult, map: &SpanMap) {
    let mut pieces: Vec<&[u8]> = Vec::new();
    let mut elisions = map.elisions.iter().enumerate().peekable();
    for after in -1..map.spans.len() as i64 {
        if let Ok(index) = usize::try_from(after) {
            let span = map.spans[index];
            pieces.push(&source.bytes()[span.s as usize..span.e as usize]);
        }
        while let Some((index, elision)) = elisions.next_if(|(_, elision)| elision.after == after) {
            // Each `expand` hashes the source: of very many elisions the first are asked for.
            let piece = if index < 24 {
                expand(source, map, Some(index as u64 + 1)).unwrap_or_else(|error| panic!("{case}: {error}"))
            } else {
                let span = map
                    .elision_span(index as u64 + 1)
                    .unwrap_or_else(|| panic!("{case}: no elision {index}"));
                &source.bytes()[span.s as usize..span.e as usize]
            };
            assert_eq!(piece.len() as u64, elision.bytes, "{case}: elision #{}", index + 1);
            pieces.push(piece);
        }
    }
    assert!(pieces.concat() == source.bytes(), "{case}: spans and elisions are not the source");
    assert_eq!(expand(source, map, None), Ok(source.bytes()), "{case}: the whole");
    let past = map.elisions.len() as u64 + 1;
    for ordinal in [0, past] {
        assert!(
            matches!(expand(source, map, Some(ordinal)), Err(ViewError::NoSuchElision { .. })),
            "{case}: elision #{ordinal}"
        );
    }
    let is_whole = matches!(result, CompressionResult::Passthrough { .. });
    let is_table = matches!(result, CompressionResult::Table { .. });
    assert!(
        is_table || is_whole == map.elisions.is_empty(),
        "{case}: {} elisions, whole: {is_whole}",
        map.elisions.len()
    );
}

fn notes(case: &Case<'_>, source: &Source<'_>, policy: &Policy, reference: Option<&str>, map: &SpanMap) {
    let notes = map.elisions.iter().filter_map(|elision| elision.note.as_deref());
    if policy.mode == Mode::Exact {
        assert_eq!(notes.count(), 0, "{case}: notes in mode `exact`");
        return;
    }
    let is_frameless = map.spans.is_empty();
    let can_recall = policy.recall != Recall::None && reference.is_some();
    let mut references = 0;
    let mut announced = 0;
    let with_notes = (0..map.elisions.len()).filter(|index| map.elisions[*index].note.is_some());
    let told: HashSet<usize> = with_notes.flat_map(|index| told(map, index)).collect();
    for (index, elision) in map.elisions.iter().enumerate() {
        let Some(note) = elision.note.as_deref() else {
            let span = map.elision_span(index as u64 + 1).unwrap_or_else(|| panic!("{case}: no elision"));
            let bytes = &source.bytes()[span.s as usize..span.e as usize];
            let is_told = told.contains(&index);
            let is_silent = (is_frameless && map.elisions.len() == 1) || is_invisible(bytes) || is_told;
            assert!(
                is_silent,
                "{case}: {} left out without a word: {:?}",
                index + 1,
                bytes.escape_ascii().to_string()
            );
            continue;
        };
        announced += 1;
        references += reference.map_or(0, |reference| note.matches(reference).count());
        if note.starts_with("[recto: ") {
            assert!(map.elisions.len() == 1 && is_frameless, "{case}: {note} among others");
        } else {
            assert!(
                note.contains(MARK) || note.contains("\u{2026}#"),
                "{case}: {note} does not look like a note"
            );
            assert_eq!(ordinals(note).first(), Some(&(index as u64 + 1)), "{case}: the number in {note}");
            assert!(ordinals(note).iter().all(|ordinal| *ordinal == index as u64 + 1), "{case}: {note}");
        }
    }
    let due = usize::from(can_recall && announced > 0);
    assert_eq!(references, due, "{case}: how often the ref is stated\n{map:?}");
}

/// The elisions that the note of elision `index` tells of: `#3-9` is the third to the ninth, but for those that have notes of their
/// own, and for what these tell of.
pub(crate) fn told(map: &SpanMap, index: usize) -> Vec<usize> {
    let last = |index: usize| {
        let note = map.elisions[index].note.as_deref()?;
        let (_, range) = note.split_once("\u{2026}#")?;
        let (first, last) = range.split_once(|sign: char| !sign.is_ascii_digit()).map(|(first, rest)| {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            (first, &rest[..digits])
        })?;
        assert_eq!(first.parse(), Ok(index + 1), "{note}");
        last.parse::<usize>().ok().map(|last| last - 1)
    };
    let mut told = vec![index];
    let mut at = index + 1;
    let Some(end) = last(index) else { return told };
    while at <= end {
        if map.elisions[at].note.is_some() {
            // A range inside another one lies between two of its elisions.
            at = last(at).unwrap_or(at) + 1;
            continue;
        }
        told.push(at);
        at += 1;
    }
    told
}

/// The numbers after `#` in a note.
pub(crate) fn ordinals(note: &str) -> Vec<u64> {
    note.split('#')
        .skip(1)
        .filter_map(|rest| rest.get(..rest.bytes().take_while(u8::is_ascii_digit).count())?.parse().ok())
        .collect()
}

/// Says whether a terminal shows nothing for these bytes: escape sequences, blanks, and what is not UTF-8.
fn is_invisible(bytes: &[u8]) -> bool {
    let text: String = bytes.utf8_chunks().map(|chunk| chunk.valid()).collect();
    // In JSON strings, which may stand in JSON strings, the escape character is escaped itself.
    let text = ["\\\\\\\\u001b", "\\\\u001b", "\\u001b"]
        .iter()
        .fold(text, |text, form| text.replace(form, "\u{1b}"));
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        if first != '\u{1b}' {
            if !first.is_whitespace() {
                return false;
            }
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let body = &rest[1..];
        let length = match body.bytes().next() {
            Some(b'[') => {
                let parameters = body.bytes().skip(1).take_while(|byte| (0x20..0x40).contains(byte)).count();
                1 + parameters
                    + usize::from(
                        body.as_bytes().get(1 + parameters).is_some_and(|byte| (0x40..0x7f).contains(byte)),
                    )
            }
            Some(b']' | b'_' | b'P' | b'^' | b'X') => match body.find(['\u{7}', '\n', '\u{1b}']) {
                Some(end) if body[end..].starts_with('\u{7}') => end + 1,
                Some(end) if body[end..].starts_with("\u{1b}\\") => end + 2,
                _ => 1,
            },
            Some(0x20..=0x2f) => {
                1 + usize::from(body.as_bytes().get(1).is_some_and(|byte| (0x30..0x7f).contains(byte)))
            }
            Some(0x30..=0x7e) => 1,
            _ => 0,
        };
        rest = &body[length..];
    }
    true
}

/// Each byte kept by `smaller` is kept by `larger`.
pub(crate) fn check_nested(name: &dyn fmt::Display, smaller: &SpanMap, larger: &SpanMap) {
    let mut spans = larger.spans.iter().peekable();
    for span in &smaller.spans {
        while spans.next_if(|other| other.e < span.e).is_some() {}
        let inside = spans.peek().is_some_and(|other| other.s <= span.s && span.e <= other.e)
            || is_covered(span.s, span.e, larger);
        assert!(inside, "{name}: {span:?} is kept at the smaller budget, not at the larger one");
    }
}

/// Spans may touch where a note stands between them.
fn is_covered(start: u64, end: u64, map: &SpanMap) -> bool {
    let mut at = start;
    for span in &map.spans {
        if span.s <= at && at < span.e {
            at = span.e;
        }
    }
    at >= end
}
