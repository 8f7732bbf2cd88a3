//! Values that stand in a filter.

use std::cmp::Ordering;

use super::Value;
use crate::decimal::Decimal;

/// A value written in a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    /// A number, as it was written.
    Number(Box<[u8]>),
    /// A text in quotes.
    Text(Box<[u8]>),
    /// `true` or `false`.
    Bool(bool),
    /// `null`
    Null,
}

impl Literal {
    /// The text of the value.
    pub(super) fn text(&self) -> Value<'_> {
        match self {
            Self::Number(text) | Self::Text(text) => Some(text),
            Self::Bool(true) => Some(b"true"),
            Self::Bool(false) => Some(b"false"),
            Self::Null => None,
        }
    }

    /// Says whether a cell equals it: a number by value, a text byte by byte, a truth in either case of letters.
    pub(super) fn equals(&self, cell: Value<'_>) -> bool {
        match (self, cell) {
            (Self::Null, cell) => cell.is_none(),
            (_, None) => false,
            (Self::Number(number), Some(cell)) => numbers(cell, number).is_some_and(Ordering::is_eq),
            (Self::Text(text), Some(cell)) => **text == *cell,
            (Self::Bool(_), Some(cell)) => self.text().is_some_and(|text| text.eq_ignore_ascii_case(cell)),
        }
    }

    /// How a cell compares to it; `None` where the two have no order.
    pub(super) fn compared_to(&self, cell: Value<'_>) -> Option<Ordering> {
        let cell = cell?;
        match self {
            Self::Number(number) => numbers(cell, number),
            Self::Text(text) => Some(super::compare(cell, text)),
            Self::Bool(_) | Self::Null => None,
        }
    }
}

/// Compares a cell to a number, if it is one.
fn numbers(cell: &[u8], number: &[u8]) -> Option<Ordering> {
    // Most numbers are short and whole: no digit is looked at twice.
    if let (Some(left), Some(right)) = (small(cell), small(number)) {
        return Some(left.cmp(&right));
    }
    Some(Decimal::read(cell)?.compare(&Decimal::read(number)?))
}

/// A whole number of a few digits in JSON's grammar.
fn small(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 17 || (digits.len() > 1 && digits.first() == Some(&b'0')) {
        return None;
    }
    let mut value = 0_i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(if is_negative { -value } else { value })
}
