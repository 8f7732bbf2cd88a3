//! A table and references to definitions.

use serde_json::{Map, Value};

use super::{MARK, MAX_DECODED_BYTES, REFERENCE, SHAPES, VERSION, is_escaped};
use crate::tool::{MAX_DEPTH, Tool, is_deeper, kind};

/// How much deeper an encoding may be than its tools: the lists that they stand in, and a reference.
const FRAME_DEPTH: usize = 6;

/// What stands at a place of the table, written out, and how large that is.
struct Entry {
    value: Value,
    bytes: u64,
    depth: usize,
}

pub(super) fn decode(encoded: &Value) -> Result<Vec<Tool>, String> {
    if is_deeper(encoded, MAX_DEPTH + FRAME_DEPTH) {
        return Err(format!("it is nested deeper than {MAX_DEPTH}"));
    }
    match encoded.get(MARK) {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) => return Err(format!("its version is {version}, and only {VERSION} is read")),
        None => return Err(format!("it has no `{MARK}`, which says its version")),
    }
    let list = |key: &str| match encoded.get(key) {
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(format!("`{key}` is {}, not an array", kind(other))),
        None => Err(format!("it has no `{key}`")),
    };
    let mut decoder = Decoder { table: Vec::new(), left: MAX_DECODED_BYTES };
    for (place, value) in list("table")?.iter().enumerate() {
        let entry = decoder.decode(value).map_err(|error| format!("place {place} of its table: {error}"))?;
        decoder.table.push(entry);
    }
    let tools = list("tools")?.iter().enumerate();
    tools.map(|(index, row)| decoder.tool(row).map_err(|error| format!("tool {index}: {error}"))).collect()
}

struct Decoder {
    table: Vec<Entry>,
    /// How many bytes may still be written out.
    left: u64,
}

impl Decoder {
    fn tool(&mut self, row: &Value) -> Result<Tool, String> {
        let Some([shape, server, definition]) = row.as_array().map(Vec::as_slice) else {
            return Err("it is not a list of shape, server and definition".to_owned());
        };
        let shape = SHAPES.iter().find(|(_, name)| shape.as_str() == Some(name)).map(|(shape, _)| *shape);
        let shape = shape.ok_or("its shape is none that is known")?;
        let server = match server {
            Value::Null => None,
            Value::String(server) => Some(server.as_str()),
            other => return Err(format!("its server is {}, not a string", kind(other))),
        };
        Tool::read(self.decode(definition)?.value, shape, server)
    }

    /// Writes a value out. Its size is known before that is done.
    fn decode(&mut self, value: &Value) -> Result<Entry, String> {
        let (bytes, depth) = self.measure(value)?;
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            format!("written out, the tools would take more than {MAX_DECODED_BYTES} bytes")
        })?;
        if depth > MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH}"));
        }
        Ok(Entry { value: self.written_out(value), bytes, depth })
    }

    /// Returns how many bytes, about, and how many levels a value takes when it is written out.
    fn measure(&self, value: &Value) -> Result<(u64, usize), String> {
        // What a value takes in memory beside its text.
        const FRAME: u64 = 32;
        let bytes = |text: &str| u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_add(FRAME);
        match value {
            Value::String(text) => Ok((bytes(text), 1)),
            Value::Array(items) => items.iter().try_fold((FRAME, 1), |(sum, depth), item| {
                let (size, inner) = self.measure(item)?;
                Ok((sum.saturating_add(size), depth.max(inner.saturating_add(1))))
            }),
            Value::Object(members) => match reference(members) {
                Some(reference) => {
                    let (entry, rest) = self.referred(reference)?;
                    Ok((entry.bytes.saturating_add(rest.map_or(0, bytes)), entry.depth))
                }
                None => members.iter().try_fold((FRAME, 1), |(sum, depth), (key, member)| {
                    let (size, inner) = self.measure(member)?;
                    let sum = sum.saturating_add(size).saturating_add(bytes(key));
                    Ok((sum, depth.max(inner.saturating_add(1))))
                }),
            },
            _ => Ok((FRAME, 1)),
        }
    }

    fn written_out(&self, value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.written_out(item)).collect(),
            Value::Object(members) => match reference(members) {
                Some(reference) => match self.referred(reference) {
                    Ok((entry, None)) => entry.value.clone(),
                    Ok((entry, Some(rest))) => {
                        format!("{}{rest}", entry.value.as_str().unwrap_or_default()).into()
                    }
                    Err(_) => Value::Null,
                },
                None => {
                    let is_alone = members.len() == 1;
                    let written = members.iter().map(|(key, member)| {
                        let key =
                            if is_alone && is_escaped(key) { key.get(1..).unwrap_or_default() } else { key };
                        (key.to_owned(), self.written_out(member))
                    });
                    Value::Object(written.collect())
                }
            },
            other => other.clone(),
        }
    }

    /// Returns what a reference refers to, and the text behind it.
    fn referred<'v>(&self, reference: &'v Value) -> Result<(&Entry, Option<&'v str>), String> {
        let (place, rest) = match reference {
            Value::Array(parts) => match parts.as_slice() {
                [place, Value::String(rest)] => (place, Some(rest.as_str())),
                _ => return Err(format!("`{reference}` is no reference")),
            },
            place => (place, None),
        };
        let index = place.as_u64().and_then(|place| usize::try_from(place).ok());
        let entry = index.and_then(|index| self.table.get(index));
        let entry =
            entry.ok_or_else(|| format!("it refers to {place}, which is not before it in the table"))?;
        if rest.is_some() && !entry.value.is_string() {
            return Err(format!("it refers to {place} as a text, which is {}", kind(&entry.value)));
        }
        Ok((entry, rest))
    }
}

fn reference(members: &Map<String, Value>) -> Option<&Value> {
    if members.len() == 1 { members.get(REFERENCE) } else { None }
}
