//! Line ends of a source, counted once: each draft of a view asks for those in its gaps.

use std::cell::OnceCell;

use memchr::memchr_iter;
use recto_outline::{LineEnd, Outline, Span, blocks};

/// Line ends are counted by blocks of this many bytes.
const BLOCK_BYTES: usize = 512;

/// Counts line ends in parts of one source.
#[derive(Debug)]
pub(crate) struct LineEnds<'s> {
    source: &'s [u8],
    /// The byte that ends a line, the last one of two.
    pub(crate) byte: u8,
    /// How many stand before each block; counted when first asked for.
    before: OnceCell<Vec<u32>>,
}

impl<'s> LineEnds<'s> {
    pub(crate) fn of(outline: &Outline<'s>) -> Self {
        let byte = if outline.line_end == LineEnd::Cr { b'\r' } else { b'\n' };
        Self { source: outline.source, byte, before: OnceCell::new() }
    }

    /// Counts the line ends in `span`.
    pub(crate) fn count(&self, span: Span) -> usize {
        let (start, end) = (span.s as usize, span.e as usize);
        let (first, last) = (start.div_ceil(BLOCK_BYTES), end / BLOCK_BYTES);
        if last <= first {
            return self.count_each(start, end);
        }
        let before = self.before.get_or_init(|| self.blocks());
        let up_to = |block: usize| before.get(block).copied().unwrap_or_default();
        self.count_each(start, first * BLOCK_BYTES)
            + up_to(last).saturating_sub(up_to(first)) as usize
            + self.count_each(last * BLOCK_BYTES, end)
    }

    fn count_each(&self, start: usize, end: usize) -> usize {
        memchr_iter(self.byte, self.source.get(start..end).unwrap_or_default()).count()
    }

    fn blocks(&self) -> Vec<u32> {
        let mut count = 0_u32;
        let mut before = vec![0];
        before.reserve_exact(self.source.len().div_ceil(BLOCK_BYTES));
        for loaded in blocks(self.source) {
            for block in self.source.get(loaded).unwrap_or_default().chunks(BLOCK_BYTES) {
                count += u32::try_from(memchr_iter(self.byte, block).count()).unwrap_or(u32::MAX);
                before.push(count);
            }
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use recto_outline::{Fuel, outline};

    use super::*;

    #[test]
    fn parts_are_counted_as_by_hand() {
        let text: String =
            (0..9_000).map(|line| if line % 7 == 0 { "a longer line\n" } else { "ab\n" }).collect();
        let outline = outline(text.as_bytes(), None, &mut Fuel::unlimited()).unwrap();
        let ends = LineEnds::of(&outline);
        for start in [0, 1, 511, 512, 513, 20_000, text.len()] {
            for end in
                [start, start + 1, start + 5_000, 8_192, 12_289, 1_024, 1_025, text.len() - 1, text.len()]
            {
                let Some(part) = text.get(start..end) else { continue };
                let by_hand = part.bytes().filter(|byte| *byte == b'\n').count();
                assert_eq!(ends.count(Span::new(start, end)), by_hand, "{start}..{end}");
            }
        }
    }
}
