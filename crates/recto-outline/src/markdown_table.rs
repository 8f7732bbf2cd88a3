//! Markdown that is mostly tables: sections by headings, in them tables, fenced code and lines of text.

use crate::{
    Builder, ContentType, Fuel, Kind, LINE_NOTES, Layout, OutlineError, Role, Span, UnitId,
    gap::Gap,
    lines::{self, Line, Lines},
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct MarkdownTable;

impl Parser for MarkdownTable {
    fn content_type(&self) -> ContentType {
        ContentType::MarkdownTable
    }

    fn surest(&self) -> u8 {
        80
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        let mut table_bytes = 0;
        let mut fence = None;
        let mut before: Option<Line> = None;
        let mut in_table = false;
        for line in Lines::new(head, 0, head.len()) {
            let text = line.of(head);
            fence = next_fence(fence, text);
            in_table = in_table && fence.is_none() && has_pipe(text);
            if !in_table
                && fence.is_none()
                && let Some(header) = before.filter(|header| opens_table(header.of(head), text))
            {
                in_table = true;
                table_bytes += header.next - header.start;
            }
            if in_table {
                table_bytes += line.next - line.start;
            }
            before = Some(line);
        }
        match table_bytes * 100 / head.len().max(1) {
            50.. => 80,
            35.. => 55,
            _ => 0,
        }
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        _context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end.saturating_sub(start))?;
        let source = builder.source();
        let mut document = Document {
            source,
            gap: Gap::new(start),
            sections: Vec::new(),
            open: Open::Nothing,
            is_first_table: builder.current() == UnitId::ROOT,
            builder,
        };
        let mut lines = Lines::new(source, start, end).peekable();
        while let Some(line) = lines.next() {
            document.add(line, lines.peek().copied());
        }
        document.close_block();
        while document.sections.pop().is_some() {
            document.builder.close(document.gap.last_end());
        }
        document.gap.finish(document.builder);
        Ok(())
    }
}

/// What stands open inside the innermost section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    /// Lines of text without a blank line between.
    Paragraph,
    /// A table whose delimiter row is still to come, and then one with rows.
    TableHead,
    Table,
    Code(Fence),
}

struct Document<'b, 's> {
    builder: &'b mut Builder<'s>,
    source: &'s [u8],
    gap: Gap,
    /// The levels of the open sections' headings, rising.
    sections: Vec<usize>,
    open: Open,
    /// No table and no section was met yet: one that comes now is what the document is.
    is_first_table: bool,
}

impl Document<'_, '_> {
    fn add(&mut self, line: Line, next: Option<Line>) {
        let text = line.of(self.source);
        match self.open {
            Open::Code(fence) => return self.add_code(line, fence),
            Open::TableHead => {
                self.leaf(line, Role::Frame, Kind::Header);
                self.open = Open::Table;
                return;
            }
            Open::Table if has_pipe(text) => return self.leaf(line, Role::Record, Kind::Row),
            Open::Table => self.close_block(),
            Open::Nothing | Open::Paragraph => {}
        }
        if text.trim_ascii().is_empty() {
            self.close_block();
            self.gap.pass(line);
        } else if let Some(fence) = Fence::of(text) {
            self.close_block();
            self.open_block(line, Role::Block, Kind::Embedded);
            self.leaf(line, Role::Frame, Kind::Plain);
            self.open = Open::Code(fence);
        } else if let Some(level) = heading_level(text) {
            self.close_block();
            self.add_heading(line, level);
        } else if next.is_some_and(|next| opens_table(text, next.of(self.source))) {
            self.close_block();
            let role = if std::mem::take(&mut self.is_first_table) { Role::Frame } else { Role::Block };
            self.open_block(line, role, Kind::Section);
            self.builder.table(Some(Span::new(line.start, line.end)), Layout::Pipes);
            self.leaf(line, Role::Frame, Kind::Header);
            self.open = Open::TableHead;
        } else {
            // A block of its own, so that the blank line before it stays however few of its lines are kept.
            let goes_on = next.is_some_and(|next| !next.of(self.source).trim_ascii().is_empty());
            if self.open == Open::Nothing && goes_on {
                self.open_block(line, Role::Block, Kind::Paragraph);
                self.open = Open::Paragraph;
            }
            let lead = self.gap.lead(self.builder);
            lines::add_line(self.builder, lead, line, Role::Line, text_kind(text));
            self.gap.close(line.end);
        }
    }

    /// Opens a block at a line, behind the blank lines before it.
    fn open_block(&mut self, line: Line, role: Role, kind: Kind) {
        let lead = self.gap.lead(self.builder);
        self.builder.open(lead, line.start, role, kind, LINE_NOTES);
        self.gap.close(line.start);
    }

    fn close_block(&mut self) {
        if self.open != Open::Nothing {
            self.builder.close(self.gap.last_end());
            self.open = Open::Nothing;
        }
    }

    /// Adds a line that is never cut: a cut row is no row.
    fn leaf(&mut self, line: Line, role: Role, kind: Kind) {
        let lead = self.gap.lead(self.builder);
        self.builder.leaf(lead, line.start, line.end, role, kind);
        self.gap.close(line.end);
    }

    fn add_code(&mut self, line: Line, fence: Fence) {
        let text = line.of(self.source);
        if fence.is_closed_by(text) {
            self.leaf(line, Role::Frame, Kind::Plain);
            self.close_block();
        } else if text.trim_ascii().is_empty() {
            self.gap.pass(line);
        } else {
            let lead = self.gap.lead(self.builder);
            lines::add_line(self.builder, lead, line, Role::Line, Kind::Plain);
            self.gap.close(line.end);
        }
    }

    fn add_heading(&mut self, line: Line, level: usize) {
        while self.sections.last().is_some_and(|open| *open >= level) {
            self.sections.pop();
            self.builder.close(self.gap.last_end());
        }
        self.is_first_table = false;
        self.open_block(line, Role::Block, Kind::Section);
        self.sections.push(level);
        self.leaf(line, Role::Frame, Kind::Heading);
    }
}

/// A run of backticks or tildes that opens fenced code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence {
    mark: u8,
    width: usize,
}

impl Fence {
    fn of(text: &[u8]) -> Option<Self> {
        let text = text.trim_ascii_start();
        let mark = *text.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
        let width = text.iter().take_while(|byte| **byte == mark).count();
        let rest = text.get(width..).unwrap_or_default();
        (width >= 3 && (mark == b'~' || memchr::memchr(b'`', rest).is_none())).then_some(Self { mark, width })
    }

    fn is_closed_by(self, text: &[u8]) -> bool {
        let text = text.trim_ascii();
        text.len() >= self.width && text.iter().all(|byte| *byte == self.mark)
    }
}

/// The fence that is open after the line `text`.
fn next_fence(open: Option<Fence>, text: &[u8]) -> Option<Fence> {
    match open {
        Some(fence) if fence.is_closed_by(text) => None,
        Some(fence) => Some(fence),
        None => Fence::of(text),
    }
}

/// The number of `#` of a heading.
fn heading_level(text: &[u8]) -> Option<usize> {
    let level = text.iter().take_while(|byte| **byte == b'#').count();
    ((1..=6).contains(&level) && text.get(level).is_none_or(|byte| matches!(byte, b' ' | b'\t')))
        .then_some(level)
}

fn text_kind(text: &[u8]) -> Kind {
    let text = text.trim_ascii_start();
    match text {
        [b'-' | b'*' | b'+', b' ', ..] => Kind::Paragraph,
        [b'<', b'!', b'-', b'-', ..] => Kind::Comment,
        _ => Kind::Plain,
    }
}

fn has_pipe(text: &[u8]) -> bool {
    memchr::memchr(b'|', text).is_some()
}

/// Says whether a line is like `|---|:-:|`.
fn is_delimiter_row(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    has_pipe(text)
        && text.iter().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'))
        && cells_of(text).all(|cell| {
            let cell = cell.trim_ascii();
            let cell = cell.strip_prefix(b":").unwrap_or(cell);
            let cell = cell.strip_suffix(b":").unwrap_or(cell);
            !cell.is_empty() && cell.iter().all(|byte| *byte == b'-')
        })
}

/// Says whether two lines are a table's header and delimiter row: as many cells in each.
fn opens_table(header: &[u8], delimiters: &[u8]) -> bool {
    is_delimiter_row(delimiters)
        && has_pipe(header)
        && cells_of(header).count() == cells_of(delimiters).count()
}

/// The cells between a row's pipes, untrimmed.
fn cells_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = text.trim_ascii();
    let text = text.strip_prefix(b"|").unwrap_or(text);
    let closed = text.ends_with(b"|") && !text.ends_with(b"\\|");
    let text = if closed { text.get(..text.len() - 1).unwrap_or_default() } else { text };
    let mut escaped = false;
    text.split(move |byte| {
        let is_cut = *byte == b'|' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        is_cut
    })
}
