//! The order of rows, and the rows that an answer needs of it.

use std::{borrow::Cow, cmp::Ordering};

use crate::{Path, QueryError, decimal::Decimal};

/// One column to sort by.
#[derive(Clone, Debug)]
pub(crate) struct SortBy {
    pub(crate) path: Path,
    pub(crate) is_falling: bool,
}

impl SortBy {
    /// Reads `-restarts`, `restarts desc`, `name`; gives what is left of the name to whoever knows what it names.
    pub(crate) fn split(text: &str) -> (&str, bool) {
        let text = text.trim();
        let (text, is_falling) = match text.split_at_checked(1) {
            Some(("-", rest)) => (rest.trim_start(), true),
            Some(("+", rest)) => (rest.trim_start(), false),
            _ => (text, false),
        };
        let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
        let rest = text.get(..text.len() - word.len()).unwrap_or_default().trim_end();
        match word.to_ascii_lowercase().as_str() {
            "desc" | "descending" if !rest.is_empty() => (rest, true),
            "asc" | "ascending" if !rest.is_empty() => (rest, is_falling),
            _ => (text, is_falling),
        }
    }

    pub(crate) fn parse(text: &str) -> Result<Self, QueryError> {
        let (name, is_falling) = Self::split(text);
        Ok(Self { path: Path::parse(name, "sort")?, is_falling })
    }
}

/// What a value is sorted by.
#[derive(Clone, Debug)]
pub(crate) enum Key<'s> {
    Number(Decimal<'s>),
    /// A number in a text with escapes.
    Written(Box<[u8]>),
    Text(Cow<'s, [u8]>),
    Missing,
}

impl<'s> Key<'s> {
    pub(crate) fn new(value: Option<Cow<'s, [u8]>>) -> Self {
        match value {
            None => Self::Missing,
            Some(Cow::Borrowed(text)) => match Decimal::read(text) {
                Some(number) => Self::Number(number),
                None => Self::Text(Cow::Borrowed(text)),
            },
            Some(Cow::Owned(text)) if Decimal::read(&text).is_some() => Self::Written(text.into()),
            Some(text) => Self::Text(text),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Number(_) | Self::Written(_) => 0,
            Self::Text(_) => 1,
            Self::Missing => 2,
        }
    }

    fn number(&self) -> Option<Decimal<'_>> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Written(text) => Decimal::read(text),
            Self::Text(_) | Self::Missing => None,
        }
    }

    /// Numbers by value, then texts byte by byte, then what is missing; falling order turns numbers and texts around, not the three.
    pub(crate) fn compare(&self, other: &Self, is_falling: bool) -> Ordering {
        let within = || match (self, other) {
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            _ => match (self.number(), other.number()) {
                (Some(left), Some(right)) => left.compare(&right),
                _ => Ordering::Equal,
            },
        };
        let kinds = self.kind().cmp(&other.kind());
        kinds.then_with(|| if is_falling { within().reverse() } else { within() })
    }
}

/// The first rows of an order, kept while rows come: memory for twice as many as are wanted.
#[derive(Debug)]
pub(crate) struct First<'s, T> {
    falling: Vec<bool>,
    wanted: usize,
    rows: Vec<(Vec<Key<'s>>, T)>,
    /// The rows up to `wanted` are in order, and no later row comes before them unless it is before the last.
    is_full: bool,
}

impl<'s, T> First<'s, T> {
    /// Keeps the first `wanted` rows by keys of which some fall.
    pub(crate) fn new(falling: Vec<bool>, wanted: usize) -> Self {
        Self { falling, wanted, rows: Vec::new(), is_full: false }
    }

    /// Takes the next row. Rows of equal keys stay in the order in which they came.
    pub(crate) fn push(&mut self, keys: Vec<Key<'s>>, row: T) {
        if self.wanted == 0 {
            return;
        }
        if self.is_full
            && let Some((last, _)) = self.rows.get(self.wanted - 1)
            && compare(&keys, last, &self.falling).is_ge()
        {
            return;
        }
        self.rows.push((keys, row));
        if self.rows.len() >= self.wanted.saturating_mul(2).max(64) {
            self.order();
        }
    }

    fn order(&mut self) {
        let falling = &self.falling;
        self.rows.sort_by(|left, right| compare(&left.0, &right.0, falling));
        self.rows.truncate(self.wanted);
        self.is_full = self.rows.len() == self.wanted;
    }

    /// The rows in order.
    pub(crate) fn finish(mut self) -> impl Iterator<Item = T> {
        self.order();
        self.rows.into_iter().map(|(_, row)| row)
    }
}

fn compare(left: &[Key<'_>], right: &[Key<'_>], falling: &[bool]) -> Ordering {
    let pairs = left.iter().zip(right).zip(falling);
    pairs
        .map(|((left, right), falling)| left.compare(right, *falling))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_columns_are_read_in_many_hands() {
        for (text, name, is_falling) in [
            ("restarts", "restarts", false),
            ("-restarts", "restarts", true),
            (" - restarts ", "restarts", true),
            ("+a", "a", false),
            ("restarts desc", "restarts", true),
            ("Local Address DESC", "Local Address", true),
            ("desc", "desc", false),
            ("a asc", "a", false),
        ] {
            assert_eq!(SortBy::split(text), (name, is_falling), "{text}");
        }
    }

    #[test]
    fn the_first_rows_are_those_of_a_whole_sort() {
        let values: Vec<String> =
            (0..1_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) % 97).to_string()).collect();
        for wanted in [0, 1, 7, 100, 999, 1_000, 5_000] {
            for is_falling in [false, true] {
                let mut first = First::new(vec![is_falling], wanted);
                for (at, value) in values.iter().enumerate() {
                    first.push(vec![Key::new(Some(Cow::Borrowed(value.as_bytes())))], at);
                }
                let mut expected: Vec<usize> = (0..values.len()).collect();
                let number =
                    |at: &usize| values[*at].parse::<i64>().unwrap() * if is_falling { -1 } else { 1 };
                expected.sort_by_key(number);
                expected.truncate(wanted);
                assert_eq!(first.finish().collect::<Vec<_>>(), expected, "{wanted} {is_falling}");
            }
        }
    }
}
