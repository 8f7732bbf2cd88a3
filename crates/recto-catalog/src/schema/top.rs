//! The top of a schema: one object, whatever alternatives it is written with.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{
    build::{Builder, MAX_NESTING, is_never, required},
    graph::{ANY, Id, Node, Types},
    references::{Draft, address, reference},
};

/// What is said of the members of an object.
#[derive(Default)]
struct Members<'a> {
    properties: Vec<(&'a str, Id)>,
    required: Vec<&'a str>,
    /// Whether there may be no members but these.
    closed: bool,
}

impl<'a> Builder<'a> {
    /// Reads the schema as that of an object, without alternatives.
    pub(super) fn top(&mut self, root: &'a Value) -> Id {
        let members = self.fold(root, &mut HashSet::new(), 0).unwrap_or_default();
        self.graph.add(Node {
            types: Types::OBJECT,
            properties: members.properties,
            required: members.required,
            ..Node::default()
        })
    }

    /// Returns what a schema says of an object's members; nothing if it admits no object.
    fn fold(
        &mut self,
        schema: &'a Value,
        inside: &mut HashSet<usize>,
        nesting: usize,
    ) -> Option<Members<'a>> {
        if is_never(schema) {
            return None;
        }
        let Value::Object(keywords) = schema else { return Some(Members::default()) };
        if nesting > MAX_NESTING || self.folds_left == 0 || !inside.insert(address(schema)) {
            return Some(Members::default());
        }
        self.folds_left -= 1;
        let folded = self.fold_keywords(keywords, inside, nesting);
        inside.remove(&address(schema));
        folded
    }

    fn fold_keywords(
        &mut self,
        keywords: &'a Map<String, Value>,
        inside: &mut HashSet<usize>,
        nesting: usize,
    ) -> Option<Members<'a>> {
        let mut members = Members::default();
        if let Some(text) = reference(keywords) {
            if let Some(target) = self.references.get(text) {
                members = self.fold(target, inside, nesting + 1)?;
            }
            if self.draft == Draft::Old {
                return Some(members);
            }
        }
        if !Types::read(keywords.get("type")).may_be(Types::OBJECT) {
            return None;
        }
        let own = self.members(keywords);
        members = self.members_of_both(members, own);
        if let Some(Value::Array(schemas)) = keywords.get("allOf") {
            for schema in schemas {
                let part = self.fold(schema, inside, nesting + 1)?;
                members = self.members_of_both(members, part);
            }
        }
        for key in ["anyOf", "oneOf"] {
            let Some(Value::Array(schemas)) = keywords.get(key) else { continue };
            let mut alternatives = Vec::new();
            for schema in schemas {
                alternatives.extend(self.fold(schema, inside, nesting + 1));
            }
            if !alternatives.is_empty() {
                let part = self.members_of_either(&alternatives);
                members = self.members_of_both(members, part);
            }
        }
        Some(members)
    }

    fn members(&mut self, keywords: &'a Map<String, Value>) -> Members<'a> {
        let mut properties = Vec::new();
        if let Some(Value::Object(written)) = keywords.get("properties") {
            properties.reserve_exact(written.len());
            for (name, schema) in written {
                let id = self.build(schema, 1);
                properties.push((self.graph.name(name), id));
            }
        }
        let is_closed =
            keywords.get("additionalProperties").is_some_and(|schema| *schema == Value::Bool(false));
        Members {
            properties,
            required: required(keywords),
            closed: is_closed && !keywords.contains_key("patternProperties"),
        }
    }

    fn members_of_both(&mut self, first: Members<'a>, second: Members<'a>) -> Members<'a> {
        let mut required = first.required;
        let known: HashSet<&str> = required.iter().copied().collect();
        required.extend(second.required.into_iter().filter(|name| !known.contains(name)));
        Members {
            properties: self.joined_properties(first.properties, &second.properties),
            required,
            closed: first.closed || second.closed,
        }
    }

    /// Each property is what it is in one of the alternatives: anything, if one of them does not name it and leaves it open.
    fn members_of_either(&mut self, alternatives: &[Members<'a>]) -> Members<'a> {
        let mut order = Vec::new();
        let mut by_name: HashMap<&str, Vec<Id>> = HashMap::new();
        let mut required_in: HashMap<&str, usize> = HashMap::new();
        for alternative in alternatives {
            for (name, id) in &alternative.properties {
                let schemas = by_name.entry(name).or_default();
                if schemas.is_empty() {
                    order.push(*name);
                }
                schemas.push(*id);
            }
            for name in &alternative.required {
                *required_in.entry(name).or_default() += 1;
            }
        }
        let open = alternatives.iter().filter(|alternative| !alternative.closed).collect::<Vec<_>>();
        let named_in_open: Vec<HashSet<&str>> = open
            .iter()
            .map(|alternative| alternative.properties.iter().map(|(name, _)| *name).collect())
            .collect();
        let mut properties = Vec::with_capacity(order.len());
        for name in order {
            let is_anything = named_in_open.iter().any(|names| !names.contains(name));
            let schemas = by_name.get(name).map_or(&[][..], Vec::as_slice);
            let id = if is_anything { ANY } else { self.either(schemas) };
            properties.push((name, id));
        }
        let first = alternatives.first().map_or(&[][..], |first| first.required.as_slice());
        Members {
            properties,
            required: first
                .iter()
                .copied()
                .filter(|name| required_in.get(name) == Some(&alternatives.len()))
                .collect(),
            closed: open.is_empty(),
        }
    }
}
