//! What a view depends on besides the bytes.

use std::{fmt, str::FromStr};

use recto_outline::ContentType;
use recto_tokens::Tokenizer;
use sha2::{Digest as _, Sha256};

use crate::ViewError;

/// Number of this engine: raised whenever the same source and policy give other bytes than before.
pub const ENGINE: u32 = 1;

/// The ratio where no budget is given.
pub const DEFAULT_RATIO_PPM: u32 = 450_000;

/// In mode `marked` with no budget given, sources up to this many bytes (about 4,000 tokens) are shown whole: cutting a short
/// listing or a page of instructions saves little and costs trust.
pub const WHOLE_BELOW_BYTES: u64 = 16_384;

/// How what is left out is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// The kept bytes joined, nothing else.
    #[default]
    Exact,
    /// Each elision is announced in its place by a short note.
    Marked,
    /// JSON with arrays of like records as tables: each key once, a record a line; what is left out is announced as in `marked`.
    /// A source that has no such arrays, or would not be smaller, is shown as in `marked`.
    Table,
    /// [`Table`](Self::Table) if the whole layout is clearly smaller than what `marked` would show: at most three quarters of the
    /// source without the blanks between its tokens, and at most 512 bytes a row on average. Else [`Marked`](Self::Marked). Chosen
    /// before the budget is looked at, so views nest.
    Auto,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::Exact, Self::Marked, Self::Table, Self::Auto];

    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Marked => "marked",
            Self::Table => "table",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| {
            format!("unknown mode {name:?}: known are {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

/// How much may be shown; of several limits the tightest binds. None given: [`DEFAULT_RATIO_PPM`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Share of the source's bytes, in millionths. Soft in mode `exact`, where the frame is always kept.
    pub ratio_ppm: Option<u32>,
    /// Hard limit on the rendered bytes, notes included.
    pub max_bytes: Option<u64>,
    /// Hard limit on the rendered tokens, notes included.
    pub max_tokens: Option<u64>,
}

impl Budget {
    /// A share of the source.
    ///
    /// # Errors
    /// [`ViewError::RatioOutOfRange`] outside (0, 1].
    pub fn ratio(ratio: f64) -> Result<Self, ViewError> {
        if !(ratio > 0.0 && ratio <= 1.0) {
            return Err(ViewError::RatioOutOfRange { given: ratio.to_string() });
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to lie in (0, 1]"
        )]
        let ppm = ((ratio * 1e6).round() as u32).max(1);
        Ok(Self { ratio_ppm: Some(ppm), ..Self::default() })
    }

    /// A hard limit in bytes.
    #[must_use]
    pub fn bytes(max_bytes: u64) -> Self {
        Self { max_bytes: Some(max_bytes), ..Self::default() }
    }

    /// A hard limit in tokens.
    #[must_use]
    pub fn tokens(max_tokens: u64) -> Self {
        Self { max_tokens: Some(max_tokens), ..Self::default() }
    }

    /// Says whether a limit was given at all.
    #[must_use]
    pub fn is_given(self) -> bool {
        self.ratio_ppm.is_some() || self.max_bytes.is_some() || self.max_tokens.is_some()
    }
}

/// What a result is: some classes are never cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResultClass {
    /// Cut to the budget.
    #[default]
    Ordinary,
    /// The tool says that it failed: as ordinary, for rankers to know.
    Error,
    /// Instructions, or what was just asked for by `expand`: never cut.
    Whole,
}

/// How the reader can get at what was left out; a note names only a way that works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Recall {
    /// It cannot: notes carry no ref.
    #[default]
    None,
    /// With the shell command `recto expand`.
    Shell,
    /// With the tool `recto_expand`.
    Tool,
}

impl FromStr for Recall {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "none" => Ok(Self::None),
            "shell" => Ok(Self::Shell),
            "tool" => Ok(Self::Tool),
            _ => Err(format!("unknown way of recall {name:?}: known are none, shell, tool")),
        }
    }
}

/// Everything a view depends on besides the source: the same source and policy give the same bytes, on every machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Engine that makes the view.
    pub engine: u32,
    /// How elisions are treated.
    pub mode: Mode,
    /// How much may be shown.
    pub budget: Budget,
    /// What the reader is after.
    pub query: Option<String>,
    /// What to take the source for; detected if absent.
    pub content_type: Option<ContentType>,
    /// What tokens are counted in.
    pub tokenizer: Tokenizer,
    /// What kind of result it is.
    pub class: ResultClass,
    /// How the reader gets the rest.
    pub recall: Recall,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            engine: ENGINE,
            mode: Mode::default(),
            budget: Budget::default(),
            query: None,
            content_type: None,
            tokenizer: Tokenizer::default(),
            class: ResultClass::default(),
            recall: Recall::default(),
        }
    }
}

impl Policy {
    /// SHA-256 over a canonical encoding: each field's name, then its value with its length.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut field = |name: &str, value: &[u8]| {
            hash.update([u8::try_from(name.len()).unwrap_or(u8::MAX)]);
            hash.update(name.as_bytes());
            hash.update((value.len() as u64).to_le_bytes());
            hash.update(value);
        };
        field("recto policy", &[1]);
        field("engine", &self.engine.to_le_bytes());
        field("mode", self.mode.name().as_bytes());
        for (name, limit) in [
            ("ratio", self.budget.ratio_ppm.map(u64::from)),
            ("bytes", self.budget.max_bytes),
            ("tokens", self.budget.max_tokens),
        ] {
            if let Some(limit) = limit {
                field(name, &limit.to_le_bytes());
            }
        }
        if let Some(query) = &self.query {
            field("query", query.as_bytes());
        }
        if let Some(content_type) = self.content_type {
            field("type", content_type.name().as_bytes());
        }
        field("tokenizer", self.tokenizer.name().as_bytes());
        field("class", format!("{:?}", self.class).as_bytes());
        field("recall", format!("{:?}", self.recall).as_bytes());
        hash.finalize().into()
    }
}
