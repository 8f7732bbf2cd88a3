//! Tools put in order by how well they answer a look-up.

use std::cmp::Reverse;

use super::{
    index::{ONE, Posting, SearchIndex},
    query::{Query, Thought},
    vocabulary::Action,
};

/// What a tool gains, in 1/1024 of its score, that does the kind of thing that is asked for.
const SAME_ACTION: u64 = ONE / 2;

/// What a tool gains that reads, where no verb says what is to be done.
const LIKELY_ACTION: u64 = ONE / 8;

/// What a tool gains that has to do with all thoughts of a look-up.
const COVERED: u64 = ONE / 2;

/// What a tool gains whose name says nothing but what is asked for.
const NAMED: u64 = ONE / 2;

/// A tool that answers a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hit {
    /// Its place among the entries that the index was made of.
    pub place: usize,
    /// How well it answers; to be compared with other hits of the same look-up only.
    pub score: u64,
}

impl SearchIndex {
    /// Returns the tools that answer a look-up in words best, at most `limit`.
    ///
    /// None are returned for a look-up without a word that says something, or if no tool has anything to do with it. Only the
    /// first 400 characters are read.
    ///
    /// ```
    /// use recto_catalog::{Directory, SearchIndex, Tool};
    /// use serde_json::json;
    ///
    /// let tools = [
    ///     Tool::new("get_file_blame", "Shows the commit that last modified each line.", json!({"type": "object"}))?,
    ///     Tool::new("delete_file", "Deletes a file.", json!({"type": "object"}))?,
    /// ];
    /// let directory = Directory::new(&tools, &[]);
    /// let hits = SearchIndex::new(directory.entries()).find("who changed this line last", 8);
    /// assert_eq!(directory.entries()[hits[0].place].code(), "get_file_blame");
    /// # Ok::<(), recto_catalog::CatalogError>(())
    /// ```
    #[must_use]
    pub fn find(&self, words: &str, limit: usize) -> Vec<Hit> {
        let query = Query::read(self, words);
        let total = query.thoughts.iter().map(|thought| thought.weight).sum::<u64>().max(1);
        let asked_for = self.asked_for(&query.thoughts);
        let mut hits: Vec<Hit> = Vec::new();
        for (place, (score, covered)) in self.scores(&query.thoughts).into_iter().enumerate() {
            if score == 0 {
                continue;
            }
            let does = self.actions.get(place).copied().flatten();
            let action = match query.asked {
                Some(asked) if does == Some(asked) => SAME_ACTION,
                None if does == Some(Action::Read) => LIKELY_ACTION,
                _ => 0,
            };
            let factor =
                ONE + COVERED * covered / total + NAMED * self.named(place, &asked_for) / ONE + action;
            hits.push(Hit { place, score: score * factor / ONE });
        }
        let rank = |hit: &Hit| (Reverse(hit.score), self.order.get(hit.place).copied());
        if limit > 0 && limit < hits.len() {
            hits.select_nth_unstable_by_key(limit - 1, rank);
        }
        hits.truncate(limit);
        hits.sort_unstable_by_key(rank);
        hits
    }

    /// For each tool, what all thoughts give it together, and the weight of those that it has to do with.
    fn scores(&self, thoughts: &[Thought]) -> Vec<(u64, u64)> {
        let mut scores = vec![(0_u64, 0_u64); self.order.len()];
        let mut best = vec![0_u64; self.order.len()];
        let mut touched: Vec<usize> = Vec::new();
        for thought in thoughts {
            let mut frequency = 0;
            for &(term, weight) in &thought.terms {
                let list = self.postings(term);
                frequency = frequency.max(weight * u64::try_from(list.len()).unwrap_or(u64::MAX));
                for &Posting { place, impact } in list {
                    let Ok(place) = usize::try_from(place) else { continue };
                    let Some(best) = best.get_mut(place) else { continue };
                    if *best == 0 {
                        touched.push(place);
                    }
                    *best = (*best).max(weight * u64::from(impact));
                }
            }
            // A thought is about the tools that any of its terms is about; those that only a near word names count for half.
            let frequency = frequency.max(u64::try_from(touched.len()).unwrap_or(u64::MAX) * (ONE / 2));
            let rarity = rarity(self.order.len(), frequency);
            for place in touched.drain(..) {
                if let (Some(best), Some((score, covered))) = (best.get_mut(place), scores.get_mut(place)) {
                    *score += *best / ONE * rarity / ONE * thought.weight;
                    *covered += thought.weight;
                    *best = 0;
                }
            }
        }
        scores
    }

    /// For each term, how much a look-up asks for it, from 0 to [`ONE`].
    fn asked_for(&self, thoughts: &[Thought]) -> Vec<u64> {
        let mut asked_for = vec![0; self.postings.len()];
        for &(term, weight) in thoughts.iter().flat_map(|thought| &thought.terms) {
            if let Some(most) = usize::try_from(term).ok().and_then(|term| asked_for.get_mut(term)) {
                *most = weight.min(ONE).max(*most);
            }
        }
        asked_for
    }

    /// How much of a tool's name is asked for, from 0 to [`ONE`]: a name that says more than that is of a tool that does more.
    fn named(&self, place: usize, asked_for: &[u64]) -> u64 {
        let (mut found, mut all) = (0, 1);
        for &(term, rarity) in self.names.get(place).into_iter().flatten() {
            let weight =
                usize::try_from(term).ok().and_then(|term| asked_for.get(term)).copied().unwrap_or(0);
            found += weight * rarity / ONE;
            all += rarity;
        }
        found * ONE / all
    }
}

/// How much a thought tells apart that `frequency`/1024 of `count` tools share: log2 of their ratio, in 1/1024.
pub(super) fn rarity(count: usize, frequency: u64) -> u64 {
    let count = u64::try_from(count).unwrap_or(u64::MAX).min(1 << 32);
    log2((count + 1) * ONE * ONE / frequency.saturating_add(ONE / 2)).max(ONE / 16)
}

/// The logarithm of `value`/1024 to base 2, in 1/1024; 0 below 1.
fn log2(value: u64) -> u64 {
    if value <= ONE {
        return 0;
    }
    let whole = value.ilog2() - ONE.ilog2();
    // Between 1 and 2, in 1/2^30: it is squared again and again, and each carry is a binary digit.
    let mut rest =
        if whole > 20 { u128::from(value >> (whole - 20)) } else { u128::from(value << (20 - whole)) };
    let mut digits = 0;
    for _ in 0..ONE.ilog2() {
        rest = (rest * rest) >> 30;
        digits <<= 1;
        if rest >= 1 << 31 {
            rest >>= 1;
            digits |= 1;
        }
    }
    u64::from(whole) * ONE + digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_near_the_real_ones() {
        assert_eq!(log2(ONE), 0);
        assert_eq!(log2(2 * ONE), ONE);
        assert!(log2(1_000 * ONE).abs_diff(10_205) <= 1);
        assert!(log2(3 * ONE).abs_diff(1_623) <= 1);
        assert!(log2(u64::MAX) > 53 * ONE);
        assert!(rarity(100, 100 * ONE) < rarity(100, ONE));
        assert!(rarity(usize::MAX, 0) > rarity(usize::MAX, u64::MAX));
    }
}
