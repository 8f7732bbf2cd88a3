//! Cells of a grid's rows: found when asked for, never stored.

use std::borrow::Cow;

use crate::{Layout, Outline, Records, Role, Span, Table, UnitId, csv::Rows, span::offset};

/// Calls `sink` with the number and the span of each cell of `row`, a child of the table's container.
///
/// Spans are trimmed of blanks and keep the quotes around a cell. Nothing is allocated. Rows of a [`Layout::Json`] table
/// are read by [`crate::json_leaves`] instead: here they have no cells.
///
/// ```
/// use recto_outline::{ContentType, Fuel, cells, outline};
/// let outline = outline(b"id,name\n7,\"a, b\"\n", Some(ContentType::Csv), &mut Fuel::unlimited())?;
/// let table = &outline.tables[0];
/// let row = outline.children(table.container).nth(1).unwrap();
/// let mut texts = Vec::new();
/// cells(&outline, table, row, &mut |_, span| texts.push(span.of(outline.source)));
/// assert_eq!(texts, [&b"7"[..], b"\"a, b\""]);
/// # Ok::<(), recto_outline::OutlineError>(())
/// ```
pub fn cells(outline: &Outline<'_>, table: &Table, row: UnitId, sink: &mut dyn FnMut(usize, Span)) {
    let columns = blanks_columns(outline, table);
    of_row(outline, table, row, columns).enumerate().for_each(|(column, span)| sink(column, span));
}

/// The spans of a row's cells, the empty first one that [`lacks_first`] tells of too.
fn of_row<'a>(
    outline: &'a Outline<'_>,
    table: &'a Table,
    row: UnitId,
    blanks_columns: usize,
) -> impl Iterator<Item = Span> + 'a {
    let body = outline.unit(row).body;
    let first = lacks_first(outline, table, body).then_some(Span { s: body.s, e: body.s });
    first.into_iter().chain(CellSpans::new(outline.source, body, &table.layout, blanks_columns))
}

/// Says whether a row begins with a pipe that is no border: it has as many as the header, which begins with none. Its first cell is
/// empty.
fn lacks_first(outline: &Outline<'_>, table: &Table, row: Span) -> bool {
    let begins = |line: Span| line.of(outline.source).trim_ascii_start().first() == Some(&b'|');
    let pipes = |line: Span| memchr::memchr_iter(b'|', line.of(outline.source)).count();
    let Some(header) = table.header.filter(|_| table.layout == Layout::Pipes && begins(row)) else {
        return false;
    };
    let names = header.of(outline.source);
    let line = memchr::memchr(b'\n', names).unwrap_or(names.len());
    let first_line = Span::new(header.s as usize, header.s as usize + line);
    !begins(header) && pipes(row) == pipes(first_line)
}

/// The columns' names as the header says them, without quotes; none if there is no header (or the rows are JSON).
///
/// Where a CSV has a second header row, it names the columns that the first leaves empty.
#[must_use]
pub fn header_names<'s>(outline: &Outline<'s>, table: &Table) -> Vec<Cow<'s, str>> {
    let Some(header) = table.header else { return Vec::new() };
    let source = outline.source;
    let Layout::Delimited { delimiter } = table.layout else {
        return CellSpans::new(source, header, &table.layout, usize::MAX)
            .map(|span| name(source, span))
            .collect();
    };
    let mut names: Vec<Cow<'s, str>> = Vec::new();
    for row in Rows::new(source, header.s as usize, header.e as usize, delimiter) {
        let spans = CellSpans::new(source, Span::new(row.start, row.end), &table.layout, usize::MAX);
        for (column, span) in spans.enumerate() {
            match names.get_mut(column) {
                None => names.push(name(source, span)),
                Some(known) if known.is_empty() => *known = name(source, span),
                Some(_) => {}
            }
        }
    }
    names
}

/// The rows and columns of one table of an outline.
#[derive(Clone, Debug)]
pub struct TableRecords<'a> {
    outline: &'a Outline<'a>,
    table: &'a Table,
    rows: Vec<UnitId>,
    columns: Vec<Cow<'a, str>>,
    blanks_columns: usize,
}

impl<'a> TableRecords<'a> {
    /// Lists the rows of `table`, which is one of `outline.tables`. Four bytes a row.
    #[must_use]
    pub fn new(outline: &'a Outline<'a>, table: &'a Table) -> Self {
        let rows = outline
            .children(table.container)
            .filter(|child| outline.unit(*child).role == Role::Record)
            .collect();
        let blanks_columns = blanks_columns(outline, table);
        Self { outline, table, rows, columns: header_names(outline, table), blanks_columns }
    }

    /// The unit of a row.
    #[must_use]
    pub fn unit(&self, row: usize) -> Option<UnitId> {
        self.rows.get(row).copied()
    }
}

impl Records for TableRecords<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> &[Cow<'_, str>] {
        &self.columns
    }

    fn cell(&self, row: usize, column: usize) -> Option<Span> {
        of_row(self.outline, self.table, self.unit(row)?, self.blanks_columns).nth(column)
    }
}

/// How many columns a row of a [`Layout::Blanks`] table has: the last takes what is left of the line.
fn blanks_columns(outline: &Outline<'_>, table: &Table) -> usize {
    match (&table.layout, table.header) {
        (Layout::Blanks, Some(header)) => {
            CellSpans::new(outline.source, header, &Layout::Blanks, usize::MAX).count().max(1)
        }
        _ => usize::MAX,
    }
}

/// A cell's text without the quotes around it.
fn name(source: &[u8], span: Span) -> Cow<'_, str> {
    let bytes = span.of(source);
    let quoted = bytes.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    let text = String::from_utf8_lossy(quoted.unwrap_or(bytes));
    if quoted.is_some() && text.contains("\"\"") { Cow::Owned(text.replace("\"\"", "\"")) } else { text }
}

/// Iterates over the cells of one row.
#[derive(Clone, Debug)]
pub(crate) struct CellSpans<'a> {
    source: &'a [u8],
    layout: &'a Layout,
    /// Where the row begins.
    start: usize,
    /// Where the next cell begins.
    at: usize,
    end: usize,
    column: usize,
    /// The most columns of a row cut at blanks.
    blanks_columns: usize,
    done: bool,
    /// For [`Layout::Pipes`]: the row begins, so it also ends, with a pipe.
    is_bordered: bool,
    /// For [`Layout::Fixed`]: bytes and columns are the same thing.
    is_ascii: bool,
}

impl<'a> CellSpans<'a> {
    pub(crate) fn new(source: &'a [u8], row: Span, layout: &'a Layout, blanks_columns: usize) -> Self {
        let start = row.s as usize;
        let mut end = (row.e as usize).min(source.len());
        let mut is_ascii = true;
        if !matches!(layout, Layout::Delimited { .. } | Layout::Json) {
            // Beyond the limit on units, a unit holds several lines; their first stands for them.
            let bytes = source.get(start..end).unwrap_or_default();
            end = start + memchr::memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
            is_ascii = !matches!(layout, Layout::Fixed { .. }) || bytes.is_ascii();
        }
        let done = matches!(layout, Layout::Json);
        let mut cells = Self {
            source,
            layout,
            start,
            at: start,
            end,
            column: 0,
            blanks_columns,
            done,
            is_bordered: false,
            is_ascii,
        };
        if matches!(layout, Layout::Pipes) {
            cells.skip_blanks();
            if let Some(width) = pipe_width(source.get(cells.at..end).unwrap_or_default()) {
                cells.is_bordered = true;
                cells.at += width;
            }
        }
        cells
    }

    fn skip_blanks(&mut self) {
        while self.at < self.end && self.source.get(self.at).copied().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// The span `[from, to)` without the blanks around it.
    fn trimmed(&self, from: usize, to: usize) -> Span {
        let bytes = self.source.get(from..to).unwrap_or_default();
        let left = bytes.iter().take_while(|byte| is_blank(**byte)).count();
        let right = bytes.iter().skip(left).rev().take_while(|byte| is_blank(**byte)).count();
        Span { s: offset(from + left), e: offset(to.max(from) - right) }
    }

    fn next_delimited(&mut self, delimiter: u8) -> Span {
        let mut from = self.at;
        while from < self.end && self.source.get(from) == Some(&b' ') {
            from += 1;
        }
        if self.source.get(from) == Some(&b'"') && from < self.end {
            from = after_quotes(self.source, from, self.end);
        }
        let rest = self.source.get(from..self.end).unwrap_or_default();
        let stop = from + memchr::memchr2(delimiter, b'\n', rest).unwrap_or(rest.len());
        let span = self.trimmed(self.at, stop);
        self.done = stop >= self.end || self.source.get(stop) != Some(&delimiter);
        self.at = stop + 1;
        span
    }

    fn next_piped(&mut self) -> Option<Span> {
        let from = self.at;
        let mut at = from;
        loop {
            let rest = self.source.get(at..self.end).unwrap_or_default();
            let Some(found) = memchr::memchr3(b'|', b'\\', 0xE2, rest) else {
                self.done = true;
                let span = self.trimmed(from, self.end);
                return (!(self.is_bordered && span.is_empty())).then_some(span);
            };
            let behind = rest.get(found..).unwrap_or_default();
            at += found;
            if let Some(width) = pipe_width(behind) {
                self.at = at + width;
                return Some(self.trimmed(from, at));
            }
            at = self.end.min(at + if behind.first() == Some(&b'\\') { 2 } else { 1 });
        }
    }

    fn next_blank(&mut self) -> Option<Span> {
        self.skip_blanks();
        let from = self.at;
        if from >= self.end {
            self.done = true;
            return None;
        }
        let bytes = self.source.get(from..self.end).unwrap_or_default();
        let stop = if self.column + 1 >= self.blanks_columns {
            self.end
        } else {
            from + memchr::memchr2(b' ', b'\t', bytes).unwrap_or(bytes.len())
        };
        self.at = stop;
        Some(self.trimmed(from, stop))
    }

    fn next_fixed(&mut self, starts: &[u32]) -> Option<Span> {
        if self.column >= starts.len() {
            self.done = true;
            return None;
        }
        let from = self.at;
        let stop = match starts.get(self.column + 1) {
            Some(start) => self.boundary(*start as usize),
            None => self.end,
        };
        self.at = stop;
        Some(self.trimmed(from, stop))
    }

    /// Where the column that begins at `column` begins in this row. A word that crosses the boundary goes to the side
    /// that holds more of it.
    fn boundary(&self, column: usize) -> usize {
        let at = self.position(column).clamp(self.at, self.end);
        let is_word = |at: usize| at < self.end && !self.source.get(at).copied().is_none_or(is_blank);
        if at == self.at || !is_word(at) || !is_word(at - 1) {
            return at;
        }
        let left = self.source.get(self.at..at).unwrap_or_default();
        let left = left.iter().rev().take_while(|byte| !is_blank(**byte)).count();
        let right = self.source.get(at..self.end).unwrap_or_default();
        let right = right.iter().take_while(|byte| !is_blank(**byte)).count();
        if left >= right { at + right } else { at - left }
    }

    /// The offset of a column: characters are counted, as they were when the table was laid out.
    fn position(&self, column: usize) -> usize {
        if self.is_ascii {
            return self.start + column;
        }
        let bytes = self.source.get(self.start..self.end).unwrap_or_default();
        let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte & 0xC0 != 0x80);
        starts.map(|(at, _)| at).nth(column).map_or(self.end, |at| self.start + at)
    }
}

impl Iterator for CellSpans<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        if self.done {
            return None;
        }
        let layout = self.layout;
        let span = match layout {
            Layout::Json => None,
            Layout::Delimited { delimiter } => Some(self.next_delimited(*delimiter)),
            Layout::Pipes => self.next_piped(),
            Layout::Blanks => self.next_blank(),
            Layout::Fixed { starts } => self.next_fixed(starts),
        };
        self.column += 1;
        span
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// The width of the upright line that `bytes` begin with: `|`, or one of the box drawing characters.
fn pipe_width(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'|', ..] => Some(1),
        [0xE2, 0x94, 0x82 | 0x83, ..] | [0xE2, 0x95, 0x91, ..] => Some(3),
        _ => None,
    }
}

/// The offset after the quote that closes the one at `open`; right after `open` if none does.
fn after_quotes(source: &[u8], open: usize, end: usize) -> usize {
    let mut at = open + 1;
    loop {
        let Some(found) = source.get(at..end).and_then(|rest| memchr::memchr(b'"', rest)) else {
            return open + 1;
        };
        let close = at + found;
        if close + 1 < end && source.get(close + 1) == Some(&b'"') {
            at = close + 2;
        } else {
            return close + 1;
        }
    }
}
