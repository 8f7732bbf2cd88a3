//! A source as pieces that baselines choose from: lines, and parts of lines that are longer than the budget.

use std::ops::Range;

use recto_tokens::Tokenizer;

/// Lines longer than a budget are cut into parts of a thirty-second of it, so that a baseline can use all of it.
const PARTS_A_BUDGET: u64 = 32;

/// About how many bytes a token has.
const BYTES_A_TOKEN: u64 = 4;

/// Shortest part of a line.
const LEAST_PART_BYTES: u64 = 16;

/// A text and the pieces it consists of, each with its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Pieces<'t> {
    pub(crate) text: &'t str,
    ranges: Vec<Range<usize>>,
    tokens: Vec<u64>,
}

impl<'t> Pieces<'t> {
    /// One piece a line, its line end included. Where there are only carriage returns, these end the lines.
    pub(crate) fn lines(text: &'t str) -> Self {
        let end = if text.contains('\n') { '\n' } else { '\r' };
        let mut at = 0;
        let ranges = text
            .split_inclusive(end)
            .map(|line| {
                let start = at;
                at += line.len();
                start..at
            })
            .collect();
        Self::counted(text, ranges)
    }

    /// Lines longer than the budget are cut; none if there is none.
    pub(crate) fn cut(&self, budget_tokens: u64) -> Option<Self> {
        if self.tokens.iter().all(|tokens| *tokens <= budget_tokens) {
            return None;
        }
        let part = (budget_tokens * BYTES_A_TOKEN / PARTS_A_BUDGET).max(LEAST_PART_BYTES);
        let part = usize::try_from(part).unwrap_or(usize::MAX);
        let mut ranges = Vec::with_capacity(self.ranges.len());
        for (range, tokens) in self.ranges.iter().zip(&self.tokens) {
            let mut start = range.start;
            while *tokens > budget_tokens && start + part < range.end {
                let end = self.text.ceil_char_boundary(start + part);
                ranges.push(start..end);
                start = end;
            }
            ranges.push(start..range.end);
        }
        Some(Self::counted(self.text, ranges))
    }

    fn counted(text: &'t str, ranges: Vec<Range<usize>>) -> Self {
        let counter = Tokenizer::O200k.counter();
        let tokens =
            ranges.iter().map(|range| counter.count(text.get(range.clone()).unwrap_or_default())).collect();
        Self { text, ranges, tokens }
    }

    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    pub(crate) fn tokens(&self, index: usize) -> u64 {
        self.tokens.get(index).copied().unwrap_or(0)
    }

    pub(crate) fn piece(&self, index: usize) -> &'t str {
        self.ranges.get(index).and_then(|range| self.text.get(range.clone())).unwrap_or_default()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &'t str> {
        (0..self.len()).map(|index| self.piece(index))
    }

    /// The longest prefix of `order` that fits into the budget, laid out in the order of the source: never over it, by the real
    /// tokenizer. The sum over pieces is mostly a little more than the whole, so it is made up for.
    pub(crate) fn fill(&self, order: &[usize], budget_tokens: u64) -> String {
        /// Rounds of making up for the difference.
        const ROUNDS: usize = 4;
        let counter = Tokenizer::O200k.counter();
        let prefix = |allowed: u64| {
            let mut sum = 0_u64;
            let fitting = order.iter().take_while(|index| {
                sum += self.tokens(**index);
                sum <= allowed
            });
            fitting.count()
        };
        let sum = |count: usize| order.iter().take(count).map(|index| self.tokens(*index)).sum::<u64>();
        let mut best = (0, String::new());
        let mut allowed = budget_tokens;
        for _ in 0..ROUNDS {
            let mut count = prefix(allowed);
            if count <= best.0 {
                break;
            }
            // One piece too many is rare, two hardly ever.
            let fitted = loop {
                if count <= best.0 {
                    break None;
                }
                let text = self.joined(order.get(..count).unwrap_or_default());
                if let Some(tokens) = counter.count_up_to(&text, budget_tokens) {
                    break Some((tokens, text));
                }
                count -= 1;
            };
            let Some((tokens, text)) = fitted else { break };
            allowed = budget_tokens + sum(count).saturating_sub(tokens);
            best = (count, text);
        }
        best.1
    }

    /// Pieces in the order of the source; a line feed where a gap would join two.
    fn joined(&self, chosen: &[usize]) -> String {
        let mut sorted = chosen.to_vec();
        sorted.sort_unstable();
        let mut text = String::new();
        let mut next = 0;
        for index in sorted {
            if index > next && !text.is_empty() && !text.ends_with(['\n', '\r']) {
                text.push('\n');
            }
            text.push_str(self.piece(index));
            next = index + 1;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_fills_the_budget_and_never_exceeds_it() {
        let counter = Tokenizer::O200k.counter();
        let text: String = (0..400).map(|n| format!("{n} ##[group] line {}\n", n * 7)).collect();
        let lines = Pieces::lines(&text);
        let order: Vec<usize> = (0..lines.len()).rev().collect();
        for budget in [1, 9, 10, 50, 333, 1_000] {
            let shown = lines.fill(&order, budget);
            let tokens = counter.count(&shown);
            assert!(tokens <= budget && tokens + 15 > budget, "{tokens} of {budget}");
            assert!(text.ends_with(&shown));
        }
        assert_eq!(lines.fill(&order, 1_000_000), text);
        assert_eq!(lines.fill(&order, 0), "");
    }

    #[test]
    fn lines_longer_than_the_budget_are_cut_at_characters() {
        let text = format!("short\n{}\nend\n", "né ".repeat(2_000));
        let lines = Pieces::lines(&text);
        assert_eq!(lines.len(), 3);
        assert!(lines.cut(100_000).is_none());
        let cut = lines.cut(200).unwrap();
        assert!(cut.len() > 100 && cut.iter().collect::<String>() == text);
        let order: Vec<usize> = (0..cut.len()).collect();
        let shown = cut.fill(&order, 200);
        let tokens = Tokenizer::O200k.counter().count(&shown);
        assert!((180..=200).contains(&tokens), "{tokens}");
        assert!(text.starts_with(&shown));
    }

    #[test]
    fn a_gap_joins_nothing() {
        let text = "abcdefghijklmnop".repeat(20);
        let cut = Pieces::lines(&text).cut(20).unwrap();
        let shown = cut.joined(&[0, 1, 3]);
        assert_eq!(shown, format!("{0}{0}\n{0}", "abcdefghijklmnop"));
    }
}
