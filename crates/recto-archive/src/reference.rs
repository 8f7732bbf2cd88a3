use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::{ArchiveError, Digest};

/// What a ref stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// One whole original.
    Original(Digest),
    /// One view: what was shown of `original` under `policy`.
    View {
        /// The original's digest.
        original: Digest,
        /// The policy's digest.
        policy: Digest,
        /// The digest of the stored span map, which says for ever what each elision of this view is. The name does
        /// not depend on it.
        map: Digest,
    },
    /// Something that retention removed; `why` says when and by which rule.
    Gone {
        /// As in "removed on 2026-11-30 by rule max-age 30d".
        why: String,
    },
}

impl Target {
    /// Gives the digest of the original that is named, unless it is gone.
    pub fn original(&self) -> Option<&Digest> {
        match self {
            Self::Original(original) | Self::View { original, .. } => Some(original),
            Self::Gone { .. } => None,
        }
    }

    /// Tells whether both have the same original and policy: then they share one name, whatever their maps.
    pub(crate) fn same_name(&self, other: &Self) -> bool {
        self.identity().is_some() && self.identity() == other.identity()
    }

    pub(crate) fn identity(&self) -> Option<(&Digest, Option<&Digest>)> {
        match self {
            Self::Original(original) => Some((original, None)),
            Self::View { original, policy, .. } => Some((original, Some(policy))),
            Self::Gone { .. } => None,
        }
    }
}

/// Names one view, or one whole original: `r:` and 15 decimal digits.
///
/// The digits are taken from a SHA-256 over the digests of the original and of the policy, so everybody computes the
/// same name before anything is stored. Where those 15 are already bound to something else in a scope, the name takes
/// 3 more digits of the same number (18, 21, ... 36). [`Archive::issue`](crate::Archive::issue) binds a name for ever.
///
/// ```
/// use recto_archive::{Digest, Ref};
/// let name = Ref::for_original(&Digest::of(b"hello\n"));
/// assert_eq!(name.to_string().len(), 2 + 15);
/// assert_eq!(name.to_string().parse::<Ref>()?, name);
/// # Ok::<(), recto_archive::ArchiveError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ref(String);

impl Ref {
    /// Digits of a name that met no collision.
    pub const MIN_DIGITS: usize = 15;
    /// Digits of the longest name.
    pub const MAX_DIGITS: usize = 36;
    /// Digits that a collision adds.
    pub const STEP_DIGITS: usize = 3;

    /// Computes the shortest name of the view of `original` under the policy whose digest is `policy`.
    pub fn for_view(original: &Digest, policy: &Digest) -> Self {
        Self::shortest(&digits(original, Some(policy)))
    }

    /// Computes the shortest name of a whole original.
    pub fn for_original(original: &Digest) -> Self {
        Self::shortest(&digits(original, None))
    }

    /// Lists the names that `target` may be given, in the order in which they are tried; none for a target that is
    /// gone.
    pub fn candidates(target: &Target) -> impl Iterator<Item = Self> {
        let number = target.identity().map(|(original, policy)| digits(original, policy));
        (Self::MIN_DIGITS..=Self::MAX_DIGITS)
            .step_by(Self::STEP_DIGITS)
            .filter_map(move |length| number.as_ref()?.get(..length).map(|digits| Self(digits.to_owned())))
    }

    /// Gives the digits without `r:`.
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// Checks the beginning of a name, with or without `r:`, and gives its digits.
    ///
    /// # Errors
    /// [`ArchiveError::InvalidRef`] when it holds anything but 1 to 36 decimal digits.
    pub fn check_prefix(text: &str) -> Result<&str, ArchiveError> {
        let digits = text.strip_prefix("r:").unwrap_or(text);
        let why = if digits.is_empty() {
            "no digits"
        } else if digits.contains('#') {
            "the elision after # is no part of the ref"
        } else if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            "only decimal digits may follow r:"
        } else if digits.len() > Self::MAX_DIGITS {
            "more than 36 digits"
        } else {
            return Ok(digits);
        };
        Err(ArchiveError::InvalidRef { text: text.chars().take(60).collect(), why })
    }

    fn shortest(digits: &str) -> Self {
        Self(digits.chars().take(Self::MIN_DIGITS).collect())
    }
}

/// 36 decimal digits: the first 128 bits of the hash, modulo 10^36.
fn digits(original: &Digest, policy: Option<&Digest>) -> String {
    let mut hash = Sha256::new();
    hash.update(b"recto ref 1\0");
    hash.update([u8::from(policy.is_some())]);
    hash.update(original.as_bytes());
    if let Some(policy) = policy {
        hash.update(policy.as_bytes());
    }
    let number = hash.finalize().iter().take(16).fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    format!("{:036}", number % 10_u128.pow(36))
}

impl fmt::Display for Ref {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "r:{}", self.0)
    }
}

impl fmt::Debug for Ref {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for Ref {
    type Err = ArchiveError;

    fn from_str(text: &str) -> Result<Self, ArchiveError> {
        let invalid = |why| ArchiveError::InvalidRef { text: text.chars().take(60).collect(), why };
        if !text.starts_with("r:") {
            return Err(invalid("it does not begin with r:"));
        }
        let digits = Self::check_prefix(text)?;
        if digits.len() < Self::MIN_DIGITS {
            return Err(invalid("fewer than 15 digits: it is only the beginning of a ref"));
        }
        if digits.len() % Self::STEP_DIGITS != 0 {
            return Err(invalid("a ref has 15, 18, 21, ... or 36 digits: some are missing"));
        }
        Ok(Self(digits.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(policy: &[u8]) -> Target {
        Target::View { original: Digest::of(b"a"), policy: Digest::of(policy), map: Digest::of(b"m") }
    }

    #[test]
    fn names_never_change_between_versions() {
        let original = Digest::of(b"hello\n");
        assert_eq!(Ref::for_original(&original).to_string(), "r:840696037873088");
        assert_eq!(Ref::for_view(&original, &Digest::of(b"policy")).to_string(), "r:782372108633726");
    }

    #[test]
    fn candidates_grow_by_three_digits() {
        let names: Vec<Ref> = Ref::candidates(&view(b"p")).collect();
        let lengths: Vec<usize> = names.iter().map(|name| name.digits().len()).collect();
        assert_eq!(lengths, [15, 18, 21, 24, 27, 30, 33, 36]);
        assert_eq!(names.first(), Some(&Ref::for_view(&Digest::of(b"a"), &Digest::of(b"p"))));
        assert!(names.windows(2).all(|pair| pair[1].digits().starts_with(pair[0].digits())));
        assert_eq!(Ref::candidates(&Target::Gone { why: String::new() }).count(), 0);
    }

    #[test]
    fn a_view_and_its_original_have_different_names() {
        let original = Digest::of(b"a");
        assert_ne!(Ref::for_original(&original), Ref::for_view(&original, &Digest([0; 32])));
        assert!(view(b"p").same_name(&view(b"p")) && !view(b"p").same_name(&view(b"q")));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (text, why) in [
            ("", "does not begin with r:"),
            ("123456789012345", "does not begin with r:"),
            ("r:", "no digits"),
            ("r:12345", "only the beginning"),
            ("r:1234567890123456", "some are missing"),
            ("r:12345678901234x", "only decimal digits"),
            ("r:123456789012345#3", "no part of the ref"),
            ("r:1234567890123456789012345678901234567", "more than 36"),
            ("r:１２３４５６７８９０１２３４５", "only decimal digits"),
        ] {
            let error = text.parse::<Ref>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
