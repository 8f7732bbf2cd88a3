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
        let (base, most) = (self.base, self.columns);
        if rows.has_quotes() {
            let layout = Layout::Delimited { delimiter: self.delimiter };
            let cells = CellSpans::new(source, Span { s: at, e: offset(row.end) }, &layout, usize::MAX);
            columns.add_row(source, base, cells.take(most), |cell| cell, at);
            return;
        }
        let text = row.of(source);
        let mut from = at;
        let ends = memchr::memchr_iter(self.delimiter, text).chain(std::iter::once(text.len()));
        let cells = ends.map(|end| {
            let cell = Span { s: from, e: at + offset(end) };
            from = cell.e + 1;
            cell
        });
        columns.add_row(source, base, cells.take(most), |cell| trimmed(source, cell), at);
    }
}

/// A cell without the blanks around it: mostly there are none.
fn trimmed(source: &[u8], cell: Span) -> Span {
    match cell.of(source) {
        text @ ([b' ' | b'\t' | b'\r', ..] | [.., b' ' | b'\t' | b'\r']) => {
            let start = cell.s + offset(text.len() - text.trim_ascii_start().len());
            Span { s: start, e: start + offset(text.trim_ascii().len()) }
        }
        _ => cell,
    }
}
