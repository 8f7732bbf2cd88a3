//! Definitions to a table and references.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{MARK, REFERENCE, SHAPES, VERSION, is_escaped, prefixes};
use crate::{
    schema::sharing::{Costs, Parts},
    tool::Tool,
};

/// `{"$":12}` takes 5 tokens, as many as 16 bytes of another definition.
const COSTS: Costs = Costs { reference: 16, definition: 2 };

/// A value whose parts are places of others. Two equal ones are written with the same bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Part<'a> {
    Null,
    Bool(bool),
    /// As it is written: numbers that are equal may be written in two ways.
    Number(String),
    Text(&'a str),
    Array(Vec<u32>),
    Object(Vec<(&'a str, u32)>),
}

pub(super) fn encode(tools: &[Tool]) -> Value {
    let mut encoder = Encoder { places: HashMap::new(), parts: Vec::new() };
    let roots: Vec<u32> = tools.iter().map(|tool| encoder.add(tool.written())).collect();
    let (table, writer) = encoder.finish(&roots);
    let tools: Vec<Value> = tools
        .iter()
        .zip(&roots)
        .map(|(tool, root)| {
            let shape = SHAPES.iter().find(|(shape, _)| *shape == tool.shape()).map(|(_, name)| *name);
            let own = tool.written().get("_server").and_then(Value::as_str);
            let server = tool.server().filter(|server| Some(*server) != own);
            json!([shape, server, writer.reference_or_part(*root)])
        })
        .collect();
    let mut encoded = Map::new();
    encoded.insert(MARK.to_owned(), VERSION.into());
    encoded.insert("table".to_owned(), Value::Array(table));
    encoded.insert("tools".to_owned(), Value::Array(tools));
    Value::Object(encoded)
}

struct Encoder<'a> {
    places: HashMap<Part<'a>, u32>,
    parts: Vec<Part<'a>>,
}

impl<'a> Encoder<'a> {
    fn add(&mut self, value: &'a Value) -> u32 {
        let part = match value {
            Value::Null => Part::Null,
            Value::Bool(value) => Part::Bool(*value),
            Value::Number(number) => Part::Number(number.to_string()),
            Value::String(text) => Part::Text(text),
            Value::Array(items) => Part::Array(items.iter().map(|item| self.add(item)).collect()),
            Value::Object(members) => {
                Part::Object(members.iter().map(|(key, value)| (key.as_str(), self.add(value))).collect())
            }
        };
        if let Some(place) = self.places.get(&part) {
            return *place;
        }
        // A definition of four thousand million parts does not fit into memory.
        let place = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
        self.parts.push(part.clone());
        self.places.insert(part, place);
        place
    }

    /// Chooses what goes into the table, and writes that.
    fn finish(self, roots: &[u32]) -> (Vec<Value>, Writer<'a>) {
        let chosen = self.choose(roots);
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(*text),
            _ => None,
        });
        let prefixes = prefixes::choose(texts.collect());
        let mut table: Vec<Value> = prefixes.iter().map(|prefix| prefix.text.into()).collect();
        let mut by_text = HashMap::new();
        for (place, prefix) in prefixes.iter().enumerate() {
            by_text.extend(prefix.of.iter().map(|text| (*text, (place, prefix.text.len()))));
        }
        let mut writer = Writer { parts: self.parts, in_table: HashMap::new(), prefixes: by_text };
        for (place, _) in (0..).zip(&chosen).filter(|(_, chosen)| **chosen) {
            table.push(writer.part(place));
            writer.in_table.insert(place, table.len() - 1);
        }
        (table, writer)
    }

    fn choose(&self, roots: &[u32]) -> Vec<bool> {
        let mut parts = Parts {
            bytes: Vec::with_capacity(self.parts.len()),
            ends: Vec::with_capacity(self.parts.len()),
            children: Vec::new(),
            written: vec![0; self.parts.len()],
            forced: vec![false; self.parts.len()],
            inseparable: vec![false; self.parts.len()],
        };
        for root in roots {
            if let Some(times) = parts.written.get_mut(*root as usize) {
                *times += 1;
            }
        }
        for part in &self.parts {
            let bytes = match part {
                Part::Null | Part::Bool(_) => 5,
                Part::Number(digits) => digits.len(),
                Part::Text(text) => text.len() + 2,
                Part::Array(items) => {
                    parts.children.extend(items);
                    items.len() + 2
                }
                Part::Object(members) => {
                    parts.children.extend(members.iter().map(|(_, value)| *value));
                    members.iter().map(|(key, _)| key.len() + 4).sum::<usize>() + 2
                }
            };
            parts.bytes.push(u64::try_from(bytes).unwrap_or(u64::MAX));
            parts.ends.push(parts.children.len());
        }
        parts.choose(COSTS, u32::MAX)
    }
}

struct Writer<'a> {
    parts: Vec<Part<'a>>,
    /// The places in the table of the parts that are there.
    in_table: HashMap<u32, usize>,
    /// For texts that begin like others: the place of that in the table, and its length.
    prefixes: HashMap<&'a str, (usize, usize)>,
}

impl Writer<'_> {
    fn reference_or_part(&self, place: u32) -> Value {
        match self.in_table.get(&place) {
            Some(place) => json!({REFERENCE: place}),
            None => self.part(place),
        }
    }

    fn part(&self, place: u32) -> Value {
        match self.parts.get(place as usize) {
            None | Some(Part::Null) => Value::Null,
            Some(Part::Bool(value)) => (*value).into(),
            Some(Part::Number(digits)) => serde_json::from_str(digits).unwrap_or_default(),
            Some(Part::Text(text)) => match self.prefixes.get(text) {
                Some((prefix, length)) => {
                    json!({REFERENCE: [prefix, text.get(*length..).unwrap_or_default()]})
                }
                None => (*text).into(),
            },
            Some(Part::Array(items)) => items.iter().map(|item| self.reference_or_part(*item)).collect(),
            Some(Part::Object(members)) => {
                let is_alone = members.len() == 1;
                let written = members.iter().map(|(key, value)| {
                    let escape = if is_alone && is_escaped(key) { REFERENCE } else { "" };
                    (format!("{escape}{key}"), self.reference_or_part(*value))
                });
                Value::Object(written.collect())
            }
        }
    }
}
