//! The options that say how a view is made; `compress` and `run` share them.

use clap::Args;
use recto::{
    outline::ContentType,
    tokens::Tokenizer,
    view::{Budget, Mode, Policy, Recall},
};

use crate::{
    failure::{Failure, Outcome},
    named,
    settings::Settings,
};

#[derive(Debug, Args)]
pub(crate) struct ViewOptions {
    /// Share of the bytes to show, in (0, 1]; with no budget at all 0.45, and small sources whole
    #[arg(long, value_name = "R")]
    pub(crate) ratio: Option<f64>,

    /// Show at most this many bytes, notes included; never exceeded
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<u64>,

    /// Show at most this many tokens, notes included; never exceeded
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,

    /// What the reader is after; what holds it is shown first
    #[arg(long, short, value_name = "Q")]
    pub(crate) query: Option<String>,

    /// What to take the source for, instead of looking: json, jsonl, csv, markdown-table, diff, log, search, listing, code, markup,
    /// numbered, prose, rag, chat, unknown
    #[arg(long = "type", value_name = "T")]
    pub(crate) content_type: Option<ContentType>,

    /// What tokens are counted in: o200k, cl100k, claude, gemini
    #[arg(long, value_name = "T", value_parser = named::tokenizer(), hide_possible_values = true)]
    pub(crate) tokenizer: Option<Tokenizer>,

    /// How the reader can get the rest, which the first note says: shell, tool, none
    #[arg(long, value_name = "WAY")]
    pub(crate) recall: Option<Recall>,

    /// Store nothing; then notes carry no ref, and what is left out cannot be had back
    #[arg(long)]
    pub(crate) no_store: bool,
}

impl ViewOptions {
    /// The policy that the options and the settings make.
    pub(crate) fn policy(&self, settings: &Settings, mode: Mode) -> Outcome<Policy> {
        if self.no_store && settings.store_is_named() {
            return Err(
                Failure::usage("--store and --no-store contradict each other").hint("give one of them")
            );
        }
        let is_hard = self.max_bytes.is_some() || self.max_tokens.is_some();
        // A ratio from the configuration stands in for one that is not given; it does not tighten a budget that is.
        let ratio = self.ratio.or(settings.ratio.value.filter(|_| !is_hard));
        let mut budget = ratio.map(Budget::ratio).transpose()?.unwrap_or_default();
        budget.max_bytes = self.max_bytes;
        budget.max_tokens = self.max_tokens;
        Ok(Policy {
            mode,
            budget,
            query: self.query.clone().filter(|query| !query.trim().is_empty()),
            content_type: self.content_type,
            tokenizer: self.tokenizer.unwrap_or(settings.tokenizer.value),
            recall: if self.no_store { Recall::None } else { self.recall.unwrap_or(settings.recall.value) },
            ..Policy::default()
        })
    }
}
