//! Comma, tab and semicolon separated sources: a unit a row, quoted line ends included.

mod count;
mod dialect;
mod rows;

use count::{CellCount, CellPart};
use dialect::{Dialect, is_blank, is_remark};
pub(crate) use rows::Rows;

use crate::{
    Builder, ContentType, Fuel, Kind, Layout, OutlineError, Role, Span,
    beside::Plan,
    parser::{Context, Parser},
    piped::piped,
};

/// The parser.
pub(crate) struct Csv;

impl Parser for Csv {
    fn content_type(&self) -> ContentType {
        ContentType::Csv
    }

    fn surest(&self) -> u8 {
        99
    }

    fn sniff(&self, head: &[u8], whole: bool) -> u8 {
        let Some(first) = head.iter().find(|byte| !byte.is_ascii_whitespace()) else { return 0 };
        if matches!(first, b'{' | b'[' | b'<' | b'|' | b'-' | b'+' | b'/' | b'*' | b'@') {
            return 0;
        }
        let Some(dialect) = Dialect::of(head, 0, head.len()) else { return 0 };
        // Padded cells between pipes are a table for eyes: a listing.
        let line = head.get(..memchr::memchr(b'\n', head).unwrap_or(head.len())).unwrap_or_default();
        if dialect.delimiter == b'|' && memchr::memmem::find(line, b" |").is_some() {
            return 0;
        }
        match certainty(&dialect, whole) {
            // A run of quoted cells is JSON strings as well, but no JSON text has such rows.
            60.. if *first == b'"' => 99,
            sure => sure,
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
        let dialect = Dialect::of(source, start, end);
        let delimiter = dialect.as_ref().map_or(b',', |dialect| dialect.delimiter);
        let header_rows = dialect.map_or(0, |dialect| dialect.header_rows);
        let mut count = CellCount::new(builder.columns().lend());
        let rows = Rows::new(source, start, end, delimiter);
        let header = piped(
            end.saturating_sub(start),
            |hand_over| add_rows(builder, rows, header_rows, hand_over),
            |part| count.take(source, part),
        );
        builder.columns().take_back(count.into_counted());
        builder.table(header, Layout::Delimited { delimiter });
        Ok(())
    }
}

/// Adds a unit a row, and hands over the cells to be counted. Gives the header.
fn add_rows(
    builder: &mut Builder<'_>,
    mut rows: Rows<'_>,
    header_rows: usize,
    hand_over: &mut dyn FnMut(CellPart) -> CellPart,
) -> Option<Span> {
    let source = builder.source();
    let mut lead = rows.at();
    let mut header: Option<Span> = None;
    let mut names_left = header_rows;
    let mut is_above = true;
    let mut has_rows = false;
    let mut part = CellPart::default();
    let part_items = Plan::of(source.len()).part_items;
    while let Some(row) = rows.next() {
        // Rows stay whole however long they are: a piece of one would have another number of cells.
        let text = row.of(source);
        let (role, kind) = if is_blank(text) {
            (Role::Line, Kind::Blank)
        } else if is_above && is_remark(text) {
            (Role::Line, Kind::Comment)
        } else if names_left > 0 {
            names_left -= 1;
            let span = header.get_or_insert(Span::new(row.start, row.end));
            *span = Span { e: crate::span::offset(row.end), ..*span };
            (Role::Frame, Kind::Header)
        } else {
            part.split(source, row, &rows);
            if part.len() >= part_items {
                part = hand_over(part);
            }
            // Readers take the first row for the header, whatever is in it: it is never dropped.
            let is_first = header.is_none() && !std::mem::replace(&mut has_rows, true);
            (if is_first { Role::Frame } else { Role::Record }, Kind::Row)
        };
        is_above &= role == Role::Line;
        builder.leaf(lead, row.start, row.end, role, kind);
        lead = row.end;
    }
    hand_over(part);
    header
}

/// How sure a source of this dialect is a table.
fn certainty(dialect: &Dialect, whole: bool) -> u8 {
    let Dialect { delimiter, columns, alike, rows, is_named, is_typed, .. } = *dialect;
    if rows < 2 || alike < 90 || (!whole && rows < 3) {
        return 0;
    }
    let is_rare = matches!(delimiter, b';' | b'|');
    if !is_typed && (dialect.is_padded || (is_rare && columns < 3)) {
        return 0;
    }
    match (is_named, columns) {
        (true, 3..) if rows >= 3 || is_typed => 85,
        (true, 3..) if dialect.cell_bytes <= 40 => 60,
        (true, 2) if rows >= 3 && alike == 100 && (is_typed || delimiter == b'\t') => 62,
        (false, 4..) if rows >= 5 && is_typed && alike == 100 && dialect.cell_bytes <= 64 => 62,
        _ => 0,
    }
}
