//! Text tables: a block a table, its header lines and its rows; other lines between them.

use super::{columns, line};
use crate::{
    Builder, Kind, LINE_NOTES, Layout, Role, Span, UnitId,
    gap::Gap,
    lines::{self, LONG_LINE_BYTES, Line, Lines},
};

/// How many lines of a paragraph are looked at for a header.
const SAMPLE_LINES: usize = 40;
/// A header stands within the first lines of its paragraph.
const MAX_TITLE_LINES: usize = 4;

/// How often a table is looked for in the middle of a paragraph in vain or not: each costs as much as a paragraph's start.
const MAX_GUESSES: usize = 256;
/// Blanks at the end of a row that are worth leaving out.
const MIN_PADDING_BYTES: usize = 32;

/// The head of a table, found in the first lines of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    /// Which line names the columns.
    names: usize,
    /// How many lines are header, titles before the names and rulers included.
    lines: usize,
    layout: Layout,
    /// How sure it is that this is a table, of 100.
    sure: u8,
}

/// How sure `lines`, which stand in `head`, are mostly tables.
pub(super) fn certainty(head: &[u8], lines: &[Line]) -> Option<u8> {
    let (mut all, mut in_tables, mut sure) = (0, 0, 0);
    for paragraph in lines.split(|line| line::is_blank(line.of(head))).filter(|lines| !lines.is_empty()) {
        all += paragraph.len();
        if let Some(found) = find_head(head, paragraph.get(..SAMPLE_LINES).unwrap_or(paragraph)) {
            in_tables += paragraph.len();
            sure = sure.max(found.sure);
        }
    }
    (in_tables * 2 >= all && sure >= 40).then_some(sure)
}

/// Cuts `source[start..end]` into tables and other lines.
pub(super) fn parse(builder: &mut Builder<'_>, start: usize, end: usize) {
    let source = builder.source();
    let mut lines = Lines::new(source, start, end);
    let is_first = builder.current() == UnitId::ROOT;
    let mut grid = Grid { source, gap: Gap::new(start), is_first, last: None, builder };
    let mut sample = Vec::with_capacity(SAMPLE_LINES);
    let mut at_start = true;
    let mut guesses = MAX_GUESSES;
    loop {
        let before = lines.clone();
        let Some(next) = lines.next() else { break };
        let text = next.of(source);
        if line::is_blank(text) {
            grid.gap.pass(next);
            at_start = true;
            continue;
        }
        if !at_start && guesses > 0 && may_head(source, text, &lines) {
            at_start = true;
            guesses -= 1;
        }
        if at_start {
            sample.clear();
            let paragraph = before.clone().take_while(|line| !line::is_blank(line.of(source)));
            sample.extend(paragraph.take(SAMPLE_LINES));
            if let Some(head) = grid.known_head(&sample).or_else(|| find_head(source, &sample)) {
                lines = before;
                // What ends a table without a blank line begins another paragraph.
                grid.table(&mut lines, &head, &sample);
                continue;
            }
            at_start = false;
        }
        let kind = if line::is_summary(text) { Kind::Summary } else { Kind::Plain };
        grid.line(next, Role::Line, kind);
    }
    grid.gap.finish(grid.builder);
}

/// Says whether a table may begin in the middle of a paragraph: above a ruler, or at words that are indented.
fn may_head(source: &[u8], text: &[u8], below: &Lines<'_>) -> bool {
    let below = below.clone().next().map(|below| below.of(source)).unwrap_or_default();
    line::is_ruler(below) || (text.starts_with(b"  ") && !below.starts_with(b" ") && is_words(text))
}

struct Grid<'b, 's> {
    builder: &'b mut Builder<'s>,
    source: &'s [u8],
    gap: Gap,
    /// The table that comes now is the first: its header must never be dropped.
    is_first: bool,
    /// The names of the last table, and its layout: a table like it may have no rows to find its columns by.
    last: Option<(&'s [u8], Layout)>,
}

impl<'s> Grid<'_, 's> {
    fn line(&mut self, line: Line, role: Role, kind: Kind) {
        let lead = self.gap.lead(self.builder);
        let text = line.of(self.source);
        let padding = if text.ends_with(b" ") { text.len() - text.trim_ascii_end().len() } else { 0 };
        if role == Role::Frame || text.len() - padding <= LONG_LINE_BYTES {
            self.builder.leaf(lead, line.start, line.end, role, kind);
            // Nobody reads a screen's width of blanks behind a row.
            if padding >= MIN_PADDING_BYTES {
                self.builder.silent(line.end - padding, line.end);
            }
        } else {
            lines::add_line(self.builder, lead, line, role, kind);
        }
        self.gap.close(line.end);
    }

    fn open(&mut self, at: usize, names: Line, layout: &Layout) {
        let role = if std::mem::take(&mut self.is_first) { Role::Frame } else { Role::Block };
        let lead = self.gap.lead(self.builder);
        self.builder.open(lead, at, role, Kind::Section, LINE_NOTES);
        self.builder.table(Some(Span::new(names.start, names.end)), layout.clone());
        self.gap.close(at);
    }

    /// The head of a table with the names of the last one.
    fn known_head(&self, lines: &[Line]) -> Option<Head> {
        let (known, layout) = self.last.as_ref()?;
        let names = lines.iter().take(MAX_TITLE_LINES).position(|line| line.of(self.source) == *known)?;
        let has_ruler = lines.get(names + 1).is_some_and(|line| line::is_ruler(line.of(self.source)));
        Some(Head { names, lines: names + 1 + usize::from(has_ruler), layout: layout.clone(), sure: 0 })
    }

    /// Adds the table that begins with the next of `lines`, up to a blank line or the header of another.
    fn table(&mut self, lines: &mut Lines<'s>, head: &Head, sample: &[Line]) {
        let (Some(first), Some(names)) = (sample.first(), sample.get(head.names)) else { return };
        self.open(first.start, *names, &head.layout);
        for (index, line) in lines.by_ref().take(head.lines).enumerate() {
            let text = line.of(self.source);
            let is_title = index < head.names && !is_legend(text) && !line::is_ruler(text);
            let kind = if is_title { Kind::Heading } else { Kind::Header };
            self.line(line, Role::Frame, kind);
        }
        let header = names.of(self.source);
        self.last = Some((header, head.layout.clone()));
        let flush_rows = sample.get(head.lines).is_some_and(|row| !row.of(self.source).starts_with(b" "));
        loop {
            let before = lines.clone();
            let Some(line) = lines.next() else { break };
            let text = line.of(self.source);
            let is_other = match text.first() {
                Some(b' ') => flush_rows && is_indented_header(text, header),
                Some(first) => first.is_ascii_uppercase() && is_title(self.source, &before, text, header),
                None => true,
            };
            if is_other || line::is_blank(text) {
                *lines = before;
                break;
            }
            if text == header {
                self.builder.close(self.gap.last_end());
                self.open(line.start, line, &head.layout);
                self.line(line, Role::Frame, Kind::Header);
                continue;
            }
            let (role, kind) = self.row(text, &head.layout);
            self.line(line, role, kind);
        }
        self.builder.close(self.gap.last_end());
    }

    fn row(&self, text: &[u8], layout: &Layout) -> (Role, Kind) {
        match text.first() {
            Some(b'(' | b'[' | b't' | b'T' | b'0'..=b'9' | b' ') if line::is_summary(text) => {
                (Role::Line, Kind::Summary)
            }
            Some(b'-' | b'=' | b'+' | b'|' | b' ' | 0xE2) if line::is_ruler(text) => {
                (Role::Frame, Kind::Header)
            }
            _ if *layout == Layout::Pipes && !has_upright(text) => (Role::Line, Kind::Plain),
            _ => (Role::Record, Kind::Row),
        }
    }
}

/// Says whether the line `text` is the header of another table, indented as `header` is while the rows are not.
fn is_indented_header(text: &[u8], header: &[u8]) -> bool {
    header.starts_with(b"  ") && text != header && is_words(text)
}

/// Says whether the line `text`, the next of `lines`, is a title above another table, whose header begins with the same
/// word as that of the table before.
fn is_title(source: &[u8], lines: &Lines<'_>, text: &[u8], header: &[u8]) -> bool {
    let (word, _) = line::first_word(header);
    if !is_name(word) || text.starts_with(word) || text.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let below = lines.clone().nth(1).map(|below| below.of(source)).unwrap_or_default();
    below.starts_with(word) && line::is_capital(below) && is_words(below)
}

/// Says whether a line is made of words that could name columns, without any digit.
fn is_words(text: &[u8]) -> bool {
    line::is_header_like(text) && !text.iter().any(u8::is_ascii_digit)
}

/// Says whether the first word of a header is a name that no row is likely to begin with.
fn is_name(word: &[u8]) -> bool {
    word.len() >= 3 && word.first().is_some_and(u8::is_ascii_uppercase)
}

/// Lines of `dpkg -l` above the names, which say what the first column's letters mean.
fn is_legend(text: &[u8]) -> bool {
    text.starts_with(b"Desired=") || text.starts_with(b"|")
}

fn has_upright(text: &[u8]) -> bool {
    memchr::memchr(b'|', text).is_some() || crate::words::find(text, &[0xE2, 0x94]).is_some()
}

/// Finds the head of a table in the first lines of a paragraph.
fn find_head(source: &[u8], lines: &[Line]) -> Option<Head> {
    let texts: Vec<&[u8]> = lines.iter().map(|line| line.of(source)).collect();
    ruled_head(&texts).or_else(|| aligned_head(&texts))
}

/// A header above a ruler, or between two.
fn ruled_head(texts: &[&[u8]]) -> Option<Head> {
    let ruler = texts.iter().take(MAX_TITLE_LINES + 2).position(|text| line::is_ruler(text))?;
    let text = *texts.get(ruler)?;
    if !line::is_split_ruler(text) && !text.starts_with(b"+") {
        return None;
    }
    // A box: ruler, names, ruler.
    if ruler == 0 || text.starts_with(b"+--") || is_box_top(text) {
        let below = *texts.get(ruler + 2)?;
        let names = *texts.get(ruler + 1)?;
        return (line::is_ruler(below) && has_upright(names)).then_some(Head {
            names: ruler + 1,
            lines: ruler + 3,
            layout: Layout::Pipes,
            sure: 82,
        });
    }
    let names = *texts.get(ruler - 1)?;
    if names.is_empty() || line::is_ruler(names) {
        return None;
    }
    if has_upright(names) && memchr::memchr2(b'+', b'|', text).is_some() && !text.starts_with(b"+++-") {
        // Between pipes, as Markdown has it, the table is another parser's.
        let sure = if text.starts_with(b"|") { 30 } else { 82 };
        return Some(Head { names: ruler - 1, lines: ruler + 1, layout: Layout::Pipes, sure });
    }
    let starts = columns::of_ruler(text);
    let sure = if texts.len() > ruler + 1 { 74 } else { 30 };
    (starts.len() > 1).then_some(Head {
        names: ruler - 1,
        lines: ruler + 1,
        layout: Layout::Fixed { starts },
        sure,
    })
}

/// The top ruler of a box drawn with characters of its own.
fn is_box_top(text: &[u8]) -> bool {
    matches!(
        text.trim_ascii_start(),
        [0xE2, 0x94, 0x8C..=0x8F, ..] | [0xE2, 0x95, 0x94, ..] | [0xE2, 0x95, 0xAD, ..]
    )
}

/// A header whose words stand above columns.
fn aligned_head(texts: &[&[u8]]) -> Option<Head> {
    for names in 0..texts.len().saturating_sub(1).min(MAX_TITLE_LINES) {
        let (header, rows) = (*texts.get(names)?, texts.get(names + 1..)?);
        if !line::is_header_like(header) {
            continue;
        }
        // Frames printed one after another have headers that begin with blanks.
        let is_indented = |text: &[u8]| text.starts_with(b"  ") && line::is_header_like(text);
        let flush_rows = rows.first().is_some_and(|row| !row.starts_with(b" "));
        let indented = if flush_rows && is_indented(header) {
            rows.iter().position(|row| is_indented(row))
        } else {
            None
        };
        let rows = rows.get(..indented.unwrap_or(rows.len())).unwrap_or(rows);
        // The next table's header, and maybe a title above it, are no rows of this one.
        let (word, _) = line::first_word(header);
        let other = rows.iter().position(|row| is_name(word) && row.starts_with(word) && is_words(row));
        let rows =
            rows.get(..other.map_or(rows.len(), |other| other.saturating_sub(1).max(1))).unwrap_or(rows);
        let found = fixed_layout(header, rows)
            .or_else(|| blanks_layout(header, rows).map(|sure| (Layout::Blanks, sure)));
        if let Some((layout, sure)) = found {
            return Some(Head { names, lines: names + 1, layout, sure });
        }
    }
    None
}

/// Columns that are found by the gutters between them.
fn fixed_layout(header: &[u8], rows: &[&[u8]]) -> Option<(Layout, u8)> {
    let found = columns::find(header, rows)?;
    let width = found.starts.len();
    let is_capital = line::is_capital(header) || line::is_padded(header);
    let is_table = if is_capital {
        found.aligned >= 70 && found.filled >= 45 && found.named >= 50 && width >= 2
    } else {
        found.aligned >= 90
            && found.filled >= 70
            && found.named >= 60
            && found.wide >= 50
            && width >= 3
            && rows.len() >= 3
    };
    let sure = match (is_capital, width, rows.len()) {
        (true, 4.., 2..) => 78,
        (true, 3.., 1..) => 66,
        (false, 4.., 5..) => 60,
        (false, 3.., 4..) => 40,
        _ => 25,
    };
    is_table.then_some((Layout::Fixed { starts: found.starts }, sure))
}

/// Columns that are not aligned, for values are wider than their columns, but as many in each row as in the header: some
/// of them are amounts, and the header is padded.
fn blanks_layout(header: &[u8], rows: &[&[u8]]) -> Option<u8> {
    const MAX_COLUMNS: usize = 32;
    let width = line::words_of(header).count();
    let is_spread = crate::words::find(header.trim_ascii(), b"  ").is_some();
    if !(4..=MAX_COLUMNS).contains(&width) || !is_spread || rows.is_empty() {
        return None;
    }
    let mut amounts = u32::MAX;
    for row in rows {
        let mut words = 0;
        let mut row_amounts = 0;
        for (at, word) in line::words_of(row).take(width).enumerate() {
            words += 1;
            row_amounts |= u32::from(line::is_amount(word)) << at;
        }
        if words < width {
            return None;
        }
        amounts &= row_amounts;
    }
    (amounts.count_ones() >= 2).then_some(if rows.len() > 1 { 64 } else { 45 })
}
