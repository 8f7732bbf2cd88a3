//! A run as something to read, or to compute with.

mod classes;
mod html;
mod plot;
mod text;

pub use html::escaped;
pub(crate) use text::{counted, grouped, row, table};

use std::{collections::BTreeMap, fs};

use serde::Serialize;

use crate::{
    scoreboard::{Plan, Scores},
    source::Set,
    tally::{Cost, Lost, Retention, costs, lost, retention, retention_by_class},
};

/// All sets of a run. Its JSON form has `version` 1; later versions only add.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Version of the form.
    pub version: u32,
    /// What tokens are counted in.
    pub tokenizer: &'static str,
    /// Tokens that a view is given beside the evidence before a question counts as feasible.
    pub frame_tokens: u64,
    /// The seed of what is chosen by chance.
    pub seed: u64,
    /// The sets.
    pub sets: Vec<SetReport>,
    /// Most memory that the process ever had, peers not counted; where the system tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
}

/// One set's scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetReport {
    /// The set.
    pub name: String,
    /// Sources.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Their tokens.
    pub tokens: u64,
    /// Questions.
    pub questions: usize,
    /// Questions that need no query.
    pub questions_without_query: usize,
    /// How the set came to be what it is.
    pub remarks: Vec<String>,
    /// Shares by method, condition and budget.
    pub retention: Vec<Retention>,
    /// Shares by class as well.
    pub classes: Vec<Retention>,
    /// What the outputs cost.
    pub costs: Vec<Cost>,
    /// The first failures of each method: its name, how often, and what it said.
    pub failures: Vec<(String, usize, String)>,
    /// What the first method lost, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Vec<Lost>>,
}

impl SetReport {
    /// Adds up a run.
    #[must_use]
    pub fn new(set: &Set, plan: &Plan, scores: &Scores, with_lost: bool) -> Self {
        Self {
            name: set.name.clone(),
            files: set.samples.len(),
            bytes: set.bytes(),
            tokens: set.tokens(),
            questions: set.items.len(),
            questions_without_query: set.items.iter().filter(|item| !item.needs_query).count(),
            remarks: set.remarks.clone(),
            retention: retention(set, plan, scores),
            classes: retention_by_class(set, plan, scores),
            costs: costs(set, plan, scores),
            failures: failures(plan, scores),
            lost: with_lost.then(|| lost(set, plan, scores, 0)),
        }
    }

    /// Methods and the number of their outputs.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = (&str, usize)> {
        let of_all_budgets = self.costs.iter().filter(|cost| cost.budget.is_none());
        of_all_budgets.map(|cost| (cost.method.as_str(), cost.outputs))
    }
}

impl Report {
    /// The methods of which not one attempt, on no set, gave an output.
    #[must_use]
    pub fn failed_methods(&self) -> Vec<&str> {
        let mut outputs: BTreeMap<&str, usize> = BTreeMap::new();
        for (method, count) in self.sets.iter().flat_map(SetReport::outputs) {
            *outputs.entry(method).or_default() += count;
        }
        outputs.into_iter().filter(|(_, count)| *count == 0).map(|(method, _)| method).collect()
    }

    /// Puts sets together.
    #[must_use]
    pub fn new(sets: Vec<SetReport>, seed: u64) -> Self {
        Self {
            version: 1,
            tokenizer: "o200k_base",
            frame_tokens: crate::evidence::FRAME_TOKENS,
            seed,
            sets,
            peak_memory_bytes: peak_memory_bytes(),
        }
    }
}

/// What each method's failures said, each saying once.
fn failures(plan: &Plan, scores: &Scores) -> Vec<(String, usize, String)> {
    /// Different sayings that are told of one method.
    const MOST_SAYINGS: usize = 3;
    let mut told = Vec::new();
    for (method_at, method) in plan.methods.iter().enumerate() {
        let mut sayings: Vec<(usize, &str)> = Vec::new();
        for made in scores.made.iter().filter(|made| made.method == method_at) {
            let Some(failure) = made.failure.as_deref() else { continue };
            match sayings.iter_mut().find(|(_, saying)| *saying == failure) {
                Some((count, _)) => *count += 1,
                None => sayings.push((1, failure)),
            }
        }
        sayings.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let first = sayings.into_iter().take(MOST_SAYINGS);
        told.extend(first.map(|(count, saying)| (method.name(), count, saying.to_owned())));
    }
    told
}

/// `VmHWM` of this process, on Linux.
fn peak_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1_024)
}
