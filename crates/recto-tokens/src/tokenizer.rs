//! The tokenizers this crate knows, by name.

use std::fmt;
use std::str::FromStr;

use crate::counter::{self, Counter};
use crate::model_name;

/// Names a way of counting tokens.
///
/// Naming one costs nothing; its vocabulary is loaded at the first count (see [`Tokenizer::load`]).
///
/// ```
/// use recto_tokens::Tokenizer;
///
/// let tokenizer: Tokenizer = "gpt-4o-mini".parse()?;
/// assert_eq!(tokenizer, Tokenizer::O200k);
/// assert_eq!(tokenizer.counter().count("hello world"), 2);
/// # Ok::<(), recto_tokens::TokenizerError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Tokenizer {
    /// OpenAI's `o200k_base`: GPT-4o, GPT-4.1, GPT-5, the o-series, gpt-oss. Exact.
    #[default]
    O200k,
    /// OpenAI's `cl100k_base`: GPT-4, GPT-3.5, the embedding models. Exact.
    Cl100k,
    /// An estimate for Claude, whose tokenizer is not public: o200k tokens times 1.300, rounded up.
    ClaudeEstimate,
    /// An estimate for Gemini: o200k tokens times 1.280, rounded up.
    GeminiEstimate,
}

impl Tokenizer {
    /// Lists every tokenizer, the default first.
    pub const ALL: [Self; 4] = [Self::O200k, Self::Cl100k, Self::ClaudeEstimate, Self::GeminiEstimate];

    /// Returns the name that is written beside a count. An estimate carries a `~`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k_base",
            Self::Cl100k => "cl100k_base",
            Self::ClaudeEstimate => "claude~o200k",
            Self::GeminiEstimate => "gemini~o200k",
        }
    }

    /// Returns the name to type: [`FromStr`] takes it as well as [`Tokenizer::name`].
    #[must_use]
    pub const fn short_name(self) -> &'static str {
        match self {
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
            Self::ClaudeEstimate => "claude",
            Self::GeminiEstimate => "gemini",
        }
    }

    /// Tells whether counts are those of the model's own tokenizer rather than an estimate.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::O200k | Self::Cl100k)
    }

    /// Returns the counter of this tokenizer.
    #[must_use]
    pub fn counter(self) -> &'static dyn Counter {
        counter::of(self)
    }

    /// Loads the vocabulary now, so that the first count does not wait for it.
    ///
    /// Worth calling on a thread of its own by a process that will surely count; never needed for correctness.
    pub fn load(self) {
        counter::of(self).load();
    }

    /// Finds the tokenizer of a model by its name, `None` if the family is not known.
    ///
    /// Takes names as providers and their resellers spell them, in any case: `gpt-5.2-codex`,
    /// `openai/gpt-4o`, `ft:gpt-4o:org::id`, `us.anthropic.claude-opus-4-5-v1:0`, `models/gemini-2.5-pro`.
    #[must_use]
    pub fn for_model(model: &str) -> Option<Self> {
        model_name::tokenizer_of(model)
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Tokenizer {
    type Err = TokenizerError;

    /// Reads a tokenizer's name, its short name, or the name of a model.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let trimmed = name.trim();
        let named = Self::ALL.into_iter().find(|tokenizer| {
            trimmed.eq_ignore_ascii_case(tokenizer.name())
                || trimmed.eq_ignore_ascii_case(tokenizer.short_name())
        });
        named
            .or_else(|| Self::for_model(trimmed))
            .ok_or_else(|| TokenizerError::Unknown { name: shortened(name) })
    }
}

/// Says why a name could not be read as a [`Tokenizer`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenizerError {
    /// The name is neither a tokenizer's nor that of a model of a known family.
    #[error(
        "unknown tokenizer or model {name:?}: use {}, or a model name such as {}",
        known_names(),
        model_name::EXAMPLES
    )]
    Unknown {
        /// The name as given, cut after 64 characters.
        name: String,
    },
}

const SHOWN_NAME_CHARS: usize = 64;

fn shortened(name: &str) -> String {
    let mut shown: String = name.chars().take(SHOWN_NAME_CHARS).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    shown
}

fn known_names() -> String {
    let names: Vec<String> =
        Tokenizer::ALL.iter().map(|known| format!("{} ({})", known.short_name(), known.name())).collect();
    names.join(", ")
}
