//! What `$ref`s refer to, and which of them say nothing.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use serde_json::{Map, Value};

/// The rules that a schema is written by, as far as they differ in what is kept of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draft {
    /// Draft 7 or earlier: what stands beside a `$ref` is not read, and `items` may be a list.
    Old,
    /// 2019-09 or later, and whatever names no draft.
    New,
}

impl Draft {
    /// Reads `$schema`.
    pub(crate) fn of(root: &Value) -> Self {
        let name = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        if ["draft-03", "draft-04", "draft-05", "draft-06", "draft-07"]
            .iter()
            .any(|draft| name.contains(draft))
        {
            Self::Old
        } else {
            Self::New
        }
    }
}

/// The keywords whose schemas are about the same value as the one that they stand in.
pub(super) const SAME_PLACE: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// A value's address: two values at one address are one value, while the document is borrowed.
pub(super) fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// The `$ref`s of a document and what stands where they point to.
pub(super) struct References<'a> {
    by_text: HashMap<&'a str, Option<&'a Value>>,
    /// The addresses of what is referred to.
    targets: HashSet<usize>,
    /// Those that refer to themselves without saying anything in between.
    empty: HashSet<usize>,
}

impl<'a> References<'a> {
    /// Reads the document; `None` if values stand in one another more than `max_depth` times.
    pub(super) fn read(root: &'a Value, max_depth: usize) -> Option<Self> {
        let mut texts: Vec<&str> = Vec::new();
        let mut has_own_names = false;
        let mut open = vec![(root, 1)];
        while let Some((value, depth)) = open.pop() {
            let first = open.len();
            match value {
                Value::Array(items) => {
                    if depth == max_depth && !items.is_empty() {
                        return None;
                    }
                    let inner = items.iter().filter(|item| item.is_object() || item.is_array());
                    open.extend(inner.map(|item| (item, depth + 1)));
                }
                Value::Object(members) => {
                    if depth == max_depth && !members.is_empty() {
                        return None;
                    }
                    for (key, member) in members {
                        match member {
                            Value::String(text) => match key.as_str() {
                                "$ref" => texts.push(text),
                                // Inside a schema with a name of its own references start from there.
                                "$id" | "id" => has_own_names |= !std::ptr::eq(value, root),
                                _ => {}
                            },
                            Value::Object(_) | Value::Array(_) => open.push((member, depth + 1)),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
            // The last is taken first.
            if let Some(inner) = open.get_mut(first..) {
                inner.reverse();
            }
        }
        let mut references = Self { by_text: HashMap::new(), targets: HashSet::new(), empty: HashSet::new() };
        for text in &texts {
            let target = if has_own_names { None } else { pointed(root, text) };
            if references.by_text.insert(text, target).is_none() {
                references.targets.extend(target.map(address));
            }
        }
        references.find_empty(&texts);
        Some(references)
    }

    /// Returns what a `$ref` refers to, if that is in the document.
    pub(super) fn get(&self, text: &str) -> Option<&'a Value> {
        self.by_text.get(text).copied().flatten()
    }

    pub(super) fn is_target(&self, address: usize) -> bool {
        !self.targets.is_empty() && self.targets.contains(&address)
    }

    /// Whether the schema at this address says nothing but that it is like itself.
    pub(super) fn is_empty_cycle(&self, address: usize) -> bool {
        self.empty.contains(&address)
    }

    /// Walks from reference to reference as far as no value is entered; where that comes back, the cycle is cut.
    fn find_empty(&mut self, texts: &[&'a str]) {
        let mut done: HashSet<usize> = HashSet::new();
        for text in texts {
            let Some(start) = self.get(text).filter(|start| !done.contains(&address(start))) else {
                continue;
            };
            let mut path = vec![(address(start), self.beside(start))];
            let mut on_path = HashSet::from([address(start)]);
            while let Some((at, next)) = path.last_mut() {
                let Some(target) = next.pop() else {
                    on_path.remove(at);
                    done.insert(*at);
                    path.pop();
                    continue;
                };
                let at = address(target);
                if on_path.contains(&at) {
                    self.empty.insert(at);
                } else if !done.contains(&at) {
                    on_path.insert(at);
                    path.push((at, self.beside(target)));
                }
            }
        }
    }

    /// What a schema refers to for the very value that it is about.
    fn beside(&self, schema: &'a Value) -> Vec<&'a Value> {
        let mut found = Vec::new();
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            let Value::Object(members) = schema else { continue };
            found.extend(reference(members).and_then(|text| self.get(text)));
            for key in SAME_PLACE {
                if let Some(Value::Array(schemas)) = members.get(key) {
                    open.extend(schemas);
                }
            }
        }
        found
    }
}

pub(super) fn reference(members: &Map<String, Value>) -> Option<&str> {
    members.get("$ref").and_then(Value::as_str)
}

/// Follows a JSON Pointer written as a fragment (RFC 6901, section 6).
pub(crate) fn pointed<'a>(root: &'a Value, text: &str) -> Option<&'a Value> {
    let pointer = text.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let mut at = root;
    for part in pointer.strip_prefix('/')?.split('/') {
        let part = unescaped(part)?;
        at = match at {
            Value::Object(members) => members.get(&*part)?,
            Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(at)
}

fn unescaped(part: &str) -> Option<Cow<'_, str>> {
    if !part.contains(['%', '~']) {
        return Some(Cow::Borrowed(part));
    }
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    let text = String::from_utf8(bytes).ok()?;
    Some(Cow::Owned(text.replace("~1", "/").replace("~0", "~")))
}
