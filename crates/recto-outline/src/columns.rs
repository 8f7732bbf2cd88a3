//! How often each value stands in each column, counted while the source is parsed.

mod hashed;
mod names;
mod texts;

use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
};

pub use hashed::{Hashed, HashedHasher};
pub use names::Names;
pub use texts::{Text, Texts};

use crate::{Numbers, Span, hash, json_path, span::offset, words::ends};

/// A column with more distinct values than this is not counted further: it has no rare ones.
const MOST_VALUES: usize = 64;
/// A value longer than this names no state.
const LONGEST_VALUE_BYTES: usize = 64;
/// Shapes told apart.
const MOST_SHAPES: usize = 4_096;
/// Columns of which the first with different values has them all kept in mind: names come first.
const MOST_NAMES: u32 = 4;
/// Columns told apart: objects whose keys are data have a column for each.
const MOST_COLUMNS: usize = 16_384;
/// Records whose values are looked at closely: whether they are words.
const RECORDS_LOOKED_AT: u32 = 32;
/// Slots for the values of a column: twice as many, a power of two.
const SLOTS: usize = 2 * MOST_VALUES;

/// Counts of the values in a source's columns, and of the shapes of its records.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    columns: Vec<Column>,
    places: HashMap<u64, usize, Hashed>,
    last: usize,
    shapes: HashMap<u64, u32, Hashed>,
    first_of_shape: Vec<u32>,
    /// A column's values are all kept in mind: one is enough.
    has_names: bool,
    /// What is added stands in so many lists, and in the record that begins there.
    lists: u8,
    record: u32,
}

/// One column.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// The path of its parents' keys: columns of one kind of record share it.
    pub path: u64,
    /// Its own key, and the hash of path and key.
    key: Key,
    name: u64,
    /// The column that came after this one the last time: records mostly repeat their columns' order.
    next: usize,
    is_open: bool,
    /// Something of it is counted still: its values, numbers, texts or names.
    is_counted: bool,
    /// How many lists its first value stands in, of JSON.
    pub lists: u8,
    /// A record of JSON holds it more than once.
    pub is_repeated: bool,
    last_record: u32,
    /// How many records have it.
    pub records: u32,
    /// Where its value stands in the first record that has it, and in the second; the same offset twice while there is none.
    pub first: [u32; 2],
    /// How many records were read before its values turned out to be too many; 0 while they did not.
    pub closed_at: u32,
    /// How many of the values looked at closely hold a blank beside a letter: are words rather than a name.
    looked_at_texts: u32,
    /// Which cell of its row it is; 0 for a column of members.
    pub cell: u32,
    /// The templates of its texts, if it is a column of texts that are made from some templates.
    pub texts: Option<Box<Texts>>,
    /// Where its values are, if it is the first column in which each record has another one.
    pub names: Option<Box<Names>>,
    /// Its numbers, if it is a column of numbers.
    pub numbers: Option<Box<Numbers>>,
    /// Its values, by first appearance; none if there are too many, or they are too long, to be names of states.
    pub values: Vec<Value>,
    /// The numbers of its values and one more, from the slot on that the hash of each names; 0 for none. Empty while there are
    /// fewer than two.
    slots: Vec<u8>,
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

/// One value of a column.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    hash: u64,
    /// How many records have it.
    pub count: u32,
    /// Where its record, row or member begins the first and the second time; the same offset twice while there is no second.
    pub first: [u32; 2],
    /// Where it begins the last time.
    pub last: u32,
    /// Its own bytes, the first time.
    pub span: Span,
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
    /// names alone) name. Gives the column's number and the hash of its whole name; none beyond the limit on columns.
    pub fn add(
        &mut self,
        source: &[u8],
        (path, key): (u64, Span),
        value: Span,
        at: u32,
    ) -> Option<(usize, u64)> {
        let guess = self.columns.get(self.last).map_or(0, |last| last.next);
        // The same path and key as after this column the last time: no need to hash the key.
        let place = match self.columns.get(guess) {
            Some(known) if known.path == path && known.key.is(source, key) => guess,
            _ => self.place(source, path, key)?,
        };
        self.last = place;
        let column = self.columns.get_mut(place)?;
        column.is_repeated |= std::mem::replace(&mut column.last_record, self.record) == self.record;
        column.count(source, (value, value.of(source)), at, !self.has_names && place < MOST_NAMES as usize);
        self.has_names |= column.names.is_some();
        Some((place, column.name))
    }

    /// Counts the value at offset `at` in column number `place`: of rows, whose columns are named by their position.
    pub fn add_cell(&mut self, source: &[u8], (place, cell): (usize, u32), value: Span, at: u32) {
        while self.columns.len() <= place {
            // No key leads here: under this name no member of an object is added to it.
            self.columns.push(Column {
                path: u64::MAX,
                is_open: true,
                is_counted: true,
                ..Column::default()
            });
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

    /// Takes over the counts of a text inside this source, whose offsets `map` translates.
    pub(crate) fn adopt(&mut self, inner: &Self, mut map: impl FnMut(u32) -> u32) {
        for column in &inner.columns {
            let mut column = column.clone();
            column.first = column.first.map(&mut map);
            for value in &mut column.values {
                value.first = value.first.map(&mut map);
                value.last = map(value.last);
                value.span = Span { s: map(value.span.s), e: map(value.span.e) };
            }
            for repeat in column.names.iter_mut().flat_map(|names| &mut names.repeats) {
                *repeat = repeat.map(&mut map);
            }
            for text in column.texts.iter_mut().flat_map(|texts| &mut texts.templates) {
                text.first = text.first.map(&mut map);
            }
            if let Some(numbers) = &mut column.numbers {
                let places = numbers.lows.iter_mut().chain(&mut numbers.highs);
                places.chain([&mut numbers.largest_step]).for_each(|placed| placed.at = map(placed.at));
                numbers.step_from = map(numbers.step_from);
                numbers.map_sample(&mut map);
            }
            // Its key is a span of another text: under this name nothing is added to it.
            self.columns.push(Column {
                key: Key::default(),
                path: u64::MAX,
                is_open: false,
                is_counted: false,
                ..column
            });
        }
        self.first_of_shape.extend(inner.first_of_shape.iter().map(|at| map(*at)));
    }

    fn place(&mut self, source: &[u8], path: u64, key: Span) -> Option<usize> {
        let name = json_path(path, key.of(source));
        let next = self.columns.len();
        let place = match self.places.entry(name) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(_) if next >= MOST_COLUMNS => return None,
            Entry::Vacant(free) => *free.insert(next),
        };
        if place == self.columns.len() {
            self.columns.push(Column {
                path,
                key: Key::new(source, key),
                name,
                is_open: true,
                lists: self.lists,
                last_record: u32::MAX,
                ..Column::default()
            });
        }
        if let Some(last) = self.columns.get_mut(self.last) {
            last.next = place;
        }
        Some(place)
    }
}

impl Column {
    /// Says whether each record has another value, as far as that was looked at.
    #[must_use]
    pub fn is_distinct(&self) -> bool {
        let most = u32::try_from(MOST_VALUES).unwrap_or(u32::MAX);
        match self.closed_at {
            0 => self.records >= 2 && self.values.iter().all(|value| value.count == 1),
            closed_at => closed_at <= most + most / 2,
        }
    }

    /// The templates of its texts, if it is a column of texts: of more than a few different ones as they were counted, of few from
    /// those themselves.
    #[must_use]
    pub fn text_templates(&self, source: &[u8]) -> Cow<'_, [Text]> {
        if let Some(texts) = &self.texts {
            return Cow::Borrowed(&texts.templates);
        }
        if !self.holds_texts() {
            return Cow::Borrowed(&[]);
        }
        Cow::Owned(self.texts_of_values(source).templates)
    }

    /// Says whether its values are words rather than names, as far as that was looked at.
    #[must_use]
    pub fn holds_texts(&self) -> bool {
        self.looked_at_texts * 2 >= self.records.min(RECORDS_LOOKED_AT)
    }

    /// The templates of what was counted by value.
    fn texts_of_values(&self, source: &[u8]) -> Texts {
        let mut texts = Texts::default();
        for value in &self.values {
            texts.add_equal(value.span.of(source), value.first, value.count);
        }
        texts
    }

    /// Its key as the source has it, without quotes; empty for a column of rows, and for one in a text inside the source.
    #[must_use]
    pub fn key<'s>(&self, source: &'s [u8]) -> &'s [u8] {
        let key = self.key.span.of(source).trim_ascii();
        let key = key.strip_suffix(b":").unwrap_or(key).trim_ascii_end();
        key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\"")).unwrap_or(key)
    }

    /// What names it among all columns: [`json_path`] of its path and key.
    #[must_use]
    pub fn name(&self) -> u64 {
        self.name
    }

    /// Which of its values equals these bytes.
    #[must_use]
    pub fn position(&self, value: &[u8]) -> Option<usize> {
        let hash = hash(value);
        self.values.iter().position(|known| known.hash == hash)
    }

    /// Counts a value, of which the span and the bytes are given.
    fn count(&mut self, source: &[u8], (span, value): (Span, &[u8]), at: u32, may_name: bool) {
        self.records += 1;
        if self.records <= RECORDS_LOOKED_AT {
            self.begin(value, at);
        } else if let Some(numbers) = &mut self.numbers
            && !numbers.read(value, at)
        {
            self.numbers = None;
            self.settle();
        }
        if !self.is_open {
            if self.names.is_some() || self.texts.is_some() {
                self.count_one_of_many(value, at);
            }
            return;
        }
        let hash = hash(value);
        if let Some(known) = self.known(hash) {
            if known.count == 1 {
                known.first[1] = at;
            }
            known.count += 1;
            known.last = at;
        } else if self.values.len() == MOST_VALUES || value.len() > LONGEST_VALUE_BYTES {
            self.close(source, span, hash, at, may_name);
        } else {
            self.values.push(Value { hash, count: 1, first: [at, at], last: at, span });
            self.enter();
        }
    }

    /// Counts a value of a column that has too many to count each.
    fn count_one_of_many(&mut self, value: &[u8], at: u32) {
        if let Some(names) = &mut self.names
            && !names.add(hash(value), at)
        {
            self.names = None;
            self.settle();
        }
        if let Some(texts) = &mut self.texts
            && !texts.add(value, at)
        {
            self.texts = None;
            self.settle();
        }
    }

    /// Notes whether anything of it is counted still.
    fn settle(&mut self) {
        self.is_counted =
            self.is_open || self.numbers.is_some() || self.texts.is_some() || self.names.is_some();
    }

    /// The value with a hash.
    fn known(&mut self, hash: u64) -> Option<&mut Value> {
        if self.slots.is_empty() {
            return self.values.first_mut().filter(|value| value.hash == hash);
        }
        let mut slot = first_slot(hash);
        loop {
            let place = usize::from(*self.slots.get(slot)?).checked_sub(1)?;
            if self.values.get(place)?.hash == hash {
                return self.values.get_mut(place);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// Makes the last value one that is found.
    #[cold]
    fn enter(&mut self) {
        if self.values.len() < 2 {
            return;
        }
        let mut first = self.values.len() - 1;
        if self.slots.is_empty() {
            self.slots = vec![0; SLOTS];
            first = 0;
        }
        for (place, value) in self.values.iter().enumerate().skip(first) {
            let mut slot = first_slot(value.hash);
            while self.slots.get(slot).is_some_and(|taken| *taken > 0) {
                slot = (slot + 1) % SLOTS;
            }
            if let Some(free) = self.slots.get_mut(slot) {
                *free = u8::try_from(place + 1).unwrap_or(u8::MAX);
            }
        }
    }

    /// Stops counting by value at one that is too many.
    #[cold]
    fn close(&mut self, source: &[u8], span: Span, hash: u64, at: u32, may_name: bool) {
        self.is_open = false;
        self.closed_at = self.records;
        if self.numbers.is_none() && self.holds_texts() {
            // What was counted by value is counted by template from now on.
            let mut texts = self.texts_of_values(source);
            texts.add(span.of(source), at);
            self.texts = Some(Box::new(texts));
        } else if may_name
            && self.numbers.is_none()
            && self.is_distinct()
            && span.len() <= LONGEST_VALUE_BYTES
        {
            let mut names = Names::default();
            for value in &self.values {
                names.add(value.hash, value.first[0]);
            }
            names.add(hash, at);
            self.names = Some(Box::new(names));
        }
        self.values = Vec::new();
        self.slots = Vec::new();
        self.settle();
    }

    /// Looks closely at one of the first values.
    #[cold]
    fn begin(&mut self, value: &[u8], at: u32) {
        match self.records {
            1 => {
                self.first = [at, at];
                self.numbers = Numbers::new(value, at).map(Box::new);
            }
            2 => self.first[1] = at,
            _ => {}
        }
        if self.records > 1
            && let Some(numbers) = &mut self.numbers
            && !numbers.read(value, at)
        {
            self.numbers = None;
            self.settle();
        }
        self.look(value);
    }

    fn look(&mut self, value: &[u8]) {
        let is_text = value
            .windows(2)
            .any(|near| matches!(near, [b' ', letter] | [letter, b' '] if letter.is_ascii_alphabetic()));
        self.looked_at_texts += u32::from(is_text);
    }
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

/// Where a value is looked for first.
fn first_slot(hash: u64) -> usize {
    (hash >> (u64::BITS - SLOTS.trailing_zeros())) as usize
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
