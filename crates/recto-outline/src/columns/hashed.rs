//! Maps whose keys are hashes.

use std::hash::{BuildHasher, Hasher};

use crate::hash;

/// Builds hashers of keys that are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed;

impl BuildHasher for Hashed {
    type Hasher = HashedHasher;

    fn build_hasher(&self) -> HashedHasher {
        HashedHasher(0)
    }
}

/// Hashes a key that is a hash already.
#[derive(Clone, Copy, Debug)]
pub struct HashedHasher(u64);

impl Hasher for HashedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }
}
