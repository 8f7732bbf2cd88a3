//! Every method, on every source, at every budget, under every condition.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use recto_tokens::Tokenizer;

use crate::{
    budget::{Condition, TokenBudget},
    evidence::{FRAME_TOKENS, Kept, Shown},
    method::{Bench, Method, Output},
    prng::Prng,
    source::{Item, Set},
};

/// What is run.
#[derive(Debug)]
pub struct Plan {
    /// The methods, in the order of the report.
    pub methods: Vec<Method>,
    /// The budgets, in the order of the report; a set may have its own.
    pub budgets: Vec<TokenBudget>,
    /// The seed of all that is chosen by chance.
    pub seed: u64,
    /// Threads; scores do not depend on them, times may.
    pub threads: usize,
}

/// What one method kept of one question's evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The question, by position in [`Set::items`].
    pub item: usize,
    /// The method, by position in [`Plan::methods`].
    pub method: usize,
    /// The budget, by position in [`Set::budgets()`].
    pub budget: usize,
    /// How the view was made.
    pub condition: Condition,
    /// What is kept of it.
    pub kept: Kept,
}

/// What one output cost. A method that does not look at the query is run without one only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The source, by position in [`Set::samples`].
    pub sample: usize,
    /// The method, by position in [`Plan::methods`].
    pub method: usize,
    /// The budget, by position in [`Set::budgets()`].
    pub budget: usize,
    /// How it was made.
    pub condition: Condition,
    /// The limit.
    pub budget_tokens: u64,
    /// Tokens of the output, by the real tokenizer.
    pub tokens: u64,
    /// The budget holds all of the source.
    pub source_fits: bool,
    /// Why there is no output.
    pub failure: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// All that a run found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// What was kept.
    pub trials: Vec<Trial>,
    /// What it cost.
    pub made: Vec<Made>,
}

/// Scores every method on a set. `progress` is told the position of each source that is done.
///
/// Deterministic but for the times: the same set and plan give the same scores, on any number of threads.
///
/// ```
/// use recto_eval::{Baseline, Generation, Method, Plan, SetReport, TokenBudget, generate, run};
/// let set = generate(Generation { count: 14, max_bytes: 8_000, ..Generation::default() })?;
/// let methods = vec![Method::Recto(recto_view::Mode::Marked), Method::Baseline(Baseline::Head)];
/// let plan = Plan { methods, budgets: vec![TokenBudget::SharePerMille(250)], seed: 1, threads: 1 };
/// let report = SetReport::new(&set, &plan, &run(&set, &plan, &|_| {}), false);
/// assert!(report.costs.iter().all(|cost| cost.over_budget == 0));
/// # Ok::<(), recto_eval::EvalError>(())
/// ```
#[must_use]
pub fn run(set: &Set, plan: &Plan, progress: &(dyn Fn(usize) + Sync)) -> Scores {
    Tokenizer::O200k.load();
    let mut largest_first: Vec<usize> = (0..set.samples.len()).collect();
    largest_first.sort_by_key(|index| {
        (std::cmp::Reverse(set.samples.get(*index).map_or(0, |sample| sample.bytes.len())), *index)
    });
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Scores>> = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some(sample) = largest_first.get(next.fetch_add(1, Ordering::Relaxed)) {
            let scores = Round::new(set, plan, *sample).run();
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(*sample, scores);
            progress(*sample);
        }
    };
    thread::scope(|scope| {
        for _ in 1..plan.threads {
            scope.spawn(work);
        }
        work();
    });
    let mut all = Scores::default();
    for scores in done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values() {
        all.trials.extend(scores.trials);
        all.made.extend(scores.made);
    }
    all
}

/// The questions on one source.
struct Round<'r> {
    set: &'r Set,
    plan: &'r Plan,
    sample: usize,
    /// Positions of the questions, and what their parts cost.
    items: Vec<(usize, &'r Item, Vec<u64>)>,
    scores: Scores,
}

/// One way to make a view, and the questions it is scored by.
struct Ask<'r> {
    condition: Condition,
    query: Option<&'r str>,
    /// By position in [`Round::items`].
    items: Vec<usize>,
}

impl<'r> Round<'r> {
    fn new(set: &'r Set, plan: &'r Plan, sample: usize) -> Self {
        let bytes = set.samples.get(sample).map_or(&[][..], |sample| &sample.bytes);
        let items = set
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.sample == sample)
            .map(|(index, item)| (index, item, item.evidence.costs(bytes)))
            .collect();
        Self { set, plan, sample, items, scores: Scores::default() }
    }

    fn run(mut self) -> Scores {
        let Some(sample) = self.set.samples.get(self.sample) else { return self.scores };
        let text = String::from_utf8_lossy(&sample.bytes);
        let mut bench = Bench::new(sample, &text, self.plan.seed);
        let asks = self.asks();
        for (method_at, method) in self.plan.methods.iter().enumerate() {
            for (budget_at, budget) in self.set.budgets(self.plan).iter().enumerate() {
                let budget_tokens = budget.tokens(sample.tokens);
                let mut without: Option<Output> = None;
                for ask in &asks {
                    let is_same = ask.condition != Condition::NoQuery && !method.uses_query();
                    let output = match &without {
                        Some(output) if is_same => output.clone(),
                        _ => bench.make(method, budget_tokens, ask.query),
                    };
                    if !is_same {
                        let tokens = if output.text.as_bytes() == sample.bytes {
                            sample.tokens
                        } else {
                            Tokenizer::O200k.counter().count(&output.text)
                        };
                        self.scores.made.push(Made {
                            sample: self.sample,
                            method: method_at,
                            budget: budget_at,
                            condition: ask.condition,
                            budget_tokens,
                            tokens,
                            source_fits: sample.tokens <= budget_tokens,
                            failure: output.failure.clone(),
                            took: output.took,
                        });
                    }
                    let place = (method_at, budget_at, budget_tokens);
                    self.score(ask, place, &output);
                    if ask.condition == Condition::NoQuery {
                        without = Some(output);
                    }
                }
            }
        }
        self.scores
    }

    fn score(&mut self, ask: &Ask<'_>, place: (usize, usize, u64), output: &Output) {
        let (method, budget, budget_tokens) = place;
        let bytes = self.set.samples.get(self.sample).map_or(&[][..], |sample| &sample.bytes);
        let text = output.stands_for.as_ref().unwrap_or(&output.text);
        let shown = Shown { text, map: output.map.as_ref() };
        for (item, asked, costs) in ask.items.iter().filter_map(|at| self.items.get(*at)) {
            // No output shows nothing, not even that something is absent.
            let kept =
                if output.failure.is_some() { 0 } else { asked.evidence.kept(bytes, shown, budget_tokens) };
            let of = u32::try_from(costs.len()).unwrap_or(u32::MAX);
            let feasible = if asked.evidence.counts_all() { of } else { feasible(costs, budget_tokens) };
            let kept = Kept { kept, of, feasible };
            self.scores.trials.push(Trial { item: *item, method, budget, condition: ask.condition, kept });
        }
    }

    /// Without a query; with a wrong one; with each query that a question here has. The first comes first.
    fn asks(&self) -> Vec<Ask<'r>> {
        let all: Vec<usize> = (0..self.items.len()).collect();
        let mut asks = vec![Ask { condition: Condition::NoQuery, query: None, items: all.clone() }];
        if let Some(query) = self.wrong_query() {
            asks.push(Ask { condition: Condition::WrongQuery, query: Some(query), items: all });
        }
        let mut by_query: BTreeMap<&'r str, Vec<usize>> = BTreeMap::new();
        for (at, (_, item, _)) in self.items.iter().enumerate() {
            if let Some(query) = item.query.as_deref() {
                by_query.entry(query).or_default().push(at);
            }
        }
        asks.extend(by_query.into_iter().map(|(query, items)| Ask {
            condition: Condition::Query,
            query: Some(query),
            items,
        }));
        asks
    }

    /// The query of a question on another source, drawn by this source's name.
    fn wrong_query(&self) -> Option<&'r str> {
        let name = &self.set.samples.get(self.sample)?.name;
        let own: Vec<&str> = self.items.iter().filter_map(|(_, item, _)| item.query.as_deref()).collect();
        let others: Vec<&'r str> = self
            .set
            .items
            .iter()
            .filter(|item| item.sample != self.sample)
            .filter_map(|item| item.query.as_deref())
            .filter(|query| !own.contains(query))
            .collect();
        let at = Prng::named(self.plan.seed, name).index(others.len());
        others.get(at).copied()
    }
}

/// How many parts fit beside the frame, the cheapest first.
fn feasible(costs: &[u64], budget_tokens: u64) -> u32 {
    let mut left = budget_tokens.checked_sub(FRAME_TOKENS);
    let fitting = costs.iter().take_while(|cost| {
        left = left.and_then(|left| left.checked_sub(**cost));
        left.is_some()
    });
    u32::try_from(fitting.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fits_beside_the_frame_is_feasible() {
        assert_eq!(feasible(&[5], 29), 1);
        assert_eq!(feasible(&[5], 28), 0);
        assert_eq!(feasible(&[0], 23), 0);
        assert_eq!(feasible(&[1, 2, 30], 30), 2);
        assert_eq!(feasible(&[], 30), 0);
    }
}
