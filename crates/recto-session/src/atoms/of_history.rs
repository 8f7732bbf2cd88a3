//! Atoms of a client's history, by the rules of [`group`](super::group).

use std::collections::BTreeMap;

use recto_wire::Role;

use super::{Atom, AtomKind, ImageFacts, Metrics, Protection, group::newest_turn};
use crate::history::{History, ItemKind, Node, NodeKind};

/// An atom while it grows.
struct Growing {
    kind: AtomKind,
    /// Positions among the nodes that are read.
    positions: Vec<usize>,
}

pub(super) fn atoms(history: &History) -> Vec<Atom> {
    let is_said = |node: &Node| node.is_read && node.kind != NodeKind::Silent && node.items.0 < node.items.1;
    let nodes: Vec<(u32, &Node)> = (0..).zip(&history.nodes).filter(|(_, node)| is_said(node)).collect();
    let groups = grouped(history, &nodes);
    let newest = newest_turn(&groups.iter().map(|group| group.kind).collect::<Vec<_>>());
    let finished = groups.into_iter().zip(1_u64..).map(|(group, number)| {
        let members: Vec<(u32, &Node)> =
            group.positions.iter().filter_map(|position| nodes.get(*position)).copied().collect();
        let protection = protection(history, &group, &members).or_else(|| {
            let is_newest = newest.is_some_and(|(first, last)| (first..=last).contains(&number));
            let has_thinking = members
                .iter()
                .any(|(_, node)| history.items_of(node).any(|(_, item)| item.kind == ItemKind::Thinking));
            (is_newest && has_thinking).then_some(Protection::NewestThinking)
        });
        Atom {
            name: format!("a{number:04}").into(),
            kind: group.kind,
            protection,
            seqs: members.iter().map(|(at, _)| u64::from(*at)).collect(),
            positions: group.positions,
            metrics: metrics(history, &members),
        }
    });
    finished.collect()
}

fn grouped(history: &History, nodes: &[(u32, &Node)]) -> Vec<Growing> {
    let mut groups: Vec<Growing> = Vec::new();
    let mut group_of_call: BTreeMap<u32, usize> = BTreeMap::new();
    // The message that further parts belong to.
    let mut current: Option<(usize, &Node)> = None;
    for (position, (_, node)) in nodes.iter().enumerate() {
        let items = || history.items_of(node).map(|(_, item)| item.kind);
        let answered = || {
            items().filter_map(|kind| match kind {
                ItemKind::Result(result) => Some(history.results.get(result as usize)?.call),
                _ => None,
            })
        };
        let of_result = answered().flatten().find_map(|call| group_of_call.get(&call)).copied();
        let kind = match node.kind {
            NodeKind::Message(Role::Assistant) => AtomKind::Assistant,
            NodeKind::Message(Role::System) => AtomKind::Other,
            NodeKind::Message(Role::Bash) => AtomKind::Bash,
            NodeKind::Message(Role::Summary | Role::Custom) | NodeKind::Boundary { .. } => AtomKind::Custom,
            NodeKind::Message(Role::User | Role::Tool) if answered().next().is_some() => {
                AtomKind::OrphanToolResult
            }
            NodeKind::Message(Role::User) => AtomKind::User,
            _ => AtomKind::Other,
        };
        let joined = match kind {
            AtomKind::OrphanToolResult => of_result,
            _ => current.filter(|(_, before)| is_same_message(before, node)).map(|(at, _)| at),
        };
        let at = joined.unwrap_or(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.positions.push(position),
            None => groups.push(Growing { kind, positions: vec![position] }),
        }
        match kind {
            AtomKind::Assistant => {
                current = Some((at, node));
                for call in items() {
                    if let ItemKind::Call(call) = call {
                        group_of_call.insert(call, at);
                        if let Some(group) = groups.get_mut(at) {
                            group.kind = AtomKind::ToolExchange;
                        }
                    }
                }
            }
            AtomKind::OrphanToolResult => {}
            _ => current = Some((at, node)),
        }
    }
    groups
}

/// Whether a record is a part of the message that the one before it is of: they name it, or are the model's and stand in one step.
fn is_same_message(before: &Node, node: &Node) -> bool {
    let is_of_model = node.kind == NodeKind::Message(Role::Assistant);
    before.kind == node.kind
        && match (before.message, node.message) {
            (Some(before), Some(own)) => before == own,
            _ => is_of_model && before.step == node.step,
        }
}

fn protection(history: &History, group: &Growing, members: &[(u32, &Node)]) -> Option<Protection> {
    let items = || members.iter().flat_map(|(_, node)| history.items_of(node)).map(|(_, item)| item.kind);
    let is_open = |kind| match kind {
        ItemKind::Call(call) => history.calls.get(call as usize).is_some_and(|call| call.result.is_none()),
        _ => false,
    };
    if items().any(is_open) {
        return Some(Protection::CallWithoutResult);
    }
    let is_orphan = |kind| match kind {
        ItemKind::Result(result) => {
            history.results.get(result as usize).is_some_and(|result| result.call.is_none())
        }
        _ => false,
    };
    if group.kind == AtomKind::OrphanToolResult || items().any(is_orphan) {
        return Some(Protection::ResultWithoutCall);
    }
    if group.kind == AtomKind::Other {
        let is_system = members.iter().any(|(_, node)| node.kind == NodeKind::Message(Role::System));
        return Some(if is_system { Protection::SystemMessage } else { Protection::UnknownKind });
    }
    if members.iter().any(|(_, node)| node.id.is_none()) {
        return Some(Protection::NoPersistentId);
    }
    let is_contiguous = group.positions.iter().zip(group.positions.iter().skip(1)).all(|(a, b)| a + 1 == *b);
    if is_contiguous { None } else { Some(Protection::Interleaved) }
}

fn metrics(history: &History, members: &[(u32, &Node)]) -> Metrics {
    let mut metrics = Metrics::default();
    for (_, item) in members.iter().flat_map(|(_, node)| history.items_of(node)) {
        metrics.content_chars += u64::from(item.chars);
        match item.kind {
            ItemKind::Call(call) => {
                let name = history.calls.get(call as usize).map_or("", |call| history.name_of(call));
                metrics.content_chars += name.chars().count() as u64;
            }
            ItemKind::Image(image) => {
                if let Some(image) = history.images.get(image as usize) {
                    metrics.images.push(ImageFacts {
                        index: metrics.images.len(),
                        mime_type: image.media_type.clone(),
                        payload_bytes: image.bytes,
                        size: image.size,
                    });
                }
            }
            _ => {}
        }
    }
    metrics
}
