//! The public vocabularies, each loaded once, at the first count.

use std::sync::OnceLock;

use tiktoken::CoreBpe;

use crate::{cut, long_word};

/// The most bytes one token of either vocabulary stands for.
///
/// Both have a token of 128 spaces; a test walks over all tokens.
pub(crate) const MAX_TOKEN_BYTES: u64 = 128;

/// A block is counted before the budget is looked at again: this many bytes for each token of room.
/// Real text has 2 to 5 bytes a token, so that few blocks go over.
const BLOCK_BYTES_PER_TOKEN: u64 = 2;
const MIN_BLOCK_BYTES: u64 = 64;
const MAX_BLOCK_BYTES: u64 = 64 * 1024;

/// A text without an exact cut for this long is looked at as one long word.
const LONG_BYTES: usize = 32 * 1024;

pub(crate) static O200K_BASE: Vocabulary =
    Vocabulary { pairs: OnceLock::new(), build: tiktoken::encoding::o200k_base };
pub(crate) static CL100K_BASE: Vocabulary =
    Vocabulary { pairs: OnceLock::new(), build: tiktoken::encoding::cl100k_base };

/// A byte-pair vocabulary that is loaded when first used.
pub(crate) struct Vocabulary {
    pairs: OnceLock<CoreBpe>,
    build: fn() -> CoreBpe,
}

impl Vocabulary {
    /// Returns the loaded vocabulary; the first call takes some tens of milliseconds.
    pub(crate) fn loaded(&self) -> &CoreBpe {
        self.pairs.get_or_init(self.build)
    }

    /// Counts the tokens of `text`, whose special tokens are plain text.
    pub(crate) fn count(&self, text: &str) -> u64 {
        if text.is_empty() {
            return 0;
        }
        let pairs = self.loaded();
        let mut counted = 0;
        let mut rest = text;
        while rest.len() > LONG_BYTES {
            let (stretch, after) = cut::split_from(rest, LONG_BYTES / 2);
            counted += if stretch.len() > LONG_BYTES {
                long_word::count(pairs, stretch)
            } else {
                pairs.count(stretch) as u64
            };
            rest = after;
        }
        counted + pairs.count(rest) as u64
    }

    /// Counts block by block and gives up as soon as `limit_tokens` is passed.
    pub(crate) fn count_up_to(&self, text: &str, limit_tokens: u64) -> Option<u64> {
        let mut counted = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let room = limit_tokens.checked_sub(counted)?;
            if rest.len() as u64 > room.saturating_mul(MAX_TOKEN_BYTES) {
                return None;
            }
            let block_bytes =
                room.saturating_mul(BLOCK_BYTES_PER_TOKEN).clamp(MIN_BLOCK_BYTES, MAX_BLOCK_BYTES);
            let (block, after) = cut::split_from(rest, block_bytes as usize);
            counted += self.count(block);
            rest = after;
        }
        (counted <= limit_tokens).then_some(counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_is_longer_than_stated() {
        for vocabulary in [&O200K_BASE, &CL100K_BASE] {
            let pairs = vocabulary.loaded();
            let longest = (0..300_000).map(|token| pairs.decode(&[token]).len() as u64).max();
            assert_eq!(longest, Some(MAX_TOKEN_BYTES));
        }
    }
}
