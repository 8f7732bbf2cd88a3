//! Records as rows and tuples.

use recto_outline::JsonItem;

use super::{Piece, PieceKind, Place, Way, Writing};
use crate::table::{
    cell::{RAW, inside, is_bare_text},
    census::{Bytes, NONE, Shape},
    compact::push_compact,
    plan::{Column, affixes},
};

/// A record that is being written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuple {
    element: u32,
    /// Where it begins in the text and in the source.
    text: usize,
    source: usize,
    pub(super) rank: u32,
    /// How many cells are begun.
    cells: u32,
    constants: u32,
    /// It does not fit the header.
    pub(super) is_odd: bool,
    pub(super) is_row: bool,
}

impl Writing<'_> {
    /// A record of a table, on a line of its own.
    pub(super) fn begin_row(&mut self, item: JsonItem, element: u32, is_first: bool, shape: Shape) -> Way {
        let lead = self.here();
        if !is_first {
            self.out().push(b'\n');
        }
        if let Some(table) = self.written.tables.last_mut() {
            table.rows += 1;
        }
        let start = self.here();
        let piece = Piece {
            kind: PieceKind::Row,
            lead: Bytes::new(lead, lead).start,
            body: Bytes::new(start, start),
            source_lead: Bytes::new(item.lead, item.lead).start,
            source: Bytes::new(item.start, item.start),
        };
        if shape == Shape::Object {
            return self.begin_tuple(element, item, Some(piece));
        }
        self.out().push(RAW);
        self.push_key(Bytes::new(item.start, item.key_end));
        Way::Json(Some(piece))
    }

    pub(super) fn begin_tuple(&mut self, element: u32, item: JsonItem, piece: Option<Piece>) -> Way {
        let is_row = piece.is_some();
        let text = self.here();
        if !is_row {
            self.out().push(b'[');
        }
        let key = Bytes::new(item.start, item.key_end).of(self.source);
        if let Some(name) = inside(key) {
            // The record's own key is its first cell.
            let is_bare = is_row && is_bare_text(name);
            self.written.text.extend_from_slice(if is_bare { name } else { key });
        }
        let cells = u32::from(!key.is_empty());
        let source = item.start;
        self.tuples.push(Tuple {
            element,
            text,
            source,
            rank: 0,
            cells,
            constants: 0,
            is_odd: false,
            is_row,
        });
        Way::Inside(Place::Record, element, piece)
    }

    /// A value in a record.
    pub(super) fn begin_cell(&mut self, node: u32, shape: Shape) -> Way {
        let choice = self.plan.choice(node);
        match shape.at(self.census.node(node)) {
            Shape::Object if choice.is_group => return Way::Inside(Place::Group, node, None),
            Shape::List | Shape::Map if choice.is_list => {
                let element = self.census.node(node).map_or(NONE, |node| node.element);
                return if self.go_to(choice.list_rank, Some(choice.list_position)) {
                    self.out().push(b'[');
                    Way::Inside(Place::List, element, None)
                } else {
                    self.odd()
                };
            }
            _ => {}
        }
        let (is_right, way) = match choice.column {
            Column::Absent => (false, Way::Not),
            Column::Constant => {
                if let Some(tuple) = self.tuples.last_mut() {
                    tuple.constants += 1;
                }
                (self.go_to(choice.cell_rank, None), Way::Not)
            }
            Column::Plain => (self.go_to(choice.cell_rank, Some(choice.cell_position)), Way::Cell),
            Column::Template { prefix, suffix } => {
                let is_right = self.go_to(choice.cell_rank, Some(choice.cell_position));
                (is_right, Way::Template(prefix, suffix))
            }
        };
        if is_right { way } else { self.odd() }
    }

    /// Goes on to a column, if it lies ahead; a cell's separators are written.
    fn go_to(&mut self, rank: u32, position: Option<u32>) -> bool {
        let Some(tuple) = self.tuples.last_mut() else { return false };
        if rank <= tuple.rank {
            return false;
        }
        tuple.rank = rank;
        if let Some(position) = position {
            // The first cell has no separator before it.
            let before = tuple.cells.saturating_sub(1);
            let missing = position.saturating_sub(before) as usize;
            let sign = if tuple.is_row { b'\t' } else { b',' };
            tuple.cells = position + 1;
            self.written.text.resize(self.written.text.len() + missing, sign);
        }
        true
    }

    /// The open record does not fit its header.
    pub(super) fn odd(&mut self) -> Way {
        if let Some(tuple) = self.tuples.last_mut() {
            tuple.is_odd = true;
        }
        Way::Not
    }

    pub(super) fn end_record(&mut self, end: usize) {
        let Some(tuple) = self.tuples.pop() else { return };
        let expected = self.plan.choice(tuple.element).constants;
        let is_empty = tuple.rank == 0;
        if tuple.is_odd || tuple.constants != expected || is_empty {
            self.written.text.truncate(tuple.text);
            if tuple.is_row {
                self.written.text.push(RAW);
            }
            push_compact(&mut self.written.text, self.source.get(tuple.source..end).unwrap_or_default());
        } else if !tuple.is_row {
            self.written.text.push(b']');
        }
    }

    /// Writes what a template leaves of a text; says whether it is of the template's kind.
    pub(super) fn write_text(
        &mut self,
        node: u32,
        text: &[u8],
        prefix: u32,
        suffix: u32,
        is_row: bool,
    ) -> bool {
        let Some(node) = self.census.node(node) else { return false };
        let (before, behind) = affixes(node, prefix, suffix);
        let rest = inside(text)
            .and_then(|text| text.strip_prefix(before.of(self.source)))
            .and_then(|text| text.strip_suffix(behind.of(self.source)));
        let Some(rest) = rest else { return false };
        if is_row && is_bare_text(rest) {
            self.written.text.extend_from_slice(rest);
        } else {
            for piece in [&b"\""[..], rest, b"\""] {
                self.written.text.extend_from_slice(piece);
            }
        }
        true
    }
}
