//! A schema read into the graph.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

use serde_json::{Map, Value};

use super::{
    graph::{ANY, Graph, Id, Node, Types},
    references::{Draft, References, address},
};
use crate::tool::MAX_DEPTH;

/// How many schemas may stand in one another, references followed, before what is inside admits everything.
pub(super) const MAX_NESTING: usize = 128;

/// How far a schema that may be referred to has been read.
#[derive(Clone, Copy)]
enum Progress {
    /// It is being read; inside, it is named by this number.
    Open(u32),
    Done(Id),
}

pub(super) struct Builder<'a> {
    pub(super) graph: Graph<'a>,
    pub(super) references: References<'a>,
    pub(super) draft: Draft,
    progress: HashMap<usize, Progress>,
    /// By number: the body of a schema that is inside of itself. `None`: not read to its end, or not inside of itself.
    slots: Vec<Option<Id>>,
    recursive: HashSet<u32>,
    /// Conjunctions worked out, and how many may still be.
    pub(super) conjunctions: HashMap<(Id, Id), Id>,
    pub(super) conjunctions_left: usize,
    /// How many schemas may still be laid over one another at the top.
    pub(super) folds_left: usize,
}

/// What is written: the graph, its top, and the schemas that are inside of themselves.
pub(super) struct Flat<'a> {
    pub(super) graph: Graph<'a>,
    pub(super) top: Id,
    pub(super) slots: Vec<Option<Id>>,
}

impl<'a> Builder<'a> {
    /// `None` if the schema is nested too deep to be read.
    pub(super) fn new(root: &'a Value) -> Option<Self> {
        Some(Self {
            graph: Graph::new(),
            references: References::read(root, MAX_DEPTH)?,
            draft: Draft::of(root),
            progress: HashMap::new(),
            slots: Vec::new(),
            recursive: HashSet::new(),
            conjunctions: HashMap::new(),
            conjunctions_left: 20_000,
            folds_left: 2_000,
        })
    }

    pub(super) fn finish(self, top: Id) -> Flat<'a> {
        Flat { graph: self.graph, top, slots: self.slots }
    }

    /// Reads a schema.
    pub(super) fn build(&mut self, schema: &'a Value, nesting: usize) -> Id {
        let Value::Object(members) = schema else { return ANY };
        if nesting > MAX_NESTING {
            return ANY;
        }
        let at = address(schema);
        if !self.references.is_target(at) {
            return self.keywords(members, nesting);
        }
        if self.references.is_empty_cycle(at) {
            return ANY;
        }
        match self.progress.get(&at) {
            Some(Progress::Done(id)) => return *id,
            Some(Progress::Open(slot)) => {
                let slot = *slot;
                self.recursive.insert(slot);
                return self.graph.add(Node { slot: Some(slot), ..Node::default() });
            }
            None => {}
        }
        let Ok(slot) = u32::try_from(self.slots.len()) else { return ANY };
        self.slots.push(None);
        self.progress.insert(at, Progress::Open(slot));
        let mut id = self.keywords(members, nesting);
        if self.recursive.contains(&slot) {
            if let Some(body) = self.slots.get_mut(slot as usize) {
                *body = Some(id);
            }
            id = self.graph.add(Node { slot: Some(slot), ..Node::default() });
        }
        self.progress.insert(at, Progress::Done(id));
        id
    }

    fn keywords(&mut self, members: &'a Map<String, Value>, nesting: usize) -> Id {
        let said = Said::read(members);
        let referred = said.reference.map(|text| match self.references.get(text) {
            Some(target) => self.build(target, nesting + 1),
            None => ANY,
        });
        if let (Some(id), Draft::Old) = (referred, self.draft) {
            return id;
        }
        let mut id = self.own(members, &said, nesting);
        if let Some(referred) = referred {
            id = self.both(id, referred);
        }
        for alternatives in [said.any_of, said.one_of] {
            if let Some(Value::Array(schemas)) = alternatives {
                let possible = schemas.iter().filter(|schema| !is_never(schema));
                let parts: Vec<Id> = possible.map(|schema| self.build(schema, nesting + 1)).collect();
                let part = self.either(&parts);
                id = self.both(id, part);
            }
        }
        // Behind the alternatives: those that cannot be said in one place with these are written here, and are found here again.
        if let Some(Value::Array(schemas)) = said.all_of {
            for schema in schemas {
                let part = self.build(schema, nesting + 1);
                id = self.both(id, part);
            }
        }
        id
    }

    /// Reads what a schema says itself.
    fn own(&mut self, members: &'a Map<String, Value>, said: &Said<'a>, nesting: usize) -> Id {
        let mut node = Node { types: Types::read(said.types), ..Node::default() };
        if let Some(value) = said.constant {
            node.values.push(self.graph.value(value));
        } else if let Some(Value::Array(values)) = said.values {
            node.values = distinct(values.iter().map(|value| self.graph.value(value)), values.len());
        }
        if node.types.may_be(Types::OBJECT) {
            if let Some(Value::Object(properties)) = said.properties {
                node.properties.reserve_exact(properties.len());
                for (name, schema) in properties {
                    let id = self.build(schema, nesting + 1);
                    node.properties.push((self.graph.name(name), id));
                }
            }
            if said.has_required {
                node.required = required(members);
                node.required.iter_mut().for_each(|name| *name = self.graph.name(name));
            }
        }
        if node.types.may_be(Types::ARRAY) {
            let list = match (said.prefix_items, said.items) {
                (Some(Value::Array(list)), _) | (None, Some(Value::Array(list))) => Some(list),
                _ => None,
            };
            if let Some(list) = list {
                node.prefix_items = list.iter().map(|schema| self.build(schema, nesting + 1)).collect();
                while node.prefix_items.last() == Some(&ANY) {
                    node.prefix_items.pop();
                }
            } else if let Some(schema) = said.items {
                node.items = Some(self.build(schema, nesting + 1)).filter(|id| *id != ANY);
            }
        }
        self.graph.add(tidy(node))
    }
}

/// The keywords that are kept, found in one pass: most schemas have few of them, and looking for each takes longer.
#[derive(Default)]
struct Said<'a> {
    reference: Option<&'a str>,
    types: Option<&'a Value>,
    constant: Option<&'a Value>,
    values: Option<&'a Value>,
    properties: Option<&'a Value>,
    has_required: bool,
    items: Option<&'a Value>,
    prefix_items: Option<&'a Value>,
    all_of: Option<&'a Value>,
    any_of: Option<&'a Value>,
    one_of: Option<&'a Value>,
}

impl<'a> Said<'a> {
    fn read(members: &'a Map<String, Value>) -> Self {
        let mut said = Self::default();
        for (key, value) in members {
            match key.as_str() {
                "$ref" => said.reference = value.as_str(),
                "type" => said.types = Some(value),
                "const" => said.constant = Some(value),
                "enum" => said.values = Some(value),
                "properties" => said.properties = Some(value),
                "required" => said.has_required = true,
                "items" => said.items = Some(value),
                "prefixItems" => said.prefix_items = Some(value),
                "allOf" => said.all_of = Some(value),
                "anyOf" => said.any_of = Some(value),
                "oneOf" => said.one_of = Some(value),
                _ => {}
            }
        }
        said
    }
}

/// Reads the names of `required`, each once.
pub(crate) fn required(members: &Map<String, Value>) -> Vec<&str> {
    let Some(Value::Array(names)) = members.get("required") else { return Vec::new() };
    distinct(names.iter().filter_map(Value::as_str), names.len())
}

/// Returns each of at most `count` things once, in their order.
pub(super) fn distinct<T: Copy + Eq + Hash>(things: impl Iterator<Item = T>, count: usize) -> Vec<T> {
    let mut distinct = Vec::with_capacity(count);
    let mut seen = HashSet::new();
    for thing in things {
        // A few are compared, many are looked up.
        let is_new = if count > 8 { seen.insert(thing) } else { !distinct.contains(&thing) };
        if is_new {
            distinct.push(thing);
        }
    }
    distinct
}

/// Says what values there are by their types too, and leaves out values and keywords that the types rule out.
pub(super) fn tidy(mut node: Node<'_>) -> Node<'_> {
    if !node.values.is_empty() {
        let types = node.types;
        let is_number = |value: &Value| value.is_number() && types.has(Types::INTEGER);
        let fits = |value: &Value| types.may_be(Types::of(value)) || is_number(value);
        // Where none fits nothing is admitted; what the types say is left of that.
        node.values.retain(|value| fits(value));
        if types.is_unsaid() {
            node.types = node.values.iter().fold(Types::default(), |types, value| types.or(Types::of(value)));
        }
    }
    if !node.types.may_be(Types::OBJECT) {
        node.properties.clear();
        node.required.clear();
    }
    if !node.types.may_be(Types::ARRAY) {
        node.items = None;
        node.prefix_items.clear();
    }
    if !node.prefix_items.is_empty() {
        node.items = None;
    }
    node
}

/// Whether a schema admits nothing: what is written for a value that is not there.
pub(crate) fn is_never(schema: &Value) -> bool {
    let is_everything = |schema: &Value| match schema {
        Value::Bool(all) => *all,
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    match schema {
        Value::Bool(all) => !all,
        Value::Object(members) => members.len() == 1 && members.get("not").is_some_and(is_everything),
        _ => false,
    }
}
