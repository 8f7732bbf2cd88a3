use std::borrow::Cow;

use super::{Item, Names, Text, Texts};
use crate::{Numbers, Span, hash};

/// A column with more distinct values than this is not counted further: it has no rare ones.
const MOST_VALUES: usize = 64;
/// A value longer than this names no state.
const LONGEST_VALUE_BYTES: usize = 64;
/// Records whose values are looked at closely: whether they are words.
const RECORDS_LOOKED_AT: u32 = 32;
/// Slots for the values of a column: twice as many, a power of two.
const SLOTS: usize = 2 * MOST_VALUES;

/// One column.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// The path of its parents' keys: columns of one kind of record share it.
    pub path: u64,
    /// Its own key, and the hash of path and key.
    pub(super) key: Span,
    pub(super) name: u64,
    pub(super) is_open: bool,
    /// Something of it is counted still: its values, numbers, texts or names.
    pub(super) is_counted: bool,
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
        let key = self.key.of(source).trim_ascii();
        let key = key.strip_suffix(b":").unwrap_or(key).trim_ascii_end();
        key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\"")).unwrap_or(key)
    }

    /// What names it among all columns: [`crate::json_path`] of its path and key.
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

    /// A column of which nothing is counted yet.
    pub(super) fn new() -> Self {
        Self { is_open: true, is_counted: true, last_record: u32::MAX, ..Self::default() }
    }

    /// Counts a value of a record of JSON.
    pub(super) fn count_in_record(&mut self, source: &[u8], item: &Item, may_name: bool) {
        self.is_repeated |= std::mem::replace(&mut self.last_record, item.record) == item.record;
        self.count(source, (item.value, item.value.of(source)), item.at, may_name);
    }

    /// Counts a value, of which the span and the bytes are given.
    pub(super) fn count(&mut self, source: &[u8], (span, value): (Span, &[u8]), at: u32, may_name: bool) {
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

    /// The same counts of a text inside another source, to whose offsets `map` translates. Nothing is added to them.
    pub(super) fn translated(&self, map: &mut impl FnMut(u32) -> u32) -> Self {
        let mut column = self.clone();
        column.first = column.first.map(&mut *map);
        for value in &mut column.values {
            value.first = value.first.map(&mut *map);
            value.last = map(value.last);
            value.span = Span { s: map(value.span.s), e: map(value.span.e) };
        }
        for repeat in column.names.iter_mut().flat_map(|names| &mut names.repeats) {
            *repeat = repeat.map(&mut *map);
        }
        for text in column.texts.iter_mut().flat_map(|texts| &mut texts.templates) {
            text.first = text.first.map(&mut *map);
        }
        if let Some(numbers) = &mut column.numbers {
            let places = numbers.lows.iter_mut().chain(&mut numbers.highs);
            places.chain([&mut numbers.largest_step]).for_each(|placed| placed.at = map(placed.at));
            numbers.step_from = map(numbers.step_from);
            numbers.map_sample(map);
        }
        // Its key is a span of another text.
        Self { key: Span::default(), path: u64::MAX, is_open: false, is_counted: false, ..column }
    }
}

/// Where a value is looked for first.
fn first_slot(hash: u64) -> usize {
    (hash >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}
