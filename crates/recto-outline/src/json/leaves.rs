//! Columns of JSON records: the paths of their leaves.

use super::scan::{Events, Item, scan};
use crate::Span;

/// One leaf of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Hash of its parents' keys; array positions do not count, so all elements of an array share a path. With the leaf's own
    /// key it makes the path of its column: [`json_path`].
    pub path: u64,
    /// The leaf's own key with its quotes; empty for an array element.
    pub key: Span,
    /// The value; a string with its quotes.
    pub value: Span,
    /// How many containers it stands in, counted from the value that was asked for.
    pub depth: u32,
}

/// Calls `sink` with each leaf of the JSON value (or member) in `span`, whose parents' keys have the path `path`
/// (see [`json_member_path`]; 0 for none).
///
/// ```
/// use recto_outline::{Span, json_leaves};
/// let source = br#"{"id": 7, "tags": ["a", "b"]}"#;
/// let mut values = Vec::new();
/// json_leaves(source, Span::new(0, source.len()), 0, |leaf| values.push(leaf.value.of(source).to_vec()));
/// assert_eq!(values, [b"7".to_vec(), b"\"a\"".to_vec(), b"\"b\"".to_vec()]);
/// ```
pub fn json_leaves(source: &[u8], span: Span, path: u64, sink: impl FnMut(Leaf)) {
    let mut events = Leaves { source, paths: Vec::new(), path, sink };
    let mut start = span.s as usize;
    let end = span.e as usize;
    let key;
    if let Some((key_end, value_start)) = member(source, start, end) {
        key = Span::new(start, key_end);
        start = value_start;
        // A bare member's leaf is reported under its own key.
        if !matches!(source.get(start), Some(b'{' | b'[')) {
            (events.sink)(Leaf { path, key, value: Span::new(start, end), depth: 0 });
            return;
        }
        events.path = container_path(path, key.of(source));
    }
    scan(source, start, end, &mut events);
}

/// The path of keys that leads into the container in `span`: its parents' path, extended by its key if it is a member.
#[must_use]
pub fn json_member_path(source: &[u8], span: Span, parents: u64) -> u64 {
    let start = span.s as usize;
    match member(source, start, span.e as usize) {
        Some((key_end, _)) => container_path(parents, Span::new(start, key_end).of(source)),
        None => parents,
    }
}

/// A path extended by a key (with its quotes); an empty key, of an array's element, leaves it as it is.
#[must_use]
pub fn json_path(parents: u64, key: &[u8]) -> u64 {
    if key.is_empty() {
        return parents;
    }
    (parents.rotate_left(23) ^ hash(key)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A path extended by the key (with its quotes) of a container. A key that is data rather than a name (`"1589"`, `"src/a.rs"`)
/// counts as any other such key: what it leads to is one of many alike.
pub(crate) fn container_path(parents: u64, key: &[u8]) -> u64 {
    json_path(parents, if is_data(key) { b"\"*\"" } else { key })
}

/// Says whether a key (with its quotes) is data rather than a name.
pub(crate) fn is_data(key: &[u8]) -> bool {
    key.get(1).is_some_and(u8::is_ascii_digit)
        || key.iter().any(|byte| matches!(byte, b'/' | b'@' | b'.' | b':' | b' '))
}

/// Where the key that begins at `start` ends and its value begins, if it is a member.
fn member(source: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    if source.get(start) != Some(&b'"') {
        return None;
    }
    let bytes = source.get(..end)?;
    let key_end = super::scan::string_end(bytes, start);
    let after = bytes.get(key_end..)?;
    let colon = key_end + after.len() - after.trim_ascii_start().len();
    let value = bytes.get(colon..)?.strip_prefix(b":")?;
    Some((key_end, colon + 1 + value.len() - value.trim_ascii_start().len()))
}

struct Leaves<'s, F> {
    source: &'s [u8],
    /// The paths of the open containers' parents.
    paths: Vec<u64>,
    path: u64,
    sink: F,
}

impl<F: FnMut(Leaf)> Events for Leaves<'_, F> {
    fn open(&mut self, item: Item, _brace_at: usize, _is_object: bool) {
        self.paths.push(self.path);
        self.path = container_path(self.path, self.source.get(item.start..item.key_end).unwrap_or_default());
    }

    fn close(&mut self, _end: usize) {
        self.path = self.paths.pop().unwrap_or_default();
    }

    fn scalar(&mut self, item: Item, start: usize, end: usize, _is_string: bool) {
        let depth = crate::span::offset(self.paths.len());
        (self.sink)(Leaf {
            path: self.path,
            key: Span::new(item.start, item.key_end),
            value: Span::new(start, end),
            depth,
        });
    }
}

/// Hashes bytes eight at a time: fast and the same on every machine; not for untrusted tables without a check of the bytes.
#[must_use]
#[inline]
pub fn hash(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64 ^ 0xA076_1D64_78BD_642F;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        state = (state ^ u64::from_le_bytes(*chunk)).wrapping_mul(0xE703_7ED1_A0B4_28DB);
        state ^= state >> 32;
    }
    // Of a long text its last eight bytes, some of them for the second time; of a short one each byte once or more.
    let last = match (bytes.last_chunk::<8>(), rest) {
        (_, []) => 0,
        (Some(last), _) => u64::from_le_bytes(*last),
        (None, [first, .., last]) if rest.len() < 4 => {
            let middle = rest.get(rest.len() / 2).copied().unwrap_or_default();
            u64::from(*first) | u64::from(middle) << 8 | u64::from(*last) << 16
        }
        (None, [only]) => u64::from(*only),
        (None, _) => {
            let half =
                |chunk: Option<&[u8; 4]>| u64::from(u32::from_le_bytes(chunk.copied().unwrap_or_default()));
            half(rest.first_chunk()) | half(rest.last_chunk()) << 32
        }
    };
    state = (state ^ last).wrapping_mul(0x8EBC_6AF0_9C88_C6E3);
    state ^ (state >> 29)
}
