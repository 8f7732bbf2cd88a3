//! What stands in the columns of rows, counted while the rows are split.

use super::rows::Rows;
use crate::{Columns, Layout, Span, cells::CellSpans, lines::Line, span::offset, words::each};

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
    /// The cells of the row at hand.
    cells: Vec<Span>,
}

impl CellCount {
    pub(super) fn new(columns: &Columns, delimiter: u8) -> Self {
        Self { delimiter, base: columns.all().len(), columns: MOST_COLUMNS, rows: 0, cells: Vec::new() }
    }

    /// Counts the cells of `row`, which `rows` gave last.
    pub(super) fn row(&mut self, columns: &mut Columns, source: &[u8], row: Line, rows: &Rows<'_>) {
        self.rows += 1;
        if self.rows.is_multiple_of(LOOK_EVERY) {
            self.columns = columns.open_from(self.base).min(MOST_COLUMNS);
        }
        let at = offset(row.start);
        self.cells.clear();
        let plain_end = rows.first_quote().unwrap_or(row.end);
        let mut from = at;
        each(source.get(row.start..plain_end).unwrap_or_default(), self.delimiter, |place| {
            let end = at + offset(place);
            if self.cells.len() < self.columns {
                self.cells.push(Span { s: from, e: end });
            }
            from = end + 1;
        });
        let rest = Span { s: from, e: offset(row.end) };
        if rows.first_quote().is_some() {
            // The cell with the quote, and those behind it.
            let layout = Layout::Delimited { delimiter: self.delimiter };
            let room = self.columns - self.cells.len();
            self.cells.extend(CellSpans::new(source, rest, &layout, usize::MAX).take(room));
        } else if self.cells.len() < self.columns {
            self.cells.push(rest);
        }
        columns.add_row(source, self.base, &self.cells, at);
    }
}
