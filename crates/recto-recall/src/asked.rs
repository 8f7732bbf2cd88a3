use std::str::FromStr;

use recto_archive::Ref;

use crate::{Elisions, RecallError};

/// Fewest digits of a ref that are taken for its beginning.
const FEWEST_DIGITS: usize = 6;

/// What a reader asks for: a ref or its first digits, and the number of an elision if only that is meant, or of several.
///
/// ```
/// use recto_recall::Asked;
///
/// let asked: Asked = "r:123456789012345#3".parse()?;
/// assert_eq!((asked.name(), asked.elision), ("r:123456789012345", Some("3".parse()?)));
/// assert!("r:12".parse::<Asked>().is_err());
/// # Ok::<(), recto_recall::RecallError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    name: String,
    /// The elisions; without any the whole original is meant.
    pub elision: Option<Elisions>,
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

    /// Reads `REF`, `REF#N` or `REF#N-M`; six digits of a ref are the fewest.
    fn from_str(text: &str) -> Result<Self, RecallError> {
        let (name, elision) = match text.split_once('#') {
            Some((name, numbers)) => (name, Some(numbers.parse()?)),
            None => (text, None),
        };
        if Ref::check_prefix(name)?.len() < FEWEST_DIGITS {
            return Err(RecallError::ShortRef { text: name.to_owned(), fewest: FEWEST_DIGITS });
        }
        Ok(Self { name: name.to_owned(), elision })
    }
}
