//! What stands in the columns of rows: cells are split here, and counted by somebody else meanwhile.

use super::rows::Rows;
use crate::{Layout, Span, cells::CellSpans, columns::Counted, lines::Line, span::offset, words::each};

/// Columns of one grid; further ones are not counted.
const MOST_COLUMNS: usize = 256;
/// Rows after which is looked how many columns are still worth reading.
const LOOK_EVERY: u32 = 256;

/// Cells of some rows.
#[derive(Debug, Default)]
pub(super) struct CellPart {
    /// Where each row begins, and where its cells end.
    rows: Vec<(u32, usize)>,
    cells: Vec<Span>,
}

impl CellPart {
    /// Splits `row`, which `rows` gave last.
    pub(super) fn split(&mut self, source: &[u8], row: Line, rows: &Rows<'_>) {
        let delimiter = rows.delimiter();
        let at = offset(row.start);
        let most = self.cells.len() + MOST_COLUMNS;
        let plain_end = rows.first_quote().unwrap_or(row.end);
        let mut from = at;
        each(source.get(row.start..plain_end).unwrap_or_default(), delimiter, |place| {
            let end = at + offset(place);
            if self.cells.len() < most {
                self.cells.push(Span { s: from, e: end });
            }
            from = end + 1;
        });
        let rest = Span { s: from, e: offset(row.end) };
        if rows.first_quote().is_some() {
            // The cell with the quote, and those behind it.
            let layout = Layout::Delimited { delimiter };
            let room = most - self.cells.len();
            self.cells.extend(CellSpans::new(source, rest, &layout, usize::MAX).take(room));
        } else if self.cells.len() < most {
            self.cells.push(rest);
        }
        self.rows.push((at, self.cells.len()));
    }

    /// How many cells it holds.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }
}

/// Counts the cells of one grid.
#[derive(Debug)]
pub(super) struct CellCount {
    counted: Counted,
    /// The number of its first column.
    base: usize,
    /// How many columns are read: those behind are not counted any more.
    columns: usize,
    rows: u32,
}

impl CellCount {
    /// Begins behind the columns that are counted.
    pub(super) fn new(counted: Counted) -> Self {
        Self { base: counted.len(), counted, columns: MOST_COLUMNS, rows: 0 }
    }

    /// Counts the cells of some rows, and empties the part.
    pub(super) fn take(&mut self, source: &[u8], part: &mut CellPart) {
        let mut from = 0;
        for (at, to) in part.rows.drain(..) {
            self.rows += 1;
            if self.rows.is_multiple_of(LOOK_EVERY) {
                self.columns = self.counted.open_from(self.base).min(MOST_COLUMNS);
            }
            let cells = part.cells.get(from..to.min(from + self.columns)).unwrap_or_default();
            self.counted.add_row(source, self.base, cells, at);
            from = to;
        }
        part.cells.clear();
    }

    /// What was counted.
    pub(super) fn into_counted(self) -> Counted {
        self.counted
    }
}
