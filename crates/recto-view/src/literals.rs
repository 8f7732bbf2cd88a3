//! Several short literals looked for at once.

use aho_corasick::{AhoCorasick, Match, MatchKind, packed};

/// A search for the leftmost of several literals, of which an earlier one wins: vectorised, or on machines without the
/// instructions for that an automaton that finds the same.
#[derive(Debug)]
pub(crate) enum Literals {
    Packed(packed::Searcher),
    Automaton(AhoCorasick),
}

impl Literals {
    /// Looks for `words`; none if there are too many of them.
    pub(crate) fn new(words: &[&str]) -> Option<Self> {
        let packed = packed::Config::new()
            .match_kind(packed::MatchKind::LeftmostFirst)
            .builder()
            .extend(words)
            .build();
        packed.map(Self::Packed).or_else(|| Self::automaton(words))
    }

    fn automaton(words: &[&str]) -> Option<Self> {
        AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words).ok().map(Self::Automaton)
    }

    /// The first word at or after `from`.
    pub(crate) fn find(&self, source: &[u8], from: usize) -> Option<Match> {
        let span = aho_corasick::Span::from(from.min(source.len())..source.len());
        match self {
            Self::Packed(search) => search.find_in(source, span),
            Self::Automaton(search) => search.find(aho_corasick::Input::new(source).span(span)),
        }
    }

    /// All words, none of which overlap.
    pub(crate) fn all<'t>(&'t self, source: &'t [u8]) -> impl Iterator<Item = Match> + 't {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.find(source, from)?;
            from = found.end();
            Some(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_searches_find_the_same() {
        let words = ["rror", "FATAL", "BackOff", "assert", "timed out", "not found", "r:1", "\u{2026} "];
        let text =
            "a Error b FATAL, BackOff; an assertion failed: timed out (not found) r:12 \u{2026} OOMKilled"
                .repeat(9);
        let (some, automaton) = (Literals::new(&words).unwrap(), Literals::automaton(&words).unwrap());
        let expected: Vec<Match> = automaton.all(text.as_bytes()).collect();
        assert_eq!(expected.len(), 9 * words.len());
        assert_eq!(some.all(text.as_bytes()).collect::<Vec<_>>(), expected);
    }
}
