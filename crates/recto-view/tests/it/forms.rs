//! What is left of a format's own form: JSON parses, tables keep their heads, diffs the names of their files.

use std::fmt;

use recto_view::{Mode, Source};

use crate::laws::Shown;

/// Checks the form of a view that shows anything of its source.
pub(crate) fn check(name: &dyn fmt::Display, source: &Source<'_>, mode: Mode, shown: &Shown) {
    if shown.is_frameless {
        return;
    }
    let Ok(text) = str::from_utf8(source.bytes()) else { return };
    if shown.is_table {
        return table(name, text, &shown.map.content_type, &shown.text);
    }
    match shown.map.content_type.as_str() {
        "json" => json(name, text, &shown.text),
        "jsonl" => jsonl(name, text, &shown.text),
        "csv" if mode == Mode::Exact => csv(name, text, &shown.text),
        "markdown-table" => markdown_table(name, text, &shown.text),
        "diff" if mode == Mode::Exact => diff(name, text, &shown.text),
        _ => {}
    }
}

/// A table of a valid document reads back as one, whatever is left out of it.
fn table(name: &dyn fmt::Display, source: &str, content_type: &str, shown: &str) {
    let decoded = recto_view::decode(shown).unwrap_or_else(|error| panic!("{name}: {error}"));
    if content_type == "json" { json(name, source, &decoded) } else { jsonl(name, source, &decoded) }
}

/// A valid document stays one, in both modes: notes are elements, members or words in strings.
fn json(name: &dyn fmt::Display, source: &str, shown: &str) {
    if parses(source) {
        assert!(parses(shown), "{name}: JSON does not parse any more\n{shown}");
    }
}

/// As `json`, line by line.
fn jsonl(name: &dyn fmt::Display, source: &str, shown: &str) {
    let lines = |text: &str| -> Vec<String> {
        text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    };
    if lines(source).iter().all(|line| parses(line)) {
        for line in lines(shown) {
            assert!(parses(&line), "{name}: a line is not JSON any more: {line}");
        }
    }
}

/// Says whether a text is one JSON value, as `serde_json` reads it, after a byte order mark if there is one.
pub(crate) fn parses(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// The header stays, and what rows are left are rows of the source, in their order, as wide as they were.
fn csv(name: &dyn fmt::Display, source: &str, shown: &str) {
    let Some(delimiter) = delimiter_of(source) else { return };
    let (before, after) = (rows(source, delimiter), rows(shown, delimiter));
    let is_header =
        |row: &[String]| row.iter().all(|cell| cell.starts_with(|first: char| first.is_alphabetic()));
    if before.first().is_some_and(|first| is_header(first)) {
        assert_eq!(after.first(), before.first(), "{name}: the header");
    }
    let mut rest = before.iter();
    for row in &after {
        assert!(
            rest.any(|other| other == row),
            "{name}: row {row:?} is none of the source's, or out of order"
        );
    }
}

/// The one delimiter by which the text has several rows, all as wide as the first, and that wider than one cell.
fn delimiter_of(source: &str) -> Option<u8> {
    let even = |delimiter: &u8| {
        let rows = rows(source, *delimiter);
        rows.len() > 1
            && rows[0].len() > 1
            && rows.iter().all(|row| row.len() == rows[0].len())
            && is_regular(source.as_bytes(), *delimiter)
    };
    let mut found = b",\t;".iter().copied().filter(even);
    found.next().filter(|_| found.next().is_none())
}

/// Says whether quotes stand only where RFC 4180 has them, and carriage returns only in line ends: elsewhere readers differ.
fn is_regular(text: &[u8], delimiter: u8) -> bool {
    let (mut at_start, mut quoted, mut index) = (true, false, 0);
    while let Some(byte) = text.get(index).copied() {
        let next = text.get(index + 1).copied();
        match (quoted, byte) {
            (true, b'"') if next == Some(b'"') => index += 1,
            (true, b'"') => {
                quoted = false;
                if !(next.is_none() || matches!(next, Some(b'\n' | b'\r')) || next == Some(delimiter)) {
                    return false;
                }
            }
            (true, _) => {}
            (false, b'"') if at_start => quoted = true,
            (false, b'"') => return false,
            (false, b'\r') if next != Some(b'\n') => return false,
            (false, _) => {}
        }
        at_start = !quoted && (byte == delimiter || byte == b'\n');
        index += 1;
    }
    !quoted
}

/// The rows as `csv-core` reads them.
pub(crate) fn rows(text: &str, delimiter: u8) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let (mut input, mut rows, mut row, mut cell) = (text.as_bytes(), Vec::new(), Vec::new(), Vec::new());
    let mut buffer = [0; 256];
    loop {
        let (result, read, written) = reader.read_field(input, &mut buffer);
        input = &input[read..];
        cell.extend_from_slice(&buffer[..written]);
        match result {
            csv_core::ReadFieldResult::Field { record_end } => {
                row.push(String::from_utf8_lossy(&std::mem::take(&mut cell)).into_owned());
                if record_end {
                    rows.push(std::mem::take(&mut row));
                }
            }
            csv_core::ReadFieldResult::End => return rows,
            csv_core::ReadFieldResult::InputEmpty | csv_core::ReadFieldResult::OutputFull => {}
        }
    }
}

/// Behind a table's rows stands its delimiter row, behind that its header: a row is never shown without them.
fn markdown_table(name: &dyn fmt::Display, source: &str, shown: &str) {
    let lines: Vec<&str> = source.lines().collect();
    let Some(at) = lines.iter().position(|line| is_delimiter_row(line)) else { return };
    // Only documents that are one table from their first line on: in others a fence or a section may hide what is no table.
    if at != 1
        || lines.iter().any(|line| !line.starts_with('|'))
        || lines[2..].iter().any(|line| is_delimiter_row(line))
    {
        return;
    }
    assert!(shown.lines().take(2).eq(lines[..2].iter().copied()), "{name}: the table lost its head\n{shown}");
}

fn is_delimiter_row(line: &str) -> bool {
    line.contains("--")
        && line.starts_with('|')
        && line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' '))
}

/// Every file and every hunk is still named, in order.
fn diff(name: &dyn fmt::Display, source: &str, shown: &str) {
    let Some(heads) = heads(source) else { return };
    let mut left = shown.lines();
    for head in heads {
        // Terminal colours are never shown, in heads either.
        let Some(head) = without_colours(head) else { return };
        let is_head = |line: &str| without_colours(line).is_some_and(|line| line == head);
        assert!(left.any(is_head), "{name}: {head:?} is gone\n{shown}");
    }
}

/// A line without its colour codes (`ESC [ 31 m`); none if it holds an escape of another kind, or a broken one.
fn without_colours(line: &str) -> Option<String> {
    let mut parts = line.split('\u{1b}');
    let mut visible = parts.next()?.to_owned();
    for part in parts {
        let (code, rest) = part.strip_prefix('[')?.split_once('m')?;
        if !code.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') {
            return None;
        }
        visible.push_str(rest);
    }
    Some(visible)
}

/// The lines that name files and hunks, if every hunk is as long as it says: else readers differ over where files begin.
fn heads(source: &str) -> Option<Vec<&str>> {
    const NAMES: [&str; 6] = ["diff --git ", "--- ", "+++ ", "rename from ", "rename to ", "Binary files "];
    if !source.starts_with("diff --git ") || source.contains('\r') {
        return None;
    }
    let mut heads = Vec::new();
    let (mut old, mut new) = (0_u64, 0_u64);
    // Names count only below the line that begins a file: without it readers differ over what they name.
    let mut in_head = false;
    for line in source.lines() {
        if old == 0 && new == 0 {
            in_head |= line.starts_with("diff --git ");
            if let Some(counts) = hunk_counts(line) {
                (old, new) = counts;
                in_head = false;
                heads.push(line);
            } else if NAMES.iter().any(|head| line.starts_with(head)) {
                if !in_head {
                    return None;
                }
                heads.push(line);
            } else if line.starts_with([' ', '+', '-', '@']) {
                return None;
            }
            continue;
        }
        match line.as_bytes().first() {
            Some(b'-') => old = old.checked_sub(1)?,
            Some(b'+') => new = new.checked_sub(1)?,
            Some(b' ') => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
            Some(b'\\') => {}
            _ => return None,
        }
    }
    (old == 0 && new == 0).then_some(heads)
}

/// How many lines of the old and of the new file a hunk's header announces.
fn hunk_counts(line: &str) -> Option<(u64, u64)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let number = |text: &str| -> Option<u64> {
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| text.parse().ok())?
    };
    // `-12,3` begins at line 12 and has 3 lines; a range whose beginning is no number heads no hunk.
    let count = |range: &str| match range.split_once(',') {
        Some((start, count)) => number(start).and(number(count)),
        None => number(range).and(Some(1)),
    };
    Some((count(old)?, count(new)?))
}
