//! Conditions on records, compiled once and run on each.

mod literal;
mod parse;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use memchr::memmem::Finder;
use regex::bytes::Regex;

pub(crate) use literal::Literal;

use crate::{Path, QueryError, decimal::Decimal};

/// A filter: steps in order, with one truth that the tests set and the skips read. No stack is needed, however deep the
/// condition was nested.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    steps: Vec<Step>,
    /// The columns that the tests name, by number.
    pub(crate) columns: Vec<Mention>,
}

/// A column as a filter names it.
#[derive(Clone, Debug)]
pub(crate) struct Mention {
    pub(crate) path: Path,
    /// It stands bare to the right of an operator: perhaps a text without its quotes.
    pub(crate) may_be_text: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Test(Operand, Relation),
    Not,
    /// Goes on at a step if the truth is the given one.
    SkipIf(bool, usize),
}

#[derive(Clone, Debug)]
enum Operand {
    Column(usize),
    Literal(Literal),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Order {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

#[derive(Clone, Debug)]
enum Relation {
    Equal(Operand),
    Ordered(Order, Operand),
    In(Vec<Literal>),
    /// The text is known before; the search for it is prepared.
    Contains(Box<Finder<'static>>),
    ContainsColumn(usize),
    StartsWith(Box<[u8]>),
    EndsWith(Box<[u8]>),
    Matches(Box<Regex>),
    IsNull,
}

/// A value's text; `None` for null and for what is missing.
pub(crate) type Value<'v> = Option<&'v [u8]>;

impl Filter {
    /// Reads a filter.
    pub(crate) fn parse(text: &str) -> Result<Self, QueryError> {
        parse::parse(text)
    }

    /// Says whether a record passes: `values` are those of [`Self::columns`].
    pub(crate) fn passes<V: AsRef<[u8]>>(&self, values: &[Option<V>]) -> bool {
        let value = |column: usize| values.get(column).and_then(Option::as_ref).map(AsRef::as_ref);
        let mut truth = true;
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            at += 1;
            match step {
                Step::Not => truth = !truth,
                Step::SkipIf(when, target) => {
                    if truth == *when {
                        at = *target;
                    }
                }
                Step::Test(Operand::Column(column), relation) => {
                    truth = relation.holds(value(*column), &value)
                }
                Step::Test(Operand::Literal(literal), relation) => {
                    truth = relation.holds(literal.text(), &value)
                }
            }
        }
        truth
    }
}

impl Relation {
    fn holds<'v>(&self, left: Value<'v>, value: &dyn Fn(usize) -> Value<'v>) -> bool {
        match self {
            Self::IsNull => left.is_none(),
            Self::Equal(Operand::Literal(literal)) => literal.equals(left),
            Self::Equal(Operand::Column(column)) => match (left, value(*column)) {
                (Some(left), Some(right)) => compare(left, right).is_eq(),
                (left, right) => left.is_none() && right.is_none(),
            },
            Self::Ordered(order, Operand::Literal(literal)) => {
                literal.compared_to(left).is_some_and(|ordering| order.holds(ordering))
            }
            Self::Ordered(order, Operand::Column(column)) => match (left, value(*column)) {
                (Some(left), Some(right)) => order.holds(compare(left, right)),
                _ => false,
            },
            Self::In(literals) => literals.iter().any(|literal| literal.equals(left)),
            Self::Contains(finder) => left.is_some_and(|left| finder.find(left).is_some()),
            Self::ContainsColumn(column) => match (left, value(*column)) {
                (Some(left), Some(right)) => memchr::memmem::find(left, right).is_some(),
                _ => false,
            },
            Self::StartsWith(text) => left.is_some_and(|left| left.starts_with(text)),
            Self::EndsWith(text) => left.is_some_and(|left| left.ends_with(text)),
            Self::Matches(regex) => left.is_some_and(|left| regex.is_match(left)),
        }
    }
}

/// Compares two texts: as numbers if both are numbers, else byte by byte.
pub(crate) fn compare(left: &[u8], right: &[u8]) -> Ordering {
    match (Decimal::read(left), Decimal::read(right)) {
        (Some(left), Some(right)) => left.compare(&right),
        _ => left.cmp(right),
    }
}
