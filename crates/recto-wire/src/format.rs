use recto_outline::Span;

use crate::{
    WireError, claude_code, codex,
    json::{Document, JsonKind, Value},
    record::{Record, RecordKind},
};

/// How the records of a format are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One JSON object a line.
    Lines,
    /// One JSON document.
    Document,
    /// A folder of files, a JSON object each.
    Files,
}

/// A client's form of transcripts, or an API's form of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `~/.claude/projects/*/*.jsonl`.
    ClaudeCode,
    /// `~/.codex/sessions/*/*/*/rollout-*.jsonl`.
    Codex,
}

impl Format {
    /// All formats, in the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::Codex, Self::ClaudeCode];

    /// The name by which it is asked for: lower-case letters and hyphens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    /// How its records are laid out.
    #[must_use]
    pub const fn layout(self) -> Layout {
        match self {
            Self::ClaudeCode => Layout::Lines,
            Self::Codex => Layout::Lines,
        }
    }

    /// Finds the format by the first bytes of a file (some whole lines of it, or all of a document). `None` where none fits.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        let lines: Vec<&[u8]> =
            head.split(|byte| *byte == b'\n').filter(|line| !is_blank(line)).take(20).collect();
        let documents: Vec<Document<'_>> =
            lines.iter().filter_map(|line| Document::parse(line).ok()).collect();
        let has = |is_own: fn(Value<'_>) -> bool| documents.iter().any(|line| is_own(line.root()));
        Self::ALL.into_iter().find(|format| match format {
            Self::ClaudeCode => has(claude_code::is_own),
            Self::Codex => has(codex::is_own),
        })
    }

    /// Reads one line, or one file of a folder. It never fails: what is no JSON object is a record of kind
    /// [`RecordKind::Malformed`].
    #[must_use]
    pub fn line(self, line: &[u8]) -> Record {
        let span = Span::new(0, line.len());
        if is_blank(line) {
            return Record::new(RecordKind::Blank, span);
        }
        let document = match Document::parse(line) {
            Ok(document) if document.root().kind() == JsonKind::Object => document,
            Ok(_) => return Record::new(RecordKind::Malformed { at: 0 }, span),
            Err(WireError::NotJson { at, .. }) => {
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                return Record::new(RecordKind::Malformed { at }, span);
            }
            Err(_) => return Record::new(RecordKind::Malformed { at: 0 }, span),
        };
        let mut record = match self {
            Self::ClaudeCode => claude_code::record(document.root()),
            Self::Codex => codex::record(document.root()),
        };
        record.span = span;
        record
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
