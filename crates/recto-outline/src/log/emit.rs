//! Adding a log's lines to the outline.

use crate::{
    Builder, Kind, NoteSyntax, Role,
    lines::{self, Line},
    log::{
        events::{Fact, NOTES},
        pairs,
    },
    outline::LineHead,
};

/// Redrawn pieces are gathered up to this many bytes.
const REDRAWN_BYTES: usize = 240;

/// A line that waits to be added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) line: Line,
    pub(super) kind: Kind,
    /// Whether a carriage return inside the line redraws it.
    pub(super) redrawn: bool,
    pub(super) head: LineHead,
}

impl Entry {
    pub(super) fn of(fact: &Fact<'_>, kind: Kind) -> Self {
        let prefix_bytes = u8::try_from(fact.prefix_bytes).unwrap_or(0);
        let head = LineHead { prefix_bytes, level: fact.level };
        Self { line: fact.line, kind, redrawn: fact.redrawn, head }
    }
}

/// Adds lines and containers, each behind the one before.
pub(super) struct Emitter<'b, 's> {
    builder: &'b mut Builder<'s>,
    /// The end of the last line added: where the next one's separator begins.
    end: usize,
}

impl<'b, 's> Emitter<'b, 's> {
    pub(super) fn new(builder: &'b mut Builder<'s>, start: usize) -> Self {
        Self { builder, end: start }
    }

    /// Opens a container that begins at `start`.
    pub(super) fn open(&mut self, start: usize, role: Role, kind: Kind) {
        self.builder.open(self.end, start, role, kind, NOTES);
    }

    /// Counts the pairs of a line.
    pub(super) fn count_pairs(&mut self, line: Line) {
        pairs::count(self.builder, line);
    }

    /// Closes the innermost container behind the last line.
    pub(super) fn close(&mut self) {
        self.builder.close(self.end);
    }

    /// Adds a line.
    pub(super) fn entry(&mut self, entry: &Entry) {
        let next = self.builder.unit_count();
        if entry.redrawn {
            self.redrawn(entry.line, entry.kind);
        } else {
            lines::add_line(self.builder, self.end, entry.line, Role::Line, entry.kind);
        }
        self.end = entry.line.end;
        self.builder.set_head(next, entry.head);
    }

    /// A line that carriage returns redraw: what was overwritten is boilerplate, only the last piece matters.
    fn redrawn(&mut self, line: Line, kind: Kind) {
        let source = self.builder.source();
        let last = last_drawn(line.of(source));
        let (last_start, last_end) = (line.start + last.start, line.start + last.end);
        if last_start == line.start {
            self.builder.leaf(self.end, line.start, line.end, Role::Line, kind);
            return;
        }
        self.builder.open(self.end, line.start, Role::Line, kind, NoteSyntax::Inline);
        let mut lead = line.start;
        let mut start = line.start;
        let mut end = line.start;
        let overwritten = source.get(line.start..last_start).unwrap_or_default();
        for found in memchr::memchr_iter(b'\r', overwritten) {
            if end > start && line.start + found - start > REDRAWN_BYTES {
                self.builder.leaf(lead, start, end, Role::Text, Kind::Boilerplate);
                lead = end;
                start = end + 1;
            }
            end = line.start + found;
        }
        if end > start {
            self.builder.leaf(lead, start, end, Role::Text, Kind::Boilerplate);
            lead = end;
        }
        if last_end - last_start > lines::LONG_LINE_BYTES {
            lines::add_pieces(self.builder, last_start, last_end);
        } else {
            self.builder.leaf(lead, last_start, last_end, Role::Text, Kind::Piece);
        }
        self.builder.close(line.end);
    }
}

/// The last piece of a line between carriage returns that is not empty.
pub(super) fn last_drawn(line: &[u8]) -> std::ops::Range<usize> {
    let end = line.iter().rposition(|byte| *byte != b'\r').map_or(0, |at| at + 1);
    let start = line.get(..end).and_then(|text| memchr::memrchr(b'\r', text)).map_or(0, |at| at + 1);
    start..end
}
