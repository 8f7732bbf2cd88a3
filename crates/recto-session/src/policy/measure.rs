//! What policies would have saved in a session, and what later turns would have missed.
//!
//! A name that first appears in a tool's result, and that the agent later writes in an answer or in a call's arguments, had to
//! be there to be written. At the first time that it is, it is looked whether it would still have stood somewhere in what the model read: the same
//! measure as of `recto eval`, over time. Each name counts once; what was not in the context anyway, as the client had compacted it away, does not count.

use crate::{
    history::{History, ItemKind, NodeKind, Speaker},
    policy::{
        Change, PolicyName,
        references::{ByHash, References},
    },
};

/// The names of every text of a session.
#[derive(Debug, Default)]
pub struct Names {
    /// By items: their speakers and names.
    items: Vec<(u32, Speaker, References)>,
}

impl Names {
    /// Takes a text; items come in their order.
    pub fn push(&mut self, item: u32, speaker: Speaker, text: &str) {
        self.items.push((item, speaker, References::of(text)));
    }

    fn of(&self, item: u32) -> Option<(Speaker, &References)> {
        let at = self.items.binary_search_by_key(&item, |(item, _, _)| *item).ok()?;
        self.items.get(at).map(|(_, speaker, names)| (*speaker, names))
    }
}

/// What stands in the place of a result or arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Smaller {
    /// Its tokens.
    pub tokens: u64,
    /// Its names.
    pub names: References,
}

/// What came of policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Tokens of tool results (and, where arguments are changed, of arguments), each counted once.
    pub tokens: u64,
    /// What is left of them at the end, or when the client compacted them away.
    pub left_tokens: u64,
    /// Tokens of tool results in all requests of the session together: what stands is sent again with each.
    pub sent_tokens: u64,
    /// Those that would have been sent.
    pub left_sent_tokens: u64,
    /// Texts that are smaller then.
    pub changed: u64,
    /// Names that the agent came back to.
    pub references: u64,
    /// Those of them that would not have stood anywhere any more.
    pub missed: u64,
}

/// A text of the session's path in time.
struct Standing<'n> {
    tokens: u64,
    left: u64,
    names: &'n References,
    /// The names that still stand, if fewer.
    smaller: Option<References>,
}

/// Plays a session with its changes, in the order of [`changes`](super::changes). `render` gives what stands after a change, or `None` if nothing
/// smaller can be made.
pub fn measure(
    history: &History,
    names: &Names,
    changes: &[Change],
    render: impl FnMut(&Change) -> Option<Smaller>,
) -> Outcome {
    measure_steps(history, names, changes, render, |_| {})
}

/// Tokens of tool results (and of arguments, where these are changed) before one of the model's messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The message.
    pub step: u32,
    /// As they are.
    pub tokens: u64,
    /// As they would be.
    pub left_tokens: u64,
}

/// As [`measure`], and tells `each` what was sent for every step, and what would be sent next.
pub fn measure_steps(
    history: &History,
    names: &Names,
    changes: &[Change],
    mut render: impl FnMut(&Change) -> Option<Smaller>,
    mut each: impl FnMut(Sent),
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut texts: Vec<Option<Standing<'_>>> = Vec::new();
    texts.resize_with(history.items.len(), || None);
    let mut visible = Counts::default();
    let mut visible_without = Counts::default();
    // Names of results that nobody has quoted yet.
    let mut first_in: ByHash<()> = ByHash::default();
    let mut seen: ByHash<()> = ByHash::default();
    let (mut live, mut live_left) = (0_u64, 0_u64);
    let mut read: Vec<u32> = Vec::new();
    let mut pending = changes.iter().peekable();
    let mut step = 0;
    for node in history.nodes.iter().filter(|node| node.is_on_path) {
        if node.step != step {
            step = node.step;
            while let Some(change) = pending.next_if(|change| change.at_step <= step) {
                let items = items_of(history, change);
                let left = items
                    .iter()
                    .filter_map(|item| texts.get(*item as usize)?.as_ref())
                    .map(|text| text.left)
                    .sum();
                let Some(smaller) = render(change).filter(|smaller| smaller.tokens < left) else { continue };
                live_left -= left - smaller.tokens;
                let mut smaller = Some(smaller);
                for item in items {
                    let Some(Some(text)) = texts.get_mut(item as usize) else { continue };
                    visible.remove(text.smaller.as_ref().unwrap_or(text.names));
                    // The texts of a result are one to the policies; the first stands for all.
                    let now = smaller.take().unwrap_or_default();
                    visible.add(&now.names);
                    (text.left, text.smaller) = (now.tokens, Some(now.names));
                }
            }
            outcome.sent_tokens += live;
            outcome.left_sent_tokens += live_left;
            each(Sent { step, tokens: live, left_tokens: live_left });
        }
        if matches!(node.kind, NodeKind::Boundary { .. }) {
            (live, live_left) = (0, 0);
            visible = Counts::default();
            visible_without = Counts::default();
            read.drain(..).for_each(|item| {
                if let Some(text) = texts.get_mut(item as usize).and_then(Option::take) {
                    outcome.count(&text);
                }
            });
        }
        for (at, item) in history.items_of(node) {
            let Some((speaker, own)) = names.of(at) else { continue };
            let is_agent = matches!(speaker, Speaker::Agent | Speaker::Thinking | Speaker::Call);
            for name in own.hashes() {
                if is_agent && first_in.remove(name).is_some() && visible_without.has(*name) {
                    outcome.references += 1;
                    outcome.missed += u64::from(!visible.has(*name));
                }
                if seen.insert(*name, ()).is_none() && speaker == Speaker::Tool {
                    first_in.insert(*name, ());
                }
            }
            visible.add(own);
            visible_without.add(own);
            let is_result = item.result.is_some();
            let counts = is_result || changes_arguments(changes) && matches!(item.kind, ItemKind::Call(_));
            if counts {
                let tokens = u64::from(item.tokens);
                live += tokens;
                live_left += tokens;
                if let Some(text) = texts.get_mut(at as usize) {
                    *text = Some(Standing { tokens, left: tokens, names: own, smaller: None });
                    read.push(at);
                }
            }
        }
    }
    // The next request, which is not sent yet and counts nowhere.
    each(Sent { step: step + 1, tokens: live, left_tokens: live_left });
    for text in texts.iter().flatten() {
        outcome.count(text);
    }
    outcome
}

impl Outcome {
    fn count(&mut self, text: &Standing<'_>) {
        self.tokens += text.tokens;
        self.left_tokens += text.left;
        self.changed += u64::from(text.left < text.tokens);
    }
}

fn changes_arguments(changes: &[Change]) -> bool {
    changes.iter().any(|change| change.policy == PolicyName::Arguments)
}

/// The items that a change is about.
fn items_of(history: &History, change: &Change) -> Vec<u32> {
    if change.policy == PolicyName::Arguments {
        return history.calls.get(change.of as usize).map(|call| call.item).into_iter().collect();
    }
    let texts = history.parts_of(change.of).filter(|(_, item)| item.kind == ItemKind::Text);
    texts.map(|(at, _)| at).collect()
}

/// How many texts have a name.
#[derive(Default)]
struct Counts(ByHash<u32>);

impl Counts {
    fn add(&mut self, names: &References) {
        for name in names.hashes() {
            *self.0.entry(*name).or_default() += 1;
        }
    }

    fn remove(&mut self, names: &References) {
        for name in names.hashes() {
            if let Some(count) = self.0.get_mut(name) {
                *count = count.saturating_sub(1);
            }
        }
    }

    fn has(&self, name: u64) -> bool {
        self.0.get(&name).is_some_and(|count| *count > 0)
    }
}
