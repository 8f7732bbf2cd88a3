//! What is scored: sources and the questions asked of them.

use std::path::PathBuf;

use recto_tokens::Tokenizer;

use crate::{budget::TokenBudget, evidence::Evidence, scoreboard::Plan};

/// One source.
#[derive(Clone, Debug)]
pub struct Sample {
    /// How a report calls it: a path below the corpus, or how it was generated.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its own tokens (`o200k_base`).
    pub tokens: u64,
    /// The file, if it is one.
    pub path: Option<PathBuf>,
}

impl Sample {
    /// Counts the bytes' tokens.
    #[must_use]
    pub fn new(name: String, bytes: Vec<u8>, path: Option<PathBuf>) -> Self {
        let tokens = Tokenizer::O200k.counter().count(&String::from_utf8_lossy(&bytes));
        Self { name, bytes, tokens, path }
    }
}

/// One question.
#[derive(Clone, Debug)]
pub struct Item {
    /// The source it asks of, by position in [`Set::samples`].
    pub sample: usize,
    /// What kind of question it is.
    pub class: String,
    /// The question, in words.
    pub question: String,
    /// What a reader who asks it would search for.
    pub query: Option<String>,
    /// Nobody could tell without the query that this is what matters.
    pub needs_query: bool,
    /// What has to survive.
    pub evidence: Evidence,
}

/// Sources and questions that are scored together.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// What a report calls it.
    pub name: String,
    /// The sources.
    pub samples: Vec<Sample>,
    /// The questions, in the order of their sources.
    pub items: Vec<Item>,
    /// The budgets it is scored at; the plan's if absent.
    pub budgets: Option<Vec<TokenBudget>>,
    /// How it came to be what it is: what was left out, seeds.
    pub remarks: Vec<String>,
}

impl Set {
    /// The budgets it is scored at.
    #[must_use]
    pub fn budgets<'b>(&'b self, plan: &'b Plan) -> &'b [TokenBudget] {
        self.budgets.as_deref().unwrap_or(&plan.budgets)
    }

    /// Bytes of all sources.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.samples.iter().map(|sample| sample.bytes.len() as u64).sum()
    }

    /// Tokens of all sources.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.samples.iter().map(|sample| sample.tokens).sum()
    }
}
