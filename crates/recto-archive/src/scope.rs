use std::fmt;
use std::str::FromStr;

use crate::ArchiveError;

/// Names the principal on whose behalf the archive is asked.
///
/// A scope sees what it put itself and nothing else. A name has 1 to 512 bytes and no control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(String);

impl Scope {
    /// Longest name, in bytes.
    pub const MAX_BYTES: usize = 512;

    /// Checks a principal's name.
    ///
    /// # Errors
    /// [`ArchiveError::InvalidScope`] when the name is empty, too long or holds a control character.
    pub fn new(name: impl Into<String>) -> Result<Self, ArchiveError> {
        let name = name.into();
        let why = if name.is_empty() {
            "it is empty"
        } else if name.len() > Self::MAX_BYTES {
            "it has more than 512 bytes"
        } else if name.chars().any(char::is_control) {
            "it holds a control character"
        } else {
            return Ok(Self(name));
        };
        Err(ArchiveError::InvalidScope { why })
    }

    /// Gives the scope of a person working alone on their own machine.
    pub fn local() -> Self {
        Self("local".to_owned())
    }

    /// Gives the principal's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl FromStr for Scope {
    type Err = ArchiveError;

    fn from_str(name: &str) -> Result<Self, ArchiveError> {
        Self::new(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert!(Scope::new("").is_err());
        assert!(Scope::new("a\0b").is_err());
        assert!(Scope::new("x".repeat(513)).is_err());
        assert_eq!(Scope::new("x".repeat(512)).unwrap().as_str().len(), 512);
        assert_eq!(Scope::new("team/ünï").unwrap().to_string(), "team/ünï");
    }
}
