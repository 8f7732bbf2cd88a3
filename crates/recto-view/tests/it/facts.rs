//! What notes say, counted again from the bytes that they stand for.

use std::{fmt, ops::RangeInclusive};

use recto_view::{Mode, Source, SpanMap};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::{
    forms,
    laws::{Shown, told},
};

/// Checks every amount that the notes of a view state.
pub(crate) fn check(name: &dyn fmt::Display, source: &Source<'_>, mode: Mode, shown: &Shown) {
    if mode == Mode::Exact {
        return;
    }
    // Where carriage returns stand alone among line feeds, readers differ over what a line is.
    let alone = source.bytes().windows(2).any(|pair| pair[0] == b'\r' && pair[1] != b'\n')
        || source.bytes().ends_with(b"\r");
    let is_mixed = alone && source.bytes().contains(&b'\n');
    let mut is_first = true;
    let mut last_noun = String::new();
    let mut said_in_json: Vec<&str> = Vec::new();
    for (index, elision) in shown.map.elisions.iter().enumerate() {
        let Some(note) = elision.note.as_deref() else { continue };
        let pieces: Vec<&[u8]> =
            told(&shown.map, index).into_iter().map(|index| left_out(source, &shown.map, index)).collect();
        if let Some(line) = note.strip_prefix("[recto: ") {
            // The size is given up before the way to the rest.
            let stated = line.split([',', ']']).map(str::trim).find(|part| part.ends_with('B'));
            let is_size = |stated: &str| stated == size(source.bytes().len() as u64);
            assert!(stated.is_none_or(is_size), "{name}: {note} of {} B", source.bytes().len());
            continue;
        }
        // Its size, where there is no way to it.
        let whole = format!("(source whole, {}", whole_size(source.bytes().len() as u64));
        let is_said = note.contains(&whole) || note.contains("(source whole: recto");
        assert_eq!(is_said, is_first, "{name}: what is said once: {note}");
        is_first = false;
        let Some((stated, noun)) = amount(note) else { panic!("{name}: no amount in {note}") };
        // What is counted is said where it changes, and of items and members once; a size always has its unit.
        let of_place = noun_of_place(note);
        let noun = if noun.is_empty() {
            if last_noun.is_empty() || of_place.is_some_and(|of_place| of_place != last_noun) {
                let of_place = of_place.unwrap_or_else(|| panic!("{name}: {note} of what?"));
                assert!(said_in_json.contains(&of_place), "{name}: {note} of what?");
                of_place
            } else {
                &last_noun
            }
        } else {
            if !["B", "kB", "MB", "GB"].contains(&noun) {
                assert_ne!(singular(noun), singular(&last_noun), "{name}: said twice: {note}");
                assert!(!said_in_json.contains(&singular(noun)), "{name}: said again: {note}");
                said_in_json.extend(of_place.filter(|of_place| *of_place == singular(noun)));
            }
            noun
        };
        let all = pieces.join(&b',');
        let context = || format!("{name}: {note} stands for {:?}", String::from_utf8_lossy(&all));
        let total: usize = pieces.iter().map(|piece| piece.len()).sum();
        let bytes = all.as_slice();
        if let Some(counted) = count(&shown.map.content_type, bytes, noun, note, is_mixed) {
            let is_true = stated.parse().is_ok_and(|stated: u64| counted.contains(&stated));
            assert!(is_true, "{stated} is not within {counted:?}: {}", context());
        } else if ["B", "kB", "MB", "GB"].contains(&noun) {
            assert_eq!(format!("{stated} {noun}"), size(total as u64), "{}", context());
        } else {
            let stated: u64 = stated.parse().unwrap_or_else(|_| panic!("{}", context()));
            assert!(stated >= 1 && stated <= bytes.len() as u64, "{}", context());
        }
        last_noun = if noun.ends_with('B') { String::new() } else { singular(noun).to_owned() };
    }
}

fn left_out<'s>(source: &Source<'s>, map: &SpanMap, index: usize) -> &'s [u8] {
    let span = map.elision_span(index as u64 + 1).expect("the elision is the map's");
    &source.bytes()[span.s as usize..span.e as usize]
}

/// What a note counts that stands as an element of an array or as a member of an object.
fn noun_of_place(note: &str) -> Option<&'static str> {
    // A line of JSON lines begins with a line end.
    let note = note.trim_start_matches([',', ' ', '\\']);
    let words = note.strip_prefix("\"\u{2026}")?;
    Some(if words.starts_with('#') { "member" } else { "item" })
}

fn singular(noun: &str) -> &str {
    noun.strip_suffix('s').unwrap_or(noun)
}

/// The amount and its unit (empty if it is not said), which follow the mark; in an object's member they follow the reserved key.
fn amount(note: &str) -> Option<(&str, &str)> {
    let words = note.split_once('\u{2026}')?.1;
    let words = match words.strip_prefix('#') {
        // `"…#3":"4 members"`, quoted once or more often.
        Some(key) => key.split_once(':')?.1.trim_start_matches(['"', '\\']),
        None => words,
    };
    let mut words = words.split([' ', '"', '\\', ']', ')']);
    // Facts follow the amount in a member, which says its number in its key.
    let (stated, noun) = (words.next()?, words.next()?);
    if let Some(stated) = stated.strip_suffix([';', ':']) {
        return Some((stated, ""));
    }
    let noun = noun.trim_end_matches([';', ':']);
    Some((stated, if noun.starts_with(['#', ',', '(']) { "" } else { noun }))
}

/// Counts what a note counts; none for units that only the outline's own parser can tell.
fn count(
    content_type: &str,
    bytes: &[u8],
    noun: &str,
    note: &str,
    is_mixed: bool,
) -> Option<RangeInclusive<u64>> {
    let text = str::from_utf8(bytes).ok()?;
    let exact = |count: u64| count..=count;
    match noun.strip_suffix('s').unwrap_or(noun) {
        "item" => values(&format!("[{}]", trimmed(text))).map(exact),
        "member" => values(&format!("{{{}}}", trimmed(text))).map(exact),
        // Inside a JSON string the line ends are escaped.
        "line" if !text.contains('\n') && text.contains("\\n") => quoted_lines(text),
        "line" | "row" if is_mixed => None,
        // A string that is not closed, and runs on over lines: inside it only escaped line ends count.
        "line" if content_type.starts_with("json") && text.contains('\n') && note.contains("\\n") => None,
        "line" => Some(lines(text)),
        // Records of a table: elements, members of an object, or lines.
        "row" if content_type.starts_with("json") => {
            let counted =
                values(&format!("[{}]", trimmed(text))).or_else(|| values(&format!("{{{}}}", trimmed(text))));
            counted.map(exact)
        }
        "row" if content_type == "csv" => {
            let is_blank = |row: &&Vec<String>| row.len() == 1 && row[0].trim().is_empty();
            let counts = |delimiter| {
                let rows = forms::rows(text.trim_matches(['\r', '\n']), delimiter);
                (rows.len() - rows.iter().filter(is_blank).count()) as u64
            };
            let counted = counts(b',');
            // Only where all delimiters that the parser knows read the same rows.
            b"\t;|".iter().all(|delimiter| counts(*delimiter) == counted).then_some(exact(counted))
        }
        "file" if text.contains("\n@@ -") => {
            let files = text.lines().filter(|line| line.starts_with("diff --git ")).count() as u64;
            (files > 0).then_some(exact(files))
        }
        _ => None,
    }
}

/// Without the separators at its ends.
fn trimmed(text: &str) -> &str {
    text.trim_matches([',', ' ', '\t', '\r', '\n'])
}

/// How many lines a run may be said to be: all that are not blank, or these and the blank ones, those cut off at its ends included.
/// A line that says that the line before it has no end is none.
fn lines(text: &str) -> RangeInclusive<u64> {
    let all = || text.split(if text.contains('\n') { '\n' } else { '\r' });
    let filled =
        all().filter(|line| !line.trim().is_empty() && !line.starts_with("\\ No newline")).count() as u64;
    filled.max(1)..=all().count() as u64
}

/// As [`lines`], of text in a JSON string, which may be in a JSON string itself.
fn quoted_lines(text: &str) -> Option<RangeInclusive<u64>> {
    let mut text = text.to_owned();
    while !text.contains('\n') {
        text = serde_json::from_str(&format!("\"{text}\"")).ok().filter(|inner| *inner != text)?;
    }
    Some(lines(&text))
}

/// A size as notes write it: three significant figures at most, cut, not rounded.
fn size(bytes: u64) -> String {
    let (divisor, unit) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (100, "kB"),
        1_000_000..1_000_000_000 => (100_000, "MB"),
        _ => (100_000_000, "GB"),
    };
    let tenths = bytes / divisor;
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

/// The size of a source in whole units, of which there are fewer than ten thousand; cut, not rounded.
fn whole_size(bytes: u64) -> String {
    let (power, unit) = [(0, "B"), (3, "kB"), (6, "MB"), (9, "GB")]
        .into_iter()
        .find(|(power, _)| bytes < 10_u64.pow(power + 4))
        .expect("no source is so large");
    format!("{} {unit}", bytes / 10_u64.pow(power))
}

/// How many elements or members a JSON container holds; equal names count each.
fn values(text: &str) -> Option<u64> {
    struct Count;
    impl<'de> Visitor<'de> for Count {
        type Value = u64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array or an object")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<u64, A::Error> {
            let mut count = 0;
            while access.next_element::<IgnoredAny>()?.is_some() {
                count += 1;
            }
            Ok(count)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<u64, A::Error> {
            let mut count = 0;
            while access.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                count += 1;
            }
            Ok(count)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let count = reader.deserialize_any(Count).ok()?;
    reader.end().is_ok().then_some(count)
}
