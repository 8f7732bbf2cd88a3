use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::ArchiveError;

/// Names bytes by their SHA-256.
///
/// Printed and parsed as 64 lower-case hexadecimal digits.
///
/// ```
/// use recto_archive::Digest;
/// let digest = Digest::of(b"abc");
/// assert_eq!(digest.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
/// assert_eq!(digest.to_string().parse::<Digest>()?, digest);
/// # Ok::<(), recto_archive::ArchiveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Computes the digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Gives the 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = ArchiveError;

    fn from_str(text: &str) -> Result<Self, ArchiveError> {
        let invalid = || ArchiveError::InvalidDigest { text: text.chars().take(80).collect() };
        if text.len() != 64 {
            return Err(invalid());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let [high, low] = pair else { return Err(invalid()) };
            let nibble =
                |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
            *byte = match (nibble(*high), nibble(*low)) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => return Err(invalid()),
            };
        }
        Ok(Self(bytes))
    }
}

/// Computes a digest of bytes that arrive in pieces.
#[derive(Clone, Default)]
pub(crate) struct DigestBuilder(Sha256);

impl DigestBuilder {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_is_strict_about_length_and_digits() {
        for text in ["", "ab", &"g".repeat(64), &"a".repeat(63), &"a".repeat(65), &"é".repeat(32)] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
        assert_eq!("A".repeat(64).parse::<Digest>().unwrap().to_string(), "a".repeat(64));
    }

    #[test]
    fn pieces_give_the_digest_of_the_whole() {
        let mut builder = DigestBuilder::default();
        builder.update(b"ab");
        builder.update(b"");
        builder.update(b"c");
        assert_eq!(builder.finish(), Digest::of(b"abc"));
    }
}
