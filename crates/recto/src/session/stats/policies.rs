//! What each policy would have saved in a session, and what later turns would have missed.

use std::collections::HashMap;

use recto::{
    archive::MemoryArchive,
    pruning::Pruner,
    session::{
        PruneConfig, Strategy,
        history::History,
        policy::{
            Change, Names, Outcome as Measured, Policies, PolicyName, Sent, Shape, Smaller, changes,
            measure_steps,
        },
    },
    tokens::Tokenizer,
    transcript::{Places, Transcript},
};
use serde::Serialize;

use super::{FEWEST_RESULT_TOKENS, median, share};
use crate::{
    failure::{Failure, Outcome},
    session::policies::Chosen,
    settings::Settings,
    store,
};

/// The row of the policies that are on by default, together.
pub(crate) const DEFAULT: &str = "default";
/// The row of the pruner that cuts out middles, at its own defaults.
const HEAD_TAIL: &str = "head-tail";

/// What came of a policy.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyRow {
    pub(crate) policy: &'static str,
    /// Results (or arguments) that are smaller.
    pub(crate) changed: u64,
    /// Tokens of results, each once; of arguments too where they are changed.
    pub(crate) tokens: u64,
    pub(crate) saved_tokens: u64,
    pub(crate) saved_percent: f64,
    /// The same in all requests together.
    pub(crate) sent_tokens: u64,
    pub(crate) sent_saved_percent: f64,
    /// Names that the agent came back to, and those that would not have stood anywhere.
    pub(crate) references: u64,
    pub(crate) missed: u64,
    pub(crate) survival_percent: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) median: Option<Medians>,
    #[serde(skip)]
    measured: Measured,
}

/// Medians over sessions.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Medians {
    pub(crate) sessions: u64,
    pub(crate) saved_percent: f64,
    pub(crate) sent_saved_percent: f64,
    pub(crate) survival_percent: f64,
}

impl PolicyRow {
    fn new(policy: &'static str, measured: Measured) -> Self {
        let saved = |all: u64, left: u64| all.saturating_sub(left);
        Self {
            policy,
            changed: measured.changed,
            tokens: measured.tokens,
            saved_tokens: saved(measured.tokens, measured.left_tokens),
            saved_percent: share(saved(measured.tokens, measured.left_tokens), measured.tokens),
            sent_tokens: measured.sent_tokens,
            sent_saved_percent: share(
                saved(measured.sent_tokens, measured.left_sent_tokens),
                measured.sent_tokens,
            ),
            references: measured.references,
            missed: measured.missed,
            survival_percent: survival(&measured),
            median: None,
            measured,
        }
    }
}

fn survival(measured: &Measured) -> f64 {
    if measured.references == 0 {
        return 100.0;
    }
    share(measured.references - measured.missed.min(measured.references), measured.references)
}

/// Tries all policies on a session: each alone, those of the default together; also the steps of the latter.
pub(crate) fn of(
    transcript: &Transcript,
    history: &History,
    names: &Names,
    settings: &Settings,
    tokenizer: Tokenizer,
) -> Outcome<(Vec<PolicyRow>, Vec<Sent>)> {
    let chosen = Chosen::default();
    let config = chosen.prune_config(tokenizer)?;
    let trial = |config: PruneConfig| Trial {
        history,
        names,
        places: transcript.places(),
        archive: MemoryArchive::new(),
        recall: settings.recall.value,
        config,
        tokenizer,
        known: HashMap::new(),
    };
    let mut rows = Vec::new();
    let ends = PruneConfig::default().with_strategy(Strategy::HeadTail);
    let mut middle = Policies::NONE;
    middle.prune = Some(ends.clone());
    rows.push(PolicyRow::new(HEAD_TAIL, trial(ends).run(&middle)?.0));
    let mut trial = trial(config.clone());
    for policy in PolicyName::ALL {
        let alone = chosen.only(&config, |own| own == policy)?;
        rows.push(PolicyRow::new(policy.name(), trial.run(&alone)?.0));
    }
    let (measured, sent) = trial.run(&chosen.policies(&config)?)?;
    rows.push(PolicyRow::new(DEFAULT, measured));
    Ok((rows, sent))
}

/// A session on which policies are tried. What a change makes is made once.
struct Trial<'t> {
    history: &'t History,
    names: &'t Names,
    places: Places<'t>,
    archive: MemoryArchive,
    recall: recto::view::Recall,
    config: PruneConfig,
    tokenizer: Tokenizer,
    known: HashMap<(bool, u32, Shape), Option<Smaller>>,
}

impl Trial<'_> {
    fn run(&mut self, policies: &Policies) -> Outcome<(Measured, Vec<Sent>)> {
        let scope = store::scope();
        let pruner = Pruner {
            archive: &self.archive,
            known: None,
            scope: &scope,
            recall: self.recall,
            config: self.config.clone(),
            tokenizer: self.tokenizer,
        };
        let (history, places, known) = (self.history, &mut self.places, &mut self.known);
        let mut failed = None;
        let mut steps = Vec::new();
        let render = |change: &Change| {
            let key = (change.policy == PolicyName::Arguments, change.of, change.shape.clone());
            if let Some(made) = known.get(&key) {
                return made.clone();
            }
            let made = pruner.smaller(history, change, places).unwrap_or_else(|error| {
                failed = Some(error);
                None
            });
            known.insert(key, made.clone());
            made
        };
        let changes = changes(history, policies);
        let measured = measure_steps(history, self.names, &changes, render, |sent| steps.push(sent));
        match failed {
            Some(error) => Err(Failure::from(error)),
            None => Ok((measured, steps)),
        }
    }
}

/// The rows of many sessions added up, with the medians of those that have enough results.
pub(crate) fn together(sessions: &[Vec<PolicyRow>]) -> Vec<PolicyRow> {
    let Some(first) = sessions.first() else { return Vec::new() };
    let rows = (0..first.len()).filter_map(|at| {
        let own: Vec<&PolicyRow> = sessions.iter().filter_map(|rows| rows.get(at)).collect();
        let mut sum = Measured::default();
        for row in &own {
            sum.tokens += row.measured.tokens;
            sum.left_tokens += row.measured.left_tokens;
            sum.sent_tokens += row.measured.sent_tokens;
            sum.left_sent_tokens += row.measured.left_sent_tokens;
            sum.changed += row.measured.changed;
            sum.references += row.measured.references;
            sum.missed += row.measured.missed;
        }
        // By the results alone, so that every policy is judged by the same sessions.
        let results = |rows: &[PolicyRow]| rows.first().map_or(0, |row| row.tokens);
        let counted: Vec<&PolicyRow> = sessions
            .iter()
            .filter(|rows| results(rows) >= FEWEST_RESULT_TOKENS)
            .filter_map(|rows| rows.get(at))
            .collect();
        let of = |value: fn(&PolicyRow) -> f64| median(counted.iter().map(|row| value(row)).collect());
        let medians = of(|row| row.saved_percent)
            .zip(of(|row| row.sent_saved_percent))
            .zip(of(|row| row.survival_percent));
        let median = medians.map(|((saved_percent, sent_saved_percent), survival_percent)| Medians {
            sessions: counted.len() as u64,
            saved_percent,
            sent_saved_percent,
            survival_percent,
        });
        Some(PolicyRow { median, ..PolicyRow::new(own.first()?.policy, sum) })
    });
    rows.collect()
}
