//! What is sent at each level.

pub(crate) mod direct;
pub(crate) mod map;
pub(crate) mod namespaces;

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::{
    directory::{Directory, Entry},
    ledger::{Detail, Ledger, LedgerEntry, WireTool},
    schema::flatten_schema,
    sentence::first_sentence,
    signature::signature_line,
    tool::{Shape, Tool},
};

/// Something that a caller may want to know of what became of its tools.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// The tool's code.
    pub code: String,
    /// What became of it.
    pub message: String,
}

impl Note {
    pub(crate) fn new(code: &str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code: code.to_owned(), message: message.into().into_owned() }
    }
}

/// What is sent, as it grows: what a base sent stays where it is.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) tools: Vec<WireTool>,
    pub(crate) preamble: String,
    pub(crate) entries: Vec<LedgerEntry>,
    pub(crate) notes: Vec<Note>,
    pub(crate) parts: Vec<usize>,
    /// What stood in front of lines before, by code, where everything is sent anew.
    pub(crate) shorts: BTreeMap<String, String>,
    /// Places in `entries` by code.
    pub(crate) places: HashMap<String, usize>,
    /// Places in `tools` by name, of those that the base sent.
    offered: HashMap<String, usize>,
    /// Room to write a tool in.
    buffer: Vec<u8>,
}

impl Draft {
    /// Starts from what was sent before. Entries whose tools are gone are marked so; their bytes stay.
    ///
    /// Sent `afresh`, nothing stays but what codes stand for.
    pub(crate) fn on(base: Option<&Ledger>, directory: &Directory, afresh: bool) -> Self {
        let mut draft = Self::default();
        let Some(base) = base else { return draft };
        if !afresh {
            draft.tools.clone_from(&base.tools);
            draft.preamble.clone_from(&base.preamble);
            draft.parts.clone_from(&base.parts);
            // A namespace's tool is never another one's place.
            for (place, tool) in base.tools.iter().enumerate().filter(|(_, tool)| tool.operations.is_empty())
            {
                draft.offered.entry(tool.name.clone()).or_insert(place);
            }
        }
        for entry in &base.entries {
            let mut entry = entry.clone();
            let is_gone = directory.position(&entry.code).is_none();
            if afresh {
                if !is_gone {
                    draft.shorts.extend(entry.short.map(|short| (entry.code, short)));
                    continue;
                }
                // Of no tool that is gone anything is sent.
                entry.detail = Detail::Search;
                entry.removed = true;
                entry.sent.clear();
            } else if is_gone && !entry.removed {
                draft.notes.push(Note::new(
                    &entry.code,
                    "removed: what was sent of it stays, calls of it are refused",
                ));
            }
            entry.removed = is_gone || entry.removed;
            draft.places.insert(entry.code.clone(), draft.entries.len());
            draft.entries.push(entry);
        }
        draft
    }

    /// Returns what was sent of a code before, if anything was.
    pub(crate) fn known(&self, code: &str) -> Option<&LedgerEntry> {
        self.places.get(code).and_then(|&place| self.entries.get(place))
    }

    /// Writes down what is sent of a tool now.
    pub(crate) fn set(&mut self, entry: &Entry, detail: Detail, sent: String, short: Option<String>) {
        let written = LedgerEntry {
            code: entry.code().to_owned(),
            short,
            name: entry.tool().name().to_owned(),
            server: entry.tool().server().map(str::to_owned),
            digest: entry.tool().short_digest(),
            detail,
            sent,
            removed: false,
        };
        match self.places.get(entry.code()).and_then(|&place| self.entries.get_mut(place)) {
            Some(place) => *place = written,
            None => {
                self.places.insert(written.code.clone(), self.entries.len());
                self.entries.push(written);
            }
        }
    }

    /// Offers a tool as itself: in its place where it was offered before, else behind the others.
    pub(crate) fn offer(&mut self, entry: &Entry, tool: WireTool) {
        let sent = self.digest(&tool);
        let known = self.known(entry.code()).filter(|known| known.detail == Detail::Native);
        let changed = known.map(|known| (known.sent != sent, known.removed));
        match changed {
            Some((false, false)) => return,
            Some((changed, was_removed)) => {
                let place = self.offered.get(&tool.name).and_then(|&place| self.tools.get_mut(place));
                if let Some(place) = place.filter(|_| changed) {
                    *place = tool;
                }
                let message = match (changed, was_removed) {
                    (true, _) => "changed: its new definition stands in the old one's place",
                    (false, _) => "there again, as it was",
                };
                self.notes.push(Note::new(entry.code(), message));
            }
            None => self.tools.push(tool),
        }
        self.set(entry, Detail::Native, sent, None);
    }

    /// The first 16 hexadecimal digits of a hash over what is sent.
    fn digest(&mut self, tool: &WireTool) -> String {
        self.buffer.clear();
        // Nothing in a tool is refused, and writing to memory does not fail.
        let _ = serde_json::to_writer(&mut self.buffer, tool);
        let digest = Sha256::digest(&self.buffer);
        crate::names::hex(digest.get(..8).unwrap_or_default())
    }
}

/// A tool as level 1 sends it.
pub(crate) fn short_tool(entry: &Entry) -> WireTool {
    let tool = entry.tool();
    let sentence = first_sentence(tool.description());
    let mut description = signature_line(tool, Some(entry.code()));
    if !sentence.is_empty() {
        description.push(' ');
        description.push_str(sentence);
    }
    let mut input_schema = flatten_schema(tool.input_schema(), tool.is_strict());
    // What is short already stays as it is.
    let lengths = |description: &str, schema: &Value| description.len() + length(schema);
    let is_object = tool.input_schema().get("type").and_then(Value::as_str) == Some("object");
    if is_object
        && tool.description().len() <= description.len() + MOST_SAVED_BYTES
        && lengths(tool.description(), tool.input_schema()) <= lengths(&description, &input_schema)
    {
        tool.description().clone_into(&mut description);
        input_schema = tool.input_schema().clone();
    }
    WireTool {
        name: entry.code().to_owned(),
        description,
        input_schema,
        strict: tool.is_strict(),
        operations: BTreeMap::new(),
        shape: Some(tool.shape()),
        rest: rest(tool),
        written: None,
    }
}

/// What a definition holds besides its name, description and schema.
fn rest(tool: &Tool) -> Map<String, Value> {
    let Value::Object(written) = tool.written() else { return Map::new() };
    let schema_keys: &[&str] = match tool.shape() {
        Shape::Mcp => &["inputSchema"],
        Shape::Anthropic => &["input_schema"],
        Shape::OpenAiChat => &["function"],
        Shape::OpenAiResponses => &["parameters"],
        Shape::Gemini => &["parameters", "parametersJsonSchema"],
    };
    let known = ["name", "description", "strict", "_server"];
    let others = written
        .iter()
        .filter(|(key, _)| !known.contains(&key.as_str()) && !schema_keys.contains(&key.as_str()));
    others.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A schema is hardly made longer by being made short: a description that is longer than this beside the new one needs no weighing.
const MOST_SAVED_BYTES: usize = 400;

/// Bytes of a value as JSON.
fn length(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // A count cannot fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}
