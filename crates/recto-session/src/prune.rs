//! The pruner of tool results: no model, no summary, the same bytes each time.

mod config;
mod cut;
mod read;
mod rewrite;
mod shorten;
mod tokens;

pub use self::config::{Boundary, PruneConfig, Strategy, Unit};
pub use self::rewrite::{Pruned, prune_session, prune_session_with};
pub use self::shorten::{Aim, Shorten};

use crate::block::Block;
use crate::json;

/// What stands where the middle of a result was: 39 code points.
pub const PRUNE_MARKER: &str = "\n\n[... tool result middle pruned ...]\n\n";

/// The marker as it is written in JSON.
const MARKER_LITERAL: &str = r"\n\n[... tool result middle pruned ...]\n\n";

/// The marker's code points, which are all ASCII.
const MARKER_CHARS: usize = PRUNE_MARKER.len();

/// Measures content: the Unicode code points of all text blocks together. Other blocks count nothing.
///
/// A lone surrogate, which JSON can hold and UTF-8 cannot, is one code point, as in JavaScript.
///
/// ```
/// use recto_session::{Block, measure_content};
///
/// let blocks = [Block::from_text("né😀"), Block::from_json(r#"{"type":"image","data":"AAAA"}"#)?];
/// assert_eq!(measure_content(&blocks), 3);
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[must_use]
pub fn measure_content(blocks: &[Block<'_>]) -> usize {
    lengths(blocks).iter().sum()
}

/// Shortens content that is over the threshold to its head, the marker and its tail; `None` at or under the threshold.
///
/// Laws: text is measured and cut across blocks; the marker stands once, at the end of what is left of the block that holds the head's last code point (of
/// the first block with text, if the head is 0), before the tail if that is in the same block. Blocks that are no text stay, in their
/// order; text blocks left empty go. The result has head + 39 + tail code points (fewer, if
/// the boundary is grapheme clusters), so it is smaller and never over the threshold. With budgets in tokens it is both in tokens.
///
/// The strategy plays no part here: this is always `headTail`.
///
/// ```
/// use recto_session::{Block, PRUNE_MARKER, PruneConfig, prune_content};
///
/// let config = PruneConfig::chars(50, 3, 2)?;
/// let pruned = prune_content(&[Block::from_text(&"0123456789".repeat(6))], &config).unwrap();
/// assert_eq!(pruned[0].text().unwrap(), format!("012{PRUNE_MARKER}89"));
/// assert_eq!(prune_content(&pruned, &config), None);
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[must_use]
pub fn prune_content<'a>(blocks: &[Block<'a>], config: &PruneConfig) -> Option<Vec<Block<'a>>> {
    match config.unit() {
        Unit::Chars => {
            let lengths = lengths(blocks);
            let total: usize = lengths.iter().sum();
            (total > points(config.threshold())).then(|| {
                let (head, tail) = (points(config.head()), points(config.tail()));
                cut::head_and_tail(blocks, &lengths, head, tail, config.boundary())
            })
        }
        Unit::Tokens => tokens::prune(blocks, config),
    }
}

/// Tells whether content is over the threshold, in the configuration's unit.
fn is_over(blocks: &[Block<'_>], config: &PruneConfig) -> bool {
    match config.unit() {
        Unit::Chars => measure_content(blocks) > points(config.threshold()),
        Unit::Tokens => tokens::measure(blocks, config.tokenizer()) > config.threshold(),
    }
}

/// The code points of each block.
fn lengths(blocks: &[Block<'_>]) -> Vec<usize> {
    blocks.iter().map(|block| block.literal_text().map_or(0, json::count_points)).collect()
}

/// A budget as a length in memory, where nothing is longer than `usize` says.
fn points(budget: u64) -> usize {
    usize::try_from(budget).unwrap_or(usize::MAX)
}
