use std::collections::BTreeSet;

use memchr::{memchr_iter, memmem};
use recto_testkit::generate::{self, Dialect, Generated, Kind, LineEnd, PlantedKind};
use serde_json::Value;

const SIZES: [usize; 4] = [0, 1, 1_000, 60_000];

fn every_case() -> impl Iterator<Item = (Kind, u64, usize, Generated)> {
    Kind::ALL.into_iter().flat_map(|kind| {
        (0..6).flat_map(move |seed| SIZES.map(|size| (kind, seed, size, kind.generate(seed, size))))
    })
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    for kind in Kind::ALL {
        assert_eq!(kind.generate(3, 5_000), kind.generate(3, 5_000), "{}", kind.name());
        let is_random = !matches!(kind, Kind::JsonZeros | Kind::JsonDeepArrays | Kind::JsonDeepObjects);
        assert_eq!(kind.generate(3, 5_000) != kind.generate(4, 5_000), is_random, "{}", kind.name());
    }
}

/// Snapshots elsewhere are made of these bytes: when this fails, a generator has changed and they must be made again.
#[test]
fn the_bytes_are_those_of_earlier_versions() {
    let sums: Vec<String> = Kind::ALL
        .iter()
        .map(|kind| format!("{} {:016x}", kind.name(), fnv1a(&kind.generate(1, 3_000).bytes)))
        .collect();
    let expected = include_str!("generated.sums");
    assert_eq!(sums.join("\n") + "\n", expected);
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn sizes_are_kept_to() {
    for (kind, seed, size, generated) in every_case() {
        let length = generated.bytes.len();
        assert!(length >= size && length <= size + 16_384, "{} {seed}: {length} for {size}", kind.name());
        assert!(std::str::from_utf8(&generated.bytes).is_ok(), "{} {seed} {size}", kind.name());
    }
}

#[test]
fn what_is_planted_stands_where_it_is_said_to_and_nowhere_else() {
    for (kind, seed, size, generated) in every_case() {
        let mut end = 0;
        for planted in &generated.planted {
            let case = format!("{} {seed} {size} {planted:?}", kind.name());
            assert!(planted.record.start >= end && planted.record.end <= generated.bytes.len(), "{case}");
            assert!(planted.telling.start >= planted.record.start, "{case}");
            assert!(planted.telling.end <= planted.record.end && !planted.telling.is_empty(), "{case}");
            if planted.kind != PlantedKind::Gap {
                let found = memmem::find_iter(&generated.bytes, generated.telling(planted)).count();
                assert_eq!(found, 1, "{case}: {:?}", String::from_utf8_lossy(generated.telling(planted)));
            }
            end = planted.record.end;
        }
        let kinds: BTreeSet<_> = generated.planted.iter().map(|planted| planted.kind).collect();
        assert_eq!(kinds.len(), generated.planted.len(), "{} plants a kind twice", kind.name());
    }
    assert_eq!(Kind::JsonNested.generate(0, 1_000).planted.len(), 5);
    assert_eq!(Kind::Log.generate(0, 0).planted.len(), 5);
    assert_eq!(Kind::Listing.generate(0, 1_000).planted.len(), 3);
}

#[test]
fn json_parses_and_planted_records_are_elements() {
    for kind in [Kind::JsonFlat, Kind::JsonNested, Kind::JsonPretty] {
        for seed in 0..6 {
            let generated = kind.generate(seed, 30_000);
            let array: Vec<Value> = serde_json::from_slice(&generated.bytes).unwrap();
            assert!(array.len() > 30, "{}", array.len());
            for planted in &generated.planted {
                let record: Value = serde_json::from_slice(generated.record(planted)).unwrap();
                assert_eq!(array.iter().filter(|element| **element == record).count(), 1);
            }
        }
    }
}

#[test]
fn pretty_and_compact_records_hold_the_same() {
    let compact: Vec<Value> = serde_json::from_slice(&Kind::JsonNested.generate(5, 20_000).bytes).unwrap();
    let pretty: Vec<Value> = serde_json::from_slice(&Kind::JsonPretty.generate(5, 20_000).bytes).unwrap();
    assert_eq!(compact[..8], pretty[..8]);
}

#[test]
fn every_line_of_json_lines_parses() {
    let generated = Kind::JsonLines.generate(2, 30_000);
    let text = String::from_utf8(generated.bytes).unwrap();
    assert!(text.ends_with('\n'));
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).unwrap().is_object()));
}

#[test]
fn a_gap_is_a_jump_of_the_id() {
    let generated = Kind::JsonFlat.generate(9, 30_000);
    let array: Vec<Value> = serde_json::from_slice(&generated.bytes).unwrap();
    let ids: Vec<u64> = array.iter().map(|record| record["id"].as_u64().unwrap()).collect();
    let jumps = ids.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
    assert_eq!(jumps, 1);
}

#[test]
fn nesting_is_as_deep_as_asked() {
    assert_eq!(generate::nested_arrays(3), b"[[[]]]");
    assert_eq!(generate::nested_objects(3), br#"{"a":{"a":{}}}"#);
    assert_eq!(generate::nested_objects(1), b"{}");
    assert_eq!(generate::zeros(0), b"[0]");
    assert_eq!(generate::zeros(6), b"[0,0,0]");
    let deep = generate::nested_arrays(100_000);
    assert_eq!(memchr_iter(b'[', &deep).count(), 100_000);
    assert_eq!(memchr_iter(b']', &deep).count(), 100_000);
    for size in 1..100 {
        for kind in [Kind::JsonZeros, Kind::JsonDeepArrays, Kind::JsonDeepObjects] {
            assert!(serde_json::from_slice::<Value>(&kind.generate(0, size).bytes).is_ok());
        }
    }
}

/// The number of cells of each row, as `csv-core` reads them.
fn row_widths(bytes: &[u8], delimiter: u8) -> Vec<usize> {
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let (mut cells, mut ends) = (vec![0; bytes.len() + 1], vec![0; 64]);
    let mut widths = Vec::new();
    let mut at = 0;
    loop {
        let (result, read, _, width) = reader.read_record(&bytes[at..], &mut cells, &mut ends);
        at += read;
        match result {
            csv_core::ReadRecordResult::Record => widths.push(width),
            csv_core::ReadRecordResult::End => return widths,
            // The input is exhausted; reading nothing more ends the last record.
            csv_core::ReadRecordResult::InputEmpty => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn delimited_values_have_rows_of_one_width() {
    for (kind, delimiter) in [(Kind::Csv, b','), (Kind::CsvCrlf, b','), (Kind::Tsv, b'\t')] {
        for seed in 0..6 {
            let bytes = kind.generate(seed, 20_000).bytes;
            let widths = row_widths(&bytes, delimiter);
            assert!(widths.len() > 100 && widths.iter().all(|&width| width == 7), "{} {seed}", kind.name());
            let lines = memchr_iter(b'\n', &bytes).count();
            assert_eq!(
                lines > widths.len(),
                kind != Kind::Tsv,
                "line ends inside cells: {} {seed}",
                kind.name()
            );
        }
    }
    let semicolons = Dialect { delimiter: b';', ..Dialect::default() };
    assert!(row_widths(&generate::csv(0, 9_000, &semicolons).bytes, b';').iter().all(|&width| width == 7));
}

#[test]
fn crlf_files_have_no_line_feed_without_carriage_return() {
    let dialect = Dialect { line_end: LineEnd::CrLf, ..Dialect::default() };
    let bytes = generate::csv(1, 20_000, &dialect).bytes;
    assert!(memchr_iter(b'\n', &bytes).all(|at| at > 0 && bytes[at - 1] == b'\r'));
}

#[test]
fn logs_have_levels_traces_and_three_styles() {
    let mut first_bytes = BTreeSet::new();
    for seed in 0..12 {
        let bytes = Kind::Log.generate(seed, 200_000).bytes;
        let text = String::from_utf8(bytes).unwrap();
        let lower = text.to_ascii_lowercase();
        for level in ["debug", "info", "warn", "error"] {
            assert!(lower.contains(level), "{seed}: no {level}");
        }
        assert!(text.matches("Traceback (most recent call last)").count() > 1, "{seed}");
        first_bytes.insert(text.as_bytes()[0]);
    }
    assert_eq!(first_bytes.len(), 3, "a style was never drawn");
}

#[test]
fn hunk_headers_count_their_lines() {
    for seed in 0..6 {
        let text = String::from_utf8(Kind::Diff.generate(seed, 60_000).bytes).unwrap();
        let mut left = (0_u64, 0_u64);
        let mut hunks = 0;
        for line in text.lines() {
            if let Some(header) = line.strip_prefix("@@ -") {
                assert_eq!(left, (0, 0), "{seed}: a hunk is too short before {line}");
                let mut sides = header.split(" @@").next().unwrap().split(" +");
                let mut count = || sides.next().unwrap().split(',').nth(1).unwrap().parse::<u64>().unwrap();
                left = (count(), count());
                hunks += 1;
                continue;
            }
            match (left, line.as_bytes()) {
                ((0, 0), bytes) => {
                    assert!(!bytes.is_empty() && bytes[0] != b' ', "{seed}: a line too many: {line}")
                }
                (_, [b' ', ..]) => left = (left.0 - 1, left.1 - 1),
                (_, [b'-', ..]) => left.0 -= 1,
                (_, [b'+', ..]) => left.1 -= 1,
                _ => panic!("{seed}: not a line of a hunk: {line:?}"),
            }
        }
        assert!(hunks > 20 && left == (0, 0), "{seed}");
    }
    let text = String::from_utf8(Kind::Diff.generate(1, 300_000).bytes).unwrap();
    for form in
        ["new file mode", "deleted file mode", "rename from", "new mode 100755", "Binary files", "Cargo.lock"]
    {
        assert!(text.contains(form), "{form}");
    }
}

#[test]
fn numbered_and_searched_lines_have_their_numbers() {
    let text = String::from_utf8(Kind::Numbered.generate(0, 9_000).bytes).unwrap();
    for (index, line) in text.lines().enumerate() {
        let (number, _) = line.split_once('\t').unwrap();
        assert_eq!(number.trim_start().parse::<usize>().unwrap(), index + 1);
    }
    let text = String::from_utf8(Kind::Search.generate(0, 9_000).bytes).unwrap();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        assert!(parts.next().unwrap().ends_with(".rs"));
        assert!(parts.next().unwrap().parse::<u32>().is_ok(), "{line}");
        assert!(parts.next().is_some());
    }
}

#[test]
fn markdown_is_read_as_what_it_was_written_as() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let table = String::from_utf8(Kind::MarkdownTable.generate(0, 9_000).bytes).unwrap();
    let rows = Parser::new_ext(&table, Options::ENABLE_TABLES)
        .filter(|event| matches!(event, Event::Start(Tag::TableRow)))
        .count();
    assert_eq!(rows, table.lines().count() - 2);
    let document = String::from_utf8(Kind::Markdown.generate(0, 9_000).bytes).unwrap();
    let starts: Vec<Tag<'_>> = Parser::new_ext(&document, Options::ENABLE_TABLES)
        .filter_map(|event| if let Event::Start(tag) = event { Some(tag) } else { None })
        .collect();
    assert!(starts.iter().any(|tag| matches!(tag, Tag::Heading { .. })));
    assert!(starts.iter().any(|tag| matches!(tag, Tag::CodeBlock(_))));
    assert!(starts.iter().any(|tag| matches!(tag, Tag::Table(_))));
    assert!(starts.iter().any(|tag| matches!(tag, Tag::List(_))));
}

#[test]
fn columns_of_a_listing_are_aligned() {
    let text = String::from_utf8(Kind::Listing.generate(0, 9_000).bytes).unwrap();
    let header = text.lines().next().unwrap();
    for title in ["NAME ", "READY", "STATUS", "RESTARTS", "AGE", "NODE"] {
        let at = header.find(title).unwrap();
        for line in text.lines().skip(1) {
            assert!(line.as_bytes()[at] != b' ' && line.as_bytes()[at - 1] == b' ', "{title}: {line}");
        }
    }
}

#[test]
fn a_long_line_has_no_end() {
    assert_eq!(memchr_iter(b'\n', &Kind::LongLine.generate(0, 100_000).bytes).count(), 0);
}
