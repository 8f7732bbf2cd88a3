//! HTML: blocks of text, lists and tables are units under the headings they stand below. The wrappers around them and
//! what is no text (scripts, styles, metadata, comments) are units of their own, so that they can be left out alone.

use super::{
    names::Class,
    tags::{Shape, Tag},
    text::{NOTES, Run, add_run, add_text},
};
use crate::{Builder, Kind, Role, parser::Context};

/// A comment longer than this ends the text it stands in.
const INLINE_COMMENT_BYTES: usize = 80;
/// A tag longer than this holds data, not text: an image in its own address.
const LONG_TAG_BYTES: usize = 1_500;
/// A header row longer than this is cut like any other row.
const LONG_HEADER_BYTES: usize = 2_000;

/// A container whose end is to come.
struct Open {
    /// Index of the tag behind its content.
    content_next: usize,
    content_end: usize,
    until: usize,
    next: usize,
    by_lines: bool,
    /// A table of which no row was seen yet.
    awaits_header: bool,
}

/// Text and inline elements not added yet.
struct Pending {
    start: usize,
    first_tag: usize,
    has_text: bool,
}

/// Adds the units of HTML between `start` and `end`.
pub(super) fn add(builder: &mut Builder<'_>, tags: &[Tag], (start, end): (usize, usize), context: Context) {
    let mut page = Page {
        builder,
        tags,
        context,
        open: Vec::new(),
        sections: Vec::new(),
        pending: None,
        rest: None,
        has_doctype: false,
        has_title: false,
        done: start,
        text: start,
    };
    // Whatever stands before the page is no part of it: the headers of an answer, a progress meter.
    let first = tags.first().map_or(end, Tag::start);
    page.done = add_text(page.builder, start, start, first, context.atom_bytes);
    page.text = first;
    let mut index = 0;
    loop {
        index = page.close(index);
        let Some(tag) = tags.get(index) else { break };
        index = page.tag(index, tag);
    }
    page.end_text(tags.len(), end);
    page.add_rest();
    page.leave_sections(0);
}

struct Page<'b, 's, 't> {
    builder: &'b mut Builder<'s>,
    tags: &'t [Tag],
    context: Context,
    open: Vec<Open>,
    /// The levels of the open sections, all outside the open containers.
    sections: Vec<u8>,
    pending: Option<Pending>,
    /// Tags of wrappers and the like, not added yet.
    rest: Option<(usize, usize)>,
    has_doctype: bool,
    has_title: bool,
    /// Where the last unit ends.
    done: usize,
    /// Where the text that was not looked at yet begins.
    text: usize,
}

impl Page<'_, '_, '_> {
    fn close(&mut self, index: usize) -> usize {
        let mut index = index;
        while let Some(top) = self.open.last()
            && top.content_next <= index
        {
            let (content_next, content_end, until, next) =
                (top.content_next, top.content_end, top.until, top.next);
            self.end_text(content_next, content_end);
            self.add_rest();
            self.open.pop();
            self.builder.close(until);
            self.done = until;
            self.text = until;
            index = index.max(next);
        }
        index
    }

    /// Takes the text before `end`, and the tag at `index` that stands there, into the run.
    fn extend(&mut self, index: usize, end: usize) {
        let text = self.builder.source().get(self.text..end).unwrap_or_default();
        let has_text = text.iter().any(|byte| !byte.is_ascii_whitespace());
        let start = self.text;
        let pending = self.pending.get_or_insert(Pending { start, first_tag: index, has_text: false });
        pending.has_text |= has_text;
        self.text = end;
    }

    /// Adds the run that ends before the tag at `index`, which begins at `end`.
    fn end_text(&mut self, index: usize, end: usize) {
        self.extend(index, end);
        let Some(pending) = self.pending.take() else { return };
        if !pending.has_text {
            let tags = self.tags.get(pending.first_tag..index).unwrap_or_default();
            if let (Some(first), Some(last)) = (tags.first(), tags.last()) {
                self.put_aside(first.start(), last.end());
            }
            return;
        }
        self.add_rest();
        let run = Run {
            start: pending.start.max(self.done),
            end,
            by_lines: self.open.last().is_some_and(|top| top.by_lines),
            atom_bytes: self.context.atom_bytes,
            opens_long: true,
        };
        self.done = add_run(self.builder, self.done, run, self.tags, pending.first_tag..index);
    }

    /// Puts bytes that say nothing with those before them.
    fn put_aside(&mut self, start: usize, end: usize) {
        match &mut self.rest {
            Some(rest) => rest.1 = end,
            None => self.rest = Some((start, end)),
        }
    }

    fn add_rest(&mut self) {
        if let Some((start, end)) = self.rest.take() {
            self.leaf((start, end), Role::Line, Kind::Boilerplate);
        }
    }

    fn leaf(&mut self, (start, end): (usize, usize), role: Role, kind: Kind) {
        self.builder.leaf(self.done, start, end, role, kind);
        self.done = end;
    }

    fn leave_sections(&mut self, level: u8) {
        while self.sections.last().is_some_and(|open| *open >= level) {
            self.sections.pop();
            self.builder.close(self.done);
        }
    }

    /// Takes the tag at `index`; returns the tag to go on with.
    fn tag(&mut self, index: usize, tag: &Tag) -> usize {
        let is_text = match tag.shape {
            Shape::Open | Shape::Empty => tag.class.is_inline() && tag.end() - tag.start() <= LONG_TAG_BYTES,
            // The end of an inline element, or one that ends nothing.
            Shape::Close => tag.class.is_inline(),
            Shape::Comment => self.pending.is_some() && tag.bytes() <= INLINE_COMMENT_BYTES,
            Shape::CharacterData => true,
            _ => false,
        };
        if is_text {
            self.extend(index, tag.start());
            if tag.shape == Shape::CharacterData
                && let Some(pending) = &mut self.pending
            {
                pending.has_text = true;
            }
            self.text = tag.end();
            return index + 1;
        }
        self.end_text(index, tag.start());
        self.text = tag.end();
        match (tag.shape, tag.class) {
            (Shape::Doctype, _) if !self.has_doctype => {
                self.has_doctype = true;
                self.add_rest();
                self.leaf((tag.start(), tag.end()), Role::Frame, Kind::Header);
                index + 1
            }
            (Shape::Open, Class::Title)
                if !self.has_title && self.open.is_empty() && self.sections.is_empty() =>
            {
                self.has_title = true;
                self.add_rest();
                self.whole(index, tag, Role::Frame, Kind::Heading)
            }
            (Shape::Open, Class::Heading(level)) if self.open.is_empty() => {
                self.add_rest();
                self.leave_sections(level);
                self.builder.open(self.done, tag.start(), Role::Block, Kind::Section, NOTES);
                self.done = tag.start();
                self.sections.push(level);
                self.whole(index, tag, Role::Frame, Kind::Heading)
            }
            (
                Shape::Open,
                Class::Wrapper | Class::Inline | Class::RowGroup | Class::Metadata | Class::Skipped,
            ) => {
                self.put_aside(tag.start(), tag.end());
                index + 1
            }
            (Shape::Open, _) => self.block(index, tag),
            _ => {
                self.put_aside(tag.start(), tag.end());
                index + 1
            }
        }
    }

    /// Adds an element as one unit; returns the tag behind it.
    fn whole(&mut self, index: usize, tag: &Tag, role: Role, kind: Kind) -> usize {
        self.leaf((tag.start(), tag.until()), role, kind);
        self.text = tag.until();
        tag.next().max(index + 1)
    }

    /// Adds an element with text in it: small ones are one unit.
    fn block(&mut self, index: usize, tag: &Tag) -> usize {
        self.add_rest();
        let (role, kind) = match tag.class {
            Class::Item => (Role::Record, Kind::Paragraph),
            Class::Row if self.awaits_header() && self.is_header(index, tag) => (Role::Frame, Kind::Header),
            Class::Row => (Role::Record, Kind::Row),
            Class::Cell => (Role::Field, Kind::Element),
            Class::Heading(_) | Class::Title => (Role::Line, Kind::Heading),
            Class::Lines => (Role::Block, Kind::Embedded),
            Class::List | Class::Table => (Role::Block, Kind::Element),
            Class::Around => (Role::Block, Kind::Boilerplate),
            _ => (Role::Block, Kind::Paragraph),
        };
        if tag.bytes() <= self.context.atom_bytes || role == Role::Frame {
            return self.whole(index, tag, role, kind);
        }
        self.builder.open(self.done, tag.start(), role, kind, NOTES);
        let end_tag = if tag.is_closed { self.tags.get(tag.next().wrapping_sub(1)) } else { None };
        self.open.push(Open {
            content_next: if tag.is_closed { tag.next() - 1 } else { tag.next() },
            content_end: end_tag.map_or(tag.until(), Tag::start),
            until: tag.until(),
            next: tag.next(),
            awaits_header: tag.class == Class::Table,
            by_lines: tag.class == Class::Lines || self.open.last().is_some_and(|top| top.by_lines),
        });
        self.done = tag.end();
        index + 1
    }

    /// Says whether the first row of the open table is still to come, once.
    fn awaits_header(&mut self) -> bool {
        self.open.last_mut().is_some_and(|top| std::mem::take(&mut top.awaits_header))
    }

    /// Says whether a row has header cells only.
    fn is_header(&self, index: usize, row: &Tag) -> bool {
        let cells = self.tags.get(index + 1..row.next()).unwrap_or_default();
        let source = self.builder.source();
        let mut count = 0;
        row.bytes() <= LONG_HEADER_BYTES
            && cells.iter().filter(|tag| tag.shape == Shape::Open && tag.class == Class::Cell).all(|tag| {
                count += 1;
                tag.name(source).eq_ignore_ascii_case(b"th")
            })
            && count > 1
    }
}
