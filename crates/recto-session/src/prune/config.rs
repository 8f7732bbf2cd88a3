//! What the pruner is told.

use recto_tokens::Tokenizer;

use super::{MARKER_CHARS, PRUNE_MARKER};
use crate::error::SessionError;

/// What budgets are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Unicode code points.
    #[default]
    Chars,
    /// Tokens of the configuration's tokenizer, the sum over text blocks.
    Tokens,
}

/// Where a text may be cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Boundary {
    /// Between any two code points.
    #[default]
    CodePoint,
    /// Between grapheme clusters: cuts move so that less is kept, never more. The border of two blocks is one.
    Grapheme,
}

/// How a result is shortened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// The beginning, a marker, the end.
    #[default]
    HeadTail,
    /// What the caller's [`Shorten`](super::Shorten) makes of it; beginning and end where it makes nothing.
    View,
}

/// The pruner's settings. They are checked when they are made, and never change afterwards.
///
/// Laws: the threshold is at least 1; head + marker + tail is at most the threshold. Budgets are code points (8192, 4096 and 1024
/// by default) or tokens (a quarter of each), never both.
///
/// ```
/// use recto_session::{PruneConfig, Strategy};
///
/// let config = PruneConfig::from_json(r#"{"thresholdChars": 6000, "strategy": "view"}"#)?;
/// assert_eq!((config.threshold(), config.head(), config.tail()), (6000, 4096, 1024));
/// assert_eq!(config.strategy(), Strategy::View);
///
/// let error = PruneConfig::from_json(r#"{"thresholdChars": 5000}"#).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "thresholdChars: must be at least headChars (4096) + the marker (39) + tailChars (1024) = 5159, and is 5000"
/// );
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneConfig {
    unit: Unit,
    threshold: u64,
    head: u64,
    tail: u64,
    boundary: Boundary,
    strategy: Strategy,
    tokenizer: Tokenizer,
}

impl Default for PruneConfig {
    /// 8192, 4096 and 1024 code points, cut between code points, `headTail`.
    fn default() -> Self {
        Self {
            unit: Unit::Chars,
            threshold: Self::THRESHOLD_CHARS,
            head: Self::HEAD_CHARS,
            tail: Self::TAIL_CHARS,
            boundary: Boundary::CodePoint,
            strategy: Strategy::HeadTail,
            tokenizer: Tokenizer::default(),
        }
    }
}

impl PruneConfig {
    pub(super) const THRESHOLD_CHARS: u64 = 8192;
    pub(super) const HEAD_CHARS: u64 = 4096;
    pub(super) const TAIL_CHARS: u64 = 1024;
    /// Characters a token, of which the defaults in tokens are made.
    pub(super) const CHARS_PER_TOKEN: u64 = 4;

    /// Sets budgets in code points.
    ///
    /// # Errors
    /// The threshold is 0, or smaller than head + 39 + tail.
    pub fn chars(threshold: u64, head: u64, tail: u64) -> Result<Self, SessionError> {
        Self { threshold, head, tail, ..Self::default() }.checked()
    }

    /// Sets budgets in tokens of a tokenizer. The marker's tokens are counted, which loads the vocabulary.
    ///
    /// # Errors
    /// The threshold is 0, or smaller than head + the marker + tail.
    pub fn tokens(tokenizer: Tokenizer, threshold: u64, head: u64, tail: u64) -> Result<Self, SessionError> {
        Self { unit: Unit::Tokens, threshold, head, tail, tokenizer, ..Self::default() }.checked()
    }

    /// Reads settings from a JSON object; what it does not name keeps its default. Keys are `thresholdChars`, `headChars` and `tailChars`, or
    /// `thresholdTokens`, `headTokens` and `tailTokens`; `boundary` (`codePoint`, `grapheme`); `strategy` (`headTail`, `view`); `tokenizer`, by its
    /// name or a model's. `threshold_chars` and its like mean the same.
    ///
    /// # Errors
    /// A key is unknown or stands twice, a budget is no integer, or a law is broken. The error names key and law.
    pub fn from_json(text: &str) -> Result<Self, SessionError> {
        super::read::config(text)
    }

    /// The same settings with cuts at another boundary.
    #[must_use]
    pub const fn with_boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// The same settings with another strategy.
    #[must_use]
    pub const fn with_strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// The same settings with another tokenizer.
    ///
    /// # Errors
    /// Budgets are in tokens, and the marker has too many of this one's.
    pub fn with_tokenizer(mut self, tokenizer: Tokenizer) -> Result<Self, SessionError> {
        self.tokenizer = tokenizer;
        self.checked()
    }

    /// Settings of these budgets in a unit, before they are checked.
    pub(super) fn unchecked(unit: Unit, [threshold, head, tail]: [u64; 3]) -> Self {
        Self { unit, threshold, head, tail, ..Self::default() }
    }

    pub(super) fn checked(self) -> Result<Self, SessionError> {
        let (unit, marker) = match self.unit {
            Unit::Chars => ("Chars", MARKER_CHARS as u64),
            Unit::Tokens => ("Tokens", self.tokenizer.counter().count(PRUNE_MARKER)),
        };
        let Self { threshold, head, tail, .. } = self;
        let key = format!("threshold{unit}");
        if threshold == 0 {
            return Err(SessionError::Config { key, law: "must be at least 1, and is 0".to_owned() });
        }
        let least = u128::from(head) + u128::from(marker) + u128::from(tail);
        if least > u128::from(threshold) {
            let law = format!(
                "must be at least head{unit} ({head}) + the marker ({marker}) + tail{unit} ({tail}) = {least}, and is {threshold}"
            );
            return Err(SessionError::Config { key, law });
        }
        Ok(self)
    }

    /// Returns what budgets are counted in.
    #[must_use]
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// Returns the size over which a result is shortened.
    #[must_use]
    pub const fn threshold(&self) -> u64 {
        self.threshold
    }

    /// Returns how much of the beginning is kept.
    #[must_use]
    pub const fn head(&self) -> u64 {
        self.head
    }

    /// Returns how much of the end is kept.
    #[must_use]
    pub const fn tail(&self) -> u64 {
        self.tail
    }

    /// Returns where a text may be cut.
    #[must_use]
    pub const fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// Returns how a result is shortened.
    #[must_use]
    pub const fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Returns the tokenizer of budgets in tokens, and of the count that each rewrite states.
    #[must_use]
    pub const fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }
}
