//! Lines, the ground of most formats.

use crate::{
    Builder, ContentType, Fuel, Kind, NoteSyntax, OutlineError, Role,
    parser::{Context, Parser},
};

/// Lines longer than this are cut into pieces, so that one huge line can be kept in part.
pub(crate) const LONG_LINE_BYTES: usize = 500;
/// What a piece of a long line has at most.
const PIECE_BYTES: usize = 240;

/// One line of a source: `[start, end)` without its line end, which is `[end, next)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: usize,
}

impl Line {
    /// The bytes of the line, without its end.
    pub(crate) fn of<'s>(&self, source: &'s [u8]) -> &'s [u8] {
        source.get(self.start..self.end).unwrap_or_default()
    }
}

/// Iterates over the lines of `source[start..end]`: ended by `\n`, `\r\n` or, where the region has no `\n` at all, `\r`.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'s> {
    source: &'s [u8],
    at: usize,
    end: usize,
    carriage_returns: bool,
}

impl<'s> Lines<'s> {
    pub(crate) fn new(source: &'s [u8], start: usize, end: usize) -> Self {
        let end = end.min(source.len());
        let region = source.get(start..end).unwrap_or_default();
        let head = region.get(..65_536).unwrap_or(region);
        let carriage_returns = memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some();
        Self { source, at: start, end, carriage_returns }
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        let rest = self.source.get(start..self.end)?;
        let found = if self.carriage_returns {
            memchr::memchr2(b'\r', b'\n', rest)
        } else {
            memchr::memchr(b'\n', rest)
        };
        let line = match found {
            None => Line { start, end: self.end, next: self.end },
            Some(at) => {
                let end = if at > 0 && rest[at] == b'\n' && rest[at - 1] == b'\r' { at - 1 } else { at };
                Line { start, end: start + end, next: start + at + 1 }
            }
        };
        self.at = line.next;
        Some(line)
    }
}

/// Adds a line as one unit or, if it is long, as a container of pieces cut at blanks and commas.
pub(crate) fn add_line(builder: &mut Builder<'_>, lead: usize, line: Line, role: Role, kind: Kind) {
    if line.end - line.start <= LONG_LINE_BYTES {
        builder.leaf(lead, line.start, line.end, role, kind);
        return;
    }
    builder.open(lead, line.start, role, kind, NoteSyntax::Inline);
    add_pieces(builder, line.start, line.end);
    builder.close(line.end);
}

/// Adds `[start, end)` as pieces of at most [`PIECE_BYTES`] bytes, cut after a blank, comma or the like where there is one.
pub(crate) fn add_pieces(builder: &mut Builder<'_>, start: usize, end: usize) {
    let source = builder.source();
    let mut at = start;
    while at < end {
        let cut = piece_end(source, at, end);
        builder.leaf(at, at, cut, Role::Text, Kind::Piece);
        at = cut;
    }
}

/// Where the piece that begins at `at` ends: never inside a character of valid UTF-8.
pub(crate) fn piece_end(source: &[u8], at: usize, end: usize) -> usize {
    let limit = at + PIECE_BYTES;
    if limit >= end {
        return end;
    }
    let natural = source
        .get(at + PIECE_BYTES / 2..limit)
        .and_then(|window| {
            window.iter().rposition(|byte| matches!(byte, b' ' | b',' | b';' | b'\t' | b'>' | b'}'))
        })
        .map(|found| at + PIECE_BYTES / 2 + found + 1);
    let mut cut = natural.unwrap_or(limit);
    // A character has at most three continuation bytes; more of them is invalid anyway and may be cut anywhere.
    for _ in 0..3 {
        if cut > at + 4 && source.get(cut).is_some_and(|byte| byte & 0xC0 == 0x80) {
            cut -= 1;
        }
    }
    cut
}

/// Sources without structure: a unit a line.
pub(crate) struct Plain;

impl Parser for Plain {
    fn content_type(&self) -> ContentType {
        ContentType::Unknown
    }

    fn surest(&self) -> u8 {
        1
    }

    fn sniff(&self, _head: &[u8], _whole: bool) -> u8 {
        1
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        _context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end - start)?;
        let source = builder.source();
        let mut lead = start;
        for line in Lines::new(source, start, end) {
            let kind = if line.of(source).trim_ascii().is_empty() { Kind::Blank } else { Kind::Plain };
            add_line(builder, lead, line, Role::Line, kind);
            lead = line.end;
        }
        Ok(())
    }
}
