//! What has to survive, and whether it does.

use std::ops::Range;

use memchr::memmem;
use recto_tokens::Tokenizer;
use recto_view::SpanMap;

use crate::{binding::is_bound, templates::Templates};

/// Tokens that a view needs beside the evidence itself: a note and a little of the frame. A budget smaller than the evidence and
/// these is not held against anybody.
pub const FRAME_TOKENS: u64 = 24;

/// A value and the id that says whose it is, as byte ranges of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needle {
    /// The record that holds both.
    pub record: Range<usize>,
    /// The id.
    pub id: Range<usize>,
    /// The value.
    pub value: Range<usize>,
}

/// What a question is answered by.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// A text that survives if it is in the output; with `bind`, only beside it in one record.
    Text {
        /// The text.
        answer: String,
        /// The text that has to stand beside it.
        bind: Option<String>,
    },
    /// Records of which id and value have to survive together; each is a part of its own.
    Records(Vec<Needle>),
    /// The text is not in the source, and must not be in the output.
    Absent(String),
    /// Texts of which each is a part of its own.
    References(Vec<String>),
    /// Templates of lines, of which each is a part of its own.
    Templates(Templates),
}

/// What of a question is kept, and what could have been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Parts kept.
    pub kept: u32,
    /// All parts.
    pub of: u32,
    /// Parts that fit into the budget, the cheapest first.
    pub feasible: u32,
}

impl Kept {
    /// The share of what could be kept; none where nothing could.
    #[must_use]
    pub fn feasible_share(self) -> Option<f64> {
        (self.feasible > 0).then(|| f64::from(self.kept.min(self.feasible)) / f64::from(self.feasible))
    }

    /// The share of everything.
    #[must_use]
    pub fn raw_share(self) -> f64 {
        if self.of == 0 { 0.0 } else { f64::from(self.kept) / f64::from(self.of) }
    }
}

/// What a method made of a source.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'o> {
    /// The text.
    pub text: &'o str,
    /// Which bytes of the source it is made of, if the method can tell.
    pub map: Option<&'o SpanMap>,
}

impl Evidence {
    /// Says whether every part counts at every budget, not only those that fit: where there are many parts, a cap at what fits would
    /// flatter small budgets.
    #[must_use]
    pub fn counts_all(&self) -> bool {
        match self {
            Self::Templates(templates) => templates.all_count(),
            Self::References(_) => true,
            Self::Text { .. } | Self::Records(_) | Self::Absent(_) => false,
        }
    }

    /// What each part costs in tokens at least, the cheapest first.
    #[must_use]
    pub fn costs(&self, source: &[u8]) -> Vec<u64> {
        let counter = Tokenizer::O200k.counter();
        let of = |range: &Range<usize>| {
            counter.count(&String::from_utf8_lossy(source.get(range.clone()).unwrap_or_default()))
        };
        let mut costs = match self {
            Self::Text { answer, bind } => {
                vec![counter.count(answer) + bind.as_ref().map_or(0, |bind| counter.count(bind))]
            }
            Self::Records(needles) => {
                needles.iter().map(|needle| of(&needle.id) + of(&needle.value)).collect()
            }
            Self::Absent(_) => vec![0],
            Self::References(texts) => texts.iter().map(|text| counter.count(text)).collect(),
            Self::Templates(templates) => return templates.costs(),
        };
        costs.sort_unstable();
        costs
    }

    /// How many parts an output keeps.
    #[must_use]
    pub fn kept(&self, source: &[u8], shown: Shown<'_>, budget_tokens: u64) -> u32 {
        let holds = |text: &str| memmem::find(shown.text.as_bytes(), text.as_bytes()).is_some();
        let count = |kept: usize| u32::try_from(kept).unwrap_or(u32::MAX);
        match self {
            Self::Text { answer, bind: None } => u32::from(holds(answer)),
            Self::Text { answer, bind: Some(bind) } => u32::from(is_bound(shown.text, bind, answer)),
            Self::Records(needles) => {
                count(needles.iter().filter(|needle| needle.survives(source, shown)).count())
            }
            Self::Absent(text) => u32::from(!holds(text)),
            Self::References(texts) => count(texts.iter().filter(|text| holds(text)).count()),
            Self::Templates(templates) => templates.kept(shown.text, budget_tokens),
        }
    }

    /// What the evidence is, for a list of what was lost.
    #[must_use]
    pub fn text(&self, source: &[u8]) -> String {
        let of = |range: &Range<usize>| {
            String::from_utf8_lossy(source.get(range.clone()).unwrap_or_default()).into_owned()
        };
        match self {
            Self::Text { answer, bind: None } => answer.clone(),
            Self::Text { answer, bind: Some(bind) } => format!("{bind}: {answer}"),
            Self::Records(needles) => match needles.as_slice() {
                [needle] => format!("{}: {}", of(&needle.id), of(&needle.value)),
                many => format!("{} records", many.len()),
            },
            Self::Absent(text) => format!("not there: {text}"),
            Self::References(texts) => texts.join(", "),
            Self::Templates(templates) => templates.text(),
        }
    }
}

impl Needle {
    /// Says whether id and value are both shown, of this very record where the method can tell; else in one record of the text.
    fn survives(&self, source: &[u8], shown: Shown<'_>) -> bool {
        if let Some(map) = shown.map {
            return keeps(map, &self.id) && keeps(map, &self.value);
        }
        let of =
            |range: &Range<usize>| source.get(range.clone()).and_then(|bytes| str::from_utf8(bytes).ok());
        match (of(&self.id), of(&self.value), of(&self.record)) {
            (Some(id), Some(value), Some(record)) => {
                memmem::find(shown.text.as_bytes(), record.as_bytes()).is_some()
                    || is_bound(shown.text, id, value)
            }
            _ => false,
        }
    }
}

/// Says whether every byte of a range is kept.
fn keeps(map: &SpanMap, range: &Range<usize>) -> bool {
    let (mut at, end) = (range.start as u64, range.end as u64);
    let first = map.spans.partition_point(|span| span.e <= at);
    for span in map.spans.iter().skip(first) {
        if at >= end || span.s > at {
            break;
        }
        at = span.e;
    }
    at >= end
}

#[cfg(test)]
mod tests;
