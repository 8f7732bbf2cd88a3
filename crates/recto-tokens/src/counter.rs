//! Counting: one trait, and the counter behind each [`Tokenizer`].

use crate::estimate::{CLAUDE_PER_MILLE, EXACT_PER_MILLE, GEMINI_PER_MILLE, base_limit, scaled};
use crate::tokenizer::Tokenizer;
use crate::vocabulary::{CL100K_BASE, O200K_BASE, Vocabulary};

/// Counts the tokens of texts.
///
/// Laws: `count("")` is 0; a text that is not empty has at least one token and at most one for each byte (times
/// the factor of an estimate); equal texts have equal counts on every machine.
pub trait Counter: Send + Sync {
    /// Names the tokenizer that is counted with.
    fn tokenizer(&self) -> Tokenizer;

    /// Counts the tokens of `text`.
    ///
    /// Special tokens are plain text: `<|endoftext|>` inside a tool's output is several tokens, as providers
    /// encode it. Time is that of the text's length (times its logarithm within one word of over 32 bytes).
    fn count(&self, text: &str) -> u64;

    /// Counts the tokens of `text`, or returns `None` once they are certain to be more than `limit_tokens`.
    ///
    /// Equal to `Some(count(text))` filtered by the limit, but the work is bounded by the limit, not by the text:
    /// about 4 bytes a token of the limit in texts of ordinary words, never more than 128.
    ///
    /// ```
    /// use recto_tokens::Tokenizer;
    ///
    /// let counter = Tokenizer::O200k.counter();
    /// assert_eq!(counter.count_up_to("one two three", 3), Some(3));
    /// assert_eq!(counter.count_up_to("one two three", 2), None);
    /// ```
    fn count_up_to(&self, text: &str, limit_tokens: u64) -> Option<u64>;
}

/// A vocabulary and the factor that its counts are multiplied by.
pub(crate) struct ScaledCounter {
    tokenizer: Tokenizer,
    vocabulary: &'static Vocabulary,
    per_mille: u64,
}

impl ScaledCounter {
    /// Counts tokens of the vocabulary itself, before the factor.
    pub(crate) fn base_count(&self, text: &str) -> u64 {
        self.vocabulary.count(text)
    }

    /// Applies the factor to a sum of base counts.
    pub(crate) fn scaled(&self, base_tokens: u64) -> u64 {
        scaled(base_tokens, self.per_mille)
    }

    pub(crate) fn load(&self) {
        self.vocabulary.loaded();
    }
}

impl Counter for ScaledCounter {
    fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    fn count(&self, text: &str) -> u64 {
        self.scaled(self.base_count(text))
    }

    fn count_up_to(&self, text: &str, limit_tokens: u64) -> Option<u64> {
        let base = self.vocabulary.count_up_to(text, base_limit(limit_tokens, self.per_mille))?;
        Some(self.scaled(base))
    }
}

static O200K: ScaledCounter =
    ScaledCounter { tokenizer: Tokenizer::O200k, vocabulary: &O200K_BASE, per_mille: EXACT_PER_MILLE };
static CL100K: ScaledCounter =
    ScaledCounter { tokenizer: Tokenizer::Cl100k, vocabulary: &CL100K_BASE, per_mille: EXACT_PER_MILLE };
static CLAUDE: ScaledCounter = ScaledCounter {
    tokenizer: Tokenizer::ClaudeEstimate,
    vocabulary: &O200K_BASE,
    per_mille: CLAUDE_PER_MILLE,
};
static GEMINI: ScaledCounter = ScaledCounter {
    tokenizer: Tokenizer::GeminiEstimate,
    vocabulary: &O200K_BASE,
    per_mille: GEMINI_PER_MILLE,
};

pub(crate) fn of(tokenizer: Tokenizer) -> &'static ScaledCounter {
    match tokenizer {
        Tokenizer::O200k => &O200K,
        Tokenizer::Cl100k => &CL100K,
        Tokenizer::ClaudeEstimate => &CLAUDE,
        Tokenizer::GeminiEstimate => &GEMINI,
    }
}
