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

/// A run of letters that was met before: its place in the list of terms, and how many words it has.
#[derive(Clone, Copy)]
struct Run {
    first: usize,
    end: usize,
    words: u64,
}

/// A run of more bytes is taken apart each time: it will hardly be met again.
const MAX_KNOWN_RUN_BYTES: usize = 40;

#[derive(Default)]
struct Reading {
    terms: HashMap<String, u32>,
    /// The runs that were met, and the terms of all of them.
    runs: HashMap<Box<str>, Run>,
    terms_of_runs: Vec<u32>,
    /// How often the terms of a tool stand in it, and by term, one more than its place there; 0 for those that do not.
    counts: Vec<(u32, [u16; FIELDS])>,
    places: Vec<usize>,
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
        self.places.push(0);
        id
    }

    fn note(&mut self, term: u32, field: Field) {
        let Some(place) = self.places.get_mut(term as usize) else { return };
        if *place == 0 {
            self.counts.push((term, [0; FIELDS]));
            *place = self.counts.len();
        }
        let counts = self.counts.get_mut(*place - 1).and_then(|(_, counts)| counts.get_mut(field as usize));
        if let Some(count) = counts {
            *count = count.saturating_add(1);
        }
    }

    fn read(&mut self, text: &str, field: Field) {
        runs(text, |run| self.read_run(run, field));
    }

    fn read_run(&mut self, run: &str, field: Field) {
        let is_name = matches!(field, Field::Name);
        let known = self.runs.get(run).copied().filter(|_| !is_name);
        let Run { first, end, words } = known.unwrap_or_else(|| self.take_apart(run, is_name));
        for place in first..end {
            if let Some(&term) = self.terms_of_runs.get(place) {
                self.note(term, field);
            }
        }
        if let Some(length) = self.lengths.get_mut(field as usize) {
            *length += words;
        }
        if is_name || run.len() > MAX_KNOWN_RUN_BYTES {
            self.terms_of_runs.truncate(first);
        } else if known.is_none() {
            self.runs.insert(run.into(), Run { first, end, words });
        }
    }

    /// Puts the terms of a run at the end of their list.
    fn take_apart(&mut self, run: &str, is_name: bool) -> Run {
        let first = self.terms_of_runs.len();
        let mut whole = std::mem::take(&mut self.whole);
        let mut words = 0;
        let count = parts(run, &mut whole, |word| {
            words += 1;
            let term = self.term(stem(word));
            self.terms_of_runs.push(term);
            if is_name {
                let mut key = std::mem::take(&mut self.key);
                key.clear();
                key.push('=');
                key.push_str(word);
                let term = self.term(&key);
                self.terms_of_runs.push(term);
                self.key = key;
            }
        });
        if count > 1 {
            let term = self.term(stem(&whole));
            self.terms_of_runs.push(term);
        }
        self.whole = whole;
        Run { first, end: self.terms_of_runs.len(), words }
    }

    /// Ends a tool: what stands in it how often, and how long its fields are.
    fn finish(&mut self) -> (Vec<(u32, [u16; FIELDS])>, [u64; FIELDS]) {
        for (term, _) in &self.counts {
            if let Some(place) = self.places.get_mut(*term as usize) {
                *place = 0;
            }
        }
        (std::mem::take(&mut self.counts), std::mem::take(&mut self.lengths))
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
            tools.push(reading.finish());
        }
        let total = u64::try_from(tools.len()).unwrap_or(u64::MAX).max(1);
        let mut averages = [0; FIELDS];
        for (at, average) in averages.iter_mut().enumerate() {
            let sum: u64 = tools.iter().filter_map(|(_, lengths)| lengths.get(at)).sum();
            *average = (sum * ONE / total).max(1);
        }
        let mut postings: Vec<Vec<Posting>> = vec![Vec::new(); reading.terms.len()];
        for (place, (counts, lengths)) in tools.iter().enumerate() {
            let mut norms = [1; FIELDS];
            for (((norm, &length), &average), (_, slope)) in
                norms.iter_mut().zip(lengths).zip(&averages).zip(WEIGHTS)
            {
                *norm = ((ONE - slope) + slope * (length * ONE) / average).max(1);
            }
            for (term, counts) in counts {
                let mut weight = 0;
                for ((&count, norm), (of, _)) in counts.iter().zip(norms).zip(WEIGHTS) {
                    if count > 0 {
                        weight += of * u64::from(count) * ONE / norm;
                    }
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
