//! The graph written as a schema.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{
    build::Flat,
    graph::{ANY, Id, Node, Types},
    sharing::{Costs, Parts},
};

/// `{"$ref":"#/$defs/a"}`, and `"a":` with its comma. A reference takes 9 tokens, as many as 34 bytes of another schema.
const COSTS: Costs = Costs { reference: 34, definition: 14 };

/// How many schemas may stand in one another before a definition cuts them, so that every reader of JSON takes the result.
const MAX_HEIGHT: u32 = 24;

pub(super) fn write(flat: &Flat<'_>) -> Value {
    let chosen = choose(flat);
    let mut writer = Writer {
        flat,
        chosen,
        names: HashMap::new(),
        waiting: Vec::new(),
        next_waiting: 0,
        leaves: vec![Value::Null; flat.graph.nodes().len()],
    };
    let mut top = Map::with_capacity(4);
    let node = flat.graph.get(flat.top);
    top.insert("type".to_owned(), "object".into());
    top.insert("properties".to_owned(), Value::Object(writer.properties(node)));
    if !node.required.is_empty() {
        top.insert("required".to_owned(), names(node));
    }
    let mut definitions = Map::new();
    while let Some(&id) = writer.waiting.get(writer.next_waiting) {
        writer.next_waiting += 1;
        let name = writer.names.get(&id).cloned().unwrap_or_default();
        let body = writer.node(id);
        definitions.insert(name, body);
    }
    if !definitions.is_empty() {
        top.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Value::Object(top)
}

/// The place of what a node stands for: itself, or the schema that it is inside of.
fn meant(flat: &Flat<'_>, id: Id) -> Id {
    let mut id = id;
    // One slot may stand for another; those that stand for each other were cut where they were read.
    for _ in 0..=flat.slots.len() {
        match flat.graph.get(id).slot {
            Some(slot) => id = flat.slots.get(slot as usize).copied().flatten().unwrap_or(ANY),
            None => return id,
        }
    }
    ANY
}

fn choose(flat: &Flat<'_>) -> Vec<bool> {
    let nodes = flat.graph.nodes();
    let mut reached = vec![false; nodes.len()];
    let mut forced = vec![false; nodes.len()];
    let mut open = vec![flat.top];
    while let Some(id) = open.pop() {
        let Some(seen) = reached.get_mut(id as usize) else { continue };
        if std::mem::replace(seen, true) {
            continue;
        }
        let node = flat.graph.get(id);
        if node.slot.is_some() {
            let body = meant(flat, id);
            if let Some(forced) = forced.get_mut(body as usize).filter(|_| body != ANY && body != flat.top) {
                *forced = true;
            }
            open.push(body);
        }
        open.extend(node.children());
    }
    let mut parts = Parts {
        bytes: Vec::with_capacity(nodes.len()),
        ends: Vec::with_capacity(nodes.len()),
        children: Vec::new(),
        written: forced.iter().map(|forced| u64::from(*forced)).collect(),
        inseparable: vec![false; nodes.len()],
        forced,
    };
    for (node, reached) in nodes.iter().zip(&reached) {
        parts.bytes.push(bytes(node));
        if *reached {
            parts.children.extend(node.children());
        }
        parts.ends.push(parts.children.len());
    }
    let top = flat.top as usize;
    if let (Some(written), Some(inseparable)) = (parts.written.get_mut(top), parts.inseparable.get_mut(top)) {
        *written = 1;
        *inseparable = true;
    }
    parts.choose(COSTS, MAX_HEIGHT)
}

/// Whether the values of an enum say the same as its types.
fn said_by_values(node: &Node<'_>) -> bool {
    let of_values = node.values.iter().fold(Types::default(), |types, value| types.or(Types::of(value)));
    !node.values.is_empty() && of_values == node.types
}

/// About as many bytes as a node takes without the schemas in it.
fn bytes(node: &Node<'_>) -> u64 {
    if node.slot.is_some() {
        return COSTS.reference;
    }
    let types = node.types.names().map(|name| name.len() + 3).sum::<usize>();
    let values = node.values.iter().map(|value| match value {
        Value::String(text) => text.len() + 3,
        _ => 6,
    });
    let properties = node.properties.iter().map(|(name, _)| name.len() + 4);
    let required = node.required.iter().map(|name| name.len() + 3);
    let lists = [&node.prefix_items, &node.any_of, &node.all_of];
    let sum = 2
        + if types == 0 || said_by_values(node) { 0 } else { types + 7 }
        + values.sum::<usize>()
        + if node.values.is_empty() { 0 } else { 9 }
        + properties.sum::<usize>()
        + if node.properties.is_empty() { 0 } else { 15 }
        + required.sum::<usize>()
        + if node.required.is_empty() { 0 } else { 13 }
        + if node.types.has(Types::ARRAY) { 9 } else { 0 }
        + lists.iter().map(|list| if list.is_empty() { 0 } else { 10 + list.len() }).sum::<usize>();
    u64::try_from(sum).unwrap_or(u64::MAX)
}

struct Writer<'f, 'a> {
    flat: &'f Flat<'a>,
    chosen: Vec<bool>,
    names: HashMap<Id, String>,
    /// The definitions in the order in which they are named, and the first that is not yet written.
    waiting: Vec<Id>,
    next_waiting: usize,
    /// By place, the nodes without others in them that are written already: a copy is made sooner than another one.
    leaves: Vec<Value>,
}

impl<'a> Writer<'_, 'a> {
    fn properties(&mut self, node: &Node<'a>) -> Map<String, Value> {
        let mut properties = Map::with_capacity(node.properties.len());
        for (name, id) in &node.properties {
            let schema = self.schema(*id);
            properties.insert((*name).to_owned(), schema);
        }
        properties
    }

    /// Writes a node, or a reference to it.
    fn schema(&mut self, id: Id) -> Value {
        let is_slot = self.flat.graph.get(id).slot.is_some();
        let id = meant(self.flat, id);
        if is_slot && id == self.flat.top {
            return json!({"$ref": "#"});
        }
        if id == ANY || !self.chosen.get(id as usize).copied().unwrap_or(false) {
            return self.node(id);
        }
        if !self.names.contains_key(&id) {
            self.names.insert(id, letters(self.names.len()));
            self.waiting.push(id);
        }
        let name = self.names.get(&id).map_or("", String::as_str);
        json!({"$ref": format!("#/$defs/{name}")})
    }

    fn node(&mut self, id: Id) -> Value {
        let flat = self.flat;
        let node = flat.graph.get(id);
        if !node.is_scalar() {
            return self.keywords(node);
        }
        if let Some(leaf @ Value::Object(_)) = self.leaves.get(id as usize) {
            return leaf.clone();
        }
        let schema = self.keywords(node);
        if let Some(leaf) = self.leaves.get_mut(id as usize) {
            leaf.clone_from(&schema);
        }
        schema
    }

    fn keywords(&mut self, node: &Node<'a>) -> Value {
        let mut schema = Map::with_capacity(if node.is_only_types() { 1 } else { 3 });
        // Values say what type they are.
        let said = if said_by_values(node) { Types::default() } else { node.types };
        let mut types = said.names();
        match (types.next(), types.next()) {
            (Some(only), None) => {
                schema.insert("type".to_owned(), only.into());
            }
            (Some(_), Some(_)) => {
                schema.insert("type".to_owned(), node.types.names().collect());
            }
            _ => {}
        }
        if !node.values.is_empty() {
            let values = node.values.iter().map(|value| (*value).clone()).collect();
            schema.insert("enum".to_owned(), Value::Array(values));
        }
        if !node.properties.is_empty() {
            schema.insert("properties".to_owned(), Value::Object(self.properties(node)));
        }
        if !node.required.is_empty() {
            schema.insert("required".to_owned(), names(node));
        }
        self.list("prefixItems", &node.prefix_items, &mut schema);
        // Some providers refuse arrays of which nothing is said.
        if node.items.is_some() || node.types.has(Types::ARRAY) {
            let items = node.items.unwrap_or(ANY);
            let items = self.schema(items);
            schema.insert("items".to_owned(), items);
        }
        self.list("anyOf", &node.any_of, &mut schema);
        self.list("allOf", &node.all_of, &mut schema);
        Value::Object(schema)
    }

    fn list(&mut self, key: &str, ids: &[Id], schema: &mut Map<String, Value>) {
        if !ids.is_empty() {
            let schemas = ids.iter().map(|id| self.schema(*id)).collect();
            schema.insert(key.to_owned(), Value::Array(schemas));
        }
    }
}

fn names(node: &Node<'_>) -> Value {
    Value::Array(node.required.iter().map(|name| Value::String((*name).to_owned())).collect())
}

/// The name of a definition: `a` to `z`, then `aa` and so on.
fn letters(number: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = number;
    loop {
        let letter = u32::try_from(rest % 26).unwrap_or(0);
        letters.push(char::from_u32(u32::from('a') + letter).unwrap_or('a'));
        match rest / 26 {
            0 => break,
            more => rest = more - 1,
        }
    }
    letters.iter().rev().collect()
}
