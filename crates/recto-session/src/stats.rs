//! Where the tokens of a session are: by who said them, by tool, by age; what was asked for twice; images and Base64 apart.
//!
//! A [`Weigher`] is the observer that a session is read with; [`Stats::of`] adds up what it saw. All figures but those of [`Stats::everywhere`] are of
//! the path to the leaf: branches that were left and sub-agents' conversations are not in the model's way.
//!
//! ```
//! use recto_session::{history::{Builder, Place}, stats::{Stats, Weigher}};
//! use recto_tokens::Tokenizer;
//! use recto_wire::Format;
//!
//! let lines = [
//!     r#"{"type":"message","message":{"role":"user","content":[{"type":"text","text":"Which files?"}]}}"#,
//!     r#"{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls","arguments":{}}]}}"#,
//!     r#"{"type":"message","message":{"role":"toolResult","toolCallId":"c","content":[{"type":"text","text":"a b c"}]}}"#,
//! ];
//! let (mut builder, mut weigher) = (Builder::new(), Weigher::new(Tokenizer::O200k));
//! for (line, number) in lines.iter().zip(1..) {
//!     let place = Place { line: number, ..Place::default() };
//!     builder.push(&Format::Pi.line(line.as_bytes()), line.as_bytes(), place, &mut weigher);
//! }
//! let stats = Stats::of(&builder.finish(None), weigher.base64_items(), Tokenizer::O200k);
//! assert_eq!((stats.path.calls, stats.path.results, stats.path.result_chars), (1, 1, 5));
//! assert_eq!((stats.tools["ls"].calls, stats.tools["ls"].result_tokens), (1, 3));
//! ```

mod base64_text;
mod contexts;
mod repeats;
mod weigher;

use std::collections::BTreeMap;

use recto_tokens::{Tokenizer, image_tokens};
use serde::Serialize;

pub use self::{
    base64_text::is_mostly_base64,
    contexts::{Context, contexts},
    repeats::Repeats,
    weigher::Weigher,
};
use crate::history::{History, ItemKind, Node, NodeKind, Place, ResultEntry, Speaker};

/// Results that are named as the largest.
pub const MOST_LARGEST: usize = 10;

/// Where the buckets of age begin, in steps before the last one.
pub const AGES: [u32; 5] = [0, 10, 25, 50, 100];

/// Texts added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// How many.
    pub texts: u64,
    /// Their code points.
    pub chars: u64,
    /// Their tokens.
    pub tokens: u64,
}

impl Amount {
    /// Adds another.
    pub fn add(&mut self, other: Self) {
        self.texts += other.texts;
        self.chars += other.chars;
        self.tokens += other.tokens;
    }
}

/// Calls, results and images counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Calls of tools.
    pub calls: u64,
    /// Results of tools.
    pub results: u64,
    /// Results that the client says failed.
    pub errors: u64,
    /// Code points of the results' texts.
    pub result_chars: u64,
    /// Tokens of the results' texts.
    pub result_tokens: u64,
    /// Images.
    pub images: u64,
    /// Tokens of all texts.
    pub tokens: u64,
}

impl Totals {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.results += other.results;
        self.errors += other.errors;
        self.result_chars += other.result_chars;
        self.result_tokens += other.result_tokens;
        self.images += other.images;
        self.tokens += other.tokens;
    }
}

/// What a tool took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFigures {
    /// Its calls.
    pub calls: u64,
    /// Tokens of their arguments.
    pub argument_tokens: u64,
    /// Its results.
    pub results: u64,
    /// Those that failed.
    pub errors: u64,
    /// Code points of the results' texts.
    pub result_chars: u64,
    /// Tokens of the results' texts.
    pub result_tokens: u64,
    /// Images in the results.
    pub images: u64,
}

impl ToolFigures {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.argument_tokens += other.argument_tokens;
        self.results += other.results;
        self.errors += other.errors;
        self.result_chars += other.result_chars;
        self.result_tokens += other.result_tokens;
        self.images += other.images;
    }
}

/// What is so old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgeFigures {
    /// Steps before the last one; `None` for what the client has compacted away.
    pub from_steps: Option<u32>,
    /// Texts of all kinds.
    pub tokens: u64,
    /// Results.
    pub results: u64,
    /// Their tokens.
    pub result_tokens: u64,
}

/// One of the largest results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Largest {
    /// Its tool.
    pub tool: String,
    /// Its number among [`History::lines`], from 1.
    pub number: u32,
    /// Which file of the session, from 0.
    pub file: u32,
    /// Which line or item of it, from 1.
    pub line: u32,
    /// Its step.
    pub step: u32,
    /// Its tokens.
    pub tokens: u64,
    /// Its code points.
    pub chars: u64,
    /// Whether it failed.
    pub is_error: bool,
    /// Whether the model still reads it.
    pub is_read: bool,
}

/// Images, apart from text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageFigures {
    /// How many.
    pub count: u64,
    /// Bytes of their files.
    pub bytes: u64,
    /// Pixels of those whose size is known.
    pub pixels: u64,
    /// What the provider bills for these.
    pub tokens: u64,
    /// How many have no known size.
    pub without_size: u64,
}

impl ImageFigures {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.pixels += other.pixels;
        self.tokens += other.tokens;
        self.without_size += other.without_size;
    }
}

/// Where the tokens of a session are: see the [module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Stats {
    /// Records of all kinds, in all files of the session.
    pub records: u64,
    /// The person's messages.
    pub turns: u64,
    /// The model's messages.
    pub steps: u64,
    /// The client's compactions.
    pub compactions: u64,
    /// What is on the path.
    pub path: Totals,
    /// What is in the session's files, on the path or not.
    pub everywhere: Totals,
    /// Tokens of what the model reads today.
    pub read_tokens: u64,
    /// By who says it, in the order of [`Speaker::ALL`].
    pub kinds: BTreeMap<Speaker, Amount>,
    /// By tool; results without a call stand under an empty name.
    pub tools: BTreeMap<String, ToolFigures>,
    /// By age; what was compacted away is last.
    pub ages: Vec<AgeFigures>,
    /// What was asked for twice.
    pub repeats: Repeats,
    /// The largest results, largest first.
    pub largest: Vec<Largest>,
    /// Images.
    pub images: ImageFigures,
    /// Texts that are mostly Base64; they are counted above too.
    pub base64: Amount,
    /// What the model read at each step.
    pub contexts: Vec<Context>,
}

impl Stats {
    /// Adds up a history whose tokens were counted. `base64` are the items that [`Weigher`] found to be mostly Base64, in their order.
    #[must_use]
    pub fn of(history: &History, base64: &[u32], tokenizer: Tokenizer) -> Self {
        let last = history.last_step();
        let mut stats = Self {
            records: history.records,
            turns: history
                .leaf
                .and_then(|leaf| history.nodes.get(leaf as usize))
                .map_or(0, |leaf| u64::from(leaf.turn)),
            steps: u64::from(last),
            compactions: u64::from(history.compactions),
            ages: empty_ages(),
            repeats: repeats::of(history),
            contexts: contexts(history),
            ..Self::default()
        };
        for node in &history.nodes {
            if node.kind != NodeKind::Silent {
                stats.add_node(history, node, last, base64, tokenizer);
            }
        }
        stats.largest = largest(history);
        stats
    }

    fn add_node(
        &mut self,
        history: &History,
        node: &Node,
        last_step: u32,
        base64: &[u32],
        tokenizer: Tokenizer,
    ) {
        let mut totals = Totals::default();
        let mut results = 0;
        for (at, item) in history.items_of(node) {
            let tokens = u64::from(item.tokens);
            totals.tokens += tokens;
            let result = |number: u32| history.results.get(number as usize);
            match item.kind {
                ItemKind::Call(_) => totals.calls += 1,
                ItemKind::Result(number) => {
                    let Some(entry) = result(number) else { continue };
                    results += 1;
                    totals.errors += u64::from(entry.is_error);
                    totals.result_chars += u64::from(entry.chars);
                    totals.result_tokens += u64::from(entry.tokens);
                }
                ItemKind::Image(_) => totals.images += 1,
                _ => {}
            }
            if !node.is_on_path {
                continue;
            }
            if let Some(speaker) = history.speaker_of(at) {
                let amount = Amount { texts: 1, chars: u64::from(item.chars), tokens };
                self.kinds.entry(speaker).or_default().add(amount);
                if base64.binary_search(&at).is_ok() {
                    self.base64.add(amount);
                }
            }
            match item.kind {
                ItemKind::Call(number) => {
                    let name = history.calls.get(number as usize).map_or("", |call| history.name_of(call));
                    let tool = self.tools.entry(name.to_owned()).or_default();
                    tool.calls += 1;
                    tool.argument_tokens += tokens;
                }
                ItemKind::Result(number) => {
                    if let Some(entry) = result(number) {
                        let tool = self.tools.entry(history.tool_of(number).to_owned()).or_default();
                        add_result(tool, entry);
                    }
                }
                ItemKind::Image(number) => {
                    if let Some(of) = item.result {
                        self.tools.entry(history.tool_of(of).to_owned()).or_default().images += 1;
                    }
                    if let Some(image) = history.images.get(number as usize) {
                        let size = image.size;
                        self.images.add(&ImageFigures {
                            count: 1,
                            bytes: image.bytes,
                            pixels: size.map_or(0, |(width, height)| u64::from(width) * u64::from(height)),
                            tokens: size.map_or(0, |(width, height)| image_tokens(tokenizer, width, height)),
                            without_size: u64::from(size.is_none()),
                        });
                    }
                }
                _ => {}
            }
        }
        totals.results = results;
        self.everywhere.add(&totals);
        if !node.is_on_path {
            return;
        }
        self.path.add(&totals);
        if node.is_read {
            self.read_tokens += totals.tokens;
        }
        let age = last_step.saturating_sub(node.step);
        let bucket = if node.is_read {
            AGES.iter().rposition(|from| *from <= age).unwrap_or_default()
        } else {
            AGES.len()
        };
        if let Some(bucket) = self.ages.get_mut(bucket) {
            bucket.tokens += totals.tokens;
            bucket.results += totals.results;
            bucket.result_tokens += totals.result_tokens;
        }
    }

    /// Adds another session's figures; [`largest`](Self::largest) and [`contexts`](Self::contexts), which are of one, stay as they are.
    pub fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.turns += other.turns;
        self.steps += other.steps;
        self.compactions += other.compactions;
        self.path.add(&other.path);
        self.everywhere.add(&other.everywhere);
        self.read_tokens += other.read_tokens;
        for (speaker, amount) in &other.kinds {
            self.kinds.entry(*speaker).or_default().add(*amount);
        }
        for (name, figures) in &other.tools {
            self.tools.entry(name.clone()).or_default().add(figures);
        }
        if self.ages.is_empty() {
            self.ages = empty_ages();
        }
        for (own, other) in self.ages.iter_mut().zip(&other.ages) {
            own.tokens += other.tokens;
            own.results += other.results;
            own.result_tokens += other.result_tokens;
        }
        self.repeats.add(&other.repeats);
        self.images.add(&other.images);
        self.base64.add(other.base64);
    }
}

fn empty_ages() -> Vec<AgeFigures> {
    let ages = AGES.into_iter().map(Some).chain([None]);
    ages.map(|from_steps| AgeFigures { from_steps, ..AgeFigures::default() }).collect()
}

fn add_result(tool: &mut ToolFigures, entry: &ResultEntry) {
    tool.results += 1;
    tool.errors += u64::from(entry.is_error);
    tool.result_chars += u64::from(entry.chars);
    tool.result_tokens += u64::from(entry.tokens);
}

fn largest(history: &History) -> Vec<Largest> {
    let on_path = history.results.iter().zip(0_u32..).filter_map(|(entry, number)| {
        let node = history.node_of(entry.item).filter(|node| node.is_on_path)?;
        (entry.tokens > 0).then_some((entry, number, node))
    });
    let mut sorted: Vec<(&ResultEntry, u32, &Node)> = on_path.collect();
    // Equal ones in their order.
    sorted.sort_by_key(|(entry, number, _)| (std::cmp::Reverse(entry.tokens), *number));
    sorted.truncate(MOST_LARGEST);
    let numbers: BTreeMap<u32, u32> =
        history.lines().iter().zip(1..).filter_map(|(line, number)| Some((line.item?, number))).collect();
    let named = sorted.into_iter().map(|(entry, number, node)| {
        let Place { file, line, .. } = node.place;
        Largest {
            tool: history.tool_of(number).to_owned(),
            number: numbers.get(&entry.item).copied().unwrap_or_default(),
            file,
            line,
            step: node.step,
            tokens: u64::from(entry.tokens),
            chars: u64::from(entry.chars),
            is_error: entry.is_error,
            is_read: node.is_read,
        }
    });
    named.collect()
}
