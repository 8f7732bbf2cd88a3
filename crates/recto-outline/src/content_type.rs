use std::{fmt, str::FromStr};

use crate::OutlineError;

/// What a source is, as far as its structure goes. `Unknown` is an honest answer: it is cut by lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ContentType {
    /// One JSON document (or a broken one that begins as one).
    Json,
    /// JSON values one after another: a line each, or just concatenated.
    Jsonl,
    /// Comma, tab or semicolon separated rows.
    Csv,
    /// A Markdown document that is mostly a pipe table.
    MarkdownTable,
    /// Unified, context-free or combined diffs.
    Diff,
    /// Lines of a program's log, a build or a test run.
    Log,
    /// `path:line:text` hits of grep and ripgrep.
    Search,
    /// Listings and text tables: `ls`, `find`, `tree`, `ps`, `kubectl get`, `psql`.
    Listing,
    /// Source code.
    Code,
    /// HTML or XML.
    Markup,
    /// Numbered lines as agents' read tools print them (`cat -n`).
    Numbered,
    /// Running text, Markdown included.
    Prose,
    /// Retrieved chunks with their sources.
    Rag,
    /// Turns of a conversation.
    Chat,
    /// No structure recognised: cut by lines.
    Unknown,
}

impl ContentType {
    /// Every content type, in the order of the documentation.
    pub const ALL: [Self; 15] = [
        Self::Json,
        Self::Jsonl,
        Self::Csv,
        Self::MarkdownTable,
        Self::Diff,
        Self::Log,
        Self::Search,
        Self::Listing,
        Self::Code,
        Self::Markup,
        Self::Numbered,
        Self::Prose,
        Self::Rag,
        Self::Chat,
        Self::Unknown,
    ];

    /// The name on the wire, as in the span map's `contentType`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::MarkdownTable => "markdown-table",
            Self::Diff => "diff",
            Self::Log => "log",
            Self::Search => "search",
            Self::Listing => "listing",
            Self::Code => "code",
            Self::Markup => "markup",
            Self::Numbered => "numbered",
            Self::Prose => "prose",
            Self::Rag => "rag",
            Self::Chat => "chat",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for ContentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ContentType {
    type Err = OutlineError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "tsv" | "semicolon" => return Ok(Self::Csv),
            "table" => return Ok(Self::Listing),
            "ndjson" => return Ok(Self::Jsonl),
            "html" | "xml" => return Ok(Self::Markup),
            "markdown" | "text" => return Ok(Self::Prose),
            _ => {}
        }
        Self::ALL
            .into_iter()
            .find(|known| known.name() == name)
            .ok_or_else(|| OutlineError::UnknownContentType { name: name.to_owned() })
    }
}
