//! JSON as byte ranges: one scan, then members and items by their places.

use std::borrow::Cow;

use recto_outline::{JsonEvents, JsonItem, Span, is_json_scalar, scan_json};

use crate::{WireError, text::unquote};

/// Values in one document, at most: 24 bytes are kept for each.
const MOST_VALUES: usize = 8 << 20;

/// What a JSON value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `{...}`
    Object,
    /// `[...]`
    Array,
    /// `"..."`
    String,
    /// A number, `true`, `false`, `null`.
    Scalar,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// With its quotes; empty where there is none.
    key: Span,
    value: Span,
    kind: JsonKind,
    /// Index of the node after this one and all inside it.
    next: u32,
}

/// A JSON text whose values are known by their places.
///
/// ```
/// use recto_wire::Document;
/// let json = Document::parse(br#"{"a": {"b": [1, "x"]}}"#)?;
/// let b = json.root().get("a").and_then(|a| a.get("b")).unwrap();
/// assert_eq!(b.items().nth(1).unwrap().text().unwrap(), "x");
/// # Ok::<(), recto_wire::WireError>(())
/// ```
#[derive(Debug)]
pub struct Document<'s> {
    source: &'s [u8],
    nodes: Vec<Node>,
}

impl<'s> Document<'s> {
    /// Reads one JSON value, with blanks around it. Linear and without recursion. Numbers and words are looked at, what stands in
    /// strings is not.
    ///
    /// # Errors
    /// [`WireError::NotJson`], [`WireError::TooManyValues`], [`WireError::TooLong`].
    pub fn parse(source: &'s [u8]) -> Result<Self, WireError> {
        if u32::try_from(source.len()).is_err() {
            return Err(WireError::TooLong { bytes: source.len() as u64 });
        }
        let mut build = Build { source, nodes: Vec::new(), open: Vec::new(), is_faulty: false };
        let outcome = scan_json(source, 0, source.len(), &mut build);
        if build.nodes.len() > MOST_VALUES {
            return Err(WireError::TooManyValues { most: MOST_VALUES });
        }
        if build.is_faulty || outcome.faults > 0 || outcome.depth > 0 || outcome.values != 1 {
            return Err(not_json(source));
        }
        Ok(Self { source, nodes: build.nodes })
    }

    /// The value itself.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value { json: self, at: 0 }
    }
}

/// Says where and why, in the words of the reader that everybody uses.
fn not_json(source: &[u8]) -> WireError {
    let (at, why) = match serde_json::from_slice::<serde::de::IgnoredAny>(source) {
        Err(error) => {
            let lines = memchr::memchr_iter(b'\n', source).take(error.line().saturating_sub(1));
            let line_at = lines.last().map_or(0, |at| at + 1);
            let why = error.to_string();
            let why = why.split(" at line").next().unwrap_or_default().to_owned();
            (line_at + error.column().saturating_sub(1), why)
        }
        Ok(_) => (0, "not understood".to_owned()),
    };
    WireError::NotJson { at: at.min(source.len()) as u64, why }
}

struct Build<'s> {
    source: &'s [u8],
    nodes: Vec<Node>,
    open: Vec<u32>,
    is_faulty: bool,
}

impl Build<'_> {
    fn push(&mut self, item: JsonItem, start: usize, end: usize, kind: JsonKind) {
        let next = u32::try_from(self.nodes.len() + 1).unwrap_or(u32::MAX);
        let key = Span::new(item.start, item.key_end);
        self.nodes.push(Node { key, value: Span::new(start, end), kind, next });
    }
}

impl JsonEvents for Build<'_> {
    fn open(&mut self, item: JsonItem, brace_at: usize, is_object: bool) {
        self.open.push(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.push(item, brace_at, brace_at + 1, if is_object { JsonKind::Object } else { JsonKind::Array });
    }

    fn close(&mut self, end: usize) {
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.open.pop().and_then(|at| self.nodes.get_mut(at as usize)) {
            node.value.e = u32::try_from(end).unwrap_or(u32::MAX);
            node.next = next;
        }
    }

    fn scalar(&mut self, item: JsonItem, start: usize, end: usize, is_string: bool) {
        let raw = self.source.get(start..end).unwrap_or_default();
        // A string that never closes ends with the source.
        self.is_faulty |=
            if is_string { raw.len() < 2 || !raw.ends_with(b"\"") } else { !is_json_scalar(raw) };
        self.push(item, start, end, if is_string { JsonKind::String } else { JsonKind::Scalar });
    }

    fn is_done(&self) -> bool {
        self.nodes.len() > MOST_VALUES
    }
}

/// A value in a [`Document`].
#[derive(Clone, Copy, Debug)]
pub struct Value<'d> {
    json: &'d Document<'d>,
    at: u32,
}

impl<'d> Value<'d> {
    fn node(self) -> Node {
        let none =
            Node { key: Span::default(), value: Span::default(), kind: JsonKind::Scalar, next: u32::MAX };
        self.json.nodes.get(self.at as usize).copied().unwrap_or(none)
    }

    /// What it is.
    #[must_use]
    pub fn kind(self) -> JsonKind {
        self.node().kind
    }

    /// Where it stands; strings with their quotes.
    #[must_use]
    pub fn span(self) -> Span {
        self.node().value
    }

    /// Its bytes.
    #[must_use]
    pub fn raw(self) -> &'d [u8] {
        self.span().of(self.json.source)
    }

    /// Where its key stands, with its quotes; empty if it has none.
    #[must_use]
    pub fn key(self) -> Span {
        self.node().key
    }

    /// The text of its key.
    #[must_use]
    pub fn name(self) -> Option<Cow<'d, str>> {
        unquote(self.key().of(self.json.source))
    }

    /// The text, if it is a string and one.
    #[must_use]
    pub fn text(self) -> Option<Cow<'d, str>> {
        (self.kind() == JsonKind::String).then(|| unquote(self.raw())).flatten()
    }

    /// Whether it is a string of this text, without escapes.
    #[must_use]
    pub fn is(self, text: &str) -> bool {
        self.kind() == JsonKind::String
            && self.raw().get(1..self.raw().len().saturating_sub(1)) == Some(text.as_bytes())
    }

    /// Whether it is `true`.
    #[must_use]
    pub fn is_true(self) -> bool {
        self.raw() == b"true"
    }

    /// The number, if it is a whole one that is not negative.
    #[must_use]
    pub fn number(self) -> Option<u64> {
        std::str::from_utf8(self.raw()).ok()?.parse().ok()
    }

    /// An array's items or an object's members, in their order; nothing for others.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let end =
            if matches!(self.kind(), JsonKind::Object | JsonKind::Array) { self.node().next } else { 0 };
        let first = self.at + 1;
        std::iter::successors((first < end).then_some(Self { json: self.json, at: first }), move |item| {
            let next = item.node().next;
            (next < end).then_some(Self { json: item.json, at: next })
        })
    }

    /// The member of a name; of several the last, as JSON readers take it. Names are compared without escapes.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Self> {
        if self.kind() != JsonKind::Object {
            return None;
        }
        self.items().filter(|member| member.has_key(name)).last()
    }

    /// The member of a name, and of that one the next, and so on.
    #[must_use]
    pub fn at(self, names: &[&str]) -> Option<Self> {
        names.iter().try_fold(self, |value, name| value.get(name))
    }

    /// The items of an array, or the value itself if it is no array: where one may stand for several.
    pub fn one_or_many(self) -> impl Iterator<Item = Self> {
        let is_array = self.kind() == JsonKind::Array;
        self.items().filter(move |_| is_array).chain((!is_array).then_some(self))
    }

    /// Whether an object has a name twice: readers differ in what that means, so nothing in it is edited.
    #[must_use]
    pub fn has_doubled_names(self) -> bool {
        if self.kind() != JsonKind::Object {
            return false;
        }
        let source = self.json.source;
        let mut keys: Vec<Cow<'_, [u8]>> = self
            .items()
            .map(|member| match unquote(member.key().of(source)) {
                Some(Cow::Owned(name)) => Cow::Owned(quoted_plainly(&name)),
                _ => Cow::Borrowed(member.key().of(source)),
            })
            .collect();
        keys.sort_unstable();
        keys.windows(2).any(|pair| matches!(pair, [one, other] if one == other))
    }

    fn has_key(self, name: &str) -> bool {
        let key = self.key().of(self.json.source);
        key.len() == name.len() + 2 && key.get(1..key.len() - 1) == Some(name.as_bytes())
    }
}

fn quoted_plainly(name: &str) -> Vec<u8> {
    [b"\"", name.as_bytes(), b"\""].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_is_told_with_its_place() {
        for (source, at) in [
            (&b"{\"a\":1"[..], 6),
            (b"", 0),
            (b"{} {}", 3),
            (b"{\"a\":\n tru}", 10), // spelling: cut short
            (b"\"abc", 4),
            (b"[1,]", 3),
            (b"x", 0),
        ] {
            let Err(WireError::NotJson { at: found, why }) = Document::parse(source) else {
                panic!("{source:?} was read")
            };
            assert!(found.abs_diff(at) <= 1 && !why.is_empty(), "{source:?}: {found} {why}");
        }
    }

    #[test]
    fn members_and_items_are_found_in_their_order() {
        let json = Document::parse(br#" {"a":[1,{"b":[]},"c"],"a":{"d":null},"\u0061b":0} "#).unwrap();
        let root = json.root();
        assert_eq!(root.get("a").unwrap().raw(), br#"{"d":null}"#);
        let first = root.items().next().unwrap();
        let raws: Vec<&[u8]> = first.items().map(Value::raw).collect();
        assert_eq!(raws, [&b"1"[..], br#"{"b":[]}"#, br#""c""#]);
        assert_eq!(first.items().nth(1).unwrap().get("b").unwrap().items().count(), 0);
        assert_eq!(root.items().last().unwrap().name().unwrap(), "ab");
        assert!(root.has_doubled_names() && !root.get("a").unwrap().has_doubled_names());
        assert!(Document::parse(br#"{"ab":1,"\u0061b":2}"#).unwrap().root().has_doubled_names());
        assert!(root.at(&["a", "d"]).is_some() && root.at(&["a", "e"]).is_none());
    }

    #[test]
    fn deep_nesting_is_no_recursion() {
        let deep = [b"[".repeat(200_000), b"]".repeat(200_000)].concat();
        let json = Document::parse(&deep).unwrap();
        assert_eq!(json.root().items().count(), 1);
    }
}
