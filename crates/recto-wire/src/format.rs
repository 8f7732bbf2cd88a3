use recto_outline::Span;

use crate::{
    WireError, api, claude_code,
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
    /// Anthropic's Messages API.
    AnthropicMessages,
    /// OpenAI's Chat Completions API.
    OpenAiChat,
    /// OpenAI's Responses API; each item is a record.
    OpenAiResponses,
    /// Google's `generateContent`.
    GeminiContents,
    /// Messages of the AI SDK (`ModelMessage`, and `CoreMessage` of its fourth version).
    AiSdk,
}

impl Format {
    /// All formats, in the order in which they are tried.
    pub const ALL: [Self; 6] = [
        Self::ClaudeCode,
        Self::AnthropicMessages,
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::GeminiContents,
        Self::AiSdk,
    ];

    /// The name by which it is asked for: lower-case letters and hyphens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::AnthropicMessages => "anthropic-messages",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::GeminiContents => "gemini-contents",
            Self::AiSdk => "ai-sdk",
        }
    }

    /// How its records are laid out.
    #[must_use]
    pub const fn layout(self) -> Layout {
        match self {
            Self::ClaudeCode => Layout::Lines,
            Self::AnthropicMessages => Layout::Document,
            Self::OpenAiChat => Layout::Document,
            Self::OpenAiResponses => Layout::Document,
            Self::GeminiContents => Layout::Document,
            Self::AiSdk => Layout::Document,
        }
    }

    /// The API that it is the form of.
    const fn api(self) -> Option<&'static api::Api> {
        match self {
            Self::ClaudeCode => None,
            Self::AnthropicMessages => Some(&api::anthropic::API),
            Self::OpenAiChat => Some(&api::openai_chat::API),
            Self::OpenAiResponses => Some(&api::openai_responses::API),
            Self::GeminiContents => Some(&api::gemini::API),
            Self::AiSdk => Some(&api::ai_sdk::API),
        }
    }

    /// Finds the format by the first bytes of a file (some whole lines of it, or all of a document). `None` where none fits.
    ///
    /// Messages that only have a role and texts are written the same way for three APIs; such ones are told by what else is in the
    /// body, and are [`Format::OpenAiChat`] where that says nothing.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        let whole = Document::parse(head).ok();
        if let Some(format) = whole.as_ref().and_then(|whole| api::detect(whole.root())) {
            return Some(format);
        }
        let lines: Vec<&[u8]> =
            head.split(|byte| *byte == b'\n').filter(|line| !is_blank(line)).take(20).collect();
        let documents: Vec<Document<'_>> =
            lines.iter().filter_map(|line| Document::parse(line).ok()).collect();
        let has = |is_own: fn(Value<'_>) -> bool| documents.iter().any(|line| is_own(line.root()));
        let api = api::detect_line(documents.iter().map(Document::root));
        Self::ALL.into_iter().find(|format| match format {
            Self::ClaudeCode => has(claude_code::is_own),
            _ => api == Some(*format),
        })
    }

    /// Reads all records of a document: of an API, a request's body, its list of messages, or messages that stand in a line each; of a
    /// client's lines, each line. A body's records come in the order in which a model reads them, tools and instructions first.
    ///
    /// ```
    /// use recto_wire::{Format, RecordKind, Role};
    /// let body = br#"{"messages":[{"role":"user","content":"Hi"}],"system":"Be brief.","max_tokens":9}"#;
    /// let format = Format::detect(body).unwrap();
    /// assert_eq!(format, Format::AnthropicMessages);
    /// let kinds: Vec<RecordKind> = format.document(body)?.iter().map(|record| record.kind).collect();
    /// assert_eq!(kinds, [RecordKind::Message(Role::System), RecordKind::Message(Role::User)]);
    /// # Ok::<(), recto_wire::WireError>(())
    /// ```
    ///
    /// # Errors
    /// [`WireError::NotThis`] for JSON of another shape; [`WireError::NotJson`] if the first line is no JSON object either;
    /// [`WireError::TooManyValues`], [`WireError::TooLong`].
    pub fn document(self, bytes: &[u8]) -> Result<Vec<Record>, WireError> {
        let Some(api) = self.api() else { return self.lines(bytes) };
        match Document::parse(bytes) {
            Ok(document) => api.records(document.root()),
            Err(WireError::NotJson { at, why }) => {
                let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !is_blank(line));
                let is_message = |line: &[u8]| {
                    Document::parse(line).is_ok_and(|line| line.root().kind() == JsonKind::Object)
                };
                match (lines.next(), lines.next()) {
                    (Some(first), Some(_)) if is_message(first) => self.lines(bytes),
                    _ => Err(WireError::NotJson { at, why }),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Reads each line; a blank end is no record.
    fn lines(self, bytes: &[u8]) -> Result<Vec<Record>, WireError> {
        if u32::try_from(bytes.len()).is_err() {
            return Err(WireError::TooLong { bytes: bytes.len() as u64 });
        }
        let mut at = 0;
        let mut records = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let start = u32::try_from(at).unwrap_or(u32::MAX);
            records.push(self.line(line.strip_suffix(b"\n").unwrap_or(line)).moved(start));
            at += line.len();
        }
        Ok(records)
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
            Self::AnthropicMessages => api::anthropic::API.record(document.root()),
            Self::OpenAiChat => api::openai_chat::API.record(document.root()),
            Self::OpenAiResponses => api::openai_responses::API.record(document.root()),
            Self::GeminiContents => api::gemini::API.record(document.root()),
            Self::AiSdk => api::ai_sdk::API.record(document.root()),
        };
        record.span = span;
        record
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
