//! Text tables: a block a table, its header lines and its rows; other lines between them.

use super::{columns, line};
use crate::{
    Builder, Kind, LINE_NOTES, Layout, Role, Span, UnitId,
    gap::Gap,
    lines::{self, Line, Lines},
};

/// How many lines of a paragraph are looked at for a header.
const SAMPLE_LINES: usize = 40;
/// A header stands within the first lines of its paragraph.
const MAX_TITLE_LINES: usize = 4;

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

/// How sure `lines` (of which the first stand in `head`) hold a table near their beginning.
pub(super) fn certainty(head: &[u8], lines: &[Line]) -> Option<u8> {
    let mut paragraphs = lines.split(|line| line::is_blank(line.of(head))).filter(|lines| !lines.is_empty());
    // A word before the first table is common, an essay is not.
    paragraphs.by_ref().take(3).find_map(|paragraph| find_head(head, paragraph)).map(|head| head.sure)
}

/// Cuts `source[start..end]` into tables and other lines.
pub(super) fn parse(builder: &mut Builder<'_>, start: usize, end: usize) {
    let source = builder.source();
    let mut lines = Lines::new(source, start, end);
    let mut grid = Grid { source, gap: Gap::new(start), is_first: builder.current() == UnitId::ROOT, builder };
    let mut sample = Vec::with_capacity(SAMPLE_LINES);
    let mut at_start = true;
    loop {
        let before = lines.clone();
        let Some(next) = lines.next() else { break };
        let text = next.of(source);
        if line::is_blank(text) {
            grid.gap.pass(next);
            at_start = true;
            continue;
        }
        if at_start {
            sample.clear();
            let paragraph = before.clone().take_while(|line| !line::is_blank(line.of(source)));
            sample.extend(paragraph.take(SAMPLE_LINES));
            if let Some(head) = find_head(source, &sample) {
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

struct Grid<'b, 's> {
    builder: &'b mut Builder<'s>,
    source: &'s [u8],
    gap: Gap,
    /// The table that comes now is the first: its header must never be dropped.
    is_first: bool,
}

impl<'s> Grid<'_, 's> {
    fn line(&mut self, line: Line, role: Role, kind: Kind) {
        let lead = self.gap.lead(self.builder);
        if role == Role::Frame {
            self.builder.leaf(lead, line.start, line.end, role, kind);
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

    /// Adds the table that begins with the next of `lines`, up to a blank line or the header of another.
    fn table(&mut self, lines: &mut Lines<'s>, head: &Head, sample: &[Line]) {
        let (Some(first), Some(names)) = (sample.first(), sample.get(head.names)) else { return };
        self.open(first.start, *names, &head.layout);
        for (index, line) in lines.by_ref().take(head.lines).enumerate() {
            let kind = if index < head.names && !is_legend(line.of(self.source)) { Kind::Heading } else { Kind::Header };
            self.line(line, Role::Frame, kind);
        }
        let header = names.of(self.source);
        let (word, _) = line::first_word(header);
        loop {
            let before = lines.clone();
            let Some(line) = lines.next() else { break };
            let text = line.of(self.source);
            if line::is_blank(text) || is_other_table(self.source, &before, text, word) {
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
            Some(b'(' | b'[' | b't' | b'T' | b'0'..=b'9' | b' ') if line::is_summary(text) => (Role::Line, Kind::Summary),
            Some(b'-' | b'=' | b'+' | b'|' | b' ' | 0xE2) if line::is_ruler(text) => (Role::Frame, Kind::Header),
            _ if *layout == Layout::Pipes && !has_upright(text) => (Role::Line, Kind::Plain),
            _ => (Role::Record, Kind::Row),
        }
    }
}

/// Says whether another table begins at the line `text`, the next of `lines`: its header, or a title above its header,
/// which begins with the same `word` as that of the table before.
fn is_other_table(source: &[u8], lines: &Lines<'_>, text: &[u8], word: &[u8]) -> bool {
    if !text.first().is_some_and(u8::is_ascii_uppercase) || text.iter().any(u8::is_ascii_digit) || !is_name(word) {
        return false;
    }
    let Some(below) = lines.clone().nth(1) else { return false };
    let below = below.of(source);
    below.starts_with(word)
        && line::is_capital(below)
        && line::is_header_like(below)
        && !below.iter().any(u8::is_ascii_digit)
        && !text.starts_with(word)
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
    memchr::memchr(b'|', text).is_some() || memchr::memmem::find(text, &[0xE2, 0x94]).is_some()
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
        return (line::is_ruler(below) && has_upright(names))
            .then_some(Head { names: ruler + 1, lines: ruler + 3, layout: Layout::Pipes, sure: 82 });
    }
    let names = *texts.get(ruler - 1)?;
    if names.is_empty() || line::is_ruler(names) {
        return None;
    }
    if has_upright(names) && memchr::memchr2(b'+', b'|', text).is_some() && !text.starts_with(b"+++-") {
        return Some(Head { names: ruler - 1, lines: ruler + 1, layout: Layout::Pipes, sure: 82 });
    }
    let starts = columns::of_ruler(text);
    let sure = if texts.len() > ruler + 1 { 74 } else { 30 };
    (starts.len() > 1).then_some(Head { names: ruler - 1, lines: ruler + 1, layout: Layout::Fixed { starts }, sure })
}

/// The top ruler of a box drawn with characters of its own.
fn is_box_top(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start(), [0xE2, 0x94, 0x8C..=0x8F, ..] | [0xE2, 0x95, 0x94, ..] | [0xE2, 0x95, 0xAD, ..])
}

/// A header whose words stand above columns.
fn aligned_head(texts: &[&[u8]]) -> Option<Head> {
    for names in 0..texts.len().saturating_sub(1).min(MAX_TITLE_LINES) {
        let (header, rows) = (texts.get(names)?, texts.get(names + 1..)?);
        if !line::is_header_like(header) {
            continue;
        }
        let is_capital = line::is_capital(header);
        let Some(found) = columns::find(header, rows) else { continue };
        let width = found.starts.len();
        let is_table = if is_capital {
            found.aligned >= 70 && found.filled >= 45 && width >= 2
        } else {
            found.aligned >= 90 && found.filled >= 70 && width >= 3 && rows.len() >= 3
        };
        if !is_table {
            continue;
        }
        let sure = match (is_capital, width, rows.len()) {
            (true, 4.., 2..) => 78,
            (true, 3.., 1..) => 66,
            (false, 4.., 5..) => 60,
            (false, 3.., 4..) => 40,
            _ => 25,
        };
        return Some(Head { names, lines: names + 1, layout: Layout::Fixed { starts: found.starts }, sure });
    }
    None
}
