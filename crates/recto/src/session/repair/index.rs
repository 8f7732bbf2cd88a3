//! What is looked up of a history again and again, found once.

use std::collections::{HashMap, HashSet};

use recto::{
    session::{
        Key as Id,
        history::{History, Place, ProblemKind},
    },
    wire::{quote, unquote},
};

use super::round::{Key, key};

pub(super) struct Index {
    /// Which node a record is.
    nodes: HashMap<Key, usize>,
    /// The nodes that follow each.
    children: HashMap<usize, Vec<usize>>,
    /// The node before each that has an id and is of the same conversation.
    before: Vec<Option<usize>>,
    /// The first node of each id.
    first_of_id: HashMap<Id, usize>,
    /// The first call of each id on the path.
    first_call: HashMap<Id, u32>,
    /// Ids of nodes, and of calls.
    taken: [HashSet<Id>; 2],
    /// The last number that was put behind an id.
    numbers: HashMap<String, u32>,
    /// Whether something follows what is not there.
    pub(super) goes_on: bool,
    /// Of each node the first one whose record is the same, once that was asked for.
    pub(super) first_alike: Option<Vec<usize>>,
}

/// Ids of what.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    Records,
    Calls,
}

impl Index {
    pub(super) fn of(history: &History) -> Self {
        let mut index = Self {
            nodes: HashMap::new(),
            children: HashMap::new(),
            before: Vec::with_capacity(history.nodes.len()),
            first_of_id: HashMap::new(),
            first_call: HashMap::new(),
            taken: Default::default(),
            numbers: HashMap::new(),
            goes_on: history.problems.iter().any(|problem| problem.kind == ProblemKind::MissingParent),
            first_alike: None,
        };
        let [records, calls] = &mut index.taken;
        let mut last: [Option<usize>; 2] = [None; 2];
        for (at, node) in history.nodes.iter().enumerate() {
            index.nodes.insert(key(node.place), at);
            if let Some(parent) = node.parent {
                index.children.entry(parent as usize).or_default().push(at);
            }
            let last = if node.is_side { &mut last[1] } else { &mut last[0] };
            index.before.push(*last);
            if let Some(id) = node.id {
                *last = Some(at);
                index.first_of_id.entry(id).or_insert(at);
                records.insert(id);
            }
        }
        for (call, at) in history.calls.iter().zip(0..) {
            let Some(id) = call.id else { continue };
            calls.insert(id);
            if history.node_of(call.item).is_some_and(|node| node.is_on_path) {
                index.first_call.entry(id).or_insert(at);
            }
        }
        index
    }

    pub(super) fn node(&self, place: Place) -> Option<usize> {
        self.nodes.get(&key(place)).copied()
    }

    pub(super) fn children(&self, node: usize) -> &[usize] {
        self.children.get(&node).map_or(&[], |children| children)
    }

    pub(super) fn before(&self, node: usize) -> Option<usize> {
        self.before.get(node).copied().flatten()
    }

    pub(super) fn first_of_id(&self, id: Id) -> Option<usize> {
        self.first_of_id.get(&id).copied()
    }

    pub(super) fn first_call(&self, id: Id) -> Option<u32> {
        self.first_call.get(&id).copied()
    }

    /// An id that none has: the old one (a JSON string) with a number behind it.
    pub(super) fn fresh_id(&mut self, old: &[u8], before_number: char, of: Of) -> Option<Vec<u8>> {
        let taken = match of {
            Of::Records => &mut self.taken[0],
            Of::Calls => &mut self.taken[1],
        };
        let old = unquote(old)?.into_owned();
        // Of an id that was made so before, the number goes up.
        let number = |text: &str| text.len() < 4 && text.parse::<u32>().is_ok();
        let base = old
            .rsplit_once(before_number)
            .filter(|(base, end)| number(end) && taken.contains(&Id::of(&quote(base))));
        let base = base.map_or(&*old, |(base, _)| base);
        let last = self.numbers.entry(format!("{base}{before_number}")).or_insert(1);
        loop {
            *last = last.checked_add(1)?;
            let fresh = quote(&format!("{base}{before_number}{last}"));
            if taken.insert(Id::of(&fresh)) {
                return Some(fresh);
            }
        }
    }
}
