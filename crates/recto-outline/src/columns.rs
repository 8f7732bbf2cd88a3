//! How often each value stands in each column, counted while the source is parsed.

mod column;
mod counted;
mod hashed;
mod names;
mod texts;

use std::collections::{HashMap, hash_map::Entry};

pub use column::{Column, Value};
pub(crate) use counted::{Counted, Counting, Item, counting};
pub use hashed::{Hashed, HashedHasher};
pub use names::Names;
pub use texts::{Text, Texts};

use crate::{Span, json_path, span::offset, words::ends};

/// Shapes told apart.
const MOST_SHAPES: usize = 4_096;
/// Columns of which the first with different values has them all kept in mind: names come first.
const MOST_NAMES: u32 = 4;
/// Columns told apart: objects whose keys are data have a column for each.
const MOST_COLUMNS: usize = 16_384;

/// Counts of the values in a source's columns, and of the shapes of its records.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    counted: Counted,
    /// What leads to each column.
    keys: Vec<ColumnKey>,
    /// How many columns have been told their keys.
    named: usize,
    places: HashMap<u64, usize, Hashed>,
    last: usize,
    /// Columns of texts inside the source, by their numbers: they get in once the counts are here.
    adopted: Vec<(usize, Column)>,
    shapes: HashMap<u64, u32, Hashed>,
    first_of_shape: Vec<u32>,
    /// What is added stands in so many lists, and in the record that begins there.
    lists: u8,
    record: u32,
}

/// What leads to a column.
#[derive(Clone, Copy, Debug)]
struct ColumnKey {
    path: u64,
    key: Key,
    /// The hash of path and key.
    name: u64,
    /// The column that came after this one the last time: records mostly repeat their columns' order.
    next: usize,
    lists: u8,
}

impl ColumnKey {
    /// No key leads to the column: under this name no member of an object is added to it.
    const NONE: Self = Self {
        path: u64::MAX,
        key: Key { span: Span { s: 0, e: 0 }, ends: [0; 2] },
        name: 0,
        next: 0,
        lists: 0,
    };
}

/// A key, with what tells it from most others at hand.
#[derive(Clone, Copy, Debug, Default)]
struct Key {
    span: Span,
    /// Its first eight bytes and its last, as numbers.
    ends: [u64; 2],
}

impl Key {
    fn new(source: &[u8], span: Span) -> Self {
        Self { span, ends: ends(span.of(source)) }
    }

    /// Says whether the key at `span` is the same.
    #[inline]
    fn is(&self, source: &[u8], span: Span) -> bool {
        let text = span.of(source);
        text.len() == self.span.len()
            && ends(text) == self.ends
            && (text.len() <= 16 || text == self.span.of(source))
    }
}

impl Columns {
    /// The columns, in order of first appearance.
    #[must_use]
    pub fn all(&self) -> &[Column] {
        &self.counted.columns
    }

    /// Where the first record of each shape begins.
    #[must_use]
    pub fn shapes(&self) -> &[u32] {
        &self.first_of_shape
    }

    /// Counts the value at offset `at` in the column that `path` and `key` (a span of `source`; empty for a column that its path
    /// names alone) name, if it is not one beyond the limit on columns.
    pub fn add(&mut self, source: &[u8], (path, key): (u64, Span), value: Span, at: u32) {
        if let Some((item, _)) = self.item(source, (path, key), value, at) {
            if self.named < self.keys.len() {
                self.settle();
            }
            self.counted.add(source, &item);
        }
    }

    /// As [`Self::add`], but for the counting itself. Gives what is to be counted and the hash of the column's whole name.
    #[inline]
    pub(crate) fn item(
        &mut self,
        source: &[u8],
        (path, key): (u64, Span),
        value: Span,
        at: u32,
    ) -> Option<(Item, u64)> {
        let guess = self.keys.get(self.last).map_or(0, |last| last.next);
        // The same path and key as after this column the last time: no need to hash the key.
        let place = match self.keys.get(guess) {
            Some(known) if known.path == path && known.key.is(source, key) => guess,
            _ => self.place(source, path, key)?,
        };
        self.last = place;
        let name = self.keys.get(place)?.name;
        Some((Item { place: offset(place), value, at, record: self.record }, name))
    }

    /// Counts the value at offset `at` in column number `place`: of rows, whose columns are named by their position.
    pub fn add_cell(&mut self, source: &[u8], (place, cell): (usize, u32), value: Span, at: u32) {
        self.counted.add_cell(source, (place, cell), value, at);
        if self.named < self.counted.len() {
            self.settle();
        }
    }

    /// Says what the values that come next stand in: so many lists, and the record that begins at `record`.
    pub(crate) fn within(&mut self, lists: u8, record: u32) {
        (self.lists, self.record) = (lists, record);
    }

    /// Counts a record of a shape (the sum of its columns' names) that begins at `at`.
    pub fn add_shape(&mut self, shape: u64, at: u32) {
        if self.shapes.len() < MOST_SHAPES && self.shapes.insert(shape, at).is_none() {
            self.first_of_shape.push(at);
        }
    }

    /// Lends the counts to somebody who counts on, until they are taken back.
    pub(crate) fn lend(&mut self) -> Counted {
        std::mem::take(&mut self.counted)
    }

    /// Takes back what was lent.
    pub(crate) fn take_back(&mut self, counted: Counted) {
        self.counted = counted;
        self.settle();
    }

    /// How many columns there are, counted or lent.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Takes over the counts of a text inside this source, whose offsets `map` translates.
    pub(crate) fn adopt(&mut self, inner: &Self, mut map: impl FnMut(u32) -> u32) {
        for column in inner.all() {
            self.adopted.push((self.keys.len(), column.translated(&mut map)));
            // No key leads here.
            self.keys.push(ColumnKey::NONE);
        }
        self.first_of_shape.extend(inner.first_of_shape.iter().map(|at| map(*at)));
    }

    /// Gives columns that are new the names that lead to them, and adopted ones their places.
    pub(crate) fn settle(&mut self) {
        let count = self.keys.len().max(self.counted.columns.len());
        self.keys.resize(count, ColumnKey::NONE);
        self.counted.columns.resize_with(count, Column::new);
        let unnamed = self.counted.columns.iter_mut().zip(&self.keys).skip(self.named);
        for (column, key) in unnamed {
            (column.path, column.key, column.name, column.lists) =
                (key.path, key.key.span, key.name, key.lists);
        }
        self.named = count;
        for (place, adopted) in self.adopted.drain(..) {
            if let Some(column) = self.counted.columns.get_mut(place) {
                *column = adopted;
            }
        }
    }

    fn place(&mut self, source: &[u8], path: u64, key: Span) -> Option<usize> {
        let name = json_path(path, key.of(source));
        let next = self.keys.len();
        let place = match self.places.entry(name) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(_) if next >= MOST_COLUMNS => return None,
            Entry::Vacant(free) => *free.insert(next),
        };
        if place == next {
            self.keys.push(ColumnKey { path, key: Key::new(source, key), name, next: 0, lists: self.lists });
        }
        if let Some(last) = self.keys.get_mut(self.last) {
            last.next = place;
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_until_there_are_too_many() {
        let numbers: String = (0..70).map(|number| format!(" {number:0>2}")).collect();
        let source = format!("'state' 'id' Running Evicted{numbers}").into_bytes();
        let (state, id) = (Span::new(0, 7), Span::new(8, 12));
        let mut columns = Columns::default();
        for (at, record) in (0_u32..).zip(0..70) {
            let value = if record == 40 { Span::new(21, 28) } else { Span::new(13, 20) };
            columns.add(&source, (0, state), value, at);
            columns.add(&source, (0, id), Span::new(29 + 3 * record, 31 + 3 * record), at);
        }
        let [state, id] = columns.all() else { panic!("two columns") };
        assert_eq!(
            (state.records, state.values.len(), state.values[1].count, state.values[1].first[0]),
            (70, 2, 1, 40)
        );
        assert_eq!((id.records, id.values.len(), id.closed_at), (70, 0, 65));
        assert!(id.is_distinct() && !state.is_distinct());
    }
}
