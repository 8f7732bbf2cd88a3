use sha2::{Digest, Sha256};

/// A source and its SHA-256: hashed once, however many views are made of it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    bytes: &'s [u8],
    sha256: [u8; 32],
}

impl<'s> Source<'s> {
    /// Hashes the bytes.
    #[must_use]
    pub fn new(bytes: &'s [u8]) -> Self {
        Self { bytes, sha256: Sha256::digest(bytes).into() }
    }

    /// Takes a digest that the caller has already, of these very bytes.
    #[must_use]
    pub fn with_digest(bytes: &'s [u8], sha256: [u8; 32]) -> Self {
        Self { bytes, sha256 }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &'s [u8] {
        self.bytes
    }

    /// SHA-256 of the bytes.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// SHA-256 in lower-case hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(&self.sha256)
    }
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .map(char::from)
        .collect()
}
