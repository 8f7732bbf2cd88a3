use super::{Column, MOST_NAMES};
use crate::{Builder, Span, beside::Plan, piped::piped, span::offset};

/// The columns themselves: what was counted in each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(super) columns: Vec<Column>,
    /// A column's values are all kept in mind: one is enough.
    has_names: bool,
}

/// A value of a JSON record, or of another one whose members have keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// The number of its column.
    pub(crate) place: u32,
    pub(crate) value: Span,
    /// Where its member begins, and where its record.
    pub(crate) at: u32,
    pub(crate) record: u32,
}

impl Counted {
    /// Counts a value.
    pub(super) fn add(&mut self, source: &[u8], item: &Item) {
        let place = item.place as usize;
        if place >= self.columns.len() {
            self.columns.resize_with(place + 1, Column::new);
        }
        if let Some(column) = self.columns.get_mut(place) {
            column.count_in_record(source, item, !self.has_names && item.place < MOST_NAMES);
            self.has_names |= column.names.is_some();
        }
    }

    /// Counts the value at offset `at` in column number `place`, which is cell number `cell` of its rows.
    pub(super) fn add_cell(&mut self, source: &[u8], (place, cell): (usize, u32), value: Span, at: u32) {
        if place >= self.columns.len() {
            self.columns.resize_with(place + 1, Column::new);
        }
        if let Some(column) = self.columns.get_mut(place) {
            column.cell = cell;
            column.count(source, (value, value.of(source)), at, !self.has_names && cell < MOST_NAMES);
            self.has_names |= column.names.is_some();
        }
    }

    /// Counts the cells of the row at offset `at` in the columns from number `base` on.
    pub(crate) fn add_row(&mut self, source: &[u8], base: usize, cells: &[Span], at: u32) {
        let known = self.columns.get_mut(base..).unwrap_or_default();
        let (known_cells, new_cells) = cells.split_at(cells.len().min(known.len()));
        for (column, cell) in known.iter_mut().zip(known_cells) {
            if column.is_counted {
                let (cell, value) = trimmed(source, *cell);
                column.count(source, (cell, value), at, !self.has_names && column.cell < MOST_NAMES);
                self.has_names |= column.names.is_some();
            }
        }
        // The first row with so many.
        for cell in new_cells {
            let place = self.columns.len();
            let cell = trimmed(source, *cell).0;
            self.add_cell(source, (place, offset(place - base)), cell, at);
        }
    }

    /// How many columns from number `base` on there are up to the last one that is still counted.
    pub(crate) fn open_from(&self, base: usize) -> usize {
        let columns = self.columns.get(base..).unwrap_or_default();
        columns.iter().rposition(|column| column.is_counted).map_or(0, |last| last + 1)
    }

    /// How many columns there are.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }
}

/// Values on their way to their columns.
pub(crate) struct Counting<'h> {
    part: Vec<Item>,
    part_items: usize,
    hand_over: &'h mut dyn FnMut(Vec<Item>) -> Vec<Item>,
}

impl Counting<'_> {
    /// Sends a value on its way.
    pub(crate) fn add(&mut self, item: Item) {
        self.part.push(item);
        if self.part.len() >= self.part_items {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        self.part = (self.hand_over)(std::mem::take(&mut self.part));
    }
}

/// Calls `work` with a way to the columns of a builder: of a large source, a second thread counts what is sent there. Until `work` is
/// done nothing else may be added to them.
pub(crate) fn counting<A>(
    builder: &mut Builder<'_>,
    source_bytes: usize,
    work: impl FnOnce(&mut Builder<'_>, &mut Counting<'_>) -> A,
) -> A {
    let source = builder.source();
    let mut counted = builder.columns().lend();
    let given = piped(
        source_bytes,
        |hand_over| {
            let mut counting =
                Counting { part: Vec::new(), part_items: Plan::of(source_bytes).part_items, hand_over };
            let given = work(builder, &mut counting);
            counting.hand_over();
            given
        },
        |part: &mut Vec<Item>| part.drain(..).for_each(|item| counted.add(source, &item)),
    );
    builder.columns().take_back(counted);
    given
}

/// A cell without the blanks around it, and its bytes: mostly there are none.
fn trimmed(source: &[u8], cell: Span) -> (Span, &[u8]) {
    let text = cell.of(source);
    match text {
        [b' ' | b'\t' | b'\r', ..] | [.., b' ' | b'\t' | b'\r'] => {
            let start = cell.s + offset(text.len() - text.trim_ascii_start().len());
            let text = text.trim_ascii();
            (Span { s: start, e: start + offset(text.len()) }, text)
        }
        _ => (cell, text),
    }
}
