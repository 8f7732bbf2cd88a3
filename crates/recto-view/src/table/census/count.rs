//! The scan that counts.

use std::collections::HashSet;

use recto_outline::{Hashed, JsonEvents, JsonItem, is_json_scalar};

use super::{Bytes, Census, MOST_DEPTH, NONE, Node, PATH, Shape};

/// An open container.
struct Open {
    /// Its place, or [`NONE`] if it stays closed.
    node: u32,
    shape: Shape,
    /// The place of the last member.
    before: u32,
    is_first: bool,
    start: usize,
    bytes: u64,
}

pub(super) struct Counting<'s> {
    source: &'s [u8],
    maps: &'s HashSet<u64, Hashed>,
    pub(super) census: Census,
    open: Vec<Open>,
    pub(super) bytes: u64,
    pub(super) is_bad: bool,
}

impl<'s> Counting<'s> {
    pub(super) fn new(source: &'s [u8], maps: &'s HashSet<u64, Hashed>, census: Census) -> Self {
        Self { source, maps, census, open: Vec::new(), bytes: 0, is_bad: false }
    }

    /// The place of an item, and the bytes before its value.
    fn begin(&mut self, item: JsonItem) -> u32 {
        let key = Bytes::new(item.start, item.key_end);
        if key.len() > 0 {
            self.bytes += key.len() + 1;
            self.is_bad |= !is_clean(key.of(self.source));
        }
        let Some(open) = self.open.last_mut() else { return 0 };
        self.bytes += u64::from(!std::mem::take(&mut open.is_first));
        let (node, before, shape) = (open.node, open.before, open.shape);
        if node == NONE {
            return NONE;
        }
        match shape {
            Shape::Cell => NONE,
            Shape::List => self.census.node(node).map_or(NONE, |node| node.element),
            Shape::Map => {
                let element = self.census.node(node).map_or(NONE, |node| node.element);
                if let Some(element) = self.census.nodes.get_mut(element as usize) {
                    element.key_bytes += key.len() + 1;
                }
                element
            }
            Shape::Object => {
                let (census, maps) = (&mut self.census, self.maps);
                let found = census
                    .member(self.source, node, before, key.of(self.source))
                    .or_else(|| census.add(self.source, node, before, key, maps));
                if let (Some(found), Some(open)) = (found, self.open.last_mut()) {
                    open.before = found;
                }
                found.unwrap_or(NONE)
            }
        }
    }

    /// Opens a container at a place; it is counted at its end.
    pub(super) fn enter(&mut self, node: u32, start: usize, shape: Shape) {
        let node = if shape == Shape::Cell || self.open.len() >= MOST_DEPTH { NONE } else { node };
        if matches!(shape, Shape::List | Shape::Map)
            && let Some(found) = self.census.node(node)
            && found.element == NONE
        {
            let path = found.path.rotate_left(17) ^ PATH;
            let element = u32::try_from(self.census.nodes.len()).unwrap_or(NONE);
            self.census.nodes.push(Node::new(node, Bytes::default(), path));
            if let Some(found) = self.census.nodes.get_mut(node as usize) {
                found.element = element;
            }
        }
        self.open.push(Open { node, shape, before: NONE, is_first: true, start, bytes: self.bytes });
    }
}

impl JsonEvents for Counting<'_> {
    fn open(&mut self, item: JsonItem, brace_at: usize, is_object: bool) {
        let node = self.begin(item);
        let shape = Shape::of(self.source, brace_at, is_object).at(self.census.node(node));
        // A cell's place is needed at its end, to count it there.
        let (bytes, place) = (self.bytes, node);
        self.bytes += 1;
        self.enter(node, brace_at, shape);
        if let Some(open) = self.open.last_mut() {
            open.bytes = bytes;
            if shape == Shape::Cell {
                open.before = place;
            }
        }
    }

    fn close(&mut self, end: usize) {
        self.bytes += 1;
        let Some(open) = self.open.pop() else { return };
        let bytes = self.bytes - open.bytes;
        if open.shape == Shape::Cell {
            if let Some(node) = self.census.nodes.get_mut(open.before as usize) {
                node.add_cell(self.source, Bytes::new(open.start, end), bytes, false);
            }
            return;
        }
        let Some(node) = self.census.nodes.get_mut(open.node as usize) else { return };
        let tally = if open.shape == Shape::Object { &mut node.objects } else { &mut node.lists };
        tally.count += 1;
        tally.bytes += bytes;
    }

    fn scalar(&mut self, item: JsonItem, start: usize, end: usize, is_string: bool) {
        let node = self.begin(item);
        let value = Bytes::new(start, end);
        let text = value.of(self.source);
        self.bytes += value.len();
        self.is_bad |= if is_string { text.len() < 2 || !is_clean(text) } else { !is_json_scalar(text) };
        if !self.is_bad
            && let Some(node) = self.census.nodes.get_mut(node as usize)
        {
            node.add_cell(self.source, value, value.len(), is_string);
        }
    }

    fn is_done(&self) -> bool {
        self.is_bad
    }
}

/// Says whether a string holds no control character, as JSON demands: a row is a line, and a tab parts cells.
fn is_clean(text: &[u8]) -> bool {
    text.iter().copied().fold(u8::MAX, u8::min) >= 0x20
}
