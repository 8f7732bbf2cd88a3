use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

use crate::RecallError;

/// The elisions that a note tells of, by number from 1: one, or those from the first to the last with what is shown between them, as the
/// note of an object writes them: `#3-9`.
///
/// ```
/// use recto_recall::Elisions;
///
/// let elisions: Elisions = "3-9".parse()?;
/// assert_eq!((elisions.first, elisions.last), (3, 9));
/// assert_eq!("3".parse::<Elisions>()?.to_string(), "3");
/// assert!("9-3".parse::<Elisions>().is_err());
/// # Ok::<(), recto_recall::RecallError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elisions {
    /// The first.
    pub first: u64,
    /// The last, which may be the first.
    pub last: u64,
}

impl FromStr for Elisions {
    type Err = RecallError;

    /// Reads `3` or `3-9`.
    fn from_str(text: &str) -> Result<Self, RecallError> {
        let wrong = || RecallError::ElisionNumber { text: text.to_owned() };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |digits: &str| digits.parse::<u64>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if last < first { Err(wrong()) } else { Ok(Self { first, last }) }
    }
}

impl fmt::Display for Elisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        if first == last { write!(f, "{first}") } else { write!(f, "{first}-{last}") }
    }
}

/// A number for one, a text for several.
impl Serialize for Elisions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.first == self.last { self.first.serialize(serializer) } else { serializer.collect_str(self) }
    }
}
