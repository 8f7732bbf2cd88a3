//! The first pass: which keys stand where, how often, and what they cost.

mod count;

use std::collections::{HashMap, HashSet};

use recto_outline::{Hashed, hash, scan_json};

use self::count::Counting;
use super::{cell::looks_like_literal, maps};

/// Stands for no node.
pub(super) const NONE: u32 = u32::MAX;

/// More places than this are not told apart: what stands deeper stays closed.
const MOST_NODES: usize = 8_192;

/// An object with more keys than this has data for keys, and is no record.
const MOST_KEYS: u32 = 256;

/// Maps in maps in maps: deeper ones are plain objects.
const MOST_MAPS: usize = 4;

/// The path of the document.
const PATH: u64 = 0xA076_1D64_78BD_642F;

/// Containers nested deeper than this stay closed.
const MOST_DEPTH: usize = 96;

/// Half-open range of bytes; sources are at most 4 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bytes {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Bytes {
    pub(super) fn new(start: usize, end: usize) -> Self {
        let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: offset(start), end: offset(end) }
    }

    pub(super) fn of(self, source: &[u8]) -> &[u8] {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    pub(super) fn len(self) -> u64 {
        u64::from(self.end.saturating_sub(self.start))
    }
}

/// A place in the document: a path of keys, where the elements of an array share one place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) parent: u32,
    /// Its key, with quotes; empty for elements.
    pub(super) key: Bytes,
    /// Its members' places, in an order that suits the objects met.
    pub(super) first: u32,
    /// The next of its parent's members.
    pub(super) next: u32,
    /// The place of its elements, if it was an array of objects.
    pub(super) element: u32,
    pub(super) keys: u32,
    /// Whether some of its keys have no places.
    pub(super) is_cut: bool,
    /// Its keys are data: its members are records like an array's elements, and counted as its lists are.
    pub(super) is_map: bool,
    /// Of a place of elements: bytes of the keys of a map's members.
    pub(super) key_bytes: u64,
    /// Hash of the keys that lead to it.
    pub(super) path: u64,
    pub(super) cells: Tally,
    pub(super) objects: Tally,
    pub(super) lists: Tally,
    pub(super) texts: Texts,
    /// The first value among the cells, and whether all others are the same bytes.
    pub(super) sample: Bytes,
    pub(super) is_constant: bool,
}

/// How often, and how many bytes without blanks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) count: u64,
    pub(super) bytes: u64,
}

/// What is known of the strings among a place's cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Texts {
    pub(super) count: u64,
    /// How many of them would read as numbers or other literals without quotes.
    pub(super) literals: u64,
    /// Bytes that all of them begin with, and end with; in the shortest, which has so many, both may be the same.
    pub(super) prefix: u32,
    pub(super) suffix: u32,
    pub(super) shortest: u32,
}

/// What a value is to a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A scalar, an empty container, or an array of anything but objects.
    Cell,
    /// An object with members.
    Object,
    /// An array that begins with an object.
    List,
    /// An object with data for keys.
    Map,
}

impl Shape {
    /// The shape of the container whose brace stands at `brace_at`.
    pub(super) fn of(source: &[u8], brace_at: usize, is_object: bool) -> Self {
        let rest = source.get(brace_at + 1..).unwrap_or_default();
        let next = rest.iter().find(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
        match (is_object, next) {
            (true, Some(byte)) if *byte != b'}' => Self::Object,
            (false, Some(b'{')) => Self::List,
            _ => Self::Cell,
        }
    }

    /// What such a value is at a place: where keys are data, objects are maps and nothing else is tabled.
    pub(super) fn at(self, node: Option<&Node>) -> Self {
        match self {
            Self::Object if node.is_some_and(|node| node.is_map) => Self::Map,
            Self::List if node.is_some_and(|node| node.is_map) => Self::Cell,
            shape => shape,
        }
    }
}

/// All places of a document. The first is the document itself.
#[derive(Debug)]
pub(super) struct Census {
    pub(super) nodes: Vec<Node>,
    /// Bytes of the document without blanks.
    pub(super) bytes: u64,
    places: HashMap<u64, u32, Hashed>,
}

impl Census {
    /// Counts a document, or with `is_lines` the values of a sequence as one array's elements; `None` if it is not JSON.
    pub(super) fn of(source: &[u8], start: usize, is_lines: bool) -> Option<Self> {
        Self::with_maps(source, start, is_lines, &HashSet::default())
    }

    /// The same document counted with objects taken for maps: once the innermost ones, whose members may differ from one to the
    /// next, and once the outermost ones and those in them. Nothing if there are none.
    pub(super) fn mapped(&self, source: &[u8], start: usize, is_lines: bool) -> Vec<Self> {
        let innermost: HashSet<u64, Hashed> = maps::innermost(source, self).into_iter().collect();
        if innermost.is_empty() {
            return Vec::new();
        }
        let mut censuses: Vec<Self> =
            Self::with_maps(source, start, is_lines, &innermost).into_iter().collect();
        let mut maps: HashSet<u64, Hashed> = maps::outermost(source, self).into_iter().collect();
        if maps == innermost {
            return censuses;
        }
        // What is a map in a map shows once the outer one's members share a place.
        for _ in 0..MOST_MAPS {
            let Some(census) = Self::with_maps(source, start, is_lines, &maps) else { break };
            let before = maps.len();
            maps.extend(maps::outermost(source, &census));
            if maps.len() == before {
                censuses.push(census);
                break;
            }
        }
        censuses
    }

    fn with_maps(source: &[u8], start: usize, is_lines: bool, maps: &HashSet<u64, Hashed>) -> Option<Self> {
        let mut root = Node::new(NONE, Bytes::default(), PATH);
        root.is_map = maps.contains(&root.path);
        let census = Self { nodes: vec![root], bytes: 0, places: HashMap::default() };
        let mut counting = Counting::new(source, maps, census);
        if is_lines {
            counting.enter(0, 0, Shape::List);
        }
        let outcome = scan_json(source, start, source.len(), &mut counting);
        let is_right = if is_lines { outcome.values > 1 } else { outcome.values == 1 };
        if counting.is_bad || outcome.faults > 0 || outcome.depth > 0 || !is_right {
            return None;
        }
        counting.census.bytes = counting.bytes;
        if is_lines && let Some(root) = counting.census.nodes.first_mut() {
            root.lists = Tally { count: 1, bytes: counting.bytes };
        }
        Some(counting.census)
    }

    pub(super) fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get(node as usize)
    }

    /// The members' places of a node, in order.
    pub(super) fn members(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.node(node).map_or(NONE, |node| node.first);
        std::iter::from_fn(move || {
            let here = self.node(next)?;
            Some(std::mem::replace(&mut next, here.next))
        })
    }

    /// The place of a member of `parent` with this key; `before` is the place of the member before it.
    pub(super) fn member(&self, source: &[u8], parent: u32, before: u32, key: &[u8]) -> Option<u32> {
        let expected = match self.node(before) {
            Some(before) => before.next,
            None => self.node(parent)?.first,
        };
        if self.node(expected).is_some_and(|node| node.key.of(source) == key) {
            return Some(expected);
        }
        let found = *self.places.get(&place_hash(parent.into(), key))?;
        self.node(found)
            .is_some_and(|node| node.parent == parent && node.key.of(source) == key)
            .then_some(found)
    }

    /// Adds a place; `None` beyond the limits.
    fn add(
        &mut self,
        source: &[u8],
        parent: u32,
        before: u32,
        key: Bytes,
        maps: &HashSet<u64, Hashed>,
    ) -> Option<u32> {
        let here = u32::try_from(self.nodes.len()).ok()?;
        let hashed = place_hash(parent.into(), key.of(source));
        let is_full = self.nodes.len() >= MOST_NODES;
        let found = self.nodes.get_mut(parent as usize)?;
        if is_full || found.keys >= MOST_KEYS || self.places.contains_key(&hashed) {
            found.is_cut = true;
            return None;
        }
        found.keys += 1;
        let mut node = Node::new(parent, key, place_hash(found.path, key.of(source)));
        node.is_map = maps.contains(&node.path);
        let link = match self.nodes.get_mut(before as usize) {
            Some(before) => &mut before.next,
            None => &mut self.nodes.get_mut(parent as usize)?.first,
        };
        node.next = std::mem::replace(link, here);
        self.places.insert(hashed, here);
        self.nodes.push(node);
        Some(here)
    }
}

fn place_hash(parent: u64, key: &[u8]) -> u64 {
    (hash(key) ^ parent.wrapping_mul(0x9E37_79B9_7F4A_7C15)).rotate_left(29)
}

impl Node {
    fn new(parent: u32, key: Bytes, path: u64) -> Self {
        Self {
            parent,
            key,
            first: NONE,
            next: NONE,
            element: NONE,
            keys: 0,
            is_cut: false,
            is_map: false,
            key_bytes: 0,
            path,
            cells: Tally::default(),
            objects: Tally::default(),
            lists: Tally::default(),
            texts: Texts::default(),
            sample: Bytes::default(),
            is_constant: true,
        }
    }

    /// Counts a cell whose value stands at `value` in the source and has `bytes` bytes without blanks.
    fn add_cell(&mut self, source: &[u8], value: Bytes, bytes: u64, is_string: bool) {
        let text = value.of(source);
        if self.cells.count == 0 {
            self.sample = value;
        } else if self.is_constant && self.sample.of(source) != text {
            self.is_constant = false;
        }
        self.cells.count += 1;
        self.cells.bytes += bytes;
        if is_string {
            let inside = text.get(1..text.len() - 1).unwrap_or_default();
            let sample = self.sample.of(source);
            self.texts.add(sample.get(1..sample.len().saturating_sub(1)).unwrap_or_default(), inside);
        }
    }
}

impl Texts {
    /// Counts a string beside the first one.
    fn add(&mut self, sample: &[u8], text: &[u8]) {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        if self.count == 0 {
            (self.prefix, self.suffix, self.shortest) = (length, length, length);
        }
        self.count += 1;
        self.literals += u64::from(looks_like_literal(text));
        self.shortest = self.shortest.min(length);
        if self.prefix > 0 {
            let known = sample.get(..self.prefix as usize).unwrap_or_default();
            if !text.starts_with(known) {
                let same = known.iter().zip(text).take_while(|(one, other)| one == other).count();
                self.prefix = u32::try_from(same).unwrap_or(0);
            }
        }
        if self.suffix > 0 {
            let known = sample.get(sample.len().saturating_sub(self.suffix as usize)..).unwrap_or_default();
            if !text.ends_with(known) {
                let pairs = known.iter().rev().zip(text.iter().rev());
                self.suffix =
                    u32::try_from(pairs.take_while(|(one, other)| one == other).count()).unwrap_or(0);
            }
        }
    }
}
