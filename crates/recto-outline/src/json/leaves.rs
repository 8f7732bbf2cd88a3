//! Columns of JSON records: the paths of their leaves.

use super::scan::{Events, Item, scan};
use crate::Span;

/// One leaf of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Hash of the keys that lead to it; array positions do not count, so all elements of an array share a column.
    pub column: u64,
    /// The leaf's own key with its quotes; empty for an array element.
    pub key: Span,
    /// The value; a string with its quotes.
    pub value: Span,
    /// How many containers it stands in, counted from the value that was asked for.
    pub depth: u32,
}

/// Calls `sink` with each leaf of the JSON value (or member) in `span`.
///
/// ```
/// use recto_outline::{Span, json_leaves};
/// let source = br#"{"id": 7, "tags": ["a", "b"]}"#;
/// let mut values = Vec::new();
/// json_leaves(source, Span::new(0, source.len()), &mut |leaf| values.push(leaf.value.of(source).to_vec()));
/// assert_eq!(values, [b"7".to_vec(), b"\"a\"".to_vec(), b"\"b\"".to_vec()]);
/// ```
pub fn json_leaves(source: &[u8], span: Span, sink: &mut dyn FnMut(Leaf)) {
    let mut events = Leaves { source, paths: Vec::new(), path: SEED, sink };
    let mut start = span.s as usize;
    let end = span.e as usize;
    // A member: its key is the first part of the path.
    if source.get(start) == Some(&b'"') {
        let key_end = super::scan::string_end(source.get(..end).unwrap_or(source), start);
        let after = source.get(key_end..end).unwrap_or_default();
        let blanks = after.len() - after.trim_ascii_start().len();
        if source.get(key_end + blanks) == Some(&b':') {
            let key = source.get(start..key_end).unwrap_or_default();
            events.path = mix(SEED, hash(key));
            start = key_end + blanks + 1;
        }
    }
    scan(source, start, end, &mut events);
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

struct Leaves<'s, 'f> {
    source: &'s [u8],
    /// The paths of the open containers' parents.
    paths: Vec<u64>,
    path: u64,
    sink: &'f mut dyn FnMut(Leaf),
}

impl Leaves<'_, '_> {
    fn extend(&self, item: Item) -> u64 {
        if item.key_end == item.start {
            return self.path;
        }
        mix(self.path, hash(self.source.get(item.start..item.key_end).unwrap_or_default()))
    }
}

impl Events for Leaves<'_, '_> {
    fn open(&mut self, item: Item, _brace_at: usize, _is_object: bool) {
        self.paths.push(self.path);
        self.path = self.extend(item);
    }

    fn close(&mut self, _end: usize) {
        self.path = self.paths.pop().unwrap_or(SEED);
    }

    fn scalar(&mut self, item: Item, start: usize, end: usize, _is_string: bool) {
        let column = self.extend(item);
        let depth = crate::span::offset(self.paths.len());
        (self.sink)(Leaf { column, key: Span::new(item.start, item.key_end), value: Span::new(start, end), depth });
    }
}

/// Mixes a part into a path.
fn mix(path: u64, part: u64) -> u64 {
    (path.rotate_left(23) ^ part).wrapping_mul(SEED)
}

/// Hashes bytes eight at a time: fast and the same on every machine; not for untrusted tables without a check of the bytes.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64 ^ 0xA076_1D64_78BD_642F;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        state = (state ^ u64::from_le_bytes(*chunk)).wrapping_mul(0xE703_7ED1_A0B4_28DB);
        state ^= state >> 32;
    }
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    state = (state ^ u64::from_le_bytes(last)).wrapping_mul(0x8EBC_6AF0_9C88_C6E3);
    state ^ (state >> 29)
}
