//! Head, marker and tail, across blocks.

use unicode_segmentation::GraphemeCursor;

use super::config::Boundary;
use super::{MARKER_LITERAL, lengths};
use crate::block::Block;
use crate::json;

/// Keeps so many code points of the beginning and of the end. `head + tail` is less than there are.
pub(super) fn head_and_tail<'a>(
    blocks: &[Block<'a>],
    lengths: &[usize],
    head: usize,
    tail: usize,
    boundary: Boundary,
) -> Vec<Block<'a>> {
    let total: usize = lengths.iter().sum();
    let (head, tail_start) = match boundary {
        Boundary::CodePoint => (head, total - tail),
        Boundary::Grapheme => {
            (cluster_start(blocks, lengths, head), cluster_end(blocks, lengths, total - tail))
        }
    };
    let mut kept = Vec::with_capacity(blocks.len());
    let mut start = 0;
    for (block, length) in blocks.iter().zip(lengths) {
        let end = start + length;
        // The marker goes with the head's last code point, or with the first one of all if there is no head.
        let holds_marker = *length > 0 && start < head.max(1) && head.max(1) <= end;
        match block.literal_text() {
            None => kept.push(block.clone()),
            Some("") => {}
            Some(_) if !holds_marker && (end <= head || start >= tail_start) => kept.push(block.clone()),
            Some(text) => {
                let first = json::point_offset(text, head.saturating_sub(start).min(*length));
                let last = json::point_offset(text, tail_start.saturating_sub(start).min(*length));
                let parts = [
                    text.get(..first).unwrap_or_default(),
                    if holds_marker { MARKER_LITERAL } else { "" },
                    text.get(last..).unwrap_or_default(),
                ];
                let text = parts.concat();
                if !text.is_empty() {
                    kept.push(block.with_literal_text(&text));
                }
            }
        }
        start = end;
    }
    kept
}

/// A cut that moves to the beginning of the grapheme cluster that it is in.
fn cluster_start(blocks: &[Block<'_>], lengths: &[usize], cut: usize) -> usize {
    moved(blocks, lengths, cut, |cursor, text| cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0))
}

/// A cut that moves to the end of the grapheme cluster that it is in.
fn cluster_end(blocks: &[Block<'_>], lengths: &[usize], cut: usize) -> usize {
    moved(blocks, lengths, cut, |cursor, text| {
        cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len())
    })
}

/// Moves a cut that is inside a block and inside a cluster.
fn moved(
    blocks: &[Block<'_>],
    lengths: &[usize],
    cut: usize,
    to: impl Fn(&mut GraphemeCursor, &str) -> usize,
) -> usize {
    let mut start = 0;
    for (block, length) in blocks.iter().zip(lengths) {
        let end = start + length;
        if start < cut && cut < end {
            let Some(text) = block.text() else { return cut };
            let at = text.char_indices().nth(cut - start).map_or(text.len(), |(at, _)| at);
            let mut cursor = GraphemeCursor::new(at, text.len(), true);
            if cursor.is_boundary(&text, 0).unwrap_or(true) {
                return cut;
            }
            let at = to(&mut cursor, &text);
            return start + text.get(..at).unwrap_or_default().chars().count();
        }
        start = end;
    }
    cut
}

/// The same for blocks that were not measured yet.
pub(super) fn measured<'a>(
    blocks: &[Block<'a>],
    head: usize,
    tail: usize,
    boundary: Boundary,
) -> Vec<Block<'a>> {
    head_and_tail(blocks, &lengths(blocks), head, tail, boundary)
}
