//! What was saved: the lines that hooks wrote down, in tokens.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use recto::{
    archive::{Ref, Target, block_on},
    tokens::Tokenizer,
    view::{SpanMap, chunks},
};
use serde::Serialize;

use crate::{
    settings::Settings,
    store::{self, Store},
    usage::{Line, Usage, What, file},
};

/// Bytes a token of ordinary tool output has, in tenths: the median over the corpus of tool outputs that recto is measured on.
const TENTHS_OF_BYTES_PER_TOKEN: u64 = 35;

/// A text of ordinary output has no fewer tokens than this share of its bytes: the longest tokens are of 128.
const MOST_BYTES_PER_TOKEN: u64 = 256;

/// Refs are looked up until so many were not found: the others are estimated.
const MOST_MISSES: usize = 20_000;

/// Tokens of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) given: u64,
    pub(crate) shown: u64,
    pub(crate) is_estimated: bool,
}

/// Lines added up.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Group {
    pub(crate) results: u64,
    pub(crate) views: u64,
    pub(crate) tokens_in: u64,
    pub(crate) tokens_out: u64,
    pub(crate) recalls: u64,
    pub(crate) tokens_recalled: u64,
    pub(crate) failed: u64,
    pub(crate) denied: u64,
    /// Whether a part of the tokens is estimated by bytes.
    pub(crate) is_estimated: bool,
}

impl Group {
    pub(crate) fn add(&mut self, line: &Line, tokens: Tokens) {
        match line.what {
            What::Recall => {
                self.recalls = self.recalls.saturating_add(1);
                self.tokens_recalled = self.tokens_recalled.saturating_add(tokens.shown);
                return;
            }
            What::Denied => {
                self.denied = self.denied.saturating_add(1);
                return;
            }
            What::View => self.views = self.views.saturating_add(1),
            What::Failed => self.failed = self.failed.saturating_add(1),
            What::Whole => {}
        }
        self.results = self.results.saturating_add(1);
        self.tokens_in = self.tokens_in.saturating_add(tokens.given);
        self.tokens_out = self.tokens_out.saturating_add(tokens.shown);
        self.is_estimated |= tokens.is_estimated && tokens.given > 0;
    }

    /// Tokens that were not read, net of what was asked for again.
    pub(crate) fn saved(&self) -> i64 {
        let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        signed(self.tokens_in)
            .saturating_sub(signed(self.tokens_out))
            .saturating_sub(signed(self.tokens_recalled))
    }
}

/// The name under which a tool is counted: those of a server together.
pub(crate) fn family(tool: &str) -> String {
    match tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        // The plug-in's own server.
        Some(("plugin_recto_recto" | "recto", _)) => "mcp recto".to_owned(),
        Some((server, _)) => format!("mcp {server}"),
        None if tool.is_empty() => "?".to_owned(),
        None => tool.to_owned(),
    }
}

/// Counts tokens of views and remembers them, as a ref means the same for ever.
pub(crate) struct Counter {
    tokenizer: Tokenizer,
    archive: Option<Store>,
    path: PathBuf,
    known: BTreeMap<String, Counted>,
    missed: BTreeSet<String>,
    is_new: BTreeSet<String>,
    new: Vec<String>,
}

/// A view and its original.
#[derive(Clone, Copy)]
struct Counted {
    given: Amount,
    shown: Amount,
}

#[derive(Clone, Copy)]
struct Amount {
    bytes: u64,
    tokens: u64,
}

impl Amount {
    /// Whether a text can have so many tokens.
    fn is_possible(self) -> bool {
        self.tokens <= self.bytes && self.bytes.div_ceil(MOST_BYTES_PER_TOKEN) <= self.tokens
    }
}

impl Counted {
    /// A line of the file of counts.
    fn parse(line: &[u8]) -> Option<(String, Self)> {
        let mut words = std::str::from_utf8(line).ok()?.split(' ');
        let name: Ref = words.next()?.parse().ok()?;
        let numbers: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let [bytes, tokens, shown_bytes, shown_tokens] = numbers[..] else { return None };
        let counted = Self {
            given: Amount { bytes, tokens },
            shown: Amount { bytes: shown_bytes, tokens: shown_tokens },
        };
        let is_possible = counted.given.is_possible() && counted.shown.is_possible() && shown_bytes <= bytes;
        is_possible.then(|| (name.to_string(), counted))
    }
}

impl Counter {
    pub(crate) fn new(settings: &Settings) -> Self {
        let tokenizer = settings.tokenizer.value;
        let mut path = Usage::of(settings).path().as_os_str().to_owned();
        path.push(format!(".{}", tokenizer.short_name()));
        let path = PathBuf::from(path);
        let mut known = BTreeMap::new();
        // What cannot be read, or cannot be, is counted again.
        let _ = file::lines(&path, |line| known.extend(line.and_then(Counted::parse)));
        let archive = store::open_existing(settings).ok();
        Self {
            tokenizer,
            archive,
            path,
            known,
            missed: BTreeSet::new(),
            is_new: BTreeSet::new(),
            new: Vec::new(),
        }
    }

    /// The tokens of what a tool gave and of what was shown of it.
    pub(crate) fn tokens(&mut self, line: &Line) -> Tokens {
        let estimate = |bytes: u64| bytes.saturating_mul(10).div_ceil(TENTHS_OF_BYTES_PER_TOKEN);
        let estimated =
            Tokens { given: estimate(line.bytes), shown: estimate(line.shown), is_estimated: true };
        let Some(name) = line.reference.as_ref().filter(|_| line.what == What::View) else {
            return estimated;
        };
        let is_believed = |known: &&Counted| known.given.bytes <= line.bytes || self.is_new.contains(name);
        let Counted { given, shown } = match self.known.get(name).filter(is_believed) {
            Some(known) => *known,
            None => {
                if self.missed.len() >= MOST_MISSES || self.missed.contains(name) {
                    return estimated;
                }
                let Some(counted) = self.count(name) else {
                    self.missed.insert(name.clone());
                    return estimated;
                };
                let Counted { given, shown } = counted;
                self.known.insert(name.clone(), counted);
                self.is_new.insert(name.clone());
                self.new.push(format!(
                    "{name} {} {} {} {}\n",
                    given.bytes, given.tokens, shown.bytes, shown.tokens
                ));
                counted
            }
        };
        if given.bytes > line.bytes {
            return estimated;
        }
        // Other texts of the same result, which stand as they were.
        let rest = line.bytes.saturating_sub(given.bytes);
        let is_exact = shown.bytes.saturating_add(rest) == line.shown;
        Tokens {
            given: given.tokens.saturating_add(estimate(rest)),
            // Of a table the map tells what is left out of the source, not how the rest is laid out.
            shown: if is_exact { shown.tokens.saturating_add(estimate(rest)) } else { estimated.shown },
            is_estimated: !is_exact || rest > 0,
        }
    }

    fn count(&self, name: &str) -> Option<Counted> {
        let archive = self.archive.as_ref()?;
        let scope = store::scope();
        let name: Ref = name.parse().ok()?;
        let Some(Target::View { original, map, .. }) = block_on(archive.resolve(&scope, &name)).ok()? else {
            return None;
        };
        let source = block_on(archive.get(&scope, &original, 0..u64::MAX)).ok()?;
        let map: SpanMap =
            serde_json::from_slice(&block_on(archive.get(&scope, &map, 0..u64::MAX)).ok()?).ok()?;
        let view: Vec<u8> = chunks(&map, &source).flatten().copied().collect();
        let count = |bytes: &[u8]| Amount {
            bytes: bytes.len() as u64,
            tokens: self.tokenizer.counter().count(&String::from_utf8_lossy(bytes)),
        };
        Some(Counted { given: count(&source), shown: count(&view) })
    }

    /// Writes down what was counted anew. If that fails it is counted again next time.
    pub(crate) fn keep(&self) {
        if self.new.is_empty() {
            return;
        }
        let _ = file::append(&self.path, self.new.concat().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_counts_are_not_believed() {
        let parse = |text: &str| Counted::parse(text.as_bytes()).is_some();
        let name = issued();
        assert!(parse(&format!("{name} 64890 20000 12248 4000")));
        for numbers in [
            "5 9 5 5",
            "64890 1 12248 4000",
            "64890 20000 12248 99999999999",
            "100 30 200 60",
            "18446744073709551615 18446744073709551615 1 2",
            "64890 20000 12248",
            "64890 20000 12248 4000 1",
            "64890 x 12248 4000",
        ] {
            assert!(!parse(&format!("{name} {numbers}")), "{numbers}");
        }
    }

    /// A ref with right check digits.
    fn issued() -> Ref {
        (0..u64::MAX).find_map(|number| format!("r:{number:015}").parse().ok()).unwrap()
    }

    #[test]
    fn sums_have_an_end() {
        let line = Line { bytes: u64::MAX, shown: 1, ..Line::new("claude", "Bash", What::Whole) };
        let most = Tokens { given: u64::MAX, shown: 0, is_estimated: false };
        let mut group = Group::default();
        group.add(&line, most);
        group.add(&line, most);
        assert_eq!((group.tokens_in, group.saved()), (u64::MAX, i64::MAX));
    }
}
