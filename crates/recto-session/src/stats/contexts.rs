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
    let mut live: Vec<(&Node, u64)> = Vec::new();
    let mut tokens = 0;
    let mut step = 0;
    let mut is_after_compaction = false;
    for node in history.nodes.iter().filter(|node| node.is_on_path) {
        if node.step != step {
            step = node.step;
            contexts.push(Context { step, tokens, is_after_compaction });
            is_after_compaction = false;
        }
        if let NodeKind::Boundary { kept, kept_until, .. } = node.kind {
            keep(&mut live, kept, kept_until);
            tokens = live.iter().map(|(_, tokens)| tokens).sum();
            is_after_compaction = true;
        }
        // A record that nobody reads may be the one from which on others are kept.
        let is_silent = node.kind == NodeKind::Silent;
        let own = history.items_of(node).filter(|_| !is_silent).map(|(_, item)| u64::from(item.tokens)).sum();
        live.push((node, own));
        tokens += own;
    }
    contexts.push(Context { step: step + 1, tokens, is_after_compaction });
    contexts
}

/// Takes away what a compaction does not keep. Instructions and tools are no part of what is compacted.
fn keep(live: &mut Vec<(&Node, u64)>, kept: KeptFrom, until: Option<Key>) {
    let position = |id: Key| live.iter().position(|(node, _)| node.id == Some(id));
    let range = match kept {
        KeptFrom::Id(id) => {
            let first = position(id).unwrap_or(live.len());
            first..until.and_then(position).map_or(live.len(), |end| end + 1)
        }
        _ => 0..live.len(),
    };
    let mut at = 0..;
    live.retain(|(node, _)| {
        let is_kept = at.next().is_some_and(|at| range.contains(&at));
        let is_summary = matches!(node.kind, NodeKind::Boundary { .. });
        node.kind == NodeKind::Message(Role::System)
            || !is_summary
                && match kept {
                    KeptFrom::Nothing => false,
                    KeptFrom::Index(first) => u64::from(node.place.line) > first,
                    KeptFrom::Id(_) => is_kept,
                }
    });
}
