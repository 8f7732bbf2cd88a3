use std::collections::HashMap;

use recto_wire::Role;
use serde::Serialize;

use crate::{
    Key,
    history::{History, KeptFrom, Node, NodeKind},
};

/// What the model read for one of its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// The message, counted from 1; the last one, which is not written yet, is one more than there are.
    pub step: u32,
    /// Tokens of all texts that stood before it.
    pub tokens: u64,
    /// Whether the client compacted the conversation just before.
    pub is_after_compaction: bool,
}

/// Texts in the model's way, by steps: what a compaction takes away no longer counts.
///
/// System prompts and tools that a client does not write down are not in it, nor are images.
#[must_use]
pub fn contexts(history: &History) -> Vec<Context> {
    let mut contexts = Vec::new();
    let mut live = Live::default();
    let mut step = 0;
    let mut is_after_compaction = false;
    for node in history.nodes.iter().filter(|node| node.is_on_path) {
        if node.step != step {
            step = node.step;
            contexts.push(Context { step, tokens: live.tokens, is_after_compaction });
            is_after_compaction = false;
        }
        if let NodeKind::Boundary { kept, kept_until, .. } = node.kind {
            live.keep(kept, kept_until);
            is_after_compaction = true;
        }
        // A record that nobody reads may be the one from which on others are kept.
        let is_silent = node.kind == NodeKind::Silent;
        let own = history.items_of(node).filter(|_| !is_silent).map(|(_, item)| u64::from(item.tokens)).sum();
        live.push(node, own);
    }
    contexts.push(Context { step: step + 1, tokens: live.tokens, is_after_compaction });
    contexts
}

/// What stands in the model's way. Every record comes once and goes once, however often is compacted.
#[derive(Default)]
struct Live<'h> {
    /// In their order; those before `start` are gone, but for instructions and tools, which are no part of what is compacted.
    nodes: Vec<(&'h Node, u64)>,
    start: usize,
    /// Where each id stands in it.
    places: HashMap<Key, Vec<usize>>,
    /// The summary that stands there.
    summary: Option<usize>,
    tokens: u64,
}

impl<'h> Live<'h> {
    fn push(&mut self, node: &'h Node, tokens: u64) {
        let at = self.nodes.len();
        if let Some(id) = node.id {
            self.places.entry(id).or_default().push(at);
        }
        if matches!(node.kind, NodeKind::Boundary { .. }) {
            self.summary = Some(at);
        }
        self.nodes.push((node, tokens));
        self.tokens += tokens;
    }

    /// Takes away what a compaction does not keep.
    fn keep(&mut self, kept: KeptFrom, until: Option<Key>) {
        let (first, end) = match kept {
            KeptFrom::Nothing => (self.nodes.len(), self.nodes.len()),
            KeptFrom::Id(id) => {
                let first = self.position(id).unwrap_or(self.nodes.len());
                (first, until.and_then(|until| self.position(until)).map_or(self.nodes.len(), |end| end + 1))
            }
            KeptFrom::Index(first) => {
                let is_before = |(node, _): &(&Node, u64)| u64::from(node.place.line) <= first;
                let rest = self.nodes.get(self.start..).unwrap_or_default();
                (self.start + rest.iter().take_while(|entry| is_before(entry)).count(), self.nodes.len())
            }
        };
        // Its own place may be where reading begins.
        if let Some(at) = self.summary.take()
            && let Some((node, tokens)) = self.nodes.get_mut(at)
        {
            self.tokens -= std::mem::take(tokens);
            if let Some(places) = node.id.and_then(|id| self.places.get_mut(&id)) {
                places.retain(|place| *place != at);
            }
        }
        for at in (self.start..first.max(self.start)).chain(end.max(self.start)..self.nodes.len()) {
            if let Some((node, tokens)) = self.nodes.get_mut(at)
                && node.kind != NodeKind::Message(Role::System)
            {
                self.tokens -= std::mem::take(tokens);
            }
        }
        self.start = self.start.max(first);
        // What stood behind the end does so no more; nothing is found by its id.
        while self.nodes.len() > end.max(self.start) {
            let Some((node, _)) = self.nodes.pop() else { break };
            let places = node.id.and_then(|id| self.places.get_mut(&id));
            if let Some(places) = places.filter(|places| places.last() == Some(&self.nodes.len())) {
                places.pop();
            }
        }
    }

    /// The first that stands there of an id.
    fn position(&self, id: Key) -> Option<usize> {
        let places = self.places.get(&id)?;
        places.get(places.partition_point(|at| *at < self.start)).copied()
    }
}

#[cfg(test)]
mod tests;
