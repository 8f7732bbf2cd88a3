//! Schemas that hold at once, and schemas of which one holds.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{
    build::{Builder, distinct, tidy},
    graph::{ANY, Id, Node, Types},
};

/// How many alternatives each further one is compared with.
const MAX_JOINED: usize = 32;

/// How many values one alternative may have for more to be written with them.
const MAX_JOINED_VALUES: usize = 1_000;

static NULL: Value = Value::Null;

impl<'a> Builder<'a> {
    /// Returns a schema that admits what both admit, and more where both cannot be said in one place.
    pub(super) fn both(&mut self, one: Id, other: Id) -> Id {
        if one == other || other == ANY {
            return one;
        }
        if one == ANY {
            return other;
        }
        if let Some(id) = self.conjunctions.get(&(one, other)) {
            return *id;
        }
        if self.conjunctions_left == 0 {
            return one;
        }
        self.conjunctions_left -= 1;
        let node = self.conjunction(one, other);
        let id = self.graph.add(node);
        self.conjunctions.insert((one, other), id);
        id
    }

    fn conjunction(&mut self, one: Id, other: Id) -> Node<'a> {
        let (first, second) = (self.graph.get(one).clone(), self.graph.get(other).clone());
        if first.slot.is_some() || second.slot.is_some() {
            let (mut node, id) = if second.slot.is_some() { (first, other) } else { (second, one) };
            if node.slot.is_some() {
                node = Node { all_of: vec![one], ..Node::default() };
            }
            if !node.all_of.contains(&id) {
                node.all_of.push(id);
            }
            return node;
        }
        let mut node = first;
        if node.types.is_unsaid() {
            node.types = second.types;
        } else if node.types.shares(second.types) {
            node.types = node.types.and(second.types);
        }
        if node.values.is_empty() {
            node.values = second.values;
        } else if !second.values.is_empty() {
            let known: HashSet<&Value> = second.values.into_iter().collect();
            let shared: Vec<&Value> =
                node.values.iter().copied().filter(|value| known.contains(value)).collect();
            // Numbers may be written in two ways: lists with such values are not cut to what is written alike.
            let is_word = |value: &Value| value.is_string() || value.is_boolean() || value.is_null();
            if !shared.is_empty() && node.values.iter().chain(&known).all(|value| is_word(value)) {
                node.values = shared;
            }
        }
        node.properties = self.joined_properties(node.properties, &second.properties);
        for name in second.required {
            if !node.required.contains(&name) {
                node.required.push(name);
            }
        }
        node.items = match (node.items, second.items) {
            (Some(first), Some(second)) => Some(self.both(first, second)),
            (first, second) => first.or(second),
        };
        if node.prefix_items.is_empty() {
            node.prefix_items = second.prefix_items;
        }
        if node.any_of.is_empty() {
            node.any_of = second.any_of;
        } else if !second.any_of.is_empty() && node.any_of != second.any_of {
            let alternatives = self.graph.add(Node { any_of: second.any_of, ..Node::default() });
            if !node.all_of.contains(&alternatives) {
                node.all_of.push(alternatives);
            }
        }
        for part in second.all_of {
            if !node.all_of.contains(&part) {
                node.all_of.push(part);
            }
        }
        tidy(node)
    }

    /// Returns properties of which each is what both say of it.
    pub(super) fn joined_properties(
        &mut self,
        mut first: Vec<(&'a str, Id)>,
        second: &[(&'a str, Id)],
    ) -> Vec<(&'a str, Id)> {
        if second.is_empty() {
            return first;
        }
        if first.is_empty() {
            return second.to_vec();
        }
        let places: HashMap<&str, usize> =
            first.iter().enumerate().map(|(place, (name, _))| (*name, place)).collect();
        for (name, id) in second {
            match places.get(name).and_then(|place| first.get_mut(*place)) {
                Some((_, known)) => *known = self.both(*known, *id),
                None => first.push((name, *id)),
            }
        }
        first
    }

    /// Returns the schema that admits what at least one of them admits, exactly.
    pub(super) fn either(&mut self, schemas: &[Id]) -> Id {
        let mut alternatives: Vec<Id> = Vec::new();
        for id in schemas {
            let node = self.graph.get(*id);
            // Alternatives of an alternative are alternatives.
            if node.is_only_alternatives() {
                alternatives.extend(&node.any_of);
            } else {
                alternatives.push(*id);
            }
        }
        if alternatives.contains(&ANY) {
            return ANY;
        }
        let count = alternatives.len();
        let mut joined: Vec<Node<'a>> = Vec::with_capacity(count.min(MAX_JOINED));
        for id in distinct(alternatives.into_iter(), count) {
            let node = self.graph.get(id);
            match joined.iter_mut().take(MAX_JOINED).find_map(|known| Some((join(known, node)?, known))) {
                Some((both, known)) => *known = both,
                None => joined.push(node.clone()),
            }
        }
        let count = joined.len();
        let ids = distinct(joined.into_iter().map(|node| self.graph.add(node)), count);
        match ids.as_slice() {
            [] => ANY,
            [id] => *id,
            _ => self.graph.add(Node { any_of: ids, ..Node::default() }),
        }
    }
}

/// Writes two alternatives as one, if that admits the same.
fn join<'a>(one: &Node<'a>, other: &Node<'a>) -> Option<Node<'a>> {
    if one.values.len() > MAX_JOINED_VALUES {
        return None;
    }
    if !one.is_plain() || !other.is_plain() || one.types.is_unsaid() || other.types.is_unsaid() {
        return None;
    }
    if one.is_only_types() && other.is_only_types() {
        return Some(Node { types: one.types.or(other.types), ..Node::default() });
    }
    let is_apart = !one.types.shares(other.types);
    let mut node = one.clone();
    match (one.values.is_empty(), other.values.is_empty()) {
        (false, false) if is_apart || (one.is_scalar() && other.is_scalar()) => {
            node.values.extend(other.values.iter().filter(|value| !one.values.contains(value)));
        }
        (true, true) if is_apart => {}
        // No value but one is of the type null.
        (false, true) if is_apart && *other == only_null() => node.values.push(&NULL),
        (true, false) if is_apart && *one == only_null() => {
            node.values = [vec![&NULL], other.values.clone()].concat()
        }
        _ => return None,
    }
    // Values that no type admits may have been left in one of them.
    let mut seen = HashSet::new();
    node.values.retain(|value| seen.insert(*value));
    node.types = one.types.or(other.types);
    // Each of these is about one type, which only one of the two admits.
    if node.properties.is_empty() {
        node.properties.clone_from(&other.properties);
    }
    if node.required.is_empty() {
        node.required.clone_from(&other.required);
    }
    node.items = node.items.or(other.items);
    if node.prefix_items.is_empty() {
        node.prefix_items.clone_from(&other.prefix_items);
    }
    Some(node)
}

fn only_null() -> Node<'static> {
    Node { types: Types::NULL, ..Node::default() }
}
