//! The tools themselves, without a protocol.

mod arguments;
mod definitions;
mod pages;
mod passages;
mod records;
mod words;

use recto_archive::{Archive, ArchiveError, Scope};
use recto_tokens::Tokenizer;
use serde_json::{Map, Value};

pub use self::definitions::Definition;
use self::{arguments::Arguments, definitions::Tool};

/// Tokens of a page of an answer, unless told otherwise.
pub const DEFAULT_PAGE_TOKENS: u64 = 2_000;

/// Fewest tokens of a page: below, the line that says how to go on would take most of it.
pub const FEWEST_PAGE_TOKENS: u64 = 200;

/// Says why there is no archive to read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Nothing was ever stored.
    #[error("there is no archive yet")]
    Absent,
    /// It is there and cannot be opened.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// What a tool answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolAnswer {
    /// What was asked for, byte for byte: pages joined are all of it. Empty for an error.
    pub text: String,
    /// recto's own words: how to go on, how much was found, or what was wrong.
    pub note: Option<String>,
    /// Whether it is an error.
    pub is_error: bool,
}

impl ToolAnswer {
    pub(crate) fn error(words: impl Into<String>) -> Self {
        Self { text: String::new(), note: Some(words.into()), is_error: true }
    }

    /// Counts the bytes of all that a model reads of it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.text.len() + self.note.as_ref().map_or(0, String::len)) as u64
    }
}

type Opener = dyn Fn() -> Result<Box<dyn Archive>, StoreError> + Send + Sync;

/// The tools by which a model reads what recto left out, over the archive of one principal.
///
/// ```
/// use recto_archive::{Archive, MemoryArchive, Scope, Target, block_on};
/// use recto_gateway::RecallTools;
/// use serde_json::json;
///
/// let scope = Scope::local();
/// let archive = || {
///     let archive = MemoryArchive::new();
///     let original = block_on(archive.put(&Scope::local(), b"one\ntwo\nthree\n"))?;
///     block_on(archive.issue(&Scope::local(), &Target::Original(original)))?;
///     Ok(Box::new(archive) as Box<dyn Archive>)
/// };
/// let tools = RecallTools::new(scope, archive);
/// let asked = json!({ "ref": "r:000000000000000", "lines": "2" });
/// let answer = tools.call("recto_expand", asked.as_object().unwrap());
/// assert!(answer.is_error && answer.note.unwrap().starts_with("no such ref"));
/// ```
pub struct RecallTools {
    open: Box<Opener>,
    scope: Scope,
    page_tokens: u64,
    tokenizer: Tokenizer,
}

impl RecallTools {
    /// Makes the tools of a principal. `open` is called anew by each call of a tool, as others may write to the store meanwhile.
    pub fn new(
        scope: Scope,
        open: impl Fn() -> Result<Box<dyn Archive>, StoreError> + Send + Sync + 'static,
    ) -> Self {
        let (page_tokens, tokenizer) = (DEFAULT_PAGE_TOKENS, Tokenizer::default());
        Self { open: Box::new(open), scope, page_tokens, tokenizer }
    }

    /// Sets how many tokens a page has at most: [`FEWEST_PAGE_TOKENS`] or more.
    #[must_use]
    pub fn with_page_tokens(mut self, page_tokens: u64, tokenizer: Tokenizer) -> Self {
        self.page_tokens = page_tokens.max(FEWEST_PAGE_TOKENS);
        self.tokenizer = tokenizer;
        self
    }

    /// Lists what the tools are called and take.
    #[must_use]
    pub fn definitions() -> Vec<Definition> {
        Tool::ALL.into_iter().map(Tool::definition).collect()
    }

    /// Answers a call. Blocks while it reads the archive.
    #[must_use]
    pub fn call(&self, name: &str, arguments: &Map<String, Value>) -> ToolAnswer {
        let answer = Tool::named(name).and_then(|tool| {
            let arguments = Arguments::read(tool, arguments)?;
            self.answer(tool, &arguments)
        });
        answer.unwrap_or_else(|words| ToolAnswer::error(words::capped(words)))
    }

    fn answer(&self, tool: Tool, arguments: &Arguments) -> Result<ToolAnswer, String> {
        let asked = arguments.asked()?;
        let archive = (self.open)().map_err(|error| words::of_store(&error))?;
        match tool {
            Tool::Expand | Tool::Search => passages::answer(self, tool, arguments, &asked, archive.as_ref()),
            Tool::Query => records::answer(self, arguments, &asked, archive.as_ref()),
        }
    }
}
