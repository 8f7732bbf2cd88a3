//! The facts that notes state, worked out again from what is left out.

use std::collections::BTreeMap;

use proptest::prelude::*;
use recto_outline::ContentType;
use recto_view::{Budget, Mode, Policy, Source, SpanMap};
use serde_json::Value;

use crate::{laws, regressions::policy};

fn check(name: &str, source: &Source<'_>, policy: &Policy) -> Option<laws::Shown> {
    laws::check(&name, source, policy, None)
}

/// What a note says of one column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stated {
    Counts(Vec<(u64, String)>),
    /// So many in values that are not named.
    Others(u64),
    All(String),
    Low(f64),
    High(f64),
    /// The first and the last time.
    Since(String),
    Until(String),
}

/// The facts in a note, by column; those of lines have no column.
pub(crate) fn facts(note: &str) -> Vec<(String, Stated)> {
    let Some(words) = words(note) else { return Vec::new() };
    words.split("; ").flat_map(fact).collect()
}

/// What stands behind the amount, the number and the first note's words.
fn words(note: &str) -> Option<&str> {
    let end =
        note.trim_end_matches([']', '"', '\\', ')', '>', ' ', '/', '*']).trim_end_matches("--").trim_end();
    if let Some((_, words)) = end.split_once("; all left out: ") {
        return Some(words);
    }
    let (head, words) = end.rsplit_once(": ")?;
    // `#3: ...` and `...#1): ...`; the way to the rest also follows a colon.
    (head.ends_with(')') || head.ends_with(|last: char| last.is_ascii_digit()) && !words.contains("expand"))
        .then_some(words)
}

fn fact(words: &str) -> Vec<(String, Stated)> {
    if let Some((label, value)) = words.split_once(" all ") {
        return vec![(label.to_owned(), Stated::All(value.to_owned()))];
    }
    let number = |text: &str| text.parse::<f64>().ok();
    let time = |text: &str| (text.contains(':') && text.ends_with('Z')).then(|| text.to_owned());
    if let Some((label, last)) = words.rsplit_once(" up to ")
        && let Some(last) = time(last)
    {
        return vec![(label.to_owned(), Stated::Until(last))];
    }
    if let Some((before, last)) = words.rsplit_once(" to ")
        && let Some(last) = time(last)
        && let Some((label, first)) = before.rsplit_once(' ')
    {
        return vec![
            (label.to_owned(), Stated::Since(first.to_owned())),
            (label.to_owned(), Stated::Until(last)),
        ];
    }
    if let Some((label, first)) = words.rsplit_once(" from ")
        && let Some(first) = time(first)
    {
        return vec![(label.to_owned(), Stated::Since(first))];
    }
    if let Some((before, high)) = words.rsplit_once(" to ")
        && let Some(high) = number(high)
    {
        if let Some(label) = before.strip_suffix(" up") {
            return vec![(label.to_owned(), Stated::High(high))];
        }
        if let Some((label, low)) = before.rsplit_once(' ')
            && let Some(low) = number(low)
        {
            return vec![(label.to_owned(), Stated::Low(low)), (label.to_owned(), Stated::High(high))];
        }
    }
    if let Some((label, low)) = words.rsplit_once(" from ")
        && let Some(low) = number(low)
    {
        return vec![(label.to_owned(), Stated::Low(low))];
    }
    let mut parts = words.split(", ");
    let first = parts.next().unwrap_or_default();
    let is_count = |word: &str| word.trim_end_matches('\u{d7}').parse::<u64>().is_ok();
    // The label ends before the first count.
    let tokens: Vec<&str> = first.split(' ').collect();
    let Some(at) = tokens.iter().position(|word| is_count(word)) else { return Vec::new() };
    let label = tokens[..at].join(" ");
    let mut counts = Vec::new();
    let mut found = Vec::new();
    for part in std::iter::once(tokens[at..].join(" ")).chain(parts.map(str::to_owned)) {
        let Some((count, value)) = part.split_once(' ') else { continue };
        let Ok(count) = count.trim_end_matches('\u{d7}').parse() else { continue };
        if value.starts_with("in ") && value.ends_with(" others") {
            found.push((label.clone(), Stated::Others(count)));
        } else {
            counts.push((count, value.to_owned()));
        }
    }
    found.insert(0, (label, Stated::Counts(counts)));
    found
}

/// One record, as its columns.
type Record = BTreeMap<String, String>;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Array,
    Jsonl,
    Csv,
    Table,
}

fn lay(form: Form, rows: &[(usize, usize, i32)]) -> String {
    let state = |state: usize| ["ready", "not ready", "Evicted", "v1-2"][state];
    // In no order.
    let at = |load: i32| {
        let minute = i64::from(load + 50) * 7919 % 40_000;
        format!("2026-03-{:02}T{:02}:{:02}:30Z", 1 + minute / 1_440, minute / 60 % 24, minute % 60)
    };
    let record = |index: usize, (phase, zone, load): (usize, usize, i32)| {
        serde_json::json!({"name": format!("pod-{index}x{}", index * 7919 % 1009), "phase": state(phase), "meta": {"zone": zone},
            "load": load, "at": at(load), "text": format!("record number {index} of them all")})
    };
    let lines = rows.iter().enumerate();
    match form {
        Form::Array => {
            let all: Vec<Value> = lines.map(|(index, row)| record(index, *row)).collect();
            serde_json::json!({"total": rows.len() * 2, "items": all}).to_string()
        }
        Form::Jsonl => lines.map(|(index, row)| format!("{}\n", record(index, *row))).collect(),
        Form::Csv => {
            let lines = lines.map(|(index, (phase, zone, load))| {
                format!("pod-{index}x{},{},{zone},{load},{}\n", index * 7919 % 1009, state(*phase), at(*load))
            });
            format!("name,phase,zone,load,at\n{}", lines.collect::<String>())
        }
        Form::Table => {
            let lines = lines.map(|(index, (phase, zone, load))| {
                let name = index * 7919 % 1009;
                format!("| pod-{index}x{name} | {} | {zone} | {load} | {} |\n", state(*phase), at(*load))
            });
            format!(
                "| name | phase | zone | load | at |\n| --- | --- | --- | --- | --- |\n{}",
                lines.collect::<String>()
            )
        }
    }
}

/// The records that stand whole in what a view leaves out.
fn left_out(form: Form, source: &str, map: &SpanMap) -> Vec<Record> {
    let mut found = Vec::new();
    for ordinal in 1..=map.elisions.len() as u64 {
        let span = map.elision_span(ordinal).expect("an elision");
        let text = source[span.s as usize..span.e as usize].trim_matches([',', '\n', ' ']);
        match form {
            Form::Array => {
                let values: Vec<Value> = serde_json::from_str(&format!("[{text}]")).unwrap_or_default();
                found.extend(values.iter().filter(|value| value.get("name").is_some()).map(leaves));
            }
            Form::Jsonl => {
                found.extend(
                    text.lines()
                        .filter_map(|line| serde_json::from_str(line).ok())
                        .map(|value| leaves(&value)),
                );
            }
            Form::Csv | Form::Table => {
                let delimiter = if form == Form::Csv { ',' } else { '|' };
                found.extend(text.lines().filter_map(|line| {
                    let cells: Vec<&str> = line.trim_matches('|').split(delimiter).map(str::trim).collect();
                    let [name, phase, zone, load, at] = cells[..] else { return None };
                    let pairs =
                        [("name", name), ("phase", phase), ("zone", zone), ("load", load), ("at", at)];
                    Some(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).into())
                }));
            }
        }
    }
    found
}

fn leaves(value: &Value) -> Record {
    let mut found = Record::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Object(inner) => {
                found.extend(inner.iter().map(|(key, value)| (key.clone(), plain(value))))
            }
            other => {
                found.insert(key.clone(), plain(other));
            }
        }
    }
    found
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn check_stated(form: Form, source: &str, map: &SpanMap) -> usize {
    let records = left_out(form, source, map);
    let mut checked = 0;
    for note in map.elisions.iter().filter_map(|elision| elision.note.as_deref()) {
        for (label, stated) in facts(note) {
            if label == "total" {
                continue;
            }
            let values: Vec<&str> =
                records.iter().filter_map(|record| record.get(&label)).map(String::as_str).collect();
            assert_eq!(values.len(), records.len(), "{label} of {note}");
            let numbers = || values.iter().filter_map(|value| value.parse::<f64>().ok());
            match &stated {
                Stated::All(value) => {
                    assert!(values.iter().all(|other| other == value), "{note}: {values:?}")
                }
                Stated::Counts(counts) => {
                    for (count, value) in counts {
                        let counted = values.iter().filter(|other| *other == value).count() as u64;
                        assert_eq!(counted, *count, "{value} in {note}");
                    }
                }
                Stated::Others(count) => assert!(*count < values.len() as u64, "{note}"),
                // Written alike, times are in the order of their texts.
                Stated::Since(time) => assert_eq!(values.iter().min(), Some(&time.as_str()), "{note}"),
                Stated::Until(time) => assert_eq!(values.iter().max(), Some(&time.as_str()), "{note}"),
                Stated::Low(low) => assert_eq!(numbers().fold(f64::INFINITY, f64::min), *low, "{note}"),
                Stated::High(high) => {
                    assert_eq!(numbers().fold(f64::NEG_INFINITY, f64::max), *high, "{note}")
                }
            }
            checked += 1;
        }
    }
    checked
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Every fact in every note is true of the bytes left out.
    #[test]
    fn facts_are_true_of_what_is_left_out(
        rows in proptest::collection::vec((0_usize..4, 0_usize..9, -50_i32..900), 8..160),
        form in prop_oneof![Just(Form::Array), Just(Form::Jsonl), Just(Form::Csv), Just(Form::Table)],
        budget in 240_u64..2_000,
    ) {
        let text = lay(form, &rows);
        let source = Source::new(text.as_bytes());
        let shown = check("facts", &source, &policy(Mode::Marked, Budget::tokens(budget)));
        if let Some(shown) = shown {
            check_stated(form, &text, &shown.map);
        }
    }
}

#[test]
fn facts_are_stated_of_every_form() {
    let rows: Vec<_> = (0..90)
        .map(|index| {
            (usize::from(index % 11 == 3) + usize::from(index % 7 == 0), index % 3, (index * 37 % 400) as i32)
        })
        .collect();
    for form in [Form::Array, Form::Jsonl, Form::Csv, Form::Table] {
        let text = lay(form, &rows);
        let source = Source::new(text.as_bytes());
        let shown = check("facts", &source, &policy(Mode::Marked, Budget::tokens(1_300))).expect("a view");
        assert!(check_stated(form, &text, &shown.map) >= 2, "{form:?}: {:?}", shown.map.elisions);
        let notes: String = shown.map.elisions.iter().filter_map(|elision| elision.note.clone()).collect();
        assert_eq!(notes.contains("total says 180, the list holds 90"), form == Form::Array, "{notes}");
    }
}

/// What a value says is never taken over if it could end a note or look like one.
#[test]
fn values_cannot_break_notes() {
    for value in ["x\\\"]", "#3 r:123456789012345", "-->", "\u{2026}12 lines #3", "a; all left out: b 3 c"] {
        let rows: Vec<String> = (0..60)
            .map(|index| {
                format!(
                    "{{\"id\":{},\"kind\":\"{}\"}}",
                    index * 7,
                    if index % 3 == 0 { value } else { "plain" }
                )
            })
            .collect();
        let text = format!("[{}]", rows.join(","));
        let shown =
            check("values", &Source::new(text.as_bytes()), &policy(Mode::Marked, Budget::tokens(300)));
        for note in shown.expect("a view").map.elisions.into_iter().filter_map(|elision| elision.note) {
            assert!(!note.contains("kind"), "{note}");
        }
    }
}

#[test]
fn warnings_and_errors_left_out_of_a_log_are_counted() {
    let log: String = (0..600)
        .map(|line| {
            let level = match line % 50 {
                7 => "ERROR",
                9 | 31 => "WARN",
                _ => "INFO",
            };
            format!(
                "2026-03-01T10:{:02}:{:02}Z {level} request {line} took {} ms\n",
                line / 60,
                line % 60,
                line * 31 % 97
            )
        })
        .collect();
    let source = Source::new(log.as_bytes());
    let typed = Policy { content_type: Some(ContentType::Log), ..policy(Mode::Marked, Budget::tokens(400)) };
    let map = check("log", &source, &typed).expect("a view").map;
    let (mut errors, mut warnings) = (0, 0);
    for ordinal in 1..=map.elisions.len() as u64 {
        let span = map.elision_span(ordinal).expect("an elision");
        let text = &log[span.s as usize..span.e as usize];
        errors += text.matches(" ERROR ").count();
        warnings += text.matches(" WARN ").count();
    }
    let notes: String = map.elisions.iter().filter_map(|elision| elision.note.clone()).collect();
    let said: Vec<String> = [(errors, "error"), (warnings, "warning")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| format!("{count} {noun}{}", if count == 1 { "" } else { "s" }))
        .collect();
    assert!(notes.contains(&said.join(", ")), "{said:?} in {notes}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The first and the last time that a log's notes state are those of the first and last lines with one that are left out.
    #[test]
    fn times_of_a_log_are_those_of_lines_left_out(
        steps in proptest::collection::vec((0_u64..90, 0_u8..8), 60..400),
        form in 0_usize..3,
        budget in 240_u64..900,
    ) {
        let mut minutes = 0;
        let mut log = String::new();
        for (index, (step, kind)) in steps.iter().enumerate() {
            minutes += step;
            let (day, hour, minute) = (1 + minutes / 1_440 % 28, minutes / 60 % 24, minutes % 60);
            let stamp = match form {
                0 => format!("2026-03-{day:02}T{hour:02}:{minute:02}:05.120Z"),
                1 => format!("Mar {day:2} {hour:02}:{minute:02}:05 host"),
                _ => format!("{hour:02}:{minute:02}:05"),
            };
            log.push_str(&match kind {
                0 => format!("    at step {index} of the work\n"),
                1 => format!("{stamp} WARN slow answer, {} ms\n", index * 31 % 997),
                _ => format!("{stamp} INFO request {index} served in {} ms\n", index * 31 % 97),
            });
        }
        let source = Source::new(log.as_bytes());
        let typed = Policy { content_type: Some(ContentType::Log), ..policy(Mode::Marked, Budget::tokens(budget)) };
        let Some(shown) = check("times", &source, &typed) else { return Ok(()) };
        let notes: String = shown.map.elisions.iter().filter_map(|elision| elision.note.clone()).collect();
        if let Some((_, stated)) = notes.split_once("first at ") {
            let (first, rest) = stated.split_once(", last at ").expect("both ends");
            let left_out = (1..=shown.map.elisions.len() as u64).flat_map(|ordinal| {
                let span = shown.map.elision_span(ordinal).expect("an elision");
                log[span.s as usize..span.e as usize].lines()
            });
            let width = [19, 15, 8][form];
            let stamps: Vec<&str> = left_out
                .filter(|line| !line.is_empty() && !line.starts_with("    at"))
                .map(|line| &line[..width])
                .collect();
            prop_assert_eq!(Some(&first), stamps.first());
            let last = stamps.last().expect("a time");
            let day = &first[..width - 8];
            let expected = last.strip_prefix(day).unwrap_or(last);
            prop_assert!(rest.starts_with(expected), "{rest} is not {expected}");
        }
    }
}

#[test]
fn times_are_stated_where_there_is_room() {
    let log: String = (0..600)
        .map(|line| {
            let level = if line % 50 == 7 { "WARN" } else { "INFO" };
            format!("2026-03-01T10:{:02}:{:02}Z {level} request {line} took 7 ms\n", line / 60, line % 60)
        })
        .collect();
    let notes = notes_of(&log, 1_500);
    assert!(notes.contains("first at 2026-03-01T10:"), "{notes}");
    // Of what is shown nothing is stated, and with more room the first and the last time are shown.
    let rows: Vec<_> = (0..90).map(|index| (index % 2, index % 3, index as i32 * 9)).collect();
    for form in [Form::Array, Form::Jsonl, Form::Csv, Form::Table] {
        let text = lay(form, &rows);
        let stated = [1_300, 1_600, 2_000].map(|tokens| {
            let source = Source::new(text.as_bytes());
            let map =
                check("times", &source, &policy(Mode::Marked, Budget::tokens(tokens))).expect("a view").map;
            check_stated(form, &text, &map);
            let notes = map.elisions.iter().filter_map(|elision| elision.note.as_deref());
            notes
                .flat_map(facts)
                .filter(|(_, stated)| matches!(stated, Stated::Since(_) | Stated::Until(_)))
                .count()
        });
        assert!(stated.iter().sum::<usize>() > 0, "{form:?}");
    }
}

fn notes_of(text: &str, tokens: u64) -> String {
    let source = Source::new(text.as_bytes());
    let shown = check("stated", &source, &policy(Mode::Marked, Budget::tokens(tokens))).expect("a view");
    shown.map.elisions.into_iter().filter_map(|elision| elision.note).collect()
}

/// What is not one value of each record is not counted as if it were.
#[test]
fn nothing_is_stated_of_lists_in_records_nor_of_repeated_members() {
    let rows =
        |row: &dyn Fn(usize) -> String| format!("[{}]", (0..60).map(row).collect::<Vec<_>>().join(","));
    let id = |index: usize| format!("\"id\":{}", index * 7919 % 1009);
    let in_lists = rows(&|index| {
        let steps = if index % 2 == 0 { "{\"kind\":\"a\"},{\"kind\":\"b\"}" } else { "" };
        format!("{{{},\"steps\":[{steps}]}}", id(index))
    });
    let repeated = rows(&|index| {
        let twice = if index % 2 == 0 { ",\"s\":{\"kind\":\"c\"},\"s\":{\"kind\":\"b\"}" } else { "" };
        format!("{{{}{twice}}}", id(index))
    });
    let alike = rows(&|index| {
        format!("{{{},\"kind\":{}}}", id(index), if index % 2 == 0 { "true" } else { "\"true\"" })
    });
    for text in [in_lists, repeated, alike] {
        let notes = notes_of(&text, 350);
        assert!(!notes.contains("kind"), "{notes}");
    }
}

/// Digits behind the sixth place are not compared, so no end is known.
#[test]
fn no_range_is_stated_of_numbers_that_were_cut() {
    let rows: String =
        (0..200).map(|row| format!("pod-{row},0.0000{}\n", 1_000 + row * 7_919 % 8_999)).collect();
    let notes = notes_of(&format!("name,ms\n{rows}"), 400);
    assert!(!notes.contains("ms "), "{notes}");
}

/// Where a table has no borders, a pipe at the beginning of a row stands behind an empty cell.
#[test]
fn an_empty_first_cell_shifts_no_others() {
    let row = |index: usize| {
        let id = if index.is_multiple_of(4) { String::new() } else { index.to_string() };
        let phase = if index % 9 == 2 { "Stop" } else { "Run" };
        format!(" {id:<2} | {phase:<5} | {}\n", ["a", "b"][index % 2])
    };
    let rows: String = (0..90).map(row).collect();
    let text = format!(" id | phase | zone\n----+-------+------\n{rows}(90 rows)\n");
    let source = Source::new(text.as_bytes());
    let shown = check("pipes", &source, &policy(Mode::Marked, Budget::tokens(500))).expect("a view");
    let mut stated = 0;
    for note in shown.map.elisions.iter().filter_map(|elision| elision.note.as_deref()) {
        for (label, fact) in facts(note) {
            let known: &[&str] = if label == "phase" { &["Run", "Stop"] } else { &["a", "b"] };
            let Stated::Counts(counts) = fact else { continue };
            assert!(counts.iter().all(|(_, value)| known.contains(&value.as_str())), "{note}");
            stated += 1;
        }
    }
    assert!(stated > 0, "{:?}", shown.map.elisions);
}

/// What a number beside a list means is not known: only what it says is stated, and of a size in bytes not even that.
#[test]
fn a_size_is_no_length() {
    let files: Vec<String> = (0..80).map(|file| format!("{{\"path\":\"f{file}.js\"}}")).collect();
    let notes = notes_of(&format!("{{\"size\":80123,\"files\":[{}]}}", files.join(",")), 500);
    assert!(!notes.contains("size"), "{notes}");
}
