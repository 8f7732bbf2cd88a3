//! Which words stand in which tools, and how much they say about them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{
    rank::rarity,
    vocabulary::{Action, vocabulary},
    words::{parts, runs, stem},
};
use crate::{directory::Entry, sentence::first_sentence};

/// A whole in the fixed-point numbers of this module.
pub(super) const ONE: u64 = 1 << 10;

/// How many characters of a description are read, and of all that is written of one tool's parameters.
const MAX_DESCRIPTION_CHARS: usize = 4_000;
const MAX_PARAMETER_CHARS: usize = 6_000;

/// How deep into a schema its parameters are looked for, and how many.
const MAX_PARAMETER_DEPTH: usize = 6;
const MAX_PARAMETERS: usize = 300;

/// How soon more of the same says no more (`k1` of BM25, in 1/1024).
const SATURATION: u64 = 3 * ONE;

/// What a tool consists of, for a search.
#[derive(Clone, Copy)]
enum Field {
    Name,
    Sentence,
    Rest,
    Parameter,
    ParameterText,
    Choice,
    Server,
}

const FIELDS: usize = 7;

/// For each [`Field`]: how much one of its words weighs, and how much its length matters (`b` of BM25), both in 1/1024.
const WEIGHTS: [(u64, u64); FIELDS] = [
    (6 * ONE, ONE / 2),
    (2 * ONE, ONE / 2),
    (ONE * 3 / 10, ONE * 3 / 4),
    (ONE / 2, ONE * 3 / 4),
    (ONE / 4, ONE * 3 / 4),
    (ONE / 2, ONE * 3 / 4),
    (2 * ONE, 0),
];

/// A word in a tool: the tool's place, and how much the word says about it, from 0 to [`ONE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) place: u32,
    pub(super) impact: u32,
}

/// An index of tools by the words of their definitions.
///
/// What it finds depends on the tools alone, not on their order or on the machine: it reckons in integers, and ties go to the code
/// that sorts first.
#[derive(Clone, Debug)]
pub struct SearchIndex {
    /// For each tool, its rank among the codes.
    pub(super) order: Vec<u32>,
    pub(super) terms: HashMap<String, u32>,
    /// The terms in their order, for words that are misspelt or cut short.
    sorted: Vec<(Box<str>, u32)>,
    pub(super) postings: Vec<Vec<Posting>>,
    /// For each tool, the words of its name that are no verbs, and how much each tells apart.
    pub(super) names: Vec<Vec<(u32, u64)>>,
    /// For each tool, the kind of thing it does.
    pub(super) actions: Vec<Option<Action>>,
}

#[derive(Default)]
struct Reading {
    terms: HashMap<String, u32>,
    counts: Vec<(u32, [u16; FIELDS])>,
    lengths: [u64; FIELDS],
    whole: String,
    key: String,
}

impl Reading {
    fn term(&mut self, term: &str) -> u32 {
        if let Some(&id) = self.terms.get(term) {
            return id;
        }
        let id = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
        self.terms.insert(term.to_owned(), id);
        id
    }

    fn note(&mut self, term: &str, field: Field) {
        let id = self.term(term);
        let mut counts = [0; FIELDS];
        if let Some(count) = counts.get_mut(field as usize) {
            *count = 1;
        }
        self.counts.push((id, counts));
    }

    fn read(&mut self, text: &str, field: Field) {
        let mut whole = std::mem::take(&mut self.whole);
        runs(text, |run| {
            let mut words = 0;
            let count = parts(run, &mut whole, |word| {
                words += 1;
                self.note(stem(word), field);
                if matches!(field, Field::Name) {
                    self.key.clear();
                    self.key.push('=');
                    self.key.push_str(word);
                    let key = std::mem::take(&mut self.key);
                    self.note(&key, field);
                    self.key = key;
                }
            });
            if count > 1 {
                self.note(stem(&whole), field);
            }
            if let Some(length) = self.lengths.get_mut(field as usize) {
                *length += words;
            }
        });
        self.whole = whole;
    }
}

impl SearchIndex {
    /// Reads the tools of a catalogue. Lengths of texts, numbers of parameters and depths that are read are bounded.
    #[must_use]
    pub fn new(entries: &[Entry]) -> Self {
        let mut reading = Reading::default();
        let mut tools = Vec::with_capacity(entries.len());
        let known: HashSet<&str> = entries.iter().map(|entry| entry.tool().name()).collect();
        let actions = entries.iter().map(|entry| vocabulary().action(entry.tool())).collect();
        for entry in entries {
            read_tool(&mut reading, entry, &known);
            let mut counts = std::mem::take(&mut reading.counts);
            counts.sort_unstable_by_key(|(term, _)| *term);
            counts.dedup_by(|other, one| {
                let is_same = other.0 == one.0;
                if is_same {
                    one.1.iter_mut().zip(other.1).for_each(|(one, other)| *one = one.saturating_add(other));
                }
                is_same
            });
            tools.push((counts, std::mem::take(&mut reading.lengths)));
        }
        let total = u64::try_from(tools.len()).unwrap_or(u64::MAX).max(1);
        let mut averages = [0; FIELDS];
        for (at, average) in averages.iter_mut().enumerate() {
            let sum: u64 = tools.iter().filter_map(|(_, lengths)| lengths.get(at)).sum();
            *average = (sum * ONE / total).max(1);
        }
        let mut postings: Vec<Vec<Posting>> = vec![Vec::new(); reading.terms.len()];
        for (place, (counts, lengths)) in tools.iter().enumerate() {
            for (term, counts) in counts {
                let mut weight = 0;
                for (((&count, &length), &average), (of, slope)) in
                    counts.iter().zip(lengths).zip(&averages).zip(WEIGHTS)
                {
                    let norm = (ONE - slope) + slope * (length * ONE) / average;
                    weight += of * u64::from(count) * ONE / norm.max(1);
                }
                let impact = weight * ONE / (weight + SATURATION);
                if let Some(list) = usize::try_from(*term).ok().and_then(|term| postings.get_mut(term)) {
                    list.push(Posting {
                        place: u32::try_from(place).unwrap_or(u32::MAX),
                        impact: u32::try_from(impact).unwrap_or(u32::MAX),
                    });
                }
            }
        }
        let mut names = Vec::with_capacity(entries.len());
        for entry in entries {
            let (mut name, mut whole) = (Vec::new(), String::new());
            runs(entry.tool().name(), |run| {
                parts(run, &mut whole, |word| {
                    let stem = stem(word);
                    let term = reading.terms.get(stem).filter(|_| vocabulary().action_of(stem).is_none());
                    let list = term.and_then(|&term| postings.get(usize::try_from(term).ok()?));
                    if let (Some(&term), Some(list)) = (term, list) {
                        let frequency = u64::try_from(list.len()).unwrap_or(u64::MAX).saturating_mul(ONE);
                        name.push((term, rarity(entries.len(), frequency)));
                    }
                });
            });
            names.push(name);
        }
        let mut by_code: Vec<usize> = (0..entries.len()).collect();
        by_code.sort_by_key(|&place| entries.get(place).map(Entry::code));
        let mut order = vec![0; entries.len()];
        for (rank, place) in by_code.into_iter().enumerate() {
            if let Some(order) = order.get_mut(place) {
                *order = u32::try_from(rank).unwrap_or(u32::MAX);
            }
        }
        let mut sorted: Vec<(Box<str>, u32)> = reading
            .terms
            .iter()
            .filter(|(term, _)| !term.starts_with('='))
            .map(|(term, &id)| (term.as_str().into(), id))
            .collect();
        sorted.sort_unstable();
        Self { order, terms: reading.terms, sorted, postings, names, actions }
    }
}

impl SearchIndex {
    /// The tools that a term is about.
    pub(super) fn postings(&self, term: u32) -> &[Posting] {
        usize::try_from(term).ok().and_then(|term| self.postings.get(term)).map_or(&[], Vec::as_slice)
    }

    /// The terms that begin with a character, in their order.
    pub(super) fn terms_from(&self, first: char) -> impl Iterator<Item = (&str, u32)> {
        let from = self.sorted.partition_point(|(term, _)| **term < *first.encode_utf8(&mut [0; 4]));
        let terms = self.sorted.get(from..).unwrap_or_default().iter();
        terms.map(|(term, id)| (&**term, *id)).take_while(move |(term, _)| term.starts_with(first))
    }
}

fn read_tool(reading: &mut Reading, entry: &Entry, names: &HashSet<&str>) {
    let tool = entry.tool();
    reading.read(tool.name(), Field::Name);
    if let Some(server) = tool.server() {
        reading.read(server, Field::Server);
    }
    let description = start(tool.description(), MAX_DESCRIPTION_CHARS);
    let sentence = first_sentence(description);
    let rest = description.find(sentence).and_then(|at| description.get(at + sentence.len()..));
    read_prose(reading, sentence, Field::Sentence, tool.name(), names);
    read_prose(reading, rest.unwrap_or_default(), Field::Rest, tool.name(), names);
    read_schema(reading, tool.input_schema());
}

/// Reads prose without the names of other tools: what it says of them ("use `x` for that") is not about this one.
fn read_prose(reading: &mut Reading, text: &str, field: Field, name: &str, names: &HashSet<&str>) {
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')) {
        let is_other = word.len() > 3
            && word != name
            && (word.contains(['_', '-']) || word.chars().skip(1).any(char::is_uppercase))
            && names.contains(word);
        if !is_other {
            reading.read(word, field);
        }
    }
}

fn read_schema(reading: &mut Reading, schema: &Value) {
    let mut open = vec![(schema, 0)];
    let mut left = MAX_PARAMETERS;
    let mut letters = MAX_PARAMETER_CHARS;
    while let Some((schema, depth)) = open.pop() {
        let Value::Object(members) = schema else { continue };
        if let Some(Value::Object(properties)) = members.get("properties") {
            for (name, property) in properties {
                if left == 0 {
                    return;
                }
                left -= 1;
                // What lies deeper is less about the tool.
                reading
                    .read(start(name, 100), if depth == 0 { Field::Parameter } else { Field::ParameterText });
                let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
                let text = start(text, letters.min(300));
                letters = letters.saturating_sub(text.len());
                reading.read(text, Field::ParameterText);
                open.push((property, depth + 1));
            }
        }
        for choice in members.get("enum").and_then(Value::as_array).into_iter().flatten().take(40) {
            if let Value::String(choice) = choice {
                reading.read(start(choice, 60), Field::Choice);
            }
        }
        if depth < MAX_PARAMETER_DEPTH {
            for key in ["items", "anyOf", "oneOf", "allOf"] {
                match members.get(key) {
                    Some(Value::Array(schemas)) => {
                        open.extend(schemas.iter().take(20).map(|schema| (schema, depth + 1)))
                    }
                    Some(schema) => open.push((schema, depth + 1)),
                    None => {}
                }
            }
        }
    }
}

/// The first characters of a text.
fn start(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}
