//! The parameters of a tool, wherever its schema names them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{Parameter, kind::kind};
use crate::schema::{Draft, pointed};

/// How many schemas are followed for the parameters of one tool, and how far into one another.
const MAX_SCHEMAS: usize = 1_000;
const MAX_NESTING: usize = 64;

/// A member of an object: a parameter, or one of what a parameter takes.
#[derive(Clone, Debug)]
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    /// What is said of it; nothing of one that is only required.
    pub(crate) schemas: Vec<&'a Value>,
    pub(crate) is_required: bool,
}

/// Returns the members of an object, wherever its schema names them: the required ones first, each in the order in which the schema
/// names them. What only some of several alternatives require is optional.
pub(crate) fn members<'a>(schema: &'a Map<String, Value>, root: &'a Value) -> Vec<Member<'a>> {
    let (properties, required) = read(schema, root);
    let is_required: HashSet<&str> = required.iter().copied().collect();
    // Those that are required without being named are asked for all the same.
    let unnamed = required.iter().filter(|name| !properties.places.contains_key(*name));
    let unnamed: Vec<_> = unnamed.map(|name| (*name, Vec::new())).collect();
    let all = properties.list.into_iter().chain(unnamed);
    let mut members: Vec<Member<'_>> = all
        .map(|(name, schemas)| Member { name, schemas, is_required: is_required.contains(name) })
        .collect();
    members.sort_by_key(|member| !member.is_required);
    members
}

/// Returns the parameters of a tool with this schema.
pub(super) fn parameters(schema: &Value) -> Vec<Parameter> {
    let members = schema.as_object().map(|keywords| members(keywords, schema)).unwrap_or_default();
    let parameters = members.into_iter().map(|member| Parameter {
        name: member.name.to_owned(),
        required: member.is_required,
        kind: kind(&member.schemas, schema),
    });
    parameters.collect()
}

/// Returns the names of the required parameters in the same order.
pub(super) fn required(schema: &Value) -> Vec<&str> {
    let Value::Object(keywords) = schema else { return Vec::new() };
    let (properties, required) = read(keywords, schema);
    let mut names: Vec<&str> = required;
    // Those that are not named keep their order, behind the others.
    names.sort_by_key(|name| properties.places.get(name).copied().unwrap_or(usize::MAX));
    names
}

#[derive(Default)]
struct Properties<'a> {
    list: Vec<(&'a str, Vec<&'a Value>)>,
    places: HashMap<&'a str, usize>,
}

fn read<'a>(keywords: &'a Map<String, Value>, root: &'a Value) -> (Properties<'a>, Vec<&'a str>) {
    let mut reader = Reader {
        root,
        draft: Draft::of(root),
        properties: Properties::default(),
        inside: Vec::new(),
        left: MAX_SCHEMAS,
    };
    let required = reader.keywords(keywords, 0);
    (reader.properties, required)
}

struct Reader<'a> {
    root: &'a Value,
    draft: Draft,
    properties: Properties<'a>,
    inside: Vec<*const Value>,
    left: usize,
}

impl<'a> Reader<'a> {
    /// Notes the properties of a schema, and returns what it requires.
    fn read(&mut self, schema: &'a Value, nesting: usize) -> Vec<&'a str> {
        let Value::Object(keywords) = schema else { return Vec::new() };
        let at = std::ptr::from_ref(schema);
        if nesting > MAX_NESTING || self.left == 0 || self.inside.contains(&at) {
            return Vec::new();
        }
        self.left -= 1;
        self.inside.push(at);
        let required = self.keywords(keywords, nesting);
        self.inside.pop();
        required
    }

    fn keywords(&mut self, keywords: &'a Map<String, Value>, nesting: usize) -> Vec<&'a str> {
        let mut required = Vec::new();
        if let Some(text) = keywords.get("$ref").and_then(Value::as_str) {
            if let Some(target) = pointed(self.root, text) {
                required = self.read(target, nesting + 1);
            }
            if self.draft == Draft::Old {
                return required;
            }
        }
        if let Some(Value::Object(properties)) = keywords.get("properties") {
            for (name, schema) in properties {
                let next = self.properties.list.len();
                let place = *self.properties.places.entry(name).or_insert(next);
                match self.properties.list.get_mut(place) {
                    Some((_, schemas)) => schemas.push(schema),
                    None => self.properties.list.push((name, vec![schema])),
                }
            }
        }
        add(&mut required, crate::schema::required(keywords));
        if let Some(Value::Array(schemas)) = keywords.get("allOf") {
            for schema in schemas {
                let more = self.read(schema, nesting + 1);
                add(&mut required, more);
            }
        }
        for key in ["anyOf", "oneOf"] {
            let Some(Value::Array(schemas)) = keywords.get(key) else { continue };
            let each: Vec<Vec<&str>> = schemas.iter().map(|schema| self.read(schema, nesting + 1)).collect();
            let Some((first, others)) = each.split_first() else { continue };
            let in_all = first.iter().copied().filter(|name| others.iter().all(|other| other.contains(name)));
            add(&mut required, in_all.collect());
        }
        required
    }
}

fn add<'a>(names: &mut Vec<&'a str>, more: Vec<&'a str>) {
    if names.is_empty() {
        *names = more;
        return;
    }
    let known: HashSet<&str> = names.iter().copied().collect();
    names.extend(more.into_iter().filter(|name| !known.contains(name)));
}
