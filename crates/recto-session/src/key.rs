use sha2::{Digest as _, Sha256};

/// Stands for a text that names something: the first half of its SHA-256, so that a session of a million ids takes little memory and
/// nobody can make two ids meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 16]);

impl Key {
    /// The key of a text.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        Self::of_parts(&[text])
    }

    /// The key of several texts, which are told apart.
    #[must_use]
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            if parts.len() > 1 {
                hash.update((part.len() as u64).to_le_bytes());
            }
            hash.update(part);
        }
        let digest = hash.finalize();
        let mut key = [0; 16];
        key.iter_mut().zip(digest.iter()).for_each(|(key, byte)| *key = *byte);
        Self(key)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
