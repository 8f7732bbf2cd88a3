//! The second pass: the text, and what each part of it stands for.

mod records;

use recto_outline::{JsonEvents, JsonItem, scan_json};

use self::records::Tuple;
use super::{
    cell::{RAW, inside, is_bare},
    census::{Bytes, Census, NONE, Shape},
    decode::{JSON_HEAD, LINES_HEAD},
    head::write_header,
    plan::{Part, Plan},
};

/// A part of the text that can be shown or left out, with where its separator begins in the text and in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    pub(super) lead: u32,
    pub(super) body: Bytes,
    pub(super) source_lead: u32,
    pub(super) source: Bytes,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// A record of a table.
    Row,
    /// A member or an element outside of tables.
    Leaf,
    /// Such a one with pieces inside, which follow, up to its end.
    Object,
    Array,
    Table,
    End,
}

/// A table in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// The place of its array.
    pub(super) node: u32,
    /// Where the array begins in the source.
    pub(super) at: usize,
    pub(super) rows: u64,
}

/// The text of a document with tables.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: Vec<u8>,
    /// In the order of the text; those inside of one stand between it and its end.
    pub(super) pieces: Vec<Piece>,
    pub(super) tables: Vec<Placed>,
}

/// Writes the document as planned.
pub(super) fn write(source: &[u8], start: usize, is_lines: bool, census: &Census, plan: &Plan) -> Written {
    let mut headers: Vec<(u32, Vec<u8>)> = Vec::new();
    for (node, place) in (0_u32..).zip(&census.nodes) {
        if plan.choice(node).is_table {
            let parts: Vec<Part> = plan.parts(census, place.element);
            let mut header = Vec::new();
            write_header(&mut header, source, census, plan, &parts);
            headers.push((node, header));
        }
    }
    let mut writing = Writing {
        source,
        census,
        plan,
        is_lines,
        headers,
        written: Written::default(),
        open: Vec::new(),
        tuples: Vec::new(),
    };
    writing.written.text.reserve(usize::try_from(census.bytes / 2).unwrap_or(0));
    writing.written.text.extend_from_slice(if is_lines { LINES_HEAD } else { JSON_HEAD });
    if is_lines {
        writing.begin_table(0, start);
    }
    scan_json(source, start, source.len(), &mut writing);
    writing.written
}

/// Where an open container stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In plain JSON, all of which is one piece or one cell.
    Plain,
    /// In what is said elsewhere.
    Unwritten,
    /// Outside of tables.
    Object,
    Array,
    Map,
    Table,
    /// A record: a row or a tuple.
    Record,
    Group,
    List,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    place: Place,
    node: u32,
    /// The place of the last member.
    before: u32,
    is_first: bool,
    /// What it adds to the pieces at its end: a leaf or a row that began so, or the end of a container.
    piece: Option<Piece>,
    /// The brace that ends it.
    brace: u8,
}

struct Writing<'w> {
    source: &'w [u8],
    census: &'w Census,
    plan: &'w Plan,
    is_lines: bool,
    headers: Vec<(u32, Vec<u8>)>,
    written: Written,
    open: Vec<Open>,
    tuples: Vec<Tuple>,
}

/// How a value is written that begins now.
enum Way {
    /// As JSON; what has begun ends with the value.
    Json(Option<Piece>),
    /// Not at all.
    Not,
    /// As a text in a template, which begins and ends with so many bytes.
    Template(u32, u32),
    /// As the cell of a row.
    Cell,
    /// As a container with parts of its own.
    Inside(Place, u32, Option<Piece>),
}

impl Writing<'_> {
    fn out(&mut self) -> &mut Vec<u8> {
        &mut self.written.text
    }

    fn here(&self) -> usize {
        self.written.text.len()
    }

    fn begin_table(&mut self, node: u32, at: usize) {
        let header = self.headers.iter().find(|(of, _)| *of == node);
        if let Some((_, header)) = header {
            self.written.text.extend_from_slice(header);
        }
        self.written.tables.push(Placed { node, at, rows: 0 });
    }

    /// Writes the separator and the key of an item, and says how its value is written.
    fn begin(&mut self, item: JsonItem, shape: Shape) -> Way {
        let key = Bytes::new(item.start, item.key_end);
        let Some(open) = self.open.last().copied() else {
            return self.begin_outermost(item, shape);
        };
        let is_first = open.is_first;
        if let Some(open) = self.open.last_mut() {
            open.is_first = false;
        }
        match open.place {
            Place::Plain => {
                if !is_first {
                    self.out().push(b',');
                }
                self.push_key(key);
                Way::Json(None)
            }
            Place::Unwritten => Way::Not,
            Place::Object | Place::Array | Place::Map => {
                let lead = self.here();
                if !is_first {
                    self.out().push(b',');
                }
                let node = if open.place == Place::Object {
                    self.member(open, key).unwrap_or(NONE)
                } else {
                    self.census.node(open.node).map_or(NONE, |node| node.element)
                };
                self.begin_outside(item, node, shape, lead)
            }
            Place::Table => self.begin_row(item, open.node, is_first, shape),
            Place::Record | Place::Group => {
                if self.tuples.last().is_none_or(|tuple| tuple.is_odd) {
                    return Way::Not;
                }
                match self.member(open, key) {
                    Some(node) => self.begin_cell(node, shape),
                    None => self.odd(),
                }
            }
            Place::List => {
                if !is_first {
                    self.out().push(b',');
                }
                if shape == Shape::Object {
                    self.begin_tuple(open.node, item, None)
                } else {
                    if self.source.get(item.start) == Some(&b'[') {
                        self.out().push(RAW);
                    }
                    self.push_key(key);
                    Way::Json(None)
                }
            }
        }
    }

    fn begin_outermost(&mut self, item: JsonItem, shape: Shape) -> Way {
        match self.written.tables.first() {
            // Only lines have a table before anything is open.
            Some(table) if self.is_lines => {
                let element = self.census.node(table.node).map_or(NONE, |node| node.element);
                let is_first = table.rows == 0;
                self.begin_row(item, element, is_first, shape)
            }
            _ => {
                let lead = self.here();
                self.begin_outside(item, 0, shape, lead)
            }
        }
    }

    /// An item outside of tables.
    fn begin_outside(&mut self, item: JsonItem, node: u32, shape: Shape, lead: usize) -> Way {
        let start = self.here();
        self.push_key(Bytes::new(item.start, item.key_end));
        let piece = |kind| Piece {
            kind,
            lead: Bytes::new(lead, lead).start,
            body: Bytes::new(start, start),
            source_lead: Bytes::new(item.lead, item.lead).start,
            source: Bytes::new(item.start, item.start),
        };
        let choice = self.plan.choice(node);
        let found = self.census.node(node);
        let place = match shape.at(found) {
            Shape::Object if found.is_some_and(|node| node.first != NONE) => Place::Object,
            Shape::List | Shape::Map if choice.is_table => Place::Table,
            Shape::List if found.is_some_and(|node| node.element != NONE) => Place::Array,
            Shape::Map if found.is_some_and(|node| node.element != NONE) => Place::Map,
            _ => return Way::Json(Some(piece(PieceKind::Leaf))),
        };
        let kind = match place {
            Place::Object | Place::Map => PieceKind::Object,
            Place::Table => PieceKind::Table,
            _ => PieceKind::Array,
        };
        self.written.pieces.push(piece(kind));
        Way::Inside(place, node, Some(piece(PieceKind::End)))
    }

    fn push_key(&mut self, key: Bytes) {
        if key.len() > 0 {
            let source = self.source;
            self.written.text.extend_from_slice(key.of(source));
            self.written.text.push(b':');
        }
    }

    /// The place of a member of an open container.
    fn member(&mut self, open: Open, key: Bytes) -> Option<u32> {
        let found = self.census.member(self.source, open.node, open.before, key.of(self.source))?;
        if let Some(open) = self.open.last_mut() {
            open.before = found;
        }
        Some(found)
    }

    fn end_piece(&mut self, piece: Option<Piece>, end: usize) {
        if let Some(mut piece) = piece {
            piece.body.end = Bytes::new(0, self.here()).end;
            piece.source.end = Bytes::new(0, end).end;
            self.written.pieces.push(piece);
        }
    }
}

impl JsonEvents for Writing<'_> {
    fn open(&mut self, item: JsonItem, brace_at: usize, is_object: bool) {
        let shape = Shape::of(self.source, brace_at, is_object);
        let (open_brace, brace) = if is_object { (b'{', b'}') } else { (b'[', b']') };
        let (place, node, piece) = match self.begin(item, shape) {
            Way::Not => (Place::Unwritten, NONE, None),
            Way::Json(piece) => (Place::Plain, NONE, piece),
            Way::Cell | Way::Template(..) => (Place::Plain, NONE, None),
            Way::Inside(place, node, piece) => (place, node, piece),
        };
        if matches!(place, Place::Plain | Place::Object | Place::Map | Place::Array | Place::Table) {
            self.out().push(open_brace);
        }
        let mut node = node;
        if place == Place::Table {
            self.out().push(b'\n');
            self.begin_table(node, brace_at);
            node = self.census.node(node).map_or(NONE, |node| node.element);
        }
        self.open.push(Open { place, node, before: NONE, is_first: true, piece, brace });
    }

    fn close(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        match open.place {
            Place::Plain | Place::Object | Place::Map | Place::Array => self.out().push(open.brace),
            Place::List => {
                if self.tuples.last().is_some_and(|tuple| !tuple.is_odd) {
                    self.out().push(b']');
                }
            }
            Place::Table => self.written.text.extend_from_slice(&[b'\n', open.brace]),
            Place::Record => self.end_record(end),
            Place::Group => {
                let rank = self.plan.choice(open.node).group_rank;
                if let Some(tuple) = self.tuples.last_mut() {
                    tuple.rank = tuple.rank.max(rank);
                }
            }
            Place::Unwritten => {}
        }
        self.end_piece(open.piece, end);
    }

    fn scalar(&mut self, item: JsonItem, start: usize, end: usize, is_string: bool) {
        let text = Bytes::new(start, end).of(self.source);
        let is_row = self.tuples.last().is_some_and(|tuple| tuple.is_row);
        let mut piece = None;
        match self.begin(item, Shape::Cell) {
            Way::Not | Way::Inside(..) => {}
            Way::Json(begun) => {
                self.written.text.extend_from_slice(text);
                piece = begun;
            }
            Way::Cell => {
                let bare = inside(text).filter(|inside| is_string && is_row && is_bare(inside));
                self.written.text.extend_from_slice(bare.unwrap_or(text));
            }
            Way::Template(prefix, suffix) => {
                let node = self.open.last().map_or(NONE, |open| open.before);
                if !self.write_text(node, text, prefix, suffix, is_row) {
                    self.odd();
                }
            }
        }
        self.end_piece(piece, end);
    }
}
