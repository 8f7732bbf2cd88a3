//! Records of JSON: a trie of the paths that are asked for, walked along with the scanner.

use std::ops::ControlFlow;

use recto_outline::{JsonEvents, JsonItem, Span, decode_json_string, scan_json};

use super::{KEY, Record, VALUE, grid, key_text};
use crate::{Path, Segment};

const ROOT: u32 = 0;
/// No path leads through here.
const NOWHERE: u32 = u32::MAX;

/// The paths that are asked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    paths: Vec<Path>,
    nodes: Vec<Node>,
    /// Cells that hold a record's key, and those that hold a record that is a scalar.
    keys: Vec<usize>,
    scalars: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    children: Vec<(Segment, u32)>,
    /// The cells of the paths that end here, and of those that lead through here.
    cells: Vec<usize>,
    below: Vec<usize>,
}

impl Wanted {
    pub(crate) fn new(paths: &[Path]) -> Self {
        let mut wanted = Self {
            paths: paths.to_vec(),
            nodes: vec![Node::default()],
            keys: Vec::new(),
            scalars: Vec::new(),
        };
        for (number, path) in paths.iter().enumerate() {
            wanted.add(&path.segments, 2 * number);
            match path.name.as_str() {
                KEY => wanted.keys.push(2 * number + 1),
                VALUE => wanted.scalars.push(2 * number + 1),
                // A name with dots may also be a key as it stands.
                name if path.segments.len() > 1 && !name.is_empty() => {
                    wanted.add(&[Segment::Key(name.to_owned())], 2 * number + 1);
                }
                _ => {}
            }
        }
        wanted
    }

    pub(crate) fn paths(&self) -> &[Path] {
        &self.paths
    }

    fn add(&mut self, segments: &[Segment], cell: usize) {
        let mut at = ROOT;
        for segment in segments {
            let next = u32::try_from(self.nodes.len()).unwrap_or(NOWHERE);
            let Some(node) = self.nodes.get_mut(at as usize) else { return };
            match node.children.iter().find(|(known, _)| known == segment) {
                Some((_, child)) => at = *child,
                None => {
                    node.children.push((segment.clone(), next));
                    self.nodes.push(Node::default());
                    at = next;
                }
            }
            if let Some(node) = self.nodes.get_mut(at as usize) {
                node.below.push(cell);
            }
        }
        if let Some(node) = self.nodes.get_mut(at as usize) {
            node.cells.push(cell);
        }
    }

    fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }

    /// The node below `node` for the element `index`, or for the member with `key` (with its quotes).
    fn step(&self, node: u32, key: &[u8], index: u32) -> u32 {
        let Some(node) = self.node(node).filter(|node| !node.children.is_empty()) else { return NOWHERE };
        let find = |matches: &dyn Fn(&Segment) -> bool| {
            node.children.iter().find(|(segment, _)| matches(segment)).map_or(NOWHERE, |(_, child)| *child)
        };
        if key.is_empty() {
            return find(&|segment| matches!(segment, Segment::Index(wanted) if *wanted == index as usize));
        }
        let raw = key.get(1..key.len() - 1).unwrap_or_default();
        if memchr::memchr(b'\\', raw).is_none() {
            return find(&|segment| matches!(segment, Segment::Key(wanted) if wanted.as_bytes() == raw));
        }
        let decoded = decode_json_string(raw);
        find(&|segment| matches!(segment, Segment::Key(wanted) if wanted.as_bytes() == &*decoded))
    }
}

struct Frame {
    node: u32,
    /// The number of the next element.
    index: u32,
    start: u32,
    is_object: bool,
}

struct Scan<'s, 'w, S> {
    text: &'s [u8],
    wanted: &'w Wanted,
    /// How many containers are open where a record begins.
    depth: usize,
    cells: Vec<Option<Span>>,
    frames: Vec<Frame>,
    key: Option<Span>,
    /// A scalar record that ends here may have been cut.
    cut_at: usize,
    sink: S,
    is_done: bool,
}

impl<'s, 'w, S: FnMut(&Record<'_>) -> ControlFlow<()>> Scan<'s, 'w, S> {
    fn new(text: &'s [u8], wanted: &'w Wanted, depth: usize, sink: S) -> Self {
        Self {
            text,
            wanted,
            depth,
            cells: vec![None; 2 * wanted.paths.len()],
            frames: Vec::new(),
            key: None,
            cut_at: usize::MAX,
            sink,
            is_done: false,
        }
    }

    /// The node of the item that begins now; what earlier members of the same name left is forgotten.
    fn enter(&mut self, item: JsonItem) -> u32 {
        let depth = self.frames.len();
        if depth < self.depth {
            return NOWHERE;
        }
        if depth == self.depth {
            self.cells.fill(None);
            self.key = (item.key_end > item.start).then(|| Span::new(item.start, item.key_end));
            for cell in &self.wanted.keys {
                set(&mut self.cells, *cell, self.key);
            }
            return ROOT;
        }
        let Some(parent) = self.frames.last_mut() else { return NOWHERE };
        let index = parent.index;
        parent.index = index.saturating_add(1);
        if parent.node == NOWHERE {
            return NOWHERE;
        }
        let key = self.text.get(item.start..item.key_end).unwrap_or_default();
        if key.is_empty() == parent.is_object {
            return NOWHERE;
        }
        let node = self.wanted.step(parent.node, key, index);
        if let Some(node) = self.wanted.node(node) {
            for cell in &node.below {
                set(&mut self.cells, *cell, None);
            }
        }
        node
    }

    fn fill(&mut self, node: u32, span: Span) {
        if let Some(node) = self.wanted.node(node) {
            for cell in &node.cells {
                set(&mut self.cells, *cell, Some(span));
            }
        }
    }

    fn give(&mut self, span: Span) {
        let record = Record { span, key: self.key, cells: &self.cells };
        self.is_done = (self.sink)(&record).is_break();
    }
}

fn set(cells: &mut [Option<Span>], cell: usize, span: Option<Span>) {
    if let Some(place) = cells.get_mut(cell) {
        *place = span;
    }
}

impl<S: FnMut(&Record<'_>) -> ControlFlow<()>> JsonEvents for Scan<'_, '_, S> {
    fn open(&mut self, item: JsonItem, brace_at: usize, is_object: bool) {
        let node = self.enter(item);
        let start = Span::new(brace_at, brace_at).s;
        self.frames.push(Frame { node, index: 0, start, is_object });
    }

    fn close(&mut self, end: usize) {
        let Some(frame) = self.frames.pop() else { return };
        if frame.node == NOWHERE {
            return;
        }
        let span = Span::new(frame.start as usize, end);
        self.fill(frame.node, span);
        if self.frames.len() == self.depth {
            self.give(span);
        }
    }

    fn scalar(&mut self, item: JsonItem, start: usize, end: usize, _is_string: bool) {
        let node = self.enter(item);
        if node == NOWHERE {
            return;
        }
        let span = Span::new(start, end);
        self.fill(node, span);
        if self.frames.len() == self.depth && end < self.cut_at {
            for cell in &self.wanted.scalars {
                set(&mut self.cells, *cell, Some(span));
            }
            self.give(span);
        }
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}

/// Visits the items of the container in `span`, or the values in it.
pub(super) fn values<S>(text: &[u8], span: Span, (depth, is_cut): (usize, bool), wanted: &Wanted, sink: S)
where
    S: FnMut(&Record<'_>) -> ControlFlow<()>,
{
    let mut scan = Scan::new(text, wanted, depth, sink);
    if is_cut {
        scan.cut_at = span.e as usize;
    }
    scan_json(text, span.s as usize, span.e as usize, &mut scan);
}

/// Visits the values of lines; gives how many lines hold something else.
pub(super) fn lines<S>(text: &[u8], span: Span, wanted: &Wanted, mut sink: S) -> u64
where
    S: FnMut(&Record<'_>) -> ControlFlow<()>,
{
    let mut skipped = 0;
    // A line is a record only if it holds one value in whole, which is known at its end.
    let mut scan = Scan::new(text, wanted, 0, |_: &Record<'_>| ControlFlow::Continue(()));
    for line in grid::lines(text, span) {
        let bytes = line.of(text).trim_ascii();
        match bytes.first() {
            None => continue,
            Some(b'{' | b'[' | b'"') => {}
            Some(_) => {
                skipped += 1;
                continue;
            }
        }
        scan.frames.clear();
        let outcome = scan_json(text, line.s as usize, line.e as usize, &mut scan);
        let is_whole = outcome.depth == 0 && outcome.values == 1 && is_closed(bytes);
        if !is_whole {
            skipped += 1;
            continue;
        }
        let start = line.e as usize - line.of(text).trim_ascii_start().len();
        let record = Record { span: Span::new(start, start + bytes.len()), key: None, cells: &scan.cells };
        if sink(&record).is_break() {
            break;
        }
    }
    skipped
}

/// Says whether a text that begins with a quote ends with one.
fn is_closed(text: &[u8]) -> bool {
    text.first() != Some(&b'"') || (text.len() > 1 && text.ends_with(b"\""))
}

/// The names of a record's own members, in order; of a list its numbers, of a scalar [`VALUE`].
pub(super) fn members(text: &[u8], span: Span) -> Vec<Path> {
    struct Members<'s> {
        text: &'s [u8],
        depth: usize,
        paths: Vec<Path>,
        known: std::collections::HashSet<Vec<u8>>,
        index: usize,
    }
    impl Members<'_> {
        fn add(&mut self, item: JsonItem) {
            if self.depth == 0 {
                return;
            }
            if self.depth == 1 {
                let key = self.text.get(item.start..item.key_end).unwrap_or_default();
                if key.is_empty() {
                    let index = self.index;
                    self.index += 1;
                    self.paths
                        .push(Path { segments: vec![Segment::Index(index)], name: format!("[{index}]") });
                } else if !self.known.contains(key) {
                    self.known.insert(key.to_vec());
                    self.paths.push(Path::named(&key_text(key)));
                }
            }
        }
    }
    impl JsonEvents for Members<'_> {
        fn open(&mut self, item: JsonItem, _brace_at: usize, _is_object: bool) {
            self.add(item);
            self.depth += 1;
        }
        fn close(&mut self, _end: usize) {
            self.depth = self.depth.saturating_sub(1);
        }
        fn scalar(&mut self, item: JsonItem, _start: usize, _end: usize, _is_string: bool) {
            if self.depth == 0 {
                self.paths.push(Path::named(VALUE));
            }
            self.add(item);
        }
        fn is_done(&self) -> bool {
            self.paths.len() >= super::MOST_CELLS
        }
    }
    let mut members =
        Members { text, depth: 0, paths: Vec::new(), known: std::collections::HashSet::new(), index: 0 };
    scan_json(text, span.s as usize, span.e as usize, &mut members);
    members.paths
}

/// The paths of a record's members and of those inside them, for people: elements of lists by the number 0 alone.
pub(super) fn paths(text: &[u8], span: Span) -> Vec<String> {
    const MOST_PATHS: usize = 400;
    const MOST_DEPTH: usize = 4;
    struct Paths<'s> {
        text: &'s [u8],
        open: Vec<(Option<Segment>, usize)>,
        paths: Vec<String>,
    }
    impl Paths<'_> {
        fn segment(&mut self, item: JsonItem) -> Option<Segment> {
            let (_, index) = self.open.last_mut()?;
            let key = self.text.get(item.start..item.key_end).unwrap_or_default();
            if key.is_empty() {
                let at = *index;
                *index += 1;
                return Some(Segment::Index(at));
            }
            Some(Segment::Key(key_text(key).into_owned()))
        }
        fn add(&mut self, segment: Option<&Segment>) {
            let Some(segment) = segment else { return };
            if self.open.len() > MOST_DEPTH {
                return;
            }
            let parents = self.open.iter().filter_map(|(segment, _)| segment.as_ref());
            let segments: Vec<Segment> = parents.chain([segment]).cloned().collect();
            let inner = segments.get(1..).unwrap_or_default();
            if inner.iter().any(|segment| matches!(segment, Segment::Index(1..))) {
                return;
            }
            self.paths.push(Path { segments, name: String::new() }.to_string());
        }
    }
    impl JsonEvents for Paths<'_> {
        fn open(&mut self, item: JsonItem, _brace_at: usize, _is_object: bool) {
            let segment = self.segment(item);
            self.add(segment.as_ref());
            self.open.push((segment, 0));
        }
        fn close(&mut self, _end: usize) {
            self.open.pop();
        }
        fn scalar(&mut self, item: JsonItem, _start: usize, _end: usize, _is_string: bool) {
            let segment = self.segment(item);
            if self.open.is_empty() {
                self.paths.push(VALUE.to_owned());
            }
            self.add(segment.as_ref());
        }
        fn is_done(&self) -> bool {
            self.paths.len() >= MOST_PATHS
        }
    }
    let mut paths = Paths { text, open: Vec::new(), paths: Vec::new() };
    scan_json(text, span.s as usize, span.e as usize, &mut paths);
    paths.paths
}
