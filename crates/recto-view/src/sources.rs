use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

/// A source and its SHA-256: hashed once, however many views are made of it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    bytes: &'s [u8],
    sha256: Digest<'s>,
}

#[derive(Clone, Copy, Debug)]
enum Digest<'s> {
    Known([u8; 32]),
    Shared(&'s OnceLock<[u8; 32]>),
}

impl<'s> Source<'s> {
    /// Hashes the bytes.
    #[must_use]
    pub fn new(bytes: &'s [u8]) -> Self {
        Self::with_digest(bytes, Sha256::digest(bytes).into())
    }

    /// Takes a digest that the caller has already, of these very bytes.
    #[must_use]
    pub fn with_digest(bytes: &'s [u8], sha256: [u8; 32]) -> Self {
        Self { bytes, sha256: Digest::Known(sha256) }
    }

    /// Hashes the bytes when the digest is first asked for, unless `sha256` holds it by then. Of copies in several threads one
    /// hashes; who asks meanwhile waits for it.
    ///
    /// ```
    /// use recto_view::Source;
    /// let digest = std::sync::OnceLock::new();
    /// let source = Source::with_shared_digest(b"hello\n", &digest);
    /// assert!(source.hex().starts_with("5891b5b522d5df08"));
    /// assert_eq!(digest.get(), Some(&source.sha256()));
    /// ```
    #[must_use]
    pub fn with_shared_digest(bytes: &'s [u8], sha256: &'s OnceLock<[u8; 32]>) -> Self {
        Self { bytes, sha256: Digest::Shared(sha256) }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &'s [u8] {
        self.bytes
    }

    /// SHA-256 of the bytes.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        match self.sha256 {
            Digest::Known(sha256) => sha256,
            Digest::Shared(sha256) => *sha256.get_or_init(|| Sha256::digest(self.bytes).into()),
        }
    }

    /// SHA-256 in lower-case hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(&self.sha256())
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
