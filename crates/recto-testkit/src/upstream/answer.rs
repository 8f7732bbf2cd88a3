//! An answer before a dialect writes it down.

use axum::body::Bytes;
use serde_json::Value;

use super::{OfferedTool, Request, Turn, identifier::Identifiers, reading::text};

/// The tokens that an answer says were used.
///
/// `input` leaves out what the cache gave or took, as the Messages API counts; the other dialects report the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read without the cache.
    pub input: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Tokens written to the cache.
    pub cache_creation: u64,
    /// Tokens written by the model.
    pub output: u64,
}

impl Usage {
    /// All tokens that were read.
    pub(super) fn whole_input(self) -> u64 {
        self.input + self.cache_read + self.cache_creation
    }
}

/// An error that a script asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) status: u16,
    pub(super) kind: String,
    pub(super) message: String,
}

/// A call with all that a dialect needs to write it.
#[derive(Clone, Debug)]
pub(super) struct NamedCall {
    pub(super) tool: OfferedTool,
    pub(super) input: Value,
}

impl NamedCall {
    /// The input as the text that a dialect streams: JSON, or the free text of a custom tool.
    pub(super) fn input_text(&self) -> String {
        match &self.input {
            Value::String(text) if self.tool.custom => text.clone(),
            other => other.to_string(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) identifiers: Identifiers,
    pub(super) model: String,
    pub(super) thinking: Option<String>,
    pub(super) text: Option<String>,
    pub(super) calls: Vec<NamedCall>,
    pub(super) usage: Usage,
}

impl Answer {
    pub(super) fn new(turn: Turn, request: &Request) -> Self {
        let offered = request.offered_tools();
        let calls: Vec<NamedCall> = turn
            .calls
            .into_iter()
            .map(|call| {
                let known = offered.iter().find(|tool| tool.name == call.name).cloned();
                let tool = known.unwrap_or(OfferedTool { name: call.name, namespace: None, custom: false });
                NamedCall { tool, input: call.input }
            })
            .collect();
        // A client gives back what it was told, and an empty text is refused then.
        let said = turn.text.filter(|text| !text.is_empty());
        let text = said.or_else(|| calls.is_empty().then(|| "Done.".to_owned()));
        let written: usize = text.as_ref().map_or(0, String::len)
            + calls.iter().map(|call| call.input_text().len()).sum::<usize>();
        let usage = turn.usage.unwrap_or(Usage {
            input: request.body.len() as u64 / BYTES_PER_TOKEN,
            output: written as u64 / BYTES_PER_TOKEN + 1,
            ..Usage::default()
        });
        Self {
            identifiers: Identifiers::of(&request.body),
            model: text_or(&request.value, "model", "fake-1"),
            thinking: turn.thinking,
            text,
            calls,
            usage,
        }
    }
}

/// A common rule of thumb; no test should depend on it.
pub(super) const BYTES_PER_TOKEN: u64 = 4;

fn text_or(value: &Value, key: &str, otherwise: &str) -> String {
    let found = text(value, key);
    if found.is_empty() { otherwise.to_owned() } else { found.to_owned() }
}

/// A server-sent event.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    /// What follows `event:`, where the dialect names its events.
    name: Option<String>,
    data: String,
}

impl Event {
    /// An event named by its `type`.
    pub(super) fn typed(data: &Value) -> Self {
        Self { name: Some(text(data, "type").to_owned()), data: data.to_string() }
    }

    /// An event without a name.
    pub(super) fn bare(data: impl ToString) -> Self {
        Self { name: None, data: data.to_string() }
    }

    pub(super) fn to_bytes(&self) -> Bytes {
        let name = self.name.as_ref().map(|name| format!("event: {name}\n")).unwrap_or_default();
        Bytes::from(format!("{name}data: {}\n\n", self.data))
    }
}

/// Cuts a text into small pieces, as models stream it: each of some characters, never within one.
pub(super) fn small_pieces(text: &str, max_chars: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(max_chars.max(1)).map_or(rest.len(), |(offset, _)| offset);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Characters of a tool's arguments in one event: few, so that clients must join them.
pub(super) const ARGUMENT_CHARS: usize = 7;
/// Characters of a text in one event.
pub(super) const TEXT_CHARS: usize = 24;
