//! Finds the conversation in a tree of records, and what of it is read.

use std::collections::{HashMap, HashSet};

use recto_wire::Role;

use super::{History, ItemKind, KeptFrom, NodeKind, Problem, ProblemKind, builder::index};
use crate::key::Key;

/// Marks the way to `leaf` (or to the newest message), numbers its turns and steps, and pairs its calls.
pub(super) fn find(history: &mut History, ids: &HashMap<Key, u32>, leaf: Option<u32>) {
    history.leaf = leaf.or_else(|| newest(history));
    let Some(leaf) = history.leaf else { return };
    walk(history, ids, leaf);
    add_siblings(history);
    drop_replaced(history);
    number(history);
    pair(history);
}

/// The last message of the main conversation.
fn newest(history: &History) -> Option<u32> {
    let is_message = |kind| matches!(kind, NodeKind::Message(_) | NodeKind::Boundary { .. });
    let main = history.nodes.iter().rposition(|node| is_message(node.kind) && !node.is_side);
    main.or_else(|| history.nodes.iter().rposition(|node| is_message(node.kind))).map(index)
}

/// From the leaf up. What lies behind a compaction is on the path, but only what it keeps is read.
fn walk(history: &mut History, ids: &HashMap<Key, u32>, leaf: u32) {
    let mut at = Some(leaf);
    let mut is_read = true;
    // What the nearest compaction keeps: the ids at which reading of what came before it begins and ends.
    let mut kept: Option<(KeptFrom, Option<Key>)> = None;
    let mut compacted = 0;
    let mut way: Vec<u32> = Vec::new();
    while let Some(here) = at {
        let Some(node) = history.nodes.get_mut(here as usize) else { break };
        if node.is_on_path {
            let place = node.place;
            history.problems.push(Problem { kind: ProblemKind::Cycle, place, item: None });
            break;
        }
        node.is_on_path = true;
        way.push(here);
        if let Some((from, until)) = kept {
            let is = |key: Option<Key>| key.is_some() && key == node.id;
            is_read = is_read || until.is_some() && is(until);
            node.is_read = is_read;
            if let KeptFrom::Id(id) = from
                && is(Some(id))
            {
                is_read = false;
                kept = Some((KeptFrom::Nothing, None));
            }
        } else {
            node.is_read = is_read;
        }
        // A summary before a compaction is in that one's.
        node.is_read &= kept.is_none() || !matches!(node.kind, NodeKind::Boundary { .. });
        // Instructions and tools are no part of what is compacted.
        node.is_read |= node.kind == NodeKind::Message(Role::System);
        at = node.parent;
        if let NodeKind::Boundary { resumes, kept: from, kept_until } = node.kind {
            if kept.is_none() {
                // Without an end, all from the first kept record to the compaction is read.
                is_read = matches!(from, KeptFrom::Id(_) | KeptFrom::Index(_)) && kept_until.is_none();
                kept = Some((from, kept_until));
                compacted = way.len();
            }
            if at.is_none() {
                at = resumes.and_then(|resumes| ids.get(&resumes).copied()).filter(|before| *before < here);
            }
            history.compactions += 1;
        }
    }
    // Of what is kept from a record on that is not there, nothing is: so clients have it.
    if let Some((KeptFrom::Id(_), _)) = kept {
        for here in way.iter().skip(compacted) {
            if let Some(node) = history.nodes.get_mut(*here as usize) {
                node.is_read = node.kind == NodeKind::Message(Role::System);
            }
        }
    }
    // Entries are counted from the first record on.
    if let Some((KeptFrom::Index(first), _)) = kept {
        for here in &way {
            if let Some(node) = history.nodes.get_mut(*here as usize)
                && u64::from(node.place.line) <= first
                && !matches!(node.kind, NodeKind::Boundary { .. } | NodeKind::Message(Role::System))
            {
                node.is_read = false;
            }
        }
    }
}

/// Where a client writes parallel calls as branches, their results lie beside the way: messages of which a part is on it, and results of
/// calls on it, belong to it.
fn add_siblings(history: &mut History) {
    let on_path = |history: &History| -> (HashSet<Key>, HashSet<u32>) {
        let messages = history.nodes.iter().filter(|node| node.is_on_path);
        let messages = messages.filter(|node| node.kind == NodeKind::Message(Role::Assistant));
        let answered = history
            .results
            .iter()
            .filter(|result| history.node_of(result.item).is_some_and(|node| node.is_on_path));
        (
            messages.filter_map(|node| node.message).collect(),
            answered.filter_map(|result| result.call).collect(),
        )
    };
    let (messages, answered) = on_path(history);
    let mut added: Vec<(u32, bool)> = Vec::new();
    let read: HashMap<Key, bool> = history
        .nodes
        .iter()
        .filter(|node| node.is_on_path)
        .filter_map(|node| Some((node.message?, node.is_read)))
        .collect();
    let mut calls: HashMap<u32, bool> = HashMap::new();
    for (at, node) in history.nodes.iter().enumerate() {
        let is_same = node.message.filter(|message| messages.contains(message));
        let joins = is_same.is_some() && node.kind == NodeKind::Message(Role::Assistant);
        let is_read = if node.is_on_path {
            node.is_read
        } else {
            is_same.is_some_and(|key| read.get(&key) == Some(&true))
        };
        if node.is_on_path || joins {
            for (_, item) in history.items_of(node) {
                if let ItemKind::Call(call) = item.kind {
                    calls.insert(call, is_read);
                }
            }
        }
        if node.is_on_path {
            continue;
        }
        let results: Vec<Option<u32>> = history
            .items_of(node)
            .filter_map(|(_, item)| match item.kind {
                ItemKind::Result(result) => {
                    Some(history.results.get(result as usize).and_then(|entry| entry.call))
                }
                _ => None,
            })
            .collect();
        let of_calls = !results.is_empty()
            && results
                .iter()
                .all(|call| call.is_some_and(|call| calls.contains_key(&call) && !answered.contains(&call)));
        if joins {
            added.push((index(at), is_read));
        } else if of_calls {
            let is_read = results.iter().flatten().any(|call| calls.get(call) == Some(&true));
            added.push((index(at), is_read));
        }
    }
    for (at, is_read) in added {
        if let Some(node) = history.nodes.get_mut(at as usize) {
            (node.is_on_path, node.is_read) = (true, is_read);
        }
    }
}

/// Takes what a later record replaces off the way.
fn drop_replaced(history: &mut History) {
    for node in history.nodes.iter_mut().filter(|node| node.is_replaced) {
        (node.is_on_path, node.is_read) = (false, false);
    }
}

fn number(history: &mut History) {
    let (mut turn, mut step) = (0, 0);
    let mut last_message = None;
    for at in 0..history.nodes.len() {
        let Some(node) = history.nodes.get(at) else { break };
        if !node.is_on_path {
            continue;
        }
        match node.kind {
            NodeKind::Message(Role::Assistant) if node.message.is_none() || node.message != last_message => {
                step += 1;
                last_message = node.message;
            }
            NodeKind::Message(Role::User) => {
                let is_result = |(_, item): (u32, &super::Item)| matches!(item.kind, ItemKind::Result(_));
                if !history.items_of(node).any(is_result) {
                    turn += 1;
                }
            }
            _ => {}
        }
        if let Some(node) = history.nodes.get_mut(at) {
            (node.turn, node.step) = (turn, step);
        }
    }
}

/// Calls of one id, in their order.
#[derive(Default)]
struct SameId {
    calls: Vec<u32>,
    /// So many from the first on are answered.
    answered: usize,
}

impl SameId {
    /// The first call that is not answered; the last one if all are.
    fn first_open(&mut self, answers: &HashMap<u32, u32>) -> Option<u32> {
        while self.calls.get(self.answered).is_some_and(|call| answers.contains_key(call)) {
            self.answered += 1;
        }
        self.calls.get(self.answered).or(self.calls.last()).copied()
    }
}

/// Which calls of the path have which results on it, and what is wrong with them.
fn pair(history: &mut History) {
    let mut by_id: HashMap<Key, SameId> = HashMap::new();
    let names: HashSet<Key> = history.tools.iter().map(|name| Key::of(&recto_wire::quote(name))).collect();
    let mut answers: HashMap<u32, u32> = HashMap::new();
    let mut problems = Vec::new();
    // Results that came before their calls, with the problems that say so.
    let mut early: HashMap<Key, (u32, usize)> = HashMap::new();
    let last_step = history.last_step();
    let last_turn =
        history.nodes.iter().filter(|node| node.is_on_path).map(|node| node.turn).max().unwrap_or(0);
    for at in 0..history.items.len() {
        let Some(item) = history.items.get(at) else { break };
        let Some(node) = history.nodes.get(item.node as usize).filter(|node| node.is_on_path) else {
            continue;
        };
        let problem = |kind| Problem { kind, place: node.place, item: Some(index(at)) };
        match item.kind {
            ItemKind::Call(call) => {
                let Some(id) = history.calls.get(call as usize).and_then(|entry| entry.id) else { continue };
                let same = by_id.entry(id).or_default();
                same.calls.push(call);
                // Where the tool's name stands for an id, several calls of one are in order.
                if same.calls.len() > 1 && !names.contains(&id) {
                    problems.push(problem(ProblemKind::DoubledCall));
                }
                if let Some((result, at)) = early.remove(&id) {
                    if let Some(first) = problems.get_mut(at) {
                        first.kind = ProblemKind::ResultBeforeCall;
                    }
                    answers.insert(call, result);
                }
            }
            ItemKind::Result(result) => {
                let Some(entry) = history.results.get(result as usize) else { continue };
                let call = match entry.call_id {
                    Some(id) => by_id.get_mut(&id).and_then(|same| match names.contains(&id) {
                        // They are answered in their order.
                        true => same.first_open(&answers),
                        false => same.calls.last().copied(),
                    }),
                    None => entry.call,
                };
                match call {
                    None => {
                        if let Some(id) = entry.call_id {
                            early.insert(id, (result, problems.len()));
                        }
                        problems.push(problem(ProblemKind::OrphanResult));
                    }
                    Some(call) if answers.contains_key(&call) => {
                        problems.push(problem(ProblemKind::DoubledResult))
                    }
                    Some(call) => {
                        answers.insert(call, result);
                    }
                }
                if let Some(entry) = history.results.get_mut(result as usize) {
                    entry.call = call;
                }
            }
            _ => {}
        }
    }
    for at in 0..history.calls.len() {
        let call = index(at);
        let Some(entry) = history.calls.get_mut(at) else { break };
        entry.result = answers.get(&call).copied();
        let item = entry.item;
        if entry.result.is_some() {
            continue;
        }
        let Some(node) = history.node_of(item).filter(|node| node.is_on_path) else { continue };
        // Also a prompt that follows breaks the next request.
        let is_last = node.step == last_step && node.turn == last_turn;
        let kind = if is_last { ProblemKind::Pending } else { ProblemKind::Unanswered };
        problems.push(Problem { kind, place: node.place, item: Some(item) });
    }
    problems.sort_by_key(|problem| (problem.place.file, problem.place.at, problem.item));
    history.problems.append(&mut problems);
}
