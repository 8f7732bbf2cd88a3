//! Which old results and arguments stand for less, and from when on.
//!
//! Every policy is a pure function of a [`History`]: it says from which step on a result is shown smaller, by how much, and why. What the
//! smaller text is, is the caller's, who has the bytes. Nothing is said of results that are never to be cut, that cannot be edited, or whose
//! call is not known.

mod measure;
mod references;

use std::{collections::HashMap, fmt};

pub use self::{
    measure::{Names, Outcome, Sent, Smaller, measure, measure_steps},
    references::{References, names},
};

use crate::{
    PruneConfig, Unit,
    history::{Cut, History, ResultEntry},
    key::Key,
    target::{Act, Lines, Target},
};

/// Names of policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyName {
    /// Too long, from the beginning.
    Prune,
    /// Old.
    Decay,
    /// Said again later: the same call, or the file was changed.
    Supersession,
    /// Lines that a later read shows too.
    Overlap,
    /// Long arguments of an old call.
    Arguments,
}

impl PolicyName {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 5] = [Self::Prune, Self::Decay, Self::Supersession, Self::Overlap, Self::Arguments];

    /// Its name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prune => "prune",
            Self::Decay => "decay",
            Self::Supersession => "supersession",
            Self::Overlap => "overlap",
            Self::Arguments => "arguments",
        }
    }

    /// The policy of a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

impl fmt::Display for PolicyName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

/// What policies do, and which ones are on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policies {
    /// Results over its threshold are pruned.
    pub prune: Option<PruneConfig>,
    /// Steps for which a source that may be edited next stands whole, however long it is.
    pub fresh_steps: u32,
    /// Results of earlier steps decay.
    pub decay: Option<Decay>,
    /// Whether what is said again later stands for less.
    pub supersession: bool,
    /// What a read of a file that was edited since becomes, when it is old.
    pub edited: Decay,
    /// Steps that pass before a read of a file that was edited or written since stands for less.
    pub settle_steps: u32,
    /// Whether lines stand once that several reads show.
    pub overlap: bool,
    /// Long arguments of old calls.
    pub arguments: Option<Decay>,
}

/// When something old stands for less, and for how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decay {
    /// Older than so many steps.
    pub older_than_steps: u32,
    /// Of more tokens than this.
    pub above_tokens: u32,
    /// Tokens of what stands then.
    pub to_tokens: u32,
}

impl Policies {
    /// None of them.
    pub const NONE: Self = Self {
        prune: None,
        fresh_steps: 0,
        decay: None,
        supersession: false,
        edited: Decay { older_than_steps: 0, above_tokens: u32::MAX, to_tokens: 0 },
        settle_steps: 0,
        overlap: false,
        arguments: None,
    };
}

/// What a result is to become.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// As the pruner makes it.
    Pruned,
    /// A view of at most so many tokens.
    View {
        /// The budget, notes included.
        tokens: u32,
    },
    /// These lines of the file, the others being shown by a later read.
    Lines(Vec<Lines>),
    /// A note alone.
    Note,
}

/// Something that stands for less from a step on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The result, an index of [`History::results`]; of [`History::calls`] under [`PolicyName::Arguments`].
    pub of: u32,
    /// The first step whose model reads the smaller one.
    pub at_step: u32,
    /// Why.
    pub policy: PolicyName,
    /// What it becomes.
    pub shape: Shape,
    /// About how many tokens that leaves.
    pub left_tokens: u32,
    /// The result that says it instead.
    pub by: Option<u32>,
}

/// All changes of a session's path under these policies, by the step at which they begin. A result may have several, one
/// after another; what stands at a step is what [`standing`] says.
#[must_use]
pub fn changes(history: &History, policies: &Policies) -> Vec<Change> {
    let mut changes = Vec::new();
    for (at, result) in history.results.iter().enumerate() {
        let of = u32::try_from(at).unwrap_or(u32::MAX);
        let Some(step) = step_of(history, of) else { continue };
        let fresh_until = if result.cut == Cut::WhenOld { step + policies.fresh_steps } else { step };
        let mut push = |at_step: u32, policy, shape| {
            let left_tokens = left_tokens(&shape, result.tokens, policies);
            changes.push(Change {
                of,
                at_step: at_step.max(fresh_until) + 1,
                policy,
                shape,
                left_tokens,
                by: None,
            });
        };
        if policies.prune.as_ref().is_some_and(|config| is_over(result, config)) {
            push(step, PolicyName::Prune, Shape::Pruned);
        }
        if let Some(decay) = policies.decay
            && result.tokens > decay.above_tokens
        {
            push(step + decay.older_than_steps, PolicyName::Decay, Shape::View { tokens: decay.to_tokens });
        }
    }
    if policies.supersession {
        superseded(history, policies, &mut changes);
    }
    if policies.overlap {
        overlapping(history, &mut changes);
    }
    if let Some(decay) = policies.arguments {
        for (at, call) in history.calls.iter().enumerate() {
            let node = history.node_of(call.item).filter(|node| node.is_on_path);
            let item = history.items.get(call.item as usize);
            let (Some(node), Some(item), Some(_)) = (node, item, call.result) else { continue };
            if item.tokens > decay.above_tokens && !item.frozen {
                changes.push(Change {
                    of: u32::try_from(at).unwrap_or(u32::MAX),
                    at_step: node.step + decay.older_than_steps + 1,
                    policy: PolicyName::Arguments,
                    shape: Shape::View { tokens: decay.to_tokens },
                    left_tokens: decay.to_tokens.min(item.tokens),
                    by: None,
                });
            }
        }
    }
    changes.retain(|change| is_worthwhile(history, change));
    changes.sort_by_key(|change| (change.at_step, change.of, change.policy));
    changes
}

/// Whether a change saves more than a note costs. A note is never replaced by another one.
fn is_worthwhile(history: &History, change: &Change) -> bool {
    /// A note takes about as many.
    const LEAST_SAVED_TOKENS: u32 = 32;
    let tokens = if change.policy == PolicyName::Arguments {
        history
            .calls
            .get(change.of as usize)
            .and_then(|call| history.items.get(call.item as usize))
            .map(|item| item.tokens)
    } else {
        history.results.get(change.of as usize).map(|result| result.tokens)
    };
    tokens.is_some_and(|tokens| tokens >= change.left_tokens.saturating_add(LEAST_SAVED_TOKENS))
}

/// What a shape leaves of so many tokens, about.
fn left_tokens(shape: &Shape, tokens: u32, policies: &Policies) -> u32 {
    /// Characters a token.
    const CHARS: u64 = 4;
    /// A note, and the ref in it.
    const NOTE_TOKENS: u32 = 40;
    let left = match (shape, &policies.prune) {
        (Shape::Pruned, Some(config)) => {
            let ends = config.head() + config.tail();
            u32::try_from(if config.unit() == Unit::Tokens { ends } else { ends / CHARS }).unwrap_or(u32::MAX)
        }
        (Shape::View { tokens }, _) => *tokens,
        (Shape::Note, _) => NOTE_TOKENS,
        _ => tokens,
    };
    left.min(tokens)
}

/// What stands at a step: of each result and call the change that leaves least, in the order of their numbers.
#[must_use]
pub fn standing(changes: &[Change], step: u32) -> Vec<&Change> {
    let mut least: HashMap<(bool, u32), &Change> = HashMap::new();
    for change in changes.iter().filter(|change| change.at_step <= step) {
        let of = (change.policy == PolicyName::Arguments, change.of);
        let own = least.entry(of).or_insert(change);
        if change.left_tokens < own.left_tokens {
            *own = change;
        }
    }
    let mut standing: Vec<&Change> = least.into_values().collect();
    standing.sort_by_key(|change| (change.policy == PolicyName::Arguments, change.of));
    standing
}

fn is_over(result: &ResultEntry, config: &PruneConfig) -> bool {
    let amount = match config.unit() {
        Unit::Tokens => result.tokens,
        _ => result.chars,
    };
    u64::from(amount) > config.threshold()
}

/// The step of a result that may be changed.
fn step_of(history: &History, of: u32) -> Option<u32> {
    let result = history.results.get(of as usize)?;
    let node = history.node_of(result.item)?;
    (node.is_on_path && !result.frozen && result.cut != Cut::Never && result.call.is_some())
        .then_some(node.step)
}

/// Successful results with their calls, in their order: number, step, call's key, target.
fn answered(history: &History) -> impl Iterator<Item = (u32, u32, Key, Option<Target>)> {
    history.results.iter().enumerate().filter_map(|(at, result)| {
        let node = history.node_of(result.item).filter(|node| node.is_on_path)?;
        let call = history.calls.get(result.call? as usize)?;
        (!result.is_error).then_some((u32::try_from(at).ok()?, node.step, call.same, call.target))
    })
}

/// The reads of a file since it was written as a whole.
#[derive(Default)]
struct Reads {
    all: Vec<u32>,
    /// So many from the first on came before an edit: what a second one leaves of them is no less.
    edited: usize,
}

/// The same call again, the file written anew or edited since.
fn superseded(history: &History, policies: &Policies, changes: &mut Vec<Change>) {
    let mut asked: HashMap<Key, u32> = HashMap::new();
    let mut reads: HashMap<Key, Reads> = HashMap::new();
    let mut push = |of: u32, at_step: u32, shape: Shape, by: u32| {
        if step_of(history, of).is_some() {
            let tokens = history.results.get(of as usize).map_or(0, |result| result.tokens);
            changes.push(Change {
                of,
                at_step: at_step + 1,
                policy: PolicyName::Supersession,
                left_tokens: left_tokens(&shape, tokens, policies),
                shape,
                by: Some(by),
            });
        }
    };
    for (of, step, same, target) in answered(history) {
        if let Some(before) = asked.insert(same, of) {
            push(before, step, Shape::Note, of);
        }
        let Some(target) = target else { continue };
        match target.act {
            Act::Read => reads.entry(target.path).or_default().all.push(of),
            Act::Write => {
                for read in reads.remove(&target.path).unwrap_or_default().all {
                    push(read, step + policies.settle_steps, Shape::Note, of);
                }
            }
            Act::Edit => {
                let decay = policies.edited;
                let Some(own) = reads.get_mut(&target.path) else { continue };
                let fresh = own.all.get(own.edited..).unwrap_or_default().to_vec();
                own.edited = own.all.len();
                for read in &fresh {
                    let tokens = history.results.get(*read as usize).map_or(0, |result| result.tokens);
                    if tokens > decay.above_tokens {
                        push(
                            *read,
                            step + policies.settle_steps,
                            Shape::View { tokens: decay.to_tokens },
                            of,
                        );
                    }
                }
            }
        }
    }
}

/// Lines that a later read of the same file shows.
fn overlapping(history: &History, changes: &mut Vec<Change>) {
    /// Reads of one file that are looked back at.
    const MOST_READS: usize = 16;
    let mut reads: HashMap<Key, Vec<(u32, Vec<Lines>)>> = HashMap::new();
    for (of, step, _, target) in answered(history) {
        let Some(target) = target.filter(|target| target.act == Act::Read) else { continue };
        // What is cut has other lines, and shows not all of those that it was asked for.
        if history.results.get(of as usize).is_some_and(|result| result.is_cut) {
            continue;
        }
        let shown = shown(history, of, target.lines);
        let own = reads.entry(target.path).or_default();
        for (before, left) in own.iter_mut() {
            let rest: Vec<Lines> = left.iter().flat_map(|lines| without(*lines, shown)).collect();
            if rest == *left {
                continue;
            }
            *left = rest;
            if step_of(history, *before).is_none() {
                continue;
            }
            let shape = if left.is_empty() { Shape::Note } else { Shape::Lines(left.clone()) };
            let (policy, left_tokens) = (PolicyName::Overlap, left_of_lines(history, *before, left));
            changes.push(Change { of: *before, at_step: step + 1, policy, shape, left_tokens, by: Some(of) });
        }
        own.retain(|(_, left)| !left.is_empty());
        if own.len() == MOST_READS {
            own.remove(0);
        }
        own.push((of, vec![shown]));
    }
}

/// The tokens of some lines of a read, as if all had as many.
fn left_of_lines(history: &History, of: u32, lines: &[Lines]) -> u32 {
    let Some(result) = history.results.get(of as usize) else { return 0 };
    let kept: u64 = lines.iter().map(|lines| lines.last.saturating_sub(lines.first) + 1).sum();
    let tokens = u64::from(result.tokens) * kept / u64::from(result.lines.max(1));
    u32::try_from(tokens).unwrap_or(u32::MAX).max(1).min(result.tokens)
}

/// The lines that a read shows in fact: no more than its result has.
fn shown(history: &History, of: u32, asked: Lines) -> Lines {
    asked.cut_to(history.results.get(of as usize).map_or(0, |result| u64::from(result.lines)))
}

fn without(lines: Lines, cut: Lines) -> Vec<Lines> {
    let Some(common) = lines.common(cut) else { return vec![lines] };
    let before = (lines.first < common.first).then(|| Lines { first: lines.first, last: common.first - 1 });
    let after = (common.last < lines.last).then(|| Lines { first: common.last + 1, last: lines.last });
    before.into_iter().chain(after).collect()
}
