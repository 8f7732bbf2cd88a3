//! "Tools may cost 2,000 tokens": how each tool is offered within a budget.

use std::{cmp::Reverse, collections::BTreeMap};

use recto_tokens::Counter;
use serde::Serialize;

use crate::{
    directory::Directory,
    ledger::Detail,
    level::{
        map::{can_be_native, line},
        short_tool,
    },
};

/// What a way of being offered is worth, for each use: a model that sees a name knows that the tool is there; with the required
/// arguments it calls most tools right; a signature spares the look-up of the others; a tool of its own is held to its schema by
/// the provider too. The first use counts for every tool, so that none is worth nothing.
const WORTH: [(Detail, u64); 5] = [
    (Detail::Search, 0),
    (Detail::Name, 50),
    (Detail::Required, 80),
    (Detail::Signature, 95),
    (Detail::Native, 100),
];

/// A cost that no budget holds.
const NEVER_TOKENS: u64 = 1 << 40;

/// How one tool is offered, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetLine {
    /// The tool's code.
    pub code: String,
    /// How it is offered.
    pub detail: Detail,
    /// What that costs by itself, in tokens; in the map lines share what they have in common, so all together cost less.
    pub tokens: u64,
    /// How often it was used, as far as that is known.
    pub uses: u64,
    /// What the next richer way would cost more, in tokens, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_tokens: Option<u64>,
    /// Why.
    pub reason: String,
}

/// What a budget was spent on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// The most that tools and preamble may cost.
    pub budget_tokens: u64,
    /// What they cost.
    pub spent_tokens: u64,
    /// Each tool, in the order of the catalogue.
    pub lines: Vec<BudgetLine>,
}

/// One step up: a tool offered in a richer way than before.
struct Step {
    entry: usize,
    to: usize,
    worth: u64,
    tokens: u64,
}

/// The tools and what each way of offering them costs.
pub(crate) struct Weighed<'a> {
    directory: &'a Directory,
    /// By entry and detail, in tokens.
    costs: Vec<[u64; 5]>,
    uses: Vec<u64>,
    /// The way of those that have one already.
    given: Vec<Option<Detail>>,
    /// Steps in the order in which they are worth taking.
    steps: Vec<Step>,
}

impl<'a> Weighed<'a> {
    /// Weighs each tool in each way. `given` are the tools whose way is not to be chosen: pinned ones, and those that a base offered.
    pub(crate) fn new(
        directory: &'a Directory,
        uses: &BTreeMap<String, u64>,
        given: &BTreeMap<String, Detail>,
        counter: &dyn Counter,
    ) -> Self {
        let mut weighed =
            Self { directory, costs: Vec::new(), uses: Vec::new(), given: Vec::new(), steps: Vec::new() };
        for entry in directory.entries() {
            let mut costs = [0; 5];
            for (cost, (detail, _)) in costs.iter_mut().zip(WORTH) {
                *cost = match detail {
                    Detail::Search => 0,
                    // Never beside the two tools of a map that have its name.
                    Detail::Native if !can_be_native(entry.code()) => NEVER_TOKENS,
                    Detail::Native => counter.count(&sent(&short_tool(entry))),
                    // The end of a line is a token of its own.
                    detail => counter.count(&line(entry, detail)) + 1,
                };
            }
            weighed.costs.push(costs);
            let used = uses.get(entry.code()).or_else(|| uses.get(entry.tool().name()));
            weighed.uses.push(used.copied().unwrap_or_default());
            weighed.given.push(given.get(entry.code()).copied());
        }
        weighed.steps = weighed.steps_by_worth();
        weighed
    }

    /// All steps along each tool's upper hull of worth over cost, the one that gives most for its tokens first (the greedy answer to
    /// the multiple-choice knapsack: Zemel 1980).
    fn steps_by_worth(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (entry, costs) in self.costs.iter().enumerate() {
            if self.given.get(entry).copied().flatten().is_some() {
                continue;
            }
            let weight = self.uses.get(entry).copied().unwrap_or_default().saturating_add(1);
            let mut from = 0;
            while let Some(to) = best_step(costs, from) {
                let (worth, tokens) = gain(costs, from, to);
                steps.push(Step { entry, to, worth: worth.saturating_mul(weight), tokens });
                from = to;
            }
        }
        // Ratios by cross multiplication; equal ones in the order of the tools.
        steps.sort_by(|one, other| {
            let left = u128::from(other.worth) * u128::from(one.tokens.max(1));
            let right = u128::from(one.worth) * u128::from(other.tokens.max(1));
            left.cmp(&right).then(one.entry.cmp(&other.entry)).then(one.to.cmp(&other.to))
        });
        steps
    }

    /// What all tools cost as themselves.
    pub(crate) fn native_tokens(&self) -> u64 {
        self.costs.iter().map(|costs| costs[4]).sum()
    }

    /// Chooses: steps in their order as long as they fit into `room` tokens; one that does not is left out, and with it the tool's
    /// further ones.
    pub(crate) fn choose(&self, room: u64) -> BTreeMap<&'a str, Detail> {
        let mut left = room;
        let mut chosen = vec![0_usize; self.costs.len()];
        let mut stopped = vec![false; self.costs.len()];
        for step in &self.steps {
            let (Some(chosen), Some(stopped)) = (chosen.get_mut(step.entry), stopped.get_mut(step.entry))
            else {
                continue;
            };
            if *stopped || step.tokens > left {
                *stopped = true;
                continue;
            }
            left -= step.tokens;
            *chosen = step.to;
        }
        let entries = self.directory.entries().iter().zip(chosen).zip(&self.given);
        entries
            .map(|((entry, choice), given)| {
                let choice = WORTH.get(choice).map_or(Detail::Search, |(detail, _)| *detail);
                (entry.code(), given.unwrap_or(choice))
            })
            .collect()
    }

    /// What the tools cost that are chosen to be offered as themselves, those aside that were given.
    pub(crate) fn chosen_native_tokens(&self, details: &BTreeMap<String, Detail>) -> u64 {
        let entries = self.directory.entries().iter().zip(&self.costs).zip(&self.given);
        let native = entries.filter(|((entry, _), given)| {
            given.is_none() && details.get(entry.code()) == Some(&Detail::Native)
        });
        // And a comma each.
        native.map(|((_, costs), _)| costs[4] + 1).sum()
    }

    /// Says what was chosen, and why.
    pub(crate) fn explain(&self, details: &BTreeMap<&str, Detail>) -> Vec<BudgetLine> {
        let mut lines = Vec::with_capacity(self.costs.len());
        for ((entry, costs), (uses, given)) in
            self.directory.entries().iter().zip(&self.costs).zip(self.uses.iter().zip(&self.given))
        {
            let detail = details.get(entry.code()).copied().unwrap_or(Detail::Search);
            let at = WORTH.iter().position(|(way, _)| *way == detail).unwrap_or_default();
            let next = best_step(costs, at).and_then(|to| Some((WORTH.get(to)?.0, gain(costs, at, to).1)));
            let reason = match (given, next) {
                (Some(_), _) => "pinned, or as it was".to_owned(),
                (None, None) => "the richest way there is".to_owned(),
                (None, Some((next, tokens))) => format!("{} would cost {tokens} tokens more", name(next)),
            };
            let tokens = costs.get(at).copied().unwrap_or_default();
            let more_tokens = next.filter(|_| given.is_none()).map(|(_, tokens)| tokens);
            lines.push(BudgetLine {
                code: entry.code().to_owned(),
                detail,
                tokens,
                uses: *uses,
                more_tokens,
                reason,
            });
        }
        lines
    }
}

/// The next way on the hull: the one that gives most worth for each further token; of equal ones the richer.
fn best_step(costs: &[u64; 5], from: usize) -> Option<usize> {
    (from + 1..WORTH.len()).filter(|&to| gain(costs, from, to).0 > 0).max_by_key(|&to| {
        let (worth, tokens) = gain(costs, from, to);
        // 2^20 keeps ratios of a few tokens apart without floats; the cheaper step wins ties, by place.
        ((u128::from(worth) << 20) / u128::from(tokens.max(1)), Reverse(to))
    })
}

/// What a step gives and costs.
fn gain(costs: &[u64; 5], from: usize, to: usize) -> (u64, u64) {
    let worth = |at: usize| WORTH.get(at).map_or(0, |(_, worth)| *worth);
    let cost = |at: usize| costs.get(at).copied().unwrap_or_default();
    (worth(to).saturating_sub(worth(from)), cost(to).saturating_sub(cost(from)))
}

fn name(detail: Detail) -> &'static str {
    match detail {
        Detail::Search => "to be found by search",
        Detail::Name => "its name",
        Detail::Required => "its required arguments",
        Detail::Signature => "its signature",
        Detail::Native => "a tool of its own",
    }
}

/// A tool as JSON, as it is counted.
pub(crate) fn sent(tool: &crate::ledger::WireTool) -> String {
    serde_json::to_string(&serde_json::json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }))
    .unwrap_or_default()
}
