//! Sources larger than the caches: parts of them brought near before they are read.

use std::{hint::black_box, ops::Range};

/// The bytes of a block: a part of the nearest cache.
const BLOCK_BYTES: usize = 16 << 10;
/// What a cache loads at once, on the usual machines.
const LINE_BYTES: usize = 64;

/// The blocks of a source, each of which is in the nearest cache when it comes: whatever is looked for in it costs no more waiting
/// for memory.
///
/// ```
/// let source = vec![b'a'; 40_000];
/// let blocks: Vec<_> = recto_outline::blocks(&source).collect();
/// assert_eq!(blocks, [0..16_384, 16_384..32_768, 32_768..40_000]);
/// ```
pub fn blocks(source: &[u8]) -> impl Iterator<Item = Range<usize>> {
    (0..source.len()).step_by(BLOCK_BYTES).map(|start| {
        let block = start..source.len().min(start + BLOCK_BYTES);
        load(source.get(block.clone()).unwrap_or_default());
        block
    })
}

/// Loads all of a block. A search for words does so much for each byte that a processor sees but a few lines ahead in it, and waits
/// for memory most of the time; these loads are under way all at once.
fn load(block: &[u8]) {
    black_box(block.iter().step_by(LINE_BYTES).fold(0, |all, byte| all | byte));
}
