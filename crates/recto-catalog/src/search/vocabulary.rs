//! What words mean to one who looks for a tool: a table of data, read once.

use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

use super::words::{first_runs, parts, runs, stem};
use crate::tool::Tool;

/// The kind of thing that a tool does, or that somebody wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Read,
    Create,
    Change,
    Delete,
    Send,
    Run,
}

/// A word that stands for another one, in 1/1024 of its weight.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    /// The stem.
    pub(super) term: String,
    pub(super) weight: u64,
    /// Whether it is a thought of its own, besides what the other meanings say.
    pub(super) is_own: bool,
}

/// The stems that end a phrase with a gap, and what the phrase means.
type SplitRule = (Vec<String>, Vec<Meaning>);

/// The table of words.
pub(super) struct Vocabulary {
    stops: HashSet<String>,
    /// Stems joined by spaces, and what they mean.
    rules: HashMap<String, Vec<Meaning>>,
    /// Rules whose phrase has a gap (`put * into`): by the stem before it, the stems after it.
    split: HashMap<String, Vec<SplitRule>>,
    /// The longest rule, in words.
    pub(super) longest: usize,
    actions: HashMap<String, Action>,
}

/// Returns the table.
pub(super) fn vocabulary() -> &'static Vocabulary {
    static VOCABULARY: OnceLock<Vocabulary> = OnceLock::new();
    VOCABULARY.get_or_init(|| Vocabulary::read(include_str!("vocabulary.txt")))
}

/// How many words may stand in the gap of a phrase.
const MAX_GAP: usize = 5;

const GROUP_WEIGHT: u64 = 620;
const RULE_WEIGHT: u64 = 720;

impl Vocabulary {
    fn read(table: &str) -> Self {
        let mut vocabulary = Self {
            stops: HashSet::new(),
            rules: HashMap::new(),
            split: HashMap::new(),
            longest: 1,
            actions: HashMap::new(),
        };
        let mut groups: HashMap<String, Vec<Meaning>> = HashMap::new();
        let mut lines = Vec::new();
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(words) = line.strip_prefix("stop ") {
                vocabulary.stops.extend(words.split(' ').map(str::to_owned));
            } else if let Some((word, words)) = line.strip_prefix('!').and_then(|line| line.split_once(' ')) {
                let action = match word {
                    "create" => Action::Create,
                    "change" => Action::Change,
                    "delete" => Action::Delete,
                    "send" => Action::Send,
                    "run" => Action::Run,
                    _ => Action::Read,
                };
                vocabulary.actions.extend(words.split(' ').map(|word| (stem(word).to_owned(), action)));
            } else if let Some(words) = line.strip_prefix("= ") {
                let (words, weight) = weighted(words, GROUP_WEIGHT);
                for word in words.split(' ') {
                    let others = words.split(' ').filter(|other| *other != word);
                    let meanings =
                        others.map(|other| Meaning { term: stem(other).to_owned(), weight, is_own: false });
                    groups.entry(stem(word).to_owned()).or_default().extend(meanings);
                }
            } else if let Some((left, right)) = line.split_once(" > ") {
                lines.push((left, right));
            }
        }
        for (left, right) in lines {
            let (right, weight) = weighted(right, RULE_WEIGHT);
            let mut meanings: Vec<Meaning> = Vec::new();
            for word in right.split(' ') {
                let is_own = word.starts_with('+');
                let term = stem(word.trim_start_matches('+')).to_owned();
                if !is_own {
                    let near = groups.get(&term).into_iter().flatten();
                    meanings.extend(near.map(|meaning| Meaning {
                        weight: meaning.weight * weight / 1024,
                        ..meaning.clone()
                    }));
                }
                meanings.push(Meaning { term, weight, is_own });
            }
            for left in left.split(" / ") {
                if let Some((before, after)) = left.split_once(" * ") {
                    let after = key(after).split(' ').map(str::to_owned).collect();
                    vocabulary.split.entry(key(before)).or_default().push((after, meanings.clone()));
                    continue;
                }
                let key = key(left);
                vocabulary.longest = vocabulary.longest.max(key.split(' ').count());
                vocabulary.rules.entry(key).or_default().extend(meanings.iter().cloned());
            }
        }
        for rules in vocabulary.split.values_mut() {
            rules.sort_by_key(|(after, _)| std::cmp::Reverse(after.len()));
        }
        for (word, meanings) in groups {
            vocabulary.rules.entry(word).or_default().extend(meanings);
        }
        for meanings in vocabulary.rules.values_mut() {
            meanings.sort_by(|one, other| {
                (&one.term, one.is_own, other.weight).cmp(&(&other.term, other.is_own, one.weight))
            });
            meanings.dedup_by(|other, one| other.term == one.term && other.is_own == one.is_own);
        }
        vocabulary
    }

    /// Tells whether a word says nothing about what is looked for.
    pub(super) fn is_stop(&self, word: &str) -> bool {
        self.stops.contains(word)
    }

    /// Tells whether what follows a word only says more about what went before.
    pub(super) fn is_preposition(&self, word: &str) -> bool {
        matches!(
            word,
            "of" | "on"
                | "in"
                | "from"
                | "to"
                | "for"
                | "with"
                | "by"
                | "at"
                | "into"
                | "about"
                | "so"
                | "that"
                | "over"
        )
    }

    /// Returns what one or several stems, joined by spaces, mean besides what they are.
    pub(super) fn meanings(&self, stems: &str) -> Option<&[Meaning]> {
        self.rules.get(stems).map(Vec::as_slice)
    }

    /// Returns what a phrase with a gap means that begins with the first of `stems`, and where after it its end begins and how
    /// many words that has.
    pub(super) fn split_meanings(&self, stems: &[&str]) -> Option<(usize, usize, &[Meaning])> {
        let rules = self.split.get(*stems.first()?)?;
        (2..=MAX_GAP + 1).find_map(|at| {
            let (after, meanings) = rules.iter().find(|(after, _)| {
                stems.get(at..at + after.len()).is_some_and(|stems| stems.iter().eq(after.iter()))
            })?;
            Some((at, after.len(), meanings.as_slice()))
        })
    }

    /// Returns the kind of thing that a verb asks for.
    pub(super) fn action_of(&self, stem: &str) -> Option<Action> {
        self.actions.get(stem).copied()
    }

    /// Returns the kind of thing that a tool does: the first verb of its name, else of its description.
    pub(super) fn action(&self, tool: &Tool) -> Option<Action> {
        let mut found = None;
        let mut whole = String::new();
        for text in [tool.name(), tool.description()] {
            let mut words = 0;
            first_runs(text, |run| {
                parts(run, &mut whole, |word| {
                    words += 1;
                    if found.is_none() && words <= 6 {
                        found = self.action_of(stem(word));
                    }
                });
                found.is_none() && words < 6
            });
            if found.is_some() {
                break;
            }
        }
        found
    }
}

fn weighted(words: &str, weight: u64) -> (&str, u64) {
    match words.rsplit_once(" /") {
        Some((words, number)) => (words, number.parse().unwrap_or(weight)),
        None => (words, weight),
    }
}

fn key(words: &str) -> String {
    let mut key = String::new();
    let mut whole = String::new();
    runs(words, |run| {
        parts(run, &mut whole, |word| {
            if !key.is_empty() {
                key.push(' ');
            }
            key.push_str(stem(word));
        });
    });
    key
}
