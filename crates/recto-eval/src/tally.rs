//! Trials to shares.

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;

use crate::{
    budget::{Condition, TokenBudget},
    method::Method,
    scoreboard::{Made, Plan, Scores, Trial},
    source::Set,
};

/// Which questions a share is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Questions {
    /// All.
    All,
    /// Those that can be answered for by what stands out, without a query.
    NeedNoQuery,
}

/// What is kept of a group of questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// The method.
    pub method: String,
    /// How the views were made.
    pub condition: Condition,
    /// Which questions are counted.
    pub questions: Questions,
    /// The kind of question; all kinds if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The budget.
    pub budget: TokenBudget,
    /// Questions.
    pub items: usize,
    /// Questions of which a part fits into the budget.
    pub feasible: usize,
    /// Questions whose source fits into the budget whole, so that there was nothing to choose.
    pub whole: usize,
    /// The mean over feasible questions of what is kept of what fits; none if there is no such question.
    pub retention: Option<f64>,
    /// The mean over all questions of what is kept of everything.
    pub raw_retention: f64,
    /// The share of the method's outputs, under this condition and at this budget, that have more tokens than allowed.
    pub over_budget: f64,
}

/// What the outputs of a method cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// The method.
    pub method: String,
    /// The budget; all of them if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<TokenBudget>,
    /// Outputs.
    pub outputs: usize,
    /// Outputs with more tokens than the budget.
    pub over_budget: usize,
    /// Sources that the budget holds whole.
    pub source_fits: usize,
    /// Attempts that gave no output.
    pub failed: usize,
    /// The median of the share of the budget that is used, where the source does not fit.
    pub median_use: Option<f64>,
    /// Bytes of source a second; not of baselines, whose tokens are counted once for all of them.
    pub bytes_per_second: Option<u64>,
}

/// A question that was lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Lost {
    /// The method.
    pub method: String,
    /// The source.
    pub file: String,
    /// How the views were made.
    pub condition: Condition,
    /// The kind of question.
    pub class: String,
    /// The budgets at which not all that fits was kept.
    pub budgets: Vec<TokenBudget>,
    /// The question.
    pub question: String,
    /// The query, if the condition gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What should have been kept.
    pub answer: String,
}

/// The questions that a condition is reported over, the telling ones first.
#[must_use]
pub(crate) fn reported(condition: Condition) -> &'static [Questions] {
    match condition {
        Condition::Query => &[Questions::All],
        Condition::NoQuery | Condition::WrongQuery => &[Questions::NeedNoQuery, Questions::All],
    }
}

/// Shares by method, condition, questions and budget.
#[must_use]
pub(crate) fn retention(set: &Set, plan: &Plan, scores: &Scores) -> Vec<Retention> {
    tally(set, plan, scores, |_| None)
}

/// Shares by class as well.
#[must_use]
pub(crate) fn retention_by_class(set: &Set, plan: &Plan, scores: &Scores) -> Vec<Retention> {
    tally(set, plan, scores, |trial| set.items.get(trial.item).map(|item| item.class.clone()))
}

#[derive(Default)]
struct Sum {
    items: usize,
    feasible: usize,
    whole: usize,
    shares: f64,
    raw_shares: f64,
}

fn tally(
    set: &Set,
    plan: &Plan,
    scores: &Scores,
    class_of: impl Fn(&Trial) -> Option<String>,
) -> Vec<Retention> {
    let mut sums: BTreeMap<(usize, Condition, Questions, Option<String>, usize), Sum> = BTreeMap::new();
    for trial in &scores.trials {
        let item = set.items.get(trial.item);
        let needs_query = item.is_some_and(|item| item.needs_query);
        let source_tokens =
            item.and_then(|item| set.samples.get(item.sample)).map_or(0, |sample| sample.tokens);
        let budget_tokens =
            set.budgets(plan).get(trial.budget).map_or(0, |budget| budget.tokens(source_tokens));
        let class = class_of(trial);
        for questions in reported(trial.condition) {
            if *questions == Questions::NeedNoQuery && needs_query {
                continue;
            }
            let key = (trial.method, trial.condition, *questions, class.clone(), trial.budget);
            let sum = sums.entry(key).or_default();
            sum.items += 1;
            sum.whole += usize::from(source_tokens <= budget_tokens);
            sum.raw_shares += trial.kept.raw_share();
            if let Some(share) = trial.kept.feasible_share() {
                sum.feasible += 1;
                sum.shares += share;
            }
        }
    }
    let over = over_budget(scores);
    let line = |((method_at, condition, questions, class, budget_at), sum): (_, Sum)| {
        let (method, budget) =
            (plan.methods.get::<usize>(method_at)?.name(), *set.budgets(plan).get::<usize>(budget_at)?);
        let retention = (sum.feasible > 0).then(|| rounded(sum.shares / as_float(sum.feasible)));
        let raw_retention = rounded(sum.raw_shares / as_float(sum.items.max(1)));
        // A method that does not look at the query has been run without one only.
        let over_budget = [condition, Condition::NoQuery]
            .iter()
            .find_map(|condition| over.get(&(method_at, *condition, budget_at)).copied())
            .unwrap_or(0.0);
        let (items, feasible, whole) = (sum.items, sum.feasible, sum.whole);
        Some(Retention {
            method,
            condition,
            questions,
            class,
            budget,
            items,
            feasible,
            whole,
            retention,
            raw_retention,
            over_budget,
        })
    };
    sums.into_iter().filter_map(line).collect()
}

/// The share of outputs over the budget, by method, condition and budget.
fn over_budget(scores: &Scores) -> BTreeMap<(usize, Condition, usize), f64> {
    let mut counts: BTreeMap<(usize, Condition, usize), (usize, usize)> = BTreeMap::new();
    for made in &scores.made {
        let (over, outputs) = counts.entry((made.method, made.condition, made.budget)).or_default();
        *over += usize::from(made.tokens > made.budget_tokens);
        *outputs += 1;
    }
    let share = |(over, outputs): (usize, usize)| rounded(as_float(over) / as_float(outputs.max(1)));
    counts.into_iter().map(|(key, counts)| (key, share(counts))).collect()
}

/// Costs by method, and by method and budget.
#[must_use]
pub(crate) fn costs(set: &Set, plan: &Plan, scores: &Scores) -> Vec<Cost> {
    let mut costs = Vec::new();
    for (method_at, method) in plan.methods.iter().enumerate() {
        let of_method: Vec<&Made> = scores.made.iter().filter(|made| made.method == method_at).collect();
        costs.push(cost(set, method, None, &of_method));
        for (budget_at, budget) in set.budgets(plan).iter().enumerate() {
            let of_budget: Vec<&Made> =
                of_method.iter().copied().filter(|made| made.budget == budget_at).collect();
            costs.push(cost(set, method, Some(*budget), &of_budget));
        }
    }
    costs
}

fn cost(set: &Set, method: &Method, budget: Option<TokenBudget>, made: &[&Made]) -> Cost {
    let done: Vec<&Made> = made.iter().copied().filter(|made| made.failure.is_none()).collect();
    let mut uses: Vec<f64> = done
        .iter()
        .filter(|made| !made.source_fits)
        .map(|made| as_float_u64(made.tokens) / as_float_u64(made.budget_tokens.max(1)))
        .collect();
    uses.sort_by(f64::total_cmp);
    let took: Duration = done.iter().map(|made| made.took).sum();
    let bytes: u64 = done
        .iter()
        .filter_map(|made| set.samples.get(made.sample))
        .map(|sample| sample.bytes.len() as u64)
        .sum();
    let bytes_per_second = u128::from(bytes) * 1_000_000_000 / took.as_nanos().max(1);
    // What baselines take is mostly counting tokens, which is done once for all of them.
    let is_timed = bytes > 0 && !matches!(method, Method::Baseline(_));
    Cost {
        method: method.name(),
        budget,
        outputs: done.len(),
        over_budget: done.iter().filter(|made| made.tokens > made.budget_tokens).count(),
        source_fits: done.iter().filter(|made| made.source_fits).count(),
        failed: made.len() - done.len(),
        median_use: uses.get(uses.len() / 2).copied().map(rounded),
        bytes_per_second: is_timed.then(|| u64::try_from(bytes_per_second).unwrap_or(u64::MAX)),
    }
}

/// What the method at a position lost: with the query, and without one where none is needed.
#[must_use]
pub(crate) fn lost(set: &Set, plan: &Plan, scores: &Scores, method_at: usize) -> Vec<Lost> {
    let mut by_item: BTreeMap<(usize, Condition), Vec<usize>> = BTreeMap::new();
    for trial in scores.trials.iter().filter(|trial| trial.method == method_at) {
        let is_asked = match trial.condition {
            Condition::Query => true,
            Condition::NoQuery => set.items.get(trial.item).is_some_and(|item| !item.needs_query),
            Condition::WrongQuery => false,
        };
        if is_asked && trial.kept.kept < trial.kept.feasible {
            by_item.entry((trial.item, trial.condition)).or_default().push(trial.budget);
        }
    }
    let line = |((item, condition), budgets): ((usize, Condition), Vec<usize>)| {
        let item = set.items.get(item)?;
        let sample = set.samples.get(item.sample)?;
        Some(Lost {
            method: plan.methods.get(method_at)?.name(),
            file: sample.name.clone(),
            condition,
            class: item.class.clone(),
            budgets: budgets.iter().filter_map(|at| set.budgets(plan).get(*at).copied()).collect(),
            question: item.question.clone(),
            query: item.query.clone().filter(|_| condition == Condition::Query),
            answer: item.evidence.text(&sample.bytes),
        })
    };
    by_item.into_iter().filter_map(line).collect()
}

/// To four places, so that reports do not differ in the last bit.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^52")]
fn as_float(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^52")]
fn as_float_u64(count: u64) -> f64 {
    count as f64
}
