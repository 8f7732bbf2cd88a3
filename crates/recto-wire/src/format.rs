use recto_outline::Span;

use crate::{
    WireError, api, claude_code, codex, gemini_cli,
    json::{Document, JsonKind, Value},
    opencode, pi,
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
    /// `~/.claude/projects/*/*.jsonl`. Records of one [`Record::message`] are one answer of the model. What the client attaches to a turn is
    /// a message where its text reaches the model whole, and silent where only a sentence with names and numbers is made of it.
    ClaudeCode,
    /// `~/.codex/sessions/*/*/*/rollout-*.jsonl`. A compaction holds the whole conversation that stands for all before it, or in older files
    /// a summary alone, beside which the client keeps the newest messages of the person.
    Codex,
    /// `~/.gemini/tmp/*/chats/session-*.json`, a document, and `.jsonl`; Qwen Code's `~/.qwen/projects/*/chats/*.jsonl` too. In lines, a message
    /// that comes again under its id stands for the one before.
    GeminiCli,
    /// The folder `~/.local/share/opencode/storage` (`session/*/*.json`, `message/*/*.json`, `part/*/*.json`), and the document that `opencode
    /// export` writes. A part that does not say its message belongs to the one that its folder is named after. The SQLite file of newer
    /// versions is not read; its export is.
    OpenCode,
    /// `~/.pi/agent/sessions/*/*.jsonl`, and those of its kin. Turns that were broken off or failed are silent, as the client leaves them out.
    Pi,
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
    pub const ALL: [Self; 10] = [
        Self::GeminiCli,
        Self::Codex,
        Self::OpenCode,
        Self::Pi,
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
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::OpenCode => "opencode",
            Self::Pi => "pi",
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
            Self::Codex => Layout::Lines,
            Self::GeminiCli => Layout::Lines,
            Self::OpenCode => Layout::Files,
            Self::Pi => Layout::Lines,
            Self::AnthropicMessages => Layout::Document,
            Self::OpenAiChat => Layout::Document,
            Self::OpenAiResponses => Layout::Document,
            Self::GeminiContents => Layout::Document,
            Self::AiSdk => Layout::Document,
        }
    }

    /// The format of a name; `None` for names of none.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Finds the format by the first bytes of a file (some whole lines of it, or all of a document). `None` where none fits.
    ///
    /// Messages that only have a role and texts are written the same way for three APIs; such ones are told by what else is in the
    /// body, and are [`Format::OpenAiChat`] where that says nothing.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        let mut lines = head.split(|byte| *byte == b'\n').filter(|line| !is_blank(line)).take(20).peekable();
        // A document over many lines has lines that look like another format's.
        let is_lines = lines.peek().is_some_and(|line| Document::parse(line).is_ok());
        let whole = if is_lines { None } else { Document::parse(head).ok() };
        let documents: Vec<Document<'_>> = match whole {
            Some(whole) => vec![whole],
            None => lines.filter_map(|line| Document::parse(line).ok()).collect(),
        };
        let has = |is_own: fn(Value<'_>) -> bool| documents.iter().any(|line| is_own(line.root()));
        let api = match &*documents {
            [document] => api::detect(document.root()),
            _ => None,
        };
        // A list without anything around it says nothing of a client, even where one keeps such lists.
        let is_list = matches!(&*documents, [document] if document.root().kind() == JsonKind::Array);
        if let (true, Some(api)) = (is_list, api) {
            return Some(api);
        }
        let api = api.or_else(|| api::detect_line(documents.iter().map(Document::root)));
        Self::ALL.into_iter().find(|format| match format {
            Self::ClaudeCode => has(claude_code::is_own),
            Self::Codex => has(codex::is_own),
            Self::GeminiCli => has(gemini_cli::is_own),
            Self::OpenCode => has(opencode::is_own),
            Self::Pi => has(pi::is_own),
            _ => api == Some(*format),
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
            Self::GeminiCli => gemini_cli::record(document.root()),
            Self::OpenCode => opencode::record(document.root()),
            Self::Pi => pi::record(document.root()),
            Self::AnthropicMessages => api::anthropic::API.record(document.root()),
            Self::OpenAiChat => api::openai_chat::API.record(document.root()),
            Self::OpenAiResponses => api::openai_responses::API.record(document.root()),
            Self::GeminiContents => api::gemini::API.record(document.root()),
            Self::AiSdk => api::ai_sdk::API.record(document.root()),
        };
        record.span = span;
        record
    }

    /// Reads all records of a document, with spans into it. Of a client, first one of kind [`RecordKind::Session`] over the whole, then the
    /// messages in their order. Of an API, a request's body, its list of messages, or messages that stand in a line each; records come
    /// in the order in which a model reads them, tools and instructions first.
    ///
    /// ```
    /// use recto_wire::{Format, RecordKind, Role};
    /// let chat = br#"{"sessionId": "s1", "messages": [{"id": "m1", "type": "user", "content": "Hello"}]}"#;
    /// let records = Format::GeminiCli.document(chat)?;
    /// assert_eq!(records[1].kind, RecordKind::Message(Role::User));
    /// assert_eq!(records[1].pieces[0].raw.of(chat), br#""Hello""#);
    /// # Ok::<(), recto_wire::WireError>(())
    /// ```
    ///
    /// # Errors
    /// [`WireError::NotJson`], [`WireError::TooManyValues`], [`WireError::TooLong`], and [`WireError::NotThis`] if the document is another's, or the
    /// format has only lines.
    pub fn document(self, source: &[u8]) -> Result<Vec<Record>, WireError> {
        let parse = || Document::parse(source);
        match self {
            Self::GeminiCli => gemini_cli::document(parse()?.root()),
            Self::OpenCode => opencode::document(parse()?.root()),
            Self::AnthropicMessages => self.body(&api::anthropic::API, source),
            Self::OpenAiChat => self.body(&api::openai_chat::API, source),
            Self::OpenAiResponses => self.body(&api::openai_responses::API, source),
            Self::GeminiContents => self.body(&api::gemini::API, source),
            Self::AiSdk => self.body(&api::ai_sdk::API, source),
            Self::ClaudeCode | Self::Codex | Self::Pi => Err(WireError::NotThis {
                format: self.name(),
                why: "its transcripts are lines: read them one by one",
            }),
        }
    }

    /// Reads a body, a list of messages, or messages in a line each.
    fn body(self, api: &api::Api, bytes: &[u8]) -> Result<Vec<Record>, WireError> {
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
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
