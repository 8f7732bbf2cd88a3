//! What was saved: the lines that hooks wrote down, in tokens.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::PathBuf,
};

use recto::{
    archive::{Archive as _, Ref, SqliteArchive, Target, block_on},
    tokens::Tokenizer,
    view::{SpanMap, chunks},
};
use serde::Serialize;

use crate::{
    settings::Settings,
    store,
    usage::{Line, Usage, What},
};

/// Bytes a token of ordinary tool output has, in tenths: the median over the corpus of tool outputs that recto is measured on.
const TENTHS_OF_BYTES_PER_TOKEN: u64 = 35;

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
                self.recalls += 1;
                self.tokens_recalled += tokens.shown;
                return;
            }
            What::Denied => {
                self.denied += 1;
                return;
            }
            What::View => self.views += 1,
            What::Failed => self.failed += 1,
            What::Whole => {}
        }
        self.results += 1;
        self.tokens_in += tokens.given;
        self.tokens_out += tokens.shown;
        self.is_estimated |= tokens.is_estimated && tokens.given > 0;
    }

    /// Tokens that were not read, net of what was asked for again.
    pub(crate) fn saved(&self) -> i64 {
        let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        signed(self.tokens_in) - signed(self.tokens_out) - signed(self.tokens_recalled)
    }
}

/// The name under which a tool is counted: those of a server together.
pub(crate) fn family(tool: &str) -> String {
    match tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, _)) => format!("mcp {server}"),
        None if tool.is_empty() => "?".to_owned(),
        None => tool.to_owned(),
    }
}

/// Counts tokens of views and remembers them, as a ref means the same for ever.
pub(crate) struct Counter {
    tokenizer: Tokenizer,
    archive: Option<SqliteArchive>,
    path: PathBuf,
    known: BTreeMap<String, Counted>,
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

impl Counter {
    pub(crate) fn new(settings: &Settings) -> Self {
        let tokenizer = settings.tokenizer.value;
        let mut path = Usage::of(settings).path().as_os_str().to_owned();
        path.push(format!(".{}", tokenizer.short_name()));
        let path = PathBuf::from(path);
        let mut known = BTreeMap::new();
        for line in fs::read_to_string(&path).unwrap_or_default().lines() {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
            if let [bytes, tokens, shown_bytes, shown_tokens] = numbers[..] {
                let shown = Amount { bytes: shown_bytes, tokens: shown_tokens };
                known.insert(name.to_owned(), Counted { given: Amount { bytes, tokens }, shown });
            }
        }
        Self { tokenizer, archive: store::open_existing(settings).ok(), path, known, new: Vec::new() }
    }

    /// The tokens of what a tool gave and of what was shown of it.
    pub(crate) fn tokens(&mut self, line: &Line) -> Tokens {
        let estimate = |bytes: u64| (bytes * 10).div_ceil(TENTHS_OF_BYTES_PER_TOKEN);
        let estimated =
            Tokens { given: estimate(line.bytes), shown: estimate(line.shown), is_estimated: true };
        let Some(name) = line.reference.as_ref().filter(|_| line.what == What::View) else {
            return estimated;
        };
        let Counted { given, shown } = match self.known.get(name) {
            Some(known) => *known,
            None => {
                let Some(counted) = self.count(name) else { return estimated };
                let Counted { given, shown } = counted;
                self.known.insert(name.clone(), counted);
                self.new.push(format!(
                    "{name} {} {} {} {}\n",
                    given.bytes, given.tokens, shown.bytes, shown.tokens
                ));
                counted
            }
        };
        // Other texts of the same result, which stand as they were.
        let rest = line.bytes.saturating_sub(given.bytes);
        let is_exact = shown.bytes + rest == line.shown;
        Tokens {
            given: given.tokens + estimate(rest),
            // Of a table the map tells what is left out of the source, not how the rest is laid out.
            shown: if is_exact { shown.tokens + estimate(rest) } else { estimate(line.shown) },
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
        if let Ok(mut file) = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path) {
            let _ = file.write_all(self.new.concat().as_bytes());
        }
    }
}
