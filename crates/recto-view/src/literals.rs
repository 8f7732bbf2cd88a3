//! Several short literals looked for at once.

use aho_corasick::{AhoCorasick, Match, MatchKind, packed};
use recto_outline::{Span, blocks};

/// A search for the leftmost of several literals, of which an earlier one wins: vectorised, or on machines without the
/// instructions for that an automaton that finds the same.
#[derive(Debug)]
pub(crate) struct Literals {
    search: Search,
    /// The words as the search numbers them.
    numbers: Vec<usize>,
    longest_bytes: usize,
}

#[derive(Debug)]
enum Search {
    Packed(packed::Searcher),
    Automaton(AhoCorasick),
}

impl Literals {
    /// Looks for `words`; none if there are too many of them.
    pub(crate) fn new(words: &[&str]) -> Option<Self> {
        let numbers = spread(words);
        let ordered: Vec<&str> = numbers.iter().filter_map(|number| words.get(*number).copied()).collect();
        let packed = packed::Config::new()
            .match_kind(packed::MatchKind::LeftmostFirst)
            .builder()
            .extend(&ordered)
            .build();
        let search = packed.map(Search::Packed).or_else(|| Search::automaton(&ordered))?;
        Some(Self { search, numbers, longest_bytes: words.iter().map(|word| word.len()).max().unwrap_or(0) })
    }

    /// The first word that begins in `[from, end)`.
    pub(crate) fn find(&self, source: &[u8], from: usize, end: usize) -> Option<Match> {
        if from >= end {
            return None;
        }
        // It may end behind.
        let reach = source.len().min(end + self.longest_bytes);
        let span = aho_corasick::Span::from(from..reach);
        let found = match &self.search {
            Search::Packed(search) => search.find_in(source, span),
            Search::Automaton(search) => search.find(aho_corasick::Input::new(source).span(span)),
        };
        let found = found.filter(|found| found.start() < end)?;
        Some(Match::must(*self.numbers.get(found.pattern().as_usize())?, found.range()))
    }

    /// All words, none of which overlap.
    pub(crate) fn all<'t>(&'t self, source: &'t [u8]) -> impl Iterator<Item = Match> + 't {
        let mut from = 0;
        let mut end = 0;
        let mut blocks = blocks(source);
        std::iter::from_fn(move || {
            loop {
                if let Some(found) = self.find(source, from, end) {
                    from = found.end();
                    return Some(found);
                }
                let block = blocks.next()?;
                (from, end) = (from.max(block.start), block.end);
            }
        })
    }
}

/// Where literals stand in a source, none over another: known before anybody asks from where on they matter.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    places: Vec<Span>,
    /// There are more behind the last one: of too many not all are kept in mind.
    is_cut: bool,
}

impl Hits {
    /// A hit takes eight bytes: so much of the source for each, and hits take an eighth of it.
    const BYTES_FOR_EACH: usize = 64;

    pub(crate) fn of(source: &[u8], search: &Literals) -> Self {
        Self::up_to(source, search, source.len() / Self::BYTES_FOR_EACH + 1)
    }

    fn up_to(source: &[u8], search: &Literals, most: usize) -> Self {
        let mut all = search.all(source).map(|found| Span::new(found.start(), found.end()));
        let places = all.by_ref().take(most).collect();
        Self { places, is_cut: all.next().is_some() }
    }

    /// The first literal that begins at or after `from`: what [`Literals::find`] finds. `passed` is how many places lie before `from`
    /// for sure; it is brought up to date.
    pub(crate) fn next(
        &self,
        source: &[u8],
        search: &Literals,
        from: usize,
        passed: &mut usize,
    ) -> Option<Span> {
        while self.places.get(*passed).is_some_and(|place| (place.s as usize) < from) {
            *passed += 1;
        }
        let next = self.places.get(*passed).copied();
        let is_inside = passed
            .checked_sub(1)
            .and_then(|last| self.places.get(last))
            .is_some_and(|last| from < last.e as usize);
        if !is_inside && (next.is_some() || !self.is_cut) {
            return next;
        }
        // A literal that begins inside another one, or behind the last place that is kept in mind.
        let end = next.map_or(source.len(), |next| next.s as usize);
        let found = search.find(source, from, end).map(|found| Span::new(found.start(), found.end()));
        found.or(next)
    }
}

impl Search {
    fn automaton(words: &[&str]) -> Option<Self> {
        AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words).ok().map(Self::Automaton)
    }
}

/// An order of words in which the search takes few other texts for words at first sight. It looks for eight sets of words, every
/// eighth in one set, and for any mixture of the bytes of a set's words: so a word that begins like no other gets a set of its own,
/// where there is one. Such a word is no other one's beginning, so that it does not matter which of them comes first.
fn spread(words: &[&str]) -> Vec<usize> {
    const SETS: usize = 8;
    let begins_alone = |word: &&str| {
        let start = word.as_bytes().get(..2);
        words.iter().filter(|other| other.as_bytes().get(..2) == start).count() == 1
    };
    let (alone, mut order): (Vec<usize>, Vec<usize>) =
        (0..words.len()).partition(|number| words.get(*number).is_some_and(begins_alone));
    // The numbers from here on to the eighth are the only ones of their sets.
    let free = words.len().saturating_sub(SETS).min(order.len());
    let fits = words.len() < 2 * SETS && alone.len() + free <= SETS;
    if !fits {
        return (0..words.len()).collect();
    }
    order.splice(free..free, alone);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a block.
    const BLOCK_BYTES: usize = 16 << 10;

    #[test]
    fn both_searches_find_the_same() {
        let words = ["rror", "FATAL", "BackOff", "assert", "timed out", "not found", "r:1", "\u{2026} "];
        let text =
            "a Error b FATAL, BackOff; an assertion failed: timed out (not found) r:12 \u{2026} OOMKilled"
                .repeat(9);
        let some = Literals::new(&words).unwrap();
        let automaton = Literals {
            search: Search::automaton(&words).unwrap(),
            numbers: (0..words.len()).collect(),
            ..Literals::new(&words).unwrap()
        };
        let expected: Vec<Match> = automaton.all(text.as_bytes()).collect();
        assert_eq!(expected.len(), 9 * words.len());
        assert_eq!(some.all(text.as_bytes()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn words_unlike_all_others_have_a_set_of_their_own() {
        let words = ["\u{2026} ", "[recto", "r:0", "r:1", "r:2", "r:3", "r:4", "r:5", "r:6", "r:7", "r:8"];
        let order = spread(&words);
        for (place, _) in order.iter().enumerate().filter(|(_, number)| **number < 2) {
            assert!(place < 8 && place + 8 >= words.len(), "{order:?}");
        }
        let literals = Literals::new(&words).unwrap();
        for (number, word) in words.iter().enumerate() {
            let found = literals.find(word.as_bytes(), 0, word.len()).unwrap();
            assert_eq!((found.pattern().as_usize(), found.range()), (number, 0..word.len()));
        }
    }

    #[test]
    fn hits_are_what_a_search_from_anywhere_finds() {
        let words = ["aba", "bab", "cc", "ab ab"];
        let literals = Literals::new(&words).unwrap();
        let text = "ababab cccc abaabab ab ab aba bab c ccc".repeat(4);
        let source = text.as_bytes();
        for most in [0, 1, 5, 1_000] {
            let hits = Hits::up_to(source, &literals, most);
            for step in 1..9 {
                let mut passed = 0;
                for from in (0..=source.len()).step_by(step) {
                    let found = literals.find(source, from, source.len());
                    let found = found.map(|found| Span::new(found.start(), found.end()));
                    assert_eq!(
                        hits.next(source, &literals, from, &mut passed),
                        found,
                        "{most} {step} {from}"
                    );
                }
            }
        }
    }

    #[test]
    fn words_across_the_bounds_of_blocks_are_found() {
        let words = ["timed out", "time", "out of", "of"];
        let literals = Literals::new(&words).unwrap();
        for shift in 0..12 {
            let mut text = "-".repeat(BLOCK_BYTES - shift) + "timed out of";
            text.push_str(&"-".repeat(BLOCK_BYTES));
            text.push_str("time");
            let found: Vec<&str> = literals.all(text.as_bytes()).map(|found| &text[found.range()]).collect();
            assert_eq!(found, ["timed out", "of", "time"], "{shift}");
        }
    }
}
