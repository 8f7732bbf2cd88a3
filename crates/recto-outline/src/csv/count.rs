//! What stands in the columns of rows, counted while the rows are split.

use super::rows::Rows;
use crate::{Columns, Layout, Span, cells::CellSpans, lines::Line, span::offset};

/// Columns of one grid; further ones are not counted.
const MOST_COLUMNS: usize = 256;
/// Rows after which is looked how many columns are still worth reading.
const LOOK_EVERY: u32 = 256;

/// Counts the cells of one grid.
#[derive(Debug)]
pub(super) struct CellCount {
    delimiter: u8,
    /// The number of its first column.
    base: usize,
    /// How many columns are read: those behind are not counted any more.
    columns: usize,
    rows: u32,
}

impl CellCount {
    pub(super) fn new(columns: &Columns, delimiter: u8) -> Self {
        Self { delimiter, base: columns.all().len(), columns: MOST_COLUMNS, rows: 0 }
    }

    /// Counts the cells of `row`, which `rows` gave last.
    pub(super) fn row(&mut self, columns: &mut Columns, source: &[u8], row: Line, rows: &Rows<'_>) {
        self.rows += 1;
        if self.rows.is_multiple_of(LOOK_EVERY) {
            self.columns = columns.open_from(self.base).min(MOST_COLUMNS);
        }
        let at = offset(row.start);
        if rows.has_quotes() {
            let layout = Layout::Delimited { delimiter: self.delimiter };
            let cells = CellSpans::new(source, Span { s: at, e: offset(row.end) }, &layout, usize::MAX);
            for (column, cell) in cells.take(self.columns).enumerate() {
                columns.add_cell(source, (self.base + column, offset(column)), cell, at);
            }
            return;
        }
        let text = row.of(source);
        let mut from = 0;
        let ends = memchr::memchr_iter(self.delimiter, text).chain(std::iter::once(text.len()));
        for (column, end) in ends.take(self.columns).enumerate() {
            let place = self.base + column;
            if columns.is_open(place) {
                columns.add_cell(
                    source,
                    (place, offset(column)),
                    trimmed(source, row.start + from, row.start + end),
                    at,
                );
            }
            from = end + 1;
        }
    }
}

/// The cell `[from, end)` without the blanks around it: mostly there are none.
fn trimmed(source: &[u8], from: usize, end: usize) -> Span {
    let cell = source.get(from..end).unwrap_or_default();
    match cell {
        [b' ' | b'\t' | b'\r', ..] | [.., b' ' | b'\t' | b'\r'] => {
            let start = from + cell.len() - cell.trim_ascii_start().len();
            Span::new(start, start + cell.trim_ascii().len())
        }
        _ => Span::new(from, end),
    }
}
