//! How often each value stands in each column, counted while the source is parsed.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hasher},
};

use crate::{Span, hash, json_path};

/// A column with more distinct values than this is not counted further: it has no rare ones.
const MOST_VALUES: usize = 24;
/// A value longer than this names no state.
const LONGEST_VALUE_BYTES: usize = 64;
/// Shapes told apart.
const MOST_SHAPES: usize = 4_096;

/// Counts of the values in a source's columns, and of the shapes of its records.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    columns: Vec<Column>,
    places: HashMap<u64, usize, Hashed>,
    last: usize,
    shapes: HashMap<u64, u32, Hashed>,
    first_of_shape: Vec<u32>,
}

/// One column.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// The path of its parents' keys, its own key, and the hash of the two.
    path: u64,
    key: Span,
    name: u64,
    /// The column that came after this one the last time: records mostly repeat their columns' order.
    next: usize,
    is_open: bool,
    /// How many records have it.
    pub records: u32,
    /// Its values; none if there are too many, or they are too long, to be names of states.
    pub values: Vec<Value>,
}

/// One value of a column.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    hash: u64,
    /// How many records have it.
    pub count: u32,
    /// Where it stands the first and the second time; the same offset twice while there is no second.
    pub first: [u32; 2],
}

impl Columns {
    /// The columns, in order of first appearance.
    #[must_use]
    pub fn all(&self) -> &[Column] {
        &self.columns
    }

    /// Where the first record of each shape begins.
    #[must_use]
    pub fn shapes(&self) -> &[u32] {
        &self.first_of_shape
    }

    /// Counts the value at offset `at` in the column that `path` and `key` (a span of `source`; empty for a column that its path
    /// names alone) name. Gives the hash of the column's whole name.
    pub fn add(&mut self, source: &[u8], (path, key): (u64, Span), value: &[u8], at: u32) -> u64 {
        let guess = self.columns.get(self.last).map_or(0, |last| last.next);
        // The same path and key as after this column the last time: no need to hash the key.
        let place = match self.columns.get(guess) {
            Some(known) if known.path == path && known.key.of(source) == key.of(source) => guess,
            _ => self.place(source, path, key),
        };
        self.last = place;
        let Some(column) = self.columns.get_mut(place) else { return 0 };
        column.count(value, at);
        column.name
    }

    /// Counts the value at offset `at` in column number `place`: of rows, whose columns are named by their position.
    pub fn add_cell(&mut self, place: usize, value: &[u8], at: u32) {
        while self.columns.len() <= place {
            // No key leads here: under this name no member of an object is added to it.
            self.columns.push(Column { path: u64::MAX, is_open: true, ..Column::default() });
        }
        if let Some(column) = self.columns.get_mut(place) {
            column.count(value, at);
        }
    }

    /// Whether column number `place` is still counted, or may be.
    pub(crate) fn is_open(&self, place: usize) -> bool {
        self.columns.get(place).is_none_or(|column| column.is_open)
    }

    /// How many columns from number `base` on there are up to the last one that is still counted.
    pub(crate) fn open_from(&self, base: usize) -> usize {
        let columns = self.columns.get(base..).unwrap_or_default();
        columns.iter().rposition(|column| column.is_open).map_or(0, |last| last + 1)
    }

    /// Counts a record of a shape (the sum of its columns' names) that begins at `at`.
    pub fn add_shape(&mut self, shape: u64, at: u32) {
        if self.shapes.len() < MOST_SHAPES && self.shapes.insert(shape, at).is_none() {
            self.first_of_shape.push(at);
        }
    }

    /// Takes over the counts of a text inside this source, whose offsets `map` translates.
    pub(crate) fn adopt(&mut self, inner: &Self, mut map: impl FnMut(u32) -> u32) {
        for column in inner.columns.iter().filter(|column| !column.values.is_empty()) {
            let values = column
                .values
                .iter()
                .map(|value| Value { first: value.first.map(&mut map), ..*value })
                .collect();
            // Its key is a span of another text: under this name nothing is added to it.
            self.columns.push(Column {
                values,
                key: Span::default(),
                path: u64::MAX,
                ..Column { records: column.records, ..Column::default() }
            });
        }
        self.first_of_shape.extend(inner.first_of_shape.iter().map(|at| map(*at)));
    }

    fn place(&mut self, source: &[u8], path: u64, key: Span) -> usize {
        let name = json_path(path, key.of(source));
        let place = *self.places.entry(name).or_insert(self.columns.len());
        if place == self.columns.len() {
            self.columns.push(Column { path, key, name, is_open: true, ..Column::default() });
        }
        if let Some(last) = self.columns.get_mut(self.last) {
            last.next = place;
        }
        place
    }
}

impl Column {
    fn count(&mut self, value: &[u8], at: u32) {
        self.records += 1;
        if !self.is_open {
            return;
        }
        let hash = hash(value);
        if let Some(known) = self.values.iter_mut().find(|known| known.hash == hash) {
            if known.count == 1 {
                known.first[1] = at;
            }
            known.count += 1;
        } else if self.values.len() == MOST_VALUES || value.len() > LONGEST_VALUE_BYTES {
            self.is_open = false;
            self.values = Vec::new();
        } else {
            self.values.push(Value { hash, count: 1, first: [at, at] });
        }
    }
}

/// Builds hashers of keys that are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed;

impl BuildHasher for Hashed {
    type Hasher = HashedHasher;

    fn build_hasher(&self) -> HashedHasher {
        HashedHasher(0)
    }
}

/// Hashes a key that is a hash already.
#[derive(Clone, Copy, Debug)]
pub struct HashedHasher(u64);

impl Hasher for HashedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_until_there_are_too_many() {
        let source = br#""state" "id""#;
        let (state, id) = (Span::new(0, 7), Span::new(8, 12));
        let mut columns = Columns::default();
        for record in 0..100_u32 {
            let value: &[u8] = if record == 40 { b"Evicted" } else { b"Running" };
            columns.add(source, (0, state), value, record);
            columns.add(source, (0, id), &record.to_le_bytes(), record);
        }
        let [state, id] = columns.all() else { panic!("two columns") };
        assert_eq!(
            (state.records, state.values.len(), state.values[1].count, state.values[1].first[0]),
            (100, 2, 1, 40)
        );
        assert_eq!((id.records, id.values.len()), (100, 0));
    }
}
