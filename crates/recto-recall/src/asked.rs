use std::str::FromStr;

use recto_archive::Ref;

use crate::RecallError;

/// Fewest digits of a ref that are taken for its beginning.
const FEWEST_DIGITS: usize = 6;

/// What a reader asks for: a ref or its first digits, and the number of an elision if only that is meant.
///
/// ```
/// use recto_recall::Asked;
///
/// let asked: Asked = "r:123456789012345#3".parse()?;
/// assert_eq!((asked.name(), asked.elision), ("r:123456789012345", Some(3)));
/// assert!("r:12".parse::<Asked>().is_err());
/// # Ok::<(), recto_recall::RecallError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    name: String,
    /// The elision's number, from 1; without one the whole original is meant.
    pub elision: Option<u64>,
}

impl Asked {
    /// Gives the ref, or the beginning of one, as it was written.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for Asked {
    type Err = RecallError;

    /// Reads `REF` or `REF#N`; six digits of a ref are the fewest.
    fn from_str(text: &str) -> Result<Self, RecallError> {
        let (name, elision) = match text.split_once('#') {
            Some((name, number)) => {
                let wrong = |_| RecallError::ElisionNumber { text: number.to_owned() };
                (name, Some(number.parse().map_err(wrong)?))
            }
            None => (text, None),
        };
        if Ref::check_prefix(name)?.len() < FEWEST_DIGITS {
            return Err(RecallError::ShortRef { text: name.to_owned(), fewest: FEWEST_DIGITS });
        }
        Ok(Self { name: name.to_owned(), elision })
    }
}
