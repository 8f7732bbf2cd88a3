//! What is worked out of the records of a group.

use std::borrow::Cow;

use recto_outline::Span;

use crate::{Path, QueryError, decimal::Decimal, sort::Key, total::Total};

/// What is worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Count,
    Sum,
    Average,
    Least,
    Most,
}

/// A function of a column; of the records themselves, `count`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Aggregate {
    pub(crate) function: Function,
    pub(crate) path: Option<Path>,
    /// It was written with parentheses: no column is meant.
    is_certain: bool,
    /// As it stands in the header.
    pub(crate) name: String,
}

impl Aggregate {
    /// The number of records.
    pub(crate) fn count() -> Self {
        Self { function: Function::Count, path: None, is_certain: false, name: "count".to_owned() }
    }

    /// See the field.
    pub(crate) fn is_certain(&self) -> bool {
        self.is_certain
    }

    /// Reads `sum(bytes)`, `count`; `None` for what is a column.
    pub(crate) fn parse(text: &str, argument: &'static str) -> Result<Option<Self>, QueryError> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('(') else {
            return Ok(text.eq_ignore_ascii_case("count").then(Self::count));
        };
        let (function, name) = match name.trim().to_ascii_lowercase().as_str() {
            "count" => (Function::Count, "count"),
            "sum" | "total" => (Function::Sum, "sum"),
            "avg" | "mean" | "average" => (Function::Average, "avg"),
            "min" | "minimum" => (Function::Least, "min"),
            "max" | "maximum" => (Function::Most, "max"),
            // A column's name may have parentheses in it.
            _ => return Ok(None),
        };
        let Some(inner) = rest.trim_end().strip_suffix(')') else {
            return Err(QueryError::at(argument, text, text.len(), "a closing ) is missing here"));
        };
        if function == Function::Count && matches!(inner.trim(), "" | "*") {
            return Ok(Some(Self { is_certain: true, ..Self::count() }));
        }
        let path = Path::parse(inner, argument)?;
        let name = format!("{name}({})", path.label());
        Ok(Some(Self { function, path: Some(path), is_certain: true, name }))
    }
}

/// What an aggregate has come to.
#[derive(Clone, Debug)]
pub(crate) enum State<'s> {
    Count(u64),
    Total(Function, Box<Total>),
    /// The value that comes first, or last, in the order of sorting.
    Extreme(Function, Option<(Key<'s>, Span)>),
}

/// A value of the answer: bytes of the source, or worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Source(Span),
    Computed(String),
    Missing,
}

impl<'s> State<'s> {
    pub(crate) fn new(function: Function) -> Self {
        match function {
            Function::Count => Self::Count(0),
            Function::Sum | Function::Average => Self::Total(function, Box::default()),
            Function::Least | Function::Most => Self::Extreme(function, None),
        }
    }

    /// Takes a value that is not missing, and the span of its cell.
    pub(crate) fn add(&mut self, value: Cow<'s, [u8]>, span: Span) {
        match self {
            Self::Count(count) => *count += 1,
            Self::Total(_, total) => {
                if let Some(number) = Decimal::read(&value) {
                    total.add(&number);
                }
            }
            Self::Extreme(function, best) => {
                let key = Key::new(Some(value));
                let is_better = best.as_ref().is_none_or(|(known, _)| match function {
                    Function::Least => key.compare(known, false).is_lt(),
                    _ => key.compare(known, false).is_gt(),
                });
                if is_better {
                    *best = Some((key, span));
                }
            }
        }
    }

    /// Counts a record as such.
    pub(crate) fn count(&mut self) {
        if let Self::Count(count) = self {
            *count += 1;
        }
    }

    /// Numbers that were too large or too fine to add.
    pub(crate) fn left_out(&self) -> u64 {
        match self {
            Self::Total(_, total) => total.left_out,
            Self::Count(_) | Self::Extreme(..) => 0,
        }
    }

    pub(crate) fn shown(&self) -> Shown {
        match self {
            Self::Count(count) => Shown::Computed(count.to_string()),
            Self::Total(_, total) if total.count == 0 => Shown::Missing,
            Self::Total(Function::Sum, total) => Shown::Computed(total.text()),
            Self::Total(_, total) => total.average().map_or(Shown::Missing, Shown::Computed),
            Self::Extreme(_, best) => best.as_ref().map_or(Shown::Missing, |(_, span)| Shown::Source(*span)),
        }
    }
}
