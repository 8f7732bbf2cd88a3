//! JSON sources: units are members and elements; small records are whole; long strings are opened and looked into.

mod decode;
mod leaves;
mod scan;

pub use decode::{Decoded, decode_json_string};
pub use leaves::{Leaf, hash, json_leaves, json_member_path, json_path};
use leaves::{container_path, is_data};
pub use scan::{Events, Item, Outcome, is_scalar, scan};

use crate::{
    Builder, ContentType, Fuel, Kind, NoteSyntax, OutlineError, Role,
    columns::{Counting, counting},
    detect,
    lines::{self, Line},
    parser::{Context, Parser},
};

/// Strings longer than this are opened: their text gets units of its own.
const OPEN_STRING_BYTES: usize = 400;
/// Texts in strings longer than this are looked at for their own format; shorter ones are cut by lines.
const DETECT_STRING_BYTES: usize = 1_500;
/// Strings longer than this are cut without being decoded: memory.
const DECODE_STRING_BYTES: usize = 16 << 20;
/// Texts in texts deeper than this stay closed.
const MAX_EMBEDDING: u8 = 3;

/// The parser for one JSON document, or several that are not a line each.
pub(crate) struct Json;

impl Parser for Json {
    fn content_type(&self) -> ContentType {
        ContentType::Json
    }

    fn surest(&self) -> u8 {
        98
    }

    fn sniff(&self, head: &[u8], whole: bool) -> u8 {
        let probe = Probe::of(head);
        if probe.begins_as_json(whole) && !probe.has_lines(head) { probe.certainty() } else { 0 }
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end - start)?;
        let before = builder.current();
        let (outcome, error) = counting(builder, end - start, |builder, counting| {
            let mut units = Units::new(builder, counting, context, fuel, true);
            let outcome = scan(units.builder.source(), start, end, &mut units);
            (outcome, units.error)
        });
        close_all(builder, outcome.depth, end);
        if outcome.values > 1 && before == crate::UnitId::ROOT && builder.current() == before {
            builder.set_content_type(ContentType::Jsonl);
            builder.set_root_notes(NoteSyntax::JsonLine);
        }
        error.map_or(Ok(()), Err)
    }
}

/// Scans a line that holds a JSON value, as one record.
pub(crate) fn parse_record(
    (builder, counting): (&mut Builder<'_>, &mut Counting<'_>),
    lead: usize,
    line: Line,
    context: Context,
    fuel: &mut Fuel,
) -> Result<(), OutlineError> {
    let mut units = Units::new(builder, counting, context, fuel, false);
    units.first_lead = Some(lead);
    let outcome = scan(units.builder.source(), line.start, line.end, &mut units);
    let error = units.error.take();
    close_all(builder, outcome.depth, line.end);
    error.map_or(Ok(()), Err)
}

fn close_all(builder: &mut Builder<'_>, depth: usize, end: usize) {
    for _ in 0..depth {
        builder.close(end);
    }
}

/// Turns scanner events into units.
struct Units<'b, 's, 'c, 'h, 'f> {
    builder: &'b mut Builder<'s>,
    counting: &'c mut Counting<'h>,
    context: Context,
    fuel: &'f mut Fuel,
    /// The first value at the top level is the document: its frame is never dropped.
    is_document: bool,
    /// Where the separator before the first value begins, if not where the scan does.
    first_lead: Option<usize>,
    /// The open containers.
    open: Vec<Container>,
    /// The path of the open containers' keys.
    path: u64,
    /// Where the innermost open record begins, and how many lists are open.
    record: u32,
    lists: u8,
    /// The sum of the names of the columns met in the open container.
    shape: u64,
    error: Option<OutlineError>,
}

/// An open container, with what is to be restored behind it.
struct Container {
    is_object: bool,
    /// How many members it has so far, and how many of them are objects.
    members: u32,
    objects: u32,
    is_record: bool,
    start: usize,
    outer_path: u64,
    outer_record: u32,
    outer_shape: u64,
}

impl Container {
    /// Says whether an object holds records by their names rather than fields.
    fn is_map(&self) -> bool {
        /// Fewer objects may be the parts of one thing.
        const LEAST_OBJECTS: u32 = 4;
        self.objects >= LEAST_OBJECTS && self.objects * 4 >= self.members * 3
    }
}

impl<'b, 's, 'c, 'h, 'f> Units<'b, 's, 'c, 'h, 'f> {
    fn new(
        builder: &'b mut Builder<'s>,
        counting: &'c mut Counting<'h>,
        context: Context,
        fuel: &'f mut Fuel,
        is_document: bool,
    ) -> Self {
        Self {
            builder,
            counting,
            context,
            fuel,
            is_document,
            first_lead: None,
            open: Vec::new(),
            path: 0,
            record: u32::MAX - 1,
            lists: 0,
            shape: 0,
            error: None,
        }
    }

    /// The role of the item that begins now, and where its separator begins.
    fn place(&mut self, item: Item, is_container: bool) -> (Role, usize) {
        if self.open.is_empty() {
            let lead = self.first_lead.take().unwrap_or(item.lead);
            let role = if std::mem::take(&mut self.is_document) { Role::Frame } else { Role::Record };
            return (role, lead);
        }
        let role = if item.key_end > item.start {
            Role::Field
        } else if is_container {
            Role::Record
        } else {
            Role::Field
        };
        (role, item.lead)
    }

    /// Gives the text of a long string units of its own.
    fn open_string(&mut self, item: Item, lead: usize, role: Role, start: usize, end: usize) {
        let source = self.builder.source();
        self.builder.open(lead, item.start, role, Kind::StringText, NoteSyntax::Inline);
        self.builder.set_quote(1);
        let inside = start + 1;
        let inside_end = if source.get(end - 1) == Some(&b'"') { end - 1 } else { end };
        let raw = source.get(inside..inside_end).unwrap_or_default();
        if raw.len() > DECODE_STRING_BYTES || self.context.embedding >= MAX_EMBEDDING {
            add_raw_pieces(self.builder, inside, inside_end);
        } else if let Err(error) = self.graft(raw, inside) {
            self.error = Some(error);
        }
        self.builder.close(end);
    }

    fn graft(&mut self, raw: &[u8], inside: usize) -> Result<(), OutlineError> {
        let decoded = decode::Decoded::new(raw);
        let text: &[u8] = &decoded.text;
        let parser: &dyn Parser = if text.len() > DETECT_STRING_BYTES || looks_like_json(text) {
            detect::parser_for(text)
        } else {
            &lines::Plain
        };
        let mut inner = Builder::new(text, parser.content_type(), crate::LINE_NOTES);
        let context = Context { embedding: self.context.embedding + 1, ..self.context };
        parser.parse(&mut inner, 0, text.len(), context, self.fuel)?;
        let inner = inner.finish();
        let base = crate::span::offset(inside);
        let before = self.builder.unit_count();
        self.builder.graft(&inner, |at| base + decoded.raw_offset(at));
        if self.builder.unit_count() == before {
            add_raw_pieces(self.builder, inside, inside + raw.len());
        }
        Ok(())
    }
}

impl Events for Units<'_, '_, '_, '_, '_> {
    fn open(&mut self, item: Item, _brace_at: usize, is_object: bool) {
        let (role, lead) = self.place(item, true);
        let (kind, notes) = if is_object {
            (Kind::Object, NoteSyntax::JsonMember)
        } else {
            (Kind::Array, NoteSyntax::JsonElement)
        };
        self.builder.open(lead, item.start, role, kind, notes);
        let outer_path = self.path;
        let key = self.builder.source().get(item.start..item.key_end).unwrap_or_default();
        self.path = container_path(outer_path, key);
        let outer_record = self.record;
        if is_object && (role == Role::Record || is_data(key)) {
            self.record = crate::span::offset(item.start);
        }
        self.lists = self.lists.saturating_add(u8::from(!is_object));
        self.builder.columns().within(self.lists, self.record);
        let outer_shape = std::mem::take(&mut self.shape);
        if let Some(outer) = self.open.last_mut() {
            outer.members += 1;
            outer.objects += u32::from(is_object);
        }
        self.open.push(Container {
            is_object,
            members: 0,
            objects: 0,
            is_record: role == Role::Record,
            start: item.start,
            outer_path,
            outer_record,
            outer_shape,
        });
    }

    fn close(&mut self, end: usize) {
        if let Some(container) = self.open.pop() {
            if container.is_object && container.is_record {
                self.builder.columns().add_shape(self.shape, crate::span::offset(container.start));
            }
            if container.is_object && container.is_map() {
                self.builder.objects_are_records();
            }
            self.path = container.outer_path;
            self.record = container.outer_record;
            self.lists = self.lists.saturating_sub(u8::from(!container.is_object));
            self.builder.columns().within(self.lists, self.record);
            self.shape = self.shape.wrapping_add(container.outer_shape);
        }
        if self.open.is_empty() && self.builder.is_open_frame() {
            self.builder.close(end);
        } else {
            self.builder.close_atom(end, self.context.atom_bytes);
        }
    }

    fn scalar(&mut self, item: Item, start: usize, end: usize, is_string: bool) {
        let (role, lead) = self.place(item, false);
        if let Some(outer) = self.open.last_mut() {
            outer.members += 1;
        }
        if is_string && end - start > OPEN_STRING_BYTES {
            self.open_string(item, lead, role, start, end);
        } else {
            let source = self.builder.source();
            let column = (self.path, crate::Span::new(item.start, item.key_end));
            let value = crate::Span::new(start, end);
            let at = crate::span::offset(item.start);
            let counted = self.builder.columns().item(source, column, value, at);
            let next = self.builder.unit_count();
            self.builder.leaf(lead, item.start, end, role, Kind::Scalar);
            if let Some((item, name)) = counted {
                self.shape = self.shape.wrapping_add(name);
                self.builder.set_column(next, item.place);
                self.counting.add(item);
            }
        }
    }

    fn is_done(&self) -> bool {
        self.error.is_some()
    }
}

/// Cuts the raw inside of a string after `\n` escapes and at most every few hundred bytes, never inside an escape.
fn add_raw_pieces(builder: &mut Builder<'_>, start: usize, end: usize) {
    let source = builder.source();
    let mut at = start;
    while at < end {
        let limit = lines::piece_end(source, at, end);
        let mut cut = at;
        // Walk whole escapes, so that the cut falls between them.
        while cut < limit {
            let Some(window) = source.get(cut..limit) else { break };
            match memchr::memchr(b'\\', window) {
                None => cut = limit,
                Some(found) => {
                    let escape = cut + found;
                    let (length, ends_line) = match source.get(escape + 1) {
                        Some(b'u') => (if is_high_surrogate(source, escape) { 12 } else { 6 }, false),
                        Some(b'n') => (2, true),
                        _ => (2, false),
                    };
                    cut = escape + length;
                    if ends_line && cut > at + lines::LONG_LINE_BYTES / 8 {
                        break;
                    }
                }
            }
        }
        let cut = cut.clamp(at + 1, end);
        builder.leaf(at, at, cut, Role::Text, Kind::Piece);
        at = cut;
    }
}

fn is_high_surrogate(source: &[u8], escape: usize) -> bool {
    source.get(escape + 2).is_some_and(|digit| matches!(digit, b'd' | b'D'))
        && source
            .get(escape + 3)
            .is_some_and(|digit| matches!(digit, b'8' | b'9' | b'a' | b'b' | b'A' | b'B'))
        && source.get(escape + 6..escape + 8) == Some(b"\\u")
}

/// What the head of a source looks like to a strict eye.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    outcome: Outcome,
    items: usize,
    bad_scalars: usize,
    /// Scalars that stand behind a container on its last line: no JSON text goes on so, but many a text that begins with a bracket.
    strays: usize,
    starts: bool,
}

impl Probe {
    /// Scans `head`, up to the first few hundred items.
    pub(crate) fn of(head: &[u8]) -> Self {
        let trimmed = head.trim_ascii_start();
        let starts = matches!(trimmed.first(), Some(b'{' | b'['))
            || (trimmed.first() == Some(&b'"') && trimmed.len() > OPEN_STRING_BYTES);
        let mut probe = Self { outcome: Outcome::default(), items: 0, bad_scalars: 0, strays: 0, starts };
        if starts {
            let mut counter = Counter { head, items: 0, bad: 0, strays: 0, depth: 0, last_end: 0 };
            probe.outcome = scan(head, 0, head.len(), &mut counter);
            probe.items = counter.items;
            probe.bad_scalars = counter.bad;
            probe.strays = counter.strays;
        }
        probe
    }

    /// Says whether the head begins as JSON does and mostly goes on so.
    pub(crate) fn begins_as_json(&self, _whole: bool) -> bool {
        // The cut at the end of the head may spoil the last scalar.
        let faults = self.outcome.faults + self.bad_scalars.saturating_sub(1) + 2 * self.strays;
        self.starts
            && faults * 20 <= self.items + 1 + usize::from(self.items <= 2) * 20 * usize::from(faults <= 1)
    }

    /// Says whether the head holds several values, the first of which ends on its own first line.
    pub(crate) fn has_lines(&self, head: &[u8]) -> bool {
        if self.outcome.values + usize::from(self.outcome.depth > 0) < 2 || self.outcome.first_end == 0 {
            return false;
        }
        let first = head.get(..self.outcome.first_end).unwrap_or_default().trim_ascii_start();
        let rest = head.get(self.outcome.first_end..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_ascii_start().len();
        memchr::memchr(b'\n', first).is_none()
            && memchr::memchr(b'\n', rest.get(..blanks).unwrap_or_default()).is_some()
            && rest.len() > blanks
    }

    /// How sure the probe is, in the parsers' scale.
    pub(crate) fn certainty(&self) -> u8 {
        if self.outcome.faults == 0 && self.bad_scalars <= 1 { 98 } else { 85 }
    }
}

struct Counter<'s> {
    head: &'s [u8],
    items: usize,
    bad: usize,
    strays: usize,
    depth: usize,
    /// Where the container just before ended, if it stood at the top level.
    last_end: usize,
}

impl Events for Counter<'_> {
    fn open(&mut self, _item: Item, _brace_at: usize, _is_object: bool) {
        self.items += 1;
        self.depth += 1;
    }

    fn close(&mut self, end: usize) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.last_end = end;
        }
    }

    fn scalar(&mut self, _item: Item, start: usize, end: usize, is_string: bool) {
        self.items += 1;
        if self.depth == 0 {
            let gap = self.head.get(self.last_end..start).unwrap_or_default();
            self.strays += usize::from(self.last_end > 0 && memchr::memchr(b'\n', gap).is_none());
            self.last_end = 0;
        }
        if !is_string && !scan::is_scalar(self.head.get(start..end).unwrap_or_default()) {
            self.bad += 1;
        }
    }

    fn is_done(&self) -> bool {
        self.items > 600 || (self.bad > 3 && self.items < 12)
    }
}

/// Says whether a text begins as a JSON container does.
pub(crate) fn looks_like_json(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
        && Probe::of(text.get(..4096).unwrap_or(text)).begins_as_json(false)
}

/// Where a JSON container that begins in `source` at `at` ends, if it is one without a fault.
pub(crate) fn container_end(source: &[u8], at: usize, end: usize) -> Option<usize> {
    struct First {
        depth: usize,
        done: bool,
    }
    impl Events for First {
        fn open(&mut self, _item: Item, _brace_at: usize, _is_object: bool) {
            self.depth += 1;
        }
        fn close(&mut self, _end: usize) {
            self.depth -= 1;
            self.done = self.depth == 0;
        }
        fn scalar(&mut self, _item: Item, _start: usize, _end: usize, _is_string: bool) {}
        fn is_done(&self) -> bool {
            self.done
        }
    }
    let mut first = First { depth: 0, done: false };
    let outcome = scan(source, at, end, &mut first);
    (outcome.faults == 0 && first.done).then_some(outcome.at)
}
