//! Nodes to atoms.

use std::collections::BTreeMap;

use super::metrics::Metrics;
use super::text::is_thinking;
use super::{Atom, AtomKind, Protection};
use crate::event::Event;
use crate::kind::EventKind;
use crate::log::Log;
use crate::pairing::{CallKey, Half, Pairs, half_of};
use crate::projection::{Node, Projection};

/// An atom while it grows.
struct Growing {
    kind: AtomKind,
    positions: Vec<usize>,
    has_result: bool,
}

pub(super) fn atoms(log: &Log, projection: &Projection, has_id: &dyn Fn(&Event) -> bool) -> Vec<Atom> {
    let nodes: Vec<(&Node, &Event)> =
        projection.nodes().filter_map(|node| Some((node, log.get(node.seq())?))).collect();
    let answers = Answers::of(&nodes);
    let groups = grouped(&nodes, &answers);
    let newest = newest_turn(&groups.iter().map(|group| group.kind).collect::<Vec<_>>());
    let finished = groups.into_iter().zip(1_u64..).map(|(group, number)| {
        let members = || group.positions.iter().filter_map(|position| nodes.get(*position));
        let mut metrics = Metrics::default();
        for (node, event) in members() {
            metrics.add_event(event, node.part());
        }
        let protection = protection(&group, &nodes, &answers, has_id).or_else(|| {
            let is_newest = newest.is_some_and(|(first, last)| (first..=last).contains(&number));
            (is_newest && members().any(|(_, event)| has_thinking(event)))
                .then_some(Protection::NewestThinking)
        });
        Atom {
            name: format!("a{number:04}").into(),
            kind: group.kind,
            protection,
            seqs: members().map(|(node, _)| node.seq()).collect(),
            positions: group.positions,
            metrics,
        }
    });
    finished.collect()
}

/// Which result answers which call, by position.
#[derive(Default)]
struct Answers {
    call_of: BTreeMap<usize, usize>,
    answered: std::collections::BTreeSet<usize>,
}

impl Answers {
    fn of(nodes: &[(&Node, &Event)]) -> Self {
        let mut halves: BTreeMap<CallKey, Vec<(u64, Half)>> = BTreeMap::new();
        for ((_, event), position) in nodes.iter().zip(0_u64..) {
            if let Some((half, key)) = half_of(event) {
                halves.entry(key).or_default().push((position, half));
            }
        }
        let mut answers = Self::default();
        for (call, result) in halves.into_values().flat_map(|halves| Pairs::of(halves).pairs) {
            if let (Ok(call), Ok(result)) = (usize::try_from(call), usize::try_from(result)) {
                answers.call_of.insert(result, call);
                answers.answered.insert(call);
            }
        }
        answers
    }
}

fn grouped(nodes: &[(&Node, &Event)], answers: &Answers) -> Vec<Growing> {
    let mut groups: Vec<Growing> = Vec::new();
    let mut group_of_call = BTreeMap::new();
    // The assistant's message that further calls belong to, with its last event.
    let mut current: Option<(usize, &Event)> = None;
    for (position, (_, event)) in nodes.iter().enumerate() {
        let kind = match event.kind() {
            EventKind::User => AtomKind::User,
            EventKind::Assistant => AtomKind::Assistant,
            EventKind::ToolCall => AtomKind::ToolExchange,
            EventKind::ToolResult => AtomKind::OrphanToolResult,
            EventKind::Bash => AtomKind::Bash,
            EventKind::Custom => AtomKind::Custom,
            EventKind::Commit => AtomKind::Compressed,
            _ => AtomKind::Other,
        };
        let joined = match kind {
            AtomKind::OrphanToolResult => {
                answers.call_of.get(&position).and_then(|call| group_of_call.get(call)).copied()
            }
            AtomKind::Assistant | AtomKind::ToolExchange => current
                .filter(|(group, before)| {
                    groups.get(*group).is_some_and(|group| is_same_message(group, before, event, kind))
                })
                .map(|(group, _)| group),
            _ => None,
        };
        let at = joined.unwrap_or(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.positions.push(position),
            None => groups.push(Growing { kind, positions: vec![position], has_result: false }),
        }
        let Some(group) = groups.get_mut(at) else { continue };
        match kind {
            AtomKind::Assistant => current = Some((at, event)),
            AtomKind::ToolExchange => {
                group.kind = AtomKind::ToolExchange;
                group_of_call.insert(position, at);
                current = Some((at, event));
            }
            AtomKind::OrphanToolResult => group.has_result = joined.is_some(),
            _ => current = None,
        }
    }
    groups
}

/// Tells whether an event belongs to the assistant's message before it.
///
/// Turn and step say so where both have them. Without them a call belongs to the message before it, until the first result has come.
fn is_same_message(group: &Growing, before: &Event, event: &Event, kind: AtomKind) -> bool {
    let step = |event: &Event| Some((event.turn_json().map(str::to_owned), event.step_json()?.to_owned()));
    match (step(before), step(event)) {
        (Some(before), Some(step)) => before == step,
        _ => kind == AtomKind::ToolExchange && !group.has_result,
    }
}

fn protection(
    group: &Growing,
    nodes: &[(&Node, &Event)],
    answers: &Answers,
    has_id: &dyn Fn(&Event) -> bool,
) -> Option<Protection> {
    let events = || group.positions.iter().filter_map(|position| Some((*position, nodes.get(*position)?.1)));
    let is_open = |(position, event): (usize, &Event)| {
        *event.kind() == EventKind::ToolCall && !answers.answered.contains(&position)
    };
    if events().any(is_open) {
        return Some(Protection::CallWithoutResult);
    }
    match group.kind {
        AtomKind::OrphanToolResult => return Some(Protection::ResultWithoutCall),
        AtomKind::Compressed => return Some(Protection::CommittedBlock),
        AtomKind::Other if events().any(|(_, event)| *event.kind() == EventKind::System) => {
            return Some(Protection::SystemMessage);
        }
        AtomKind::Other => return Some(Protection::UnknownKind),
        _ => {}
    }
    if !events().all(|(_, event)| has_id(event)) {
        return Some(Protection::NoPersistentId);
    }
    let is_contiguous = group.positions.iter().zip(group.positions.iter().skip(1)).all(|(a, b)| a + 1 == *b);
    if is_contiguous { None } else { Some(Protection::Interleaved) }
}

/// The numbers of the first and the last atom of the newest assistant turn: the last atoms that an assistant made, back to the user's message before them.
pub(super) fn newest_turn(kinds: &[AtomKind]) -> Option<(u64, u64)> {
    let is_assistant = |kind: &AtomKind| matches!(kind, AtomKind::Assistant | AtomKind::ToolExchange);
    let last = kinds.iter().rposition(is_assistant)?;
    let before = kinds.get(..last)?.iter().rposition(|kind| *kind == AtomKind::User);
    Some((before.map_or(0, |user| user + 1) as u64 + 1, last as u64 + 1))
}

fn has_thinking(event: &Event) -> bool {
    event.content().is_some_and(|content| content.blocks().iter().any(is_thinking))
}
