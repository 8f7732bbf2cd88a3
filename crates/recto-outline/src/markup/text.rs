//! Text between tags: runs of it are cut where no element, entity or `]]>` would be torn.

use super::{
    names::Class,
    tags::{Shape, Tag},
};
use crate::{
    Builder, Comment, Kind, NoteSyntax, Role,
    lines::{LONG_LINE_BYTES, Line, Lines},
    sentences::{sentence_ends, skip_blanks, trim_end},
};

/// How notes among the children of an element are written.
pub(super) const NOTES: NoteSyntax = NoteSyntax::Line(Comment::Markup);

/// An element in running text that is longer than this may be cut inside, in HTML only.
const LONG_INLINE_BYTES: usize = 400;
/// A piece of running text longer than this ends where an element begins.
const LONG_PIECE_BYTES: usize = 300;
/// The longest entity's name.
const ENTITY_BYTES: usize = 40;

/// Adds text without tags: small text is one unit, text of several lines is lines, the rest sentences. Returns where the
/// last unit ends (`lead` for blank text).
pub(super) fn add_text(
    builder: &mut Builder<'_>,
    lead: usize,
    start: usize,
    end: usize,
    atom_bytes: usize,
) -> usize {
    let source = builder.source();
    let first = skip_blanks(source, start, end);
    if first >= end {
        return lead;
    }
    let last = trim_end(source, first, end);
    if last - first <= atom_bytes {
        builder.leaf(lead, first, last, Role::Text, Kind::Sentence);
        last
    } else if memchr::memchr2(b'\n', b'\r', source.get(first..last).unwrap_or_default()).is_some() {
        add_lines(builder, lead, line_start(source, first, start), last)
    } else {
        add_pieces(builder, lead, first, last)
    }
}

/// The beginning of the line that `at` is in, not before `least`: indentation belongs to a line.
fn line_start(source: &[u8], at: usize, least: usize) -> usize {
    let before = source.get(least..at).unwrap_or_default();
    memchr::memrchr2(b'\n', b'\r', before).map_or(at, |found| least + found + 1)
}

fn add_lines(builder: &mut Builder<'_>, lead: usize, start: usize, end: usize) -> usize {
    let source = builder.source();
    let mut lead = lead;
    for line in Lines::new(source, start, end) {
        if !line.of(source).trim_ascii().is_empty() {
            add_line(builder, lead, line);
            lead = line.end;
        }
    }
    lead
}

fn add_line(builder: &mut Builder<'_>, lead: usize, line: Line) {
    let text = line.of(builder.source()).trim_ascii_start();
    let is_trace =
        text.starts_with(b"at ") || text.starts_with(b"File \"") || text.starts_with(b"Traceback ");
    let kind = if is_trace { Kind::Trace } else { Kind::Plain };
    if line.end - line.start <= LONG_LINE_BYTES {
        return builder.leaf(lead, line.start, line.end, Role::Line, kind);
    }
    builder.open(lead, line.start, Role::Line, kind, NoteSyntax::Inline);
    add_pieces(builder, line.start, line.start, line.end);
    builder.close(line.end);
}

/// Adds the sentences of text without tags.
fn add_pieces(builder: &mut Builder<'_>, lead: usize, start: usize, end: usize) -> usize {
    let source = builder.source();
    let mut pieces = Pieces { lead, begin: start };
    sentence_ends(source, start, end, |stop| pieces.cut(builder, stop));
    pieces.finish(builder, end)
}

/// Text being cut into units, from the left to the right.
struct Pieces {
    lead: usize,
    begin: usize,
}

impl Pieces {
    /// Ends a unit at `stop`, or a little before, or not at all, so that nothing is torn.
    fn cut(&mut self, builder: &mut Builder<'_>, stop: usize) {
        let source = builder.source();
        let before = source.get(self.begin.max(stop.saturating_sub(ENTITY_BYTES))..stop).unwrap_or_default();
        let mut stop = stop;
        if let Some(found) = memchr::memrchr2(b'&', b';', before)
            && before.get(found) == Some(&b'&')
            && source.get(stop).is_some_and(|byte| !byte.is_ascii_whitespace())
        {
            stop -= before.len() - found;
        }
        // What stands between may be left out: `]]` must not come to stand before `>`.
        let joins = matches!(source.get(stop), Some(b'>' | b']'));
        if stop <= self.begin || joins {
            return;
        }
        builder.leaf(self.lead, self.begin, stop, Role::Text, Kind::Sentence);
        self.lead = stop;
        self.begin = skip_blanks(source, stop, source.len());
    }

    /// Cuts the text `[start, stop)` where the unit that is to end there would be too long.
    fn cut_long(&mut self, builder: &mut Builder<'_>, start: usize, stop: usize) {
        let start = start.max(self.begin);
        if stop > start + LONG_LINE_BYTES {
            sentence_ends(builder.source(), start, stop, |cut| {
                if cut < stop {
                    self.cut(builder, cut);
                }
            });
        }
    }

    /// Ends the last unit at `end`; returns where it ends.
    fn finish(self, builder: &mut Builder<'_>, end: usize) -> usize {
        if self.begin < end {
            builder.leaf(self.lead, self.begin, end, Role::Text, Kind::Sentence);
            return end;
        }
        self.lead
    }
}

/// How a run of text and elements in it is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Cut at line ends, as preformatted text is, not at sentences.
    pub(super) by_lines: bool,
    /// Runs up to this many bytes are one unit.
    pub(super) atom_bytes: usize,
    /// Long elements in the text may be cut inside.
    pub(super) opens_long: bool,
}

/// Adds a run of text and of the elements `tags` in it, cut only outside the elements. Returns where the last unit ends.
pub(super) fn add_run(
    builder: &mut Builder<'_>,
    lead: usize,
    run: Run,
    all: &[Tag],
    tags: std::ops::Range<usize>,
) -> usize {
    let source = builder.source();
    let start = skip_blanks(source, run.start, run.end);
    let end = trim_end(source, start.min(run.end), run.end);
    if start >= end {
        return lead;
    }
    if end - start <= run.atom_bytes {
        builder.leaf(lead, start, end, Role::Text, Kind::Sentence);
        return end;
    }
    let start = if run.by_lines { line_start(source, start, run.start) } else { start };
    let mut pieces = Pieces { lead, begin: start };
    let mut at = start;
    let mut index = tags.start;
    while index < tags.end {
        let Some(tag) = all.get(index) else { break };
        if tag.start() < at {
            index += 1;
            continue;
        }
        cut_text(builder, &mut pieces, run, at, tag.start());
        let is_whole = match tag.shape {
            Shape::Open => tag.next() <= tags.end && !(run.opens_long && tag.bytes() > LONG_INLINE_BYTES),
            _ => true,
        };
        if tag.start() > pieces.begin + LONG_PIECE_BYTES && tag.shape != Shape::Close {
            let stop = trim_end(source, pieces.begin, tag.start());
            pieces.cut(builder, stop);
        }
        at = if is_whole { tag.until().max(tag.end()) } else { tag.end() };
        index = if is_whole { tag.next().max(index + 1) } else { index + 1 };
        if tag.class == Class::Void
            && !run.by_lines
            && tag.name(source).eq_ignore_ascii_case(b"br")
            && at < end
        {
            pieces.cut(builder, at);
        }
    }
    cut_text(builder, &mut pieces, run, at, end);
    if run.by_lines && pieces.begin < end {
        builder.leaf(pieces.lead, pieces.begin, end, Role::Line, Kind::Plain);
        return end;
    }
    pieces.finish(builder, end)
}

/// Cuts at what ends a unit in the text `[start, end)`, which an element or the end of the run follows.
fn cut_text(builder: &mut Builder<'_>, pieces: &mut Pieces, run: Run, start: usize, end: usize) {
    let source = builder.source();
    if start >= end {
        return;
    }
    if run.by_lines {
        for found in memchr::memchr2_iter(b'\n', b'\r', source.get(start..end).unwrap_or_default()) {
            let stop = trim_end(source, pieces.begin.min(start + found), start + found);
            pieces.cut_long(builder, start, stop);
            if stop > pieces.begin {
                builder.leaf(pieces.lead, pieces.begin, stop, Role::Line, Kind::Plain);
                pieces.lead = stop;
            }
            pieces.begin = start + found + 1;
        }
        pieces.cut_long(builder, start, end);
        return;
    }
    let last = trim_end(source, start, end);
    sentence_ends(source, start, end, |stop| {
        let is_end = stop < last || (last < end && matches!(source.get(stop - 1), Some(b'.' | b'!' | b'?')));
        if is_end {
            pieces.cut(builder, stop);
        }
    });
}
