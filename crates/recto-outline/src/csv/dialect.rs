//! What a delimited text is like: its delimiter, its header, and whether it is one at all.

use super::Rows;
use crate::{Layout, Span, cells::CellSpans, lines::Lines};

/// How many rows are looked at.
const MAX_ROWS: usize = 40;
/// How much of a source is looked at.
const HEAD_BYTES: usize = 32_768;
/// Delimiters, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// What the first rows of a source show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    /// The most usual number of cells of a row.
    pub(crate) columns: usize,
    /// How many rows in a hundred have that many.
    pub(crate) alike: usize,
    /// How many rows were looked at.
    pub(crate) rows: usize,
    /// Rows of names at the top: none, one, or two where the second completes the first.
    pub(crate) header_rows: usize,
    /// The first row looks like names and like nothing else.
    pub(crate) is_named: bool,
    /// Some column holds nothing but numbers.
    pub(crate) is_typed: bool,
    /// Most cells begin with a blank, as the clauses of a sentence do.
    pub(crate) is_padded: bool,
    /// The bytes of a usual cell.
    pub(crate) cell_bytes: usize,
}

impl Dialect {
    /// The dialect of `source[start..end]`; `None` where no delimiter occurs in the first row.
    pub(crate) fn of(source: &[u8], start: usize, end: usize) -> Option<Self> {
        let cut = end.min(start + HEAD_BYTES);
        let first = Lines::new(source, start, cut).take(64).find(|line| {
            let text = line.of(source);
            !is_blank(text) && !is_remark(text)
        })?;
        let mut best: Option<Self> = None;
        for delimiter in DELIMITERS {
            if memchr::memchr(delimiter, first.of(source)).is_none() {
                continue;
            }
            let dialect = Self::with(source, start, cut, cut < end, delimiter);
            let better = |best: &Self| {
                (dialect.alike >= 90, dialect.columns * dialect.alike)
                    > (best.alike >= 90, best.columns * best.alike)
            };
            if dialect.columns > 1 && best.as_ref().is_none_or(better) {
                best = Some(dialect);
            }
        }
        best
    }

    fn with(source: &[u8], start: usize, end: usize, is_cut: bool, delimiter: u8) -> Self {
        let layout = Layout::Delimited { delimiter };
        let mut rows: Vec<Vec<Span>> = Vec::new();
        for row in Rows::new(source, start, end, delimiter).take(4 * MAX_ROWS) {
            let text = row.of(source);
            if is_blank(text) || (rows.is_empty() && is_remark(text)) {
                continue;
            }
            // The last row of a cut head is no witness, unless it is the only one.
            if rows.len() >= MAX_ROWS || (is_cut && row.next >= end && rows.len() > 1) {
                break;
            }
            rows.push(CellSpans::new(source, Span::new(row.start, row.end), &layout, 0).collect());
        }
        let mut counts: Vec<usize> = rows.iter().map(Vec::len).collect();
        counts.sort_unstable();
        let (columns, alike) = mode(&counts);
        let is_typed = rows.len() > 2 && (0..columns).any(|column| is_number_column(source, &rows, column));
        let is_named = rows.first().is_some_and(|row| row.iter().all(|cell| is_name(cell.of(source))))
            && rows.first().is_some_and(|row| row.iter().any(|cell| !cell.is_empty()));
        let cells: usize = counts.iter().sum();
        let padded =
            rows.iter().flatten().filter(|cell| cell.s > 0 && source.get(cell.s as usize - 1) == Some(&b' '));
        let is_padded = padded.count() * 2 >= cells.saturating_sub(rows.len()).max(1);
        let cell_bytes = rows.iter().flatten().map(|cell| cell.len()).sum::<usize>() / cells.max(1);
        Self {
            delimiter,
            columns,
            alike: alike * 100 / rows.len().max(1),
            rows: rows.len(),
            header_rows: header_rows(source, &rows),
            is_named,
            is_typed,
            is_padded,
            cell_bytes,
        }
    }
}

/// Says whether a row is blank: it belongs to no grid.
pub(crate) fn is_blank(row: &[u8]) -> bool {
    row.first().is_none_or(u8::is_ascii_whitespace) && row.trim_ascii().is_empty() && !row.contains(&b'\t')
}

/// Says whether a row above the first of the grid is a remark. `#` alone may well begin the first name.
pub(crate) fn is_remark(row: &[u8]) -> bool {
    row.starts_with(b"# ") || row.starts_with(b"##")
}

/// The most usual of sorted numbers, and how often it occurs.
fn mode(sorted: &[usize]) -> (usize, usize) {
    let runs = sorted.chunk_by(|a, b| a == b);
    runs.map(|run| (run.first().copied().unwrap_or(0), run.len()))
        .max_by_key(|(value, times)| (*times, *value))
        .unwrap_or((0, 0))
}

fn is_number_column(source: &[u8], rows: &[Vec<Span>], column: usize) -> bool {
    let mut numbers = 0;
    for row in rows.iter().skip(1) {
        let Some(cell) = row.get(column) else { continue };
        if is_value(cell.of(source)) {
            numbers += 1;
        } else if !cell.is_empty() {
            return false;
        }
    }
    numbers * 2 > rows.len()
}

/// Says how many rows of names stand at the top.
fn header_rows(source: &[u8], rows: &[Vec<Span>]) -> usize {
    let Some(first) = rows.first() else { return 0 };
    if is_plainly_values(source, first) {
        return 0;
    }
    let (Some(second), Some(third)) = (rows.get(1), rows.get(2)) else { return 1 };
    let starts_empty = |row: &[Span]| row.first().is_none_or(|cell| cell.is_empty());
    let values = second.iter().filter(|cell| is_value(cell.of(source))).count();
    let fills = first.iter().zip(second).any(|(above, below)| above.is_empty() && !below.is_empty());
    let completes = starts_empty(second)
        && !starts_empty(third)
        && values == 0
        && fills
        && third.iter().any(|cell| is_value(cell.of(source)));
    if completes { 2 } else { 1 }
}

/// A first row is taken for names unless it holds numbers or dates: and even then if these rise from cell to cell behind
/// a name, as the years of a cross table do.
fn is_plainly_values(source: &[u8], first: &[Span]) -> bool {
    let mut before: Option<&[u8]> = None;
    let mut rising = true;
    for cell in first.iter().map(|cell| cell.of(source)).filter(|cell| is_value(cell)) {
        rising &= before.is_none_or(|before| before.len() == cell.len() && before < cell);
        before = Some(cell);
    }
    before.is_some() && (!rising || first.first().is_some_and(|cell| is_value(cell.of(source))))
}

/// Says whether a cell holds a number, a date or a time, with or without quotes.
fn is_value(cell: &[u8]) -> bool {
    let cell = cell.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(cell);
    let cell = cell.trim_ascii();
    let digits = cell.iter().filter(|byte| byte.is_ascii_digit()).count();
    digits > 0
        && cell.len() <= 40
        && cell.iter().all(|byte| {
            byte.is_ascii_digit()
                || matches!(
                    byte,
                    b'.' | b',' | b'-' | b'+' | b':' | b'/' | b' ' | b'%' | b'$' | b'e' | b'E' | b'T' | b'Z'
                )
        })
        && cell.iter().any(u8::is_ascii_digit)
}

/// Says whether a cell of the first row may be a column's name rather than a piece of code, a log or prose.
fn is_name(cell: &[u8]) -> bool {
    if cell.len() >= 2 && cell.starts_with(b"\"") && cell.ends_with(b"\"") {
        return true;
    }
    let opened = cell.iter().filter(|byte| matches!(byte, b'(' | b'[')).count();
    let closed = cell.iter().filter(|byte| matches!(byte, b')' | b']')).count();
    opened == closed
        && !is_value(cell)
        && cell.len() <= 200
        && !cell.first().is_some_and(|byte| matches!(byte, b'-' | b'+' | b'/' | b'\'' | b'`'))
        && !cell.iter().any(|byte| matches!(byte, b'{' | b'}' | b'=' | b'<' | b'>' | b'`') || *byte < b' ')
        && !cell.windows(2).any(|pair| pair == b": " || pair == b". " || pair == b"//")
}
