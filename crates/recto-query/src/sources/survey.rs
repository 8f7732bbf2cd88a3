//! Which containers of a JSON text hold records.

use recto_outline::{JsonEvents, JsonItem, JsonOutcome, Span, scan_json};

use crate::{Path, Segment, records::key_text};

/// Containers remembered at once.
const MOST_FOUND: usize = 32;
/// A path to records has at most this many steps.
const MOST_STEPS: usize = 24;
/// An object with fewer objects in it is no map of records.
const LEAST_MAPPED: u32 = 4;

/// What a container holds, the likeliest to be asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Two objects or more; or an object whose members are objects that begin alike.
    Objects,
    /// Two lists or more.
    Lists,
    /// One object.
    One,
    /// Scalars, one list.
    Others,
    /// Nothing.
    Nothing,
}

/// A container that holds records.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) segments: Vec<Segment>,
    pub(super) span: Span,
    pub(super) class: Class,
    pub(super) records: u64,
    /// It stands in another that holds records.
    pub(super) is_inside: bool,
}

impl Found {
    /// The order in which containers are offered; the first is the default.
    fn rank(&self) -> (bool, Class, u64, usize, u32) {
        (self.is_inside, self.class, u64::MAX - self.records, self.segments.len(), self.span.s)
    }

    pub(super) fn path(&self) -> Path {
        Path { segments: self.segments.clone(), name: String::new() }
    }
}

/// What a survey found.
#[derive(Debug)]
pub(super) struct Surveyed {
    /// Best first.
    pub(super) found: Vec<Found>,
    /// The longest string, with its quotes.
    pub(super) longest: Option<(Vec<Segment>, Span)>,
    /// The longest string that wrappers of tools' results quote a result in.
    pub(super) wrapped: Option<(Vec<Segment>, Span)>,
    pub(super) outcome: JsonOutcome,
}

/// Looks at the JSON in `span`.
pub(super) fn survey(text: &[u8], span: Span) -> Surveyed {
    let mut survey = Survey { text, frames: Vec::new(), found: Vec::new(), longest: None, wrapped: None };
    let outcome = scan_json(text, span.s as usize, span.e as usize, &mut survey);
    while !survey.frames.is_empty() {
        survey.close(span.e as usize);
    }
    let Survey { mut found, longest, wrapped, .. } = survey;
    found.sort_by_key(Found::rank);
    Surveyed { found, longest, wrapped, outcome }
}

#[derive(Clone, Copy)]
struct Frame {
    /// The key with its quotes; empty for an element.
    key: Span,
    /// Its number among its parent's items.
    index: u32,
    start: u32,
    is_object: bool,
    items: u32,
    objects: u32,
    lists: u32,
    /// The first key inside, and that of the first object inside.
    first_key: Span,
    model: Span,
    /// Objects inside that begin as the first does.
    alike: u32,
}

struct Survey<'s> {
    text: &'s [u8],
    frames: Vec<Frame>,
    found: Vec<Found>,
    longest: Option<(Vec<Segment>, Span)>,
    wrapped: Option<(Vec<Segment>, Span)>,
}

impl Survey<'_> {
    /// Counts an item of the open container; gives its number.
    fn count(&mut self, item: JsonItem, opens: Option<bool>) -> u32 {
        let Some(parent) = self.frames.last_mut() else { return 0 };
        let index = parent.items;
        parent.items = index.saturating_add(1);
        match opens {
            Some(true) => parent.objects += 1,
            Some(false) => parent.lists += 1,
            None => {}
        }
        if index == 0 {
            parent.first_key = Span::new(item.start, item.key_end);
        }
        index
    }

    fn segments(&self, last: Option<(Span, u32)>) -> Vec<Segment> {
        let inner = self.frames.get(1..).unwrap_or_default().iter().map(|frame| (frame.key, frame.index));
        inner
            .chain(last)
            .map(|(key, index)| match key.is_empty() {
                true => Segment::Index(index as usize),
                false => Segment::Key(key_text(key.of(self.text)).into_owned()),
            })
            .collect()
    }

    fn add(&mut self, frame: &Frame, end: usize) {
        let class = match frame {
            Frame { is_object: true, .. } => Class::Objects,
            Frame { objects: 2.., .. } => Class::Objects,
            Frame { lists: 2.., .. } => Class::Lists,
            Frame { objects: 1, .. } => Class::One,
            Frame { items: 1.., .. } => Class::Others,
            _ => Class::Nothing,
        };
        let span = Span::new(frame.start as usize, end);
        if class == Class::Objects {
            for found in self.found.iter_mut().rev().take_while(|found| found.span.s > span.s) {
                found.is_inside = true;
            }
        }
        if self.frames.len() >= MOST_STEPS {
            return;
        }
        let depth = self.frames.len();
        let records = u64::from(frame.items);
        // What is worse, deeper and shorter than what there is already is not worth its path.
        let place =
            |found: &Found| (found.is_inside, found.class, found.segments.len(), u64::MAX - found.records);
        if self.found.len() >= MOST_FOUND {
            let worst = self.found.iter().enumerate().max_by_key(|(_, found)| place(found));
            let Some((at, worst)) = worst.map(|(at, found)| (at, place(found))) else { return };
            if worst <= (false, class, depth, u64::MAX - records) {
                return;
            }
            self.found.remove(at);
        }
        let last = (!self.frames.is_empty()).then_some((frame.key, frame.index));
        let segments = self.segments(last);
        self.found.push(Found { segments, span, class, records, is_inside: false });
    }

    fn is_map(&self, frame: &Frame) -> bool {
        frame.objects >= LEAST_MAPPED
            && u64::from(frame.objects) * 4 >= u64::from(frame.items) * 3
            && u64::from(frame.alike) * 4 >= u64::from(frame.objects) * 3
    }
}

impl JsonEvents for Survey<'_> {
    fn open(&mut self, item: JsonItem, brace_at: usize, is_object: bool) {
        let index = self.count(item, Some(is_object));
        let none = Span::default();
        self.frames.push(Frame {
            key: Span::new(item.start, item.key_end),
            index,
            start: Span::new(brace_at, brace_at).s,
            is_object,
            items: 0,
            objects: 0,
            lists: 0,
            first_key: none,
            model: none,
            alike: 0,
        });
    }

    fn close(&mut self, end: usize) {
        let Some(frame) = self.frames.pop() else { return };
        if frame.is_object
            && let Some(parent) = self.frames.last_mut()
            && parent.is_object
        {
            if parent.model.is_empty() {
                parent.model = frame.first_key;
            }
            let is_alike = parent.model.of(self.text) == frame.first_key.of(self.text);
            parent.alike += u32::from(is_alike && !frame.first_key.is_empty());
        }
        if !frame.is_object || self.is_map(&frame) {
            self.add(&frame, end);
        }
    }

    fn scalar(&mut self, item: JsonItem, start: usize, end: usize, is_string: bool) {
        let index = self.count(item, None);
        if !is_string {
            return;
        }
        let span = Span::new(start, end);
        let longer = |than: &Option<(Vec<Segment>, Span)>| {
            than.as_ref().is_none_or(|(_, known)| known.len() < span.len())
        };
        if !longer(&self.longest) && !longer(&self.wrapped) {
            return;
        }
        if self.frames.len() >= MOST_STEPS {
            return;
        }
        let key = Span::new(item.start, item.key_end);
        let last = (!self.frames.is_empty()).then_some((key, index));
        if longer(&self.longest) {
            self.longest = Some((self.segments(last), span));
        }
        // `{"content": [{"type": "text", "text": "..."}]}`, as MCP has it.
        let is_wrapped = key.of(self.text) == b"\"text\""
            && self.frames.iter().rev().nth(1).is_some_and(|list| {
                !list.is_object && matches!(list.key.of(self.text), b"\"content\"" | b"\"contents\"")
            });
        if is_wrapped && longer(&self.wrapped) {
            self.wrapped = Some((self.segments(last), span));
        }
    }
}
