//! The block scanner: lines to sections, paragraphs, items, quotes, code and tables, in one pass.

use super::shape::{Fence, Shape, indentation, is_capitals, is_delimiter_row, is_key_value, shape};
use crate::{
    Builder, Kind, LINE_NOTES, Layout, NoteSyntax, Role, Span,
    lines::{LONG_LINE_BYTES, Line, Lines, add_line},
    parser::Context,
    sentences::{add_sentences, sentence_ends, skip_blanks},
};

/// Lines indented by this many columns more than what they stand in are code.
const CODE_COLUMNS: usize = 4;
/// A heading over an underline has at most this many lines.
const UNDERLINED_LINES: usize = 3;
/// Front matter has at most this many lines.
const FRONT_MATTER_LINES: usize = 200;

/// How text is to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Indented lines are code, `#` begins a heading.
    pub(crate) markdown: bool,
    /// Headings open sections; without it they are lines.
    pub(crate) sections: bool,
}

impl Style {
    /// The style of the text that begins as `head` does.
    pub(crate) fn of(head: &[u8], sections: bool) -> Self {
        let head = head.get(..16_384).unwrap_or(head);
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        let markdown = head.starts_with(b"# ")
            || has(b"\n# ")
            || has(b"\n## ")
            || has(b"```")
            || has(b"](")
            || has(b"**");
        Self { markdown, sections }
    }
}

/// Adds the blocks of `source[start..end]`, the first one's separator beginning at `lead`; returns where the last one ends
/// (`lead` for blank text).
pub(crate) fn add_blocks(
    builder: &mut Builder<'_>,
    lead: usize,
    start: usize,
    end: usize,
    context: Context,
    style: Style,
) -> usize {
    let source = builder.source();
    let mut scanner = Scanner {
        builder,
        source,
        context,
        lines: Lines::new(source, start, end),
        end,
        style,
        sections: Vec::new(),
        items: Vec::new(),
        paragraph: None,
        done: lead,
        after_blank: true,
        in_tags: false,
        comments_end: true,
    };
    scanner.run();
    scanner.done
}

/// Lines of text that are not yet known to be over.
#[derive(Clone, Copy, Debug)]
struct Paragraph {
    start: usize,
    end: usize,
    lines: usize,
    /// How many of the lines are `Key: value`.
    keys: usize,
    /// It is the first text of the innermost item, whose own sentences it holds.
    in_item: bool,
}

struct Scanner<'b, 's> {
    builder: &'b mut Builder<'s>,
    source: &'s [u8],
    context: Context,
    lines: Lines<'s>,
    end: usize,
    style: Style,
    /// The levels of the open sections.
    sections: Vec<u8>,
    /// The columns at which the content of the open list items begins.
    items: Vec<usize>,
    paragraph: Option<Paragraph>,
    /// Where the last unit ends: the next one's separator begins there.
    done: usize,
    after_blank: bool,
    /// A line of tags stands above, without a blank line between: indentation means nothing there.
    in_tags: bool,
    /// Whether a comment may still end somewhere: looked for once more only if so.
    comments_end: bool,
}

impl Scanner<'_, '_> {
    fn run(&mut self) {
        self.front_matter();
        while let Some(line) = self.lines.next() {
            let text = line.of(self.source);
            let (columns, first) = indentation(text);
            let text = text.get(first..).unwrap_or_default();
            if text.trim_ascii().is_empty() {
                self.flush();
                self.after_blank = true;
                self.in_tags = false;
            } else {
                self.line(line, columns, text);
                self.after_blank = false;
            }
        }
        self.flush();
        self.leave_items(0);
        self.leave_sections(0);
    }

    /// Takes a line that is not blank; `text` is it without its `columns` of indentation.
    fn line(&mut self, line: Line, columns: usize, text: &[u8]) {
        let base = if self.paragraph.is_none() {
            self.leave_items(columns);
            self.items.last().copied().unwrap_or(0)
        } else {
            // Whatever is indented deeply under a paragraph goes on with it.
            self.items.last().copied().unwrap_or(0)
        };
        let is_deep = self.style.markdown && !self.in_tags && columns >= base + CODE_COLUMNS;
        if is_deep && self.paragraph.is_none() {
            return self.indented_code(line, base + CODE_COLUMNS);
        }
        match shape(text) {
            Shape::Item { marker, interrupts } if self.item_may_begin(interrupts, is_deep) => {
                self.item(line, columns, text, marker);
            }
            _ if is_deep => self.extend(line),
            Shape::Heading(level) if self.style.markdown => {
                self.end_block(columns);
                self.heading(level, line.start, line.end);
            }
            Shape::Underline(level) => self.underline(line, columns, text, level),
            Shape::Fence(fence) => {
                self.end_block(columns);
                self.fenced_code(line, line.start, fence);
            }
            Shape::Break => self.single(line, columns, Kind::Blank),
            Shape::Quote => {
                self.end_block(columns);
                self.quote(line);
            }
            Shape::Definition if self.paragraph.is_none() => self.single(line, columns, Kind::Boilerplate),
            Shape::Tags => {
                self.single(line, columns, Kind::Boilerplate);
                self.in_tags = true;
            }
            Shape::Comment => self.comment(line, columns),
            _ if self.is_table_header(text) => {
                self.end_block(columns);
                self.table(line);
            }
            _ if self.is_capital_heading(columns, text) => {
                self.end_block(columns);
                self.heading(1, line.start, line.end);
            }
            _ => self.extend(line),
        }
    }

    fn item_may_begin(&self, interrupts: bool, is_deep: bool) -> bool {
        match self.paragraph {
            None => true,
            Some(_) => (interrupts && !is_deep) || !self.items.is_empty(),
        }
    }

    /// Ends the paragraph, and the items that a block at `columns` is not in.
    fn end_block(&mut self, columns: usize) {
        self.flush();
        self.leave_items(columns);
    }

    /// Adds a line that is a block by itself.
    fn single(&mut self, line: Line, columns: usize, kind: Kind) {
        self.end_block(columns);
        self.leaf(line.start, line.end, Role::Line, kind);
    }

    fn leaf(&mut self, start: usize, end: usize, role: Role, kind: Kind) {
        self.builder.leaf(self.done, start, end, role, kind);
        self.done = end;
    }

    fn open(&mut self, start: usize, role: Role, kind: Kind, notes: NoteSyntax) {
        self.builder.open(self.done, start, role, kind, notes);
        self.done = start;
    }

    /// Closes a block where its last unit ends; a small one is a unit without children.
    fn close(&mut self, end: usize) {
        self.builder.close_atom(end, self.context.atom_bytes);
        self.done = end;
    }

    fn extend(&mut self, line: Line) {
        let key = usize::from(is_key_value(line.of(self.source)));
        let paragraph = self.paragraph.get_or_insert(Paragraph {
            start: line.start,
            end: line.end,
            lines: 0,
            keys: 0,
            in_item: false,
        });
        paragraph.end = line.end;
        paragraph.lines += 1;
        paragraph.keys += key;
    }

    /// Adds the paragraph that is over.
    fn flush(&mut self) {
        let Some(paragraph) = self.paragraph.take() else { return };
        let Paragraph { start, end, lines, keys, in_item } = paragraph;
        if in_item {
            self.done = add_sentences(self.builder, self.done, start, end).max(start);
        } else if lines > 1 && keys * 2 >= lines {
            self.open(start, Role::Block, Kind::Paragraph, LINE_NOTES);
            for line in Lines::new(self.source, start, end) {
                add_line(self.builder, self.done, line, Role::Line, Kind::Plain);
                self.done = line.end;
            }
            self.close(end);
        } else {
            add_paragraph(self.builder, self.done, start, end, self.context.atom_bytes);
            self.done = end;
        }
    }

    fn leave_items(&mut self, columns: usize) {
        while self.items.last().is_some_and(|content| columns < *content) {
            self.items.pop();
            self.close(self.done);
        }
    }

    fn leave_sections(&mut self, level: u8) {
        while self.sections.last().is_some_and(|open| *open >= level) {
            self.sections.pop();
            self.builder.close(self.done);
        }
    }

    fn heading(&mut self, level: u8, start: usize, end: usize) {
        if !self.style.sections || !self.items.is_empty() {
            return self.leaf(start, end, Role::Line, Kind::Heading);
        }
        self.leave_sections(level);
        self.open(start, Role::Block, Kind::Section, LINE_NOTES);
        self.leaf(start, end, Role::Frame, Kind::Heading);
        self.sections.push(level);
    }

    /// A line of `=` or `-`: makes the paragraph above it a heading, or is a break, or is text.
    fn underline(&mut self, line: Line, columns: usize, text: &[u8], level: u8) {
        match self.paragraph {
            Some(above) if !above.in_item && above.lines <= UNDERLINED_LINES => {
                self.paragraph = None;
                self.leave_items(columns);
                self.heading(level, above.start, line.end);
            }
            _ if level == 2 && text.trim_ascii_end().len() > 2 => self.single(line, columns, Kind::Blank),
            _ => self.extend(line),
        }
    }

    fn item(&mut self, line: Line, columns: usize, text: &[u8], marker: usize) {
        self.end_block(columns);
        let content = columns + marker + usize::from(marker == text.len());
        self.open(line.start, Role::Record, Kind::Paragraph, NoteSyntax::Inline);
        self.items.push(content);
        let start = line.end - (text.len() - marker);
        self.done = start;
        let rest = text.get(marker..).unwrap_or_default();
        if let Shape::Fence(fence) = shape(rest) {
            self.fenced_code(line, start, fence);
        } else if !rest.is_empty() {
            self.paragraph = Some(Paragraph { start, end: line.end, lines: 1, keys: 0, in_item: true });
        }
    }

    /// Code between fences: the fences are the block's frame. It ends with its item too, or with the text.
    fn fenced_code(&mut self, line: Line, start: usize, fence: Fence) {
        let base = self.items.last().copied().unwrap_or(0);
        self.open(start, Role::Block, Kind::Embedded, LINE_NOTES);
        self.done = line.end;
        let mut ahead = self.lines.clone();
        while let Some(next) = ahead.next() {
            let text = next.of(self.source);
            let (columns, first) = indentation(text);
            let inner = text.get(first..).unwrap_or_default();
            if inner.is_empty() {
                continue;
            }
            if columns < base && !self.items.is_empty() {
                break;
            }
            self.lines = ahead.clone();
            if columns < base + CODE_COLUMNS && fence.is_closed_by(inner) {
                return self.close(next.end);
            }
            add_line(self.builder, self.done, next, Role::Line, Kind::Plain);
            self.done = next.end;
        }
        self.close(self.done);
    }

    fn indented_code(&mut self, line: Line, least_columns: usize) {
        self.open(line.start, Role::Block, Kind::Embedded, LINE_NOTES);
        let mut next = line;
        let mut ahead = self.lines.clone();
        loop {
            let (columns, first) = indentation(next.of(self.source));
            if first < next.end - next.start {
                if columns < least_columns {
                    break;
                }
                add_line(self.builder, self.done, next, Role::Line, Kind::Plain);
                self.done = next.end;
                self.lines = ahead.clone();
            }
            let Some(line) = ahead.next() else { break };
            next = line;
        }
        self.close(self.done);
    }

    fn quote(&mut self, line: Line) {
        self.open(line.start, Role::Block, Kind::Paragraph, LINE_NOTES);
        let mut next = line;
        let mut ahead = self.lines.clone();
        loop {
            let text = next.of(self.source).trim_ascii();
            if !text.starts_with(b">") {
                break;
            }
            if text.iter().any(|byte| !matches!(byte, b'>' | b' ')) {
                self.text_line(next);
            }
            self.lines = ahead.clone();
            let Some(line) = ahead.next() else { break };
            next = line;
        }
        self.close(self.done.max(line.end));
    }

    /// A line that is one unit, or the sentences of a long one.
    fn text_line(&mut self, line: Line) {
        if line.end - line.start <= LONG_LINE_BYTES {
            return self.leaf(line.start, line.end, Role::Line, Kind::Plain);
        }
        self.open(line.start, Role::Line, Kind::Plain, NoteSyntax::Inline);
        add_sentences(self.builder, line.start, line.start, line.end);
        self.builder.close(line.end);
        self.done = line.end;
    }

    fn is_table_header(&self, text: &[u8]) -> bool {
        memchr::memchr(b'|', text).is_some()
            && self.lines.clone().next().is_some_and(|next| is_delimiter_row(next.of(self.source)))
    }

    /// A pipe table: the header and the delimiter row are frames, so that any rows of it are a table.
    fn table(&mut self, line: Line) {
        self.open(line.start, Role::Block, Kind::Embedded, LINE_NOTES);
        self.builder.table(Some(Span::new(line.start, line.end)), Layout::Pipes);
        self.leaf(line.start, line.end, Role::Frame, Kind::Header);
        if let Some(delimiter) = self.lines.next() {
            self.leaf(delimiter.start, delimiter.end, Role::Frame, Kind::Header);
        }
        let mut ahead = self.lines.clone();
        while let Some(next) = ahead.next() {
            if memchr::memchr(b'|', next.of(self.source)).is_none() {
                break;
            }
            self.leaf(next.start, next.end, Role::Record, Kind::Row);
            self.lines = ahead.clone();
        }
        self.close(self.done);
    }

    fn comment(&mut self, line: Line, columns: usize) {
        let rest = self.source.get(line.start..self.end).unwrap_or_default();
        let found = if self.comments_end { memchr::memmem::find(rest, b"-->") } else { None };
        let Some(found) = found else {
            self.comments_end = false;
            return self.extend(line);
        };
        let mut last = line;
        while last.end < line.start + found {
            let Some(next) = self.lines.next() else { break };
            last = next;
        }
        self.end_block(columns);
        self.leaf(line.start, last.end, Role::Line, Kind::Comment);
    }

    /// A heading as manual pages have them: capitals, over an indented line.
    fn is_capital_heading(&self, columns: usize, text: &[u8]) -> bool {
        columns == 0
            && self.after_blank
            && self.style.sections
            && !self.style.markdown
            && is_capitals(text)
            && self.lines.clone().next().is_some_and(|next| {
                let text = next.of(self.source);
                let (columns, first) = indentation(text);
                columns > 0 && first < text.len()
            })
    }

    /// Lines of keys between `---` at the very beginning.
    fn front_matter(&mut self) {
        let mut ahead = self.lines.clone();
        let Some(first) = ahead.next() else { return };
        if !self.style.sections || first.of(self.source).trim_ascii_end() != b"---" {
            return;
        }
        let is_end = |line: &Line| matches!(line.of(self.source).trim_ascii_end(), b"---" | b"...");
        let looks =
            ahead.clone().next().is_some_and(|line| memchr::memchr(b':', line.of(self.source)).is_some());
        let Some(count) = ahead.clone().take(FRONT_MATTER_LINES).position(|line| is_end(&line)) else {
            return;
        };
        if !looks {
            return;
        }
        self.open(first.start, Role::Block, Kind::Embedded, LINE_NOTES);
        self.done = first.end;
        for line in ahead.by_ref().take(count) {
            if !line.of(self.source).trim_ascii().is_empty() {
                add_line(self.builder, self.done, line, Role::Line, Kind::Plain);
                self.done = line.end;
            }
        }
        let end = ahead.next().map_or(self.done, |line| line.end);
        self.lines = ahead;
        self.close(end);
    }
}

/// Adds a paragraph: a container of sentences, or one unit if it is small or a single sentence.
fn add_paragraph(builder: &mut Builder<'_>, lead: usize, start: usize, end: usize, atom_bytes: usize) {
    let source = builder.source();
    if end - start <= atom_bytes {
        return builder.leaf(lead, start, end, Role::Block, Kind::Paragraph);
    }
    let mut begin = start;
    let mut before = lead;
    // The first sentence waits for a second one.
    let mut first = None;
    let mut count = 0;
    sentence_ends(source, start, end, |stop| {
        count += 1;
        if count == 1 {
            first = Some(stop);
        } else {
            if let Some(first) = first.take() {
                builder.open(lead, start, Role::Block, Kind::Paragraph, NoteSyntax::Inline);
                builder.leaf(start, start, first, Role::Text, Kind::Sentence);
            }
            builder.leaf(before, begin, stop, Role::Text, Kind::Sentence);
        }
        before = stop;
        begin = skip_blanks(source, stop, end);
    });
    if count > 1 {
        builder.close(end);
    } else {
        builder.leaf(lead, start, end, Role::Block, Kind::Paragraph);
    }
}
