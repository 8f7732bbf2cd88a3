//! Budgets in tokens.

use recto_tokens::{Counter, Tokenizer};

use super::config::PruneConfig;
use super::{MARKER_CHARS, cut};
use crate::block::Block;

/// The tokens of all text blocks, each counted by itself.
pub(super) fn measure(blocks: &[Block<'_>], tokenizer: Tokenizer) -> u64 {
    let counter = tokenizer.counter();
    blocks.iter().filter_map(Block::text).map(|text| counter.count(&text)).sum()
}

/// Keeps the longest head and tail that have no more tokens than the budgets; less, if tokens that form across a joint make it too much.
pub(super) fn prune<'a>(blocks: &[Block<'a>], config: &PruneConfig) -> Option<Vec<Block<'a>>> {
    let counter = config.tokenizer().counter();
    let before = measure(blocks, config.tokenizer());
    if before <= config.threshold() {
        return None;
    }
    let whole: String = blocks.iter().filter_map(Block::text).collect();
    let starts: Vec<usize> = whole.char_indices().map(|(at, _)| at).chain([whole.len()]).collect();
    let total = starts.len() - 1;
    let at = |points: usize| starts.get(points).copied().unwrap_or(whole.len());
    let fits = |text: Option<&str>, limit| text.is_some_and(|text| within(counter, text, limit));
    let mut head = longest(total, |points| fits(whole.get(..at(points)), config.head()));
    let mut tail = longest(total, |points| fits(whole.get(at(total - points)..), config.tail()));
    loop {
        if head + MARKER_CHARS + tail < total {
            let pruned = cut::measured(blocks, head, tail, config.boundary());
            let after = measure(&pruned, config.tokenizer());
            if after <= config.threshold() && after < before {
                return Some(pruned);
            }
        }
        if head == 0 && tail == 0 {
            return None;
        }
        (head, tail) = (shrunk(head), shrunk(tail));
    }
}

fn within(counter: &dyn Counter, text: &str, limit_tokens: u64) -> bool {
    counter.count_up_to(text, limit_tokens).is_some()
}

/// The largest number up to `most` that fits. Where a text fits and a shorter one does not, either may be found.
fn longest(most: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// A little less: one token's worth of a short text, a 64th of a long one.
const fn shrunk(points: usize) -> usize {
    points.saturating_sub(points / 64 + 1)
}
