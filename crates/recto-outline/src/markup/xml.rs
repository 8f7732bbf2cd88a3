//! XML: every element is a unit whose start and end tag are its frame, so that any units of it are well-formed again.

use super::{
    attributes,
    tags::{Shape, Tag},
    text::{NOTES, Run, add_run, add_text},
};
use crate::{Builder, Kind, Role, parser::Context};

/// `<![CDATA[`
const DATA_START_BYTES: usize = 9;
/// `]]>`
const DATA_END_BYTES: usize = 3;

/// Declarations and instructions before the document's element; more than these are none.
const PROLOGUE_UNITS: usize = 8;

/// A container whose end is to come.
struct Open {
    /// Index of the tag behind its content: its end tag, or what implied its end.
    content_next: usize,
    /// Where its content ends.
    content_end: usize,
    /// Where it ends, and the tag behind it.
    until: usize,
    next: usize,
    is_mixed: bool,
}

impl Open {
    fn of(tag: &Tag, tags: &[Tag]) -> Self {
        let next = tag.next();
        let end_tag = if tag.is_closed { tags.get(next.wrapping_sub(1)) } else { None };
        Self {
            content_next: if tag.is_closed { next - 1 } else { next },
            content_end: end_tag.map_or(tag.until(), Tag::start),
            until: tag.until(),
            next,
            is_mixed: tag.is_mixed,
        }
    }
}

/// Adds the units of XML between `start` and `end`.
pub(super) fn add(
    builder: &mut Builder<'_>,
    tags: &[Tag],
    (start, end): (usize, usize),
    outer_count: usize,
    context: Context,
) {
    let mut units = Units {
        builder,
        tags,
        context,
        outer_count,
        open: Vec::new(),
        done: start,
        text: start,
        prologue: PROLOGUE_UNITS,
    };
    let mut index = 0;
    loop {
        index = units.close(index);
        let Some(tag) = tags.get(index) else { break };
        index = units.tag(index, tag);
    }
    units.text_until(end);
}

struct Units<'b, 's, 't> {
    builder: &'b mut Builder<'s>,
    tags: &'t [Tag],
    context: Context,
    outer_count: usize,
    open: Vec<Open>,
    /// Where the last unit ends.
    done: usize,
    /// Where the text that is no unit yet begins.
    text: usize,
    /// How many more units of the prologue are needed to read the rest.
    prologue: usize,
}

impl Units<'_, '_, '_> {
    /// Closes the containers whose content ends before the tag at `index`; returns the tag to go on with.
    fn close(&mut self, index: usize) -> usize {
        let mut index = index;
        while let Some(top) = self.open.last()
            && top.content_next <= index
        {
            let (content_end, until, next) = (top.content_end, top.until, top.next);
            self.text_until(content_end);
            self.open.pop();
            self.builder.close(until);
            self.done = until;
            self.text = until;
            index = index.max(next);
        }
        index
    }

    /// Adds what is text before `end`.
    fn text_until(&mut self, end: usize) {
        self.done = add_text(self.builder, self.done, self.text, end, self.context.atom_bytes);
        self.text = end;
    }

    /// Takes the tag at `index`; returns the tag to go on with.
    fn tag(&mut self, index: usize, tag: &Tag) -> usize {
        let is_mixed = self.open.last().is_some_and(|top| top.is_mixed);
        if is_mixed && let Some(next) = self.run(index) {
            return next;
        }
        if tag.shape == Shape::Close {
            // An end tag without a beginning is text like any other.
            return index + 1;
        }
        self.text_until(tag.start());
        let at = (tag.start(), tag.until());
        if matches!(tag.shape, Shape::Open | Shape::Empty) {
            attributes::count(self.builder, tag.start(), tag.end(), tag.name_bytes.into());
        }
        match tag.shape {
            Shape::Open if tag.until() - tag.end() > self.context.atom_bytes => {
                let (role, kind) = self.place(tag, Role::Block);
                self.builder.open(self.done, at.0, role, kind, NOTES);
                self.open.push(Open::of(tag, self.tags));
                self.done = tag.end();
                self.text = tag.end();
                return index + 1;
            }
            // An element whose content is small is one unit, however long its start tag: nothing of that can be left out.
            Shape::Open | Shape::Empty => {
                let (role, kind) = self.place(tag, Role::Field);
                self.leaf(at, role, kind);
            }
            Shape::CharacterData => self.character_data(tag),
            // The declaration says what every reader takes for granted; a document type may define entities.
            Shape::Doctype if self.prologue > 0 => {
                self.prologue -= 1;
                self.leaf(at, Role::Frame, Kind::Header);
            }
            _ => self.leaf(at, Role::Line, Kind::Boilerplate),
        }
        self.text = tag.until();
        tag.next().max(index + 1)
    }

    fn leaf(&mut self, (start, end): (usize, usize), role: Role, kind: Kind) {
        self.builder.leaf(self.done, start, end, role, kind);
        self.done = end;
    }

    /// The role and kind of an element: the document's own is needed to read the rest.
    fn place(&mut self, tag: &Tag, single: Role) -> (Role, Kind) {
        let is_document = self.open.is_empty() && self.outer_count == 1;
        self.prologue = 0;
        let kind = if tag.is_failure { Kind::Failure } else { Kind::Element };
        let role = if is_document {
            Role::Frame
        } else if tag.is_repeated {
            Role::Record
        } else {
            single
        };
        (role, kind)
    }

    /// Running text with small elements in it, from the tag at `index` on; returns the first tag behind it.
    fn run(&mut self, index: usize) -> Option<usize> {
        let top = self.open.last()?;
        let mut next = index;
        while let Some(tag) = self.tags.get(next).filter(|_| next < top.content_next) {
            let is_small = tag.bytes() <= self.context.atom_bytes;
            if !is_small || tag.shape == Shape::Doctype {
                break;
            }
            next = tag.next().max(next + 1);
        }
        if next == index {
            return None;
        }
        let end = self.tags.get(next).filter(|_| next < top.content_next).map_or(top.content_end, Tag::start);
        let run = Run {
            start: self.text,
            end,
            by_lines: false,
            atom_bytes: self.context.atom_bytes,
            opens_long: false,
        };
        self.done = add_run(self.builder, self.done, run, self.tags, index..next);
        self.text = end;
        Some(next)
    }

    fn character_data(&mut self, tag: &Tag) {
        if tag.bytes() <= self.context.atom_bytes {
            return self.leaf((tag.start(), tag.until()), Role::Text, Kind::Sentence);
        }
        self.builder.open(self.done, tag.start(), Role::Block, Kind::Element, NOTES);
        let inside = tag.start() + DATA_START_BYTES;
        let inside_end = tag.end() - DATA_END_BYTES;
        add_text(self.builder, inside, inside, inside_end, self.context.atom_bytes);
        self.builder.close(tag.end());
        self.done = tag.end();
    }
}
