//! A look-up taken apart into what it asks for.

use std::collections::HashSet;

use super::{
    index::{ONE, SearchIndex},
    vocabulary::{Action, Meaning, Vocabulary, vocabulary},
    words::{is_ideographic, parts, runs, stem},
};

/// How much of a look-up is read: what comes after says little more.
const MAX_QUERY_CHARS: usize = 400;
const MAX_QUERY_WORDS: usize = 32;

/// How many words of a look-up that stand nowhere are compared with the words that do.
const MAX_UNKNOWN_WORDS: usize = 6;

/// What a word that is written exactly as in a name is worth; one that only shares the stem is worth [`ONE`].
const EXACT: u64 = ONE + ONE / 8;

/// What a word of the index is worth that begins like an unknown one, and one that it may be a misspelling of.
const BEGINS_ALIKE: u64 = ONE * 5 / 8;
const SPELT_ALIKE: u64 = ONE / 2;

/// A thought of a look-up: the terms that would express it.
#[derive(Debug, Default)]
pub(super) struct Thought {
    pub(super) weight: u64,
    /// Terms of the index, with their weights in 1/1024.
    pub(super) terms: Vec<(u32, u64)>,
}

/// A look-up, taken apart.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) thoughts: Vec<Thought>,
    /// The kind of thing that is wanted done, if a verb says so.
    pub(super) asked: Option<Action>,
}

/// Tells whether a look-up says anything that tools could be found by.
pub(crate) fn has_words(query: &str) -> bool {
    let (mut has_words, mut whole) = (false, String::new());
    runs(start(query), |run| {
        parts(run, &mut whole, |word| has_words |= !vocabulary().is_stop(word));
    });
    has_words
}

impl Query {
    /// Takes a look-up apart. Only its start is read.
    pub(super) fn read(index: &SearchIndex, query: &str) -> Self {
        let words = words(index, start(query));
        let stems: Vec<&str> = words.iter().map(|word| stem(word)).collect();
        let mut reader = Reader {
            index,
            vocabulary: vocabulary(),
            query: Self::default(),
            own: Vec::new(),
            seen: HashSet::new(),
            unknown: 0,
        };
        let mut is_behind = false;
        let mut done: HashSet<usize> = HashSet::new();
        let mut at = 0;
        while let (Some(word), Some(rest)) = (words.get(at), stems.get(at..)) {
            if done.contains(&at) {
                at += 1;
                continue;
            }
            // What comes behind a preposition only says more about what came before it.
            is_behind |= at > 0 && reader.vocabulary.is_preposition(word);
            let before = reader.query.thoughts.len();
            let phrase = reader.phrase(rest);
            if let Some((count, meanings)) = phrase.filter(|(count, _)| *count > 1) {
                reader.note_phrase(meanings);
                at += count;
            } else if let Some((after, length, meanings)) = reader.vocabulary.split_meanings(rest) {
                reader.note_phrase(meanings);
                done.extend(at + after..at + after + length);
                at += 1;
            } else {
                reader.note_word(word, words.get(at + 1), phrase.map_or(&[], |(_, meanings)| meanings));
                at += 1;
            }
            if is_behind {
                for thought in reader.query.thoughts.iter_mut().skip(before) {
                    thought.weight = thought.weight * 3 / 4;
                }
            }
        }
        reader.finish()
    }
}

struct Reader<'a> {
    index: &'a SearchIndex,
    vocabulary: &'static Vocabulary,
    query: Query,
    /// Terms that are thoughts of their own, and how much they weigh.
    own: Vec<(&'static str, u64)>,
    seen: HashSet<String>,
    unknown: usize,
}

impl Reader<'_> {
    /// The longest phrase of the table that begins here, in words, and what it means.
    fn phrase(&self, stems: &[&str]) -> Option<(usize, &'static [Meaning])> {
        (1..=self.vocabulary.longest.min(stems.len())).rev().find_map(|count| {
            let key = stems.get(..count)?.join(" ");
            self.vocabulary.meanings(&key).map(|meanings| (count, meanings))
        })
    }

    fn note_phrase(&mut self, meanings: &'static [Meaning]) {
        let mut thought = Thought { weight: ONE, terms: Vec::new() };
        self.note_meanings(&mut thought, meanings);
        for meaning in meanings {
            self.query.asked = self.query.asked.or(self.vocabulary.action_of(&meaning.term));
        }
        self.push(thought);
    }

    fn note_word(&mut self, word: &str, next: Option<&String>, meanings: &'static [Meaning]) {
        let mut thought = Thought { weight: ONE, terms: Vec::new() };
        let stem = stem(word);
        let is_stop = self.vocabulary.is_stop(word);
        if is_stop {
            thought.weight /= 2;
            for meaning in meanings {
                self.query.asked = self.query.asked.or(self.vocabulary.action_of(&meaning.term));
            }
        } else {
            if !self.seen.insert(stem.to_owned()) {
                return;
            }
            self.note(&mut thought, stem, ONE);
            self.note(&mut thought, &format!("={word}"), EXACT);
            if let Some(next) = next {
                // `heap snapshot` is also written `heapsnapshot`.
                self.note(&mut thought, super::words::stem(&format!("{word}{next}")), ONE);
            }
            // `attached files` are not to be attached.
            if !word.ends_with("ed") {
                self.query.asked = self.query.asked.or(self.vocabulary.action_of(stem));
            }
            if word.chars().count() == 1 && word.starts_with(is_ideographic) {
                thought.weight /= 4;
            }
        }
        self.note_meanings(&mut thought, meanings);
        if thought.terms.is_empty() && !is_stop && self.unknown < MAX_UNKNOWN_WORDS {
            self.unknown += 1;
            self.note_alike(&mut thought, word, stem);
        }
        self.push(thought);
    }

    fn note_meanings(&mut self, thought: &mut Thought, meanings: &'static [Meaning]) {
        for meaning in meanings {
            if meaning.is_own {
                self.own.push((&meaning.term, meaning.weight));
            } else {
                self.note(thought, &meaning.term, meaning.weight);
            }
        }
    }

    fn note(&self, thought: &mut Thought, term: &str, weight: u64) {
        if let Some(&term) = self.index.terms.get(term) {
            thought.terms.push((term, weight));
        }
    }

    /// Notes the terms that a word that stands nowhere may be meant as: it is their beginning, or misspelt.
    fn note_alike(&self, thought: &mut Thought, word: &str, stem: &str) {
        let Some(first) = stem.chars().next().filter(|first| !is_ideographic(*first)) else { return };
        let length = stem.chars().count();
        if length < 4 {
            return;
        }
        let most = if length < 8 { 1 } else { 2 };
        for (term, id) in self.index.terms_from(first) {
            let is_beginning = term.starts_with(stem)
                || (term.len() >= 4 && word.starts_with(term) && word.len() <= term.len() + 4);
            if is_beginning {
                thought.terms.push((id, BEGINS_ALIKE));
            } else if term.len().abs_diff(stem.len()) <= most
                // Each edit changes two of the letters that stand in a word at most: most words need no closer look.
                && usize::try_from((letters(term) ^ letters(stem)).count_ones()).is_ok_and(|differ| differ <= 2 * most)
                && strsim::osa_distance(term, stem) <= most
            {
                thought.terms.push((id, SPELT_ALIKE));
            }
        }
    }

    fn push(&mut self, thought: Thought) {
        if !thought.terms.is_empty() {
            self.query.thoughts.push(thought);
        }
    }

    fn finish(mut self) -> Query {
        for (term, weight) in std::mem::take(&mut self.own) {
            if self.seen.insert(term.to_owned()) {
                let mut thought = Thought { weight, terms: Vec::new() };
                self.note(&mut thought, term, ONE);
                self.push(thought);
            }
        }
        self.query
    }
}

/// Which letters stand in a word, as a set of bits.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |letters, byte| letters | 1 << (byte % 32))
}

/// The words of a look-up in lower case. `GitHub` stays one word where the index knows it as one.
fn words(index: &SearchIndex, query: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut whole = String::new();
    runs(query, |run| {
        let start = words.len();
        let count = parts(run, &mut whole, |word| words.push(word.to_owned()));
        if count > 1 && index.terms.contains_key(stem(&whole)) {
            words.truncate(start);
            words.push(whole.clone());
        }
    });
    words.truncate(MAX_QUERY_WORDS);
    words
}

fn start(query: &str) -> &str {
    let end = query.char_indices().nth(MAX_QUERY_CHARS).map_or(query.len(), |(end, _)| end);
    query.get(..end).unwrap_or_default()
}
