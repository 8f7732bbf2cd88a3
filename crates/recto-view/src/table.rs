//! Mode `table`: arrays of like records with each key said once and a record a line.
//!
//! A document is gone over twice. The [`census`] counts which keys stand where; the [`plan`] makes of each place what is
//! smallest: columns, constants, templates of texts, lists of tuples, or plain JSON. [`write`] then writes the text, in which
//! each array that is a table stands as a header and its rows, and all else as JSON without blanks. [`decode`] reads it back
//! token by token, and no layout is offered that does not read back as its source.
//!
//! The text, by example: `user{id name}`, with a tab between, are the members of a nested object, `state=open` says what every
//! record has, `url:https://a.b/*` what all texts of a column begin and end with, `jobs[id,ok]` that a cell holds
//! `[[1,true],[2]]`, and `*` is the key of a record that is an object's member. An empty cell is an absent member. A line that
//! begins with `=` is a record as JSON, because it does not fit the header; one that begins with `…` is a note.

mod cell;
mod census;
mod compact;
mod decode;
mod head;
mod layout;
mod maps;
mod plan;
mod record;
mod show;
mod write;

pub use decode::{TableError, decode};
pub use layout::{TableColumn, TableLayout, TablePlace, TableShape};
pub(crate) use show::Shown;

use census::Census;
use compact::Comparison;
use plan::Plan;
use write::{Written, write};

/// A document laid out as tables, which reads back as it was.
#[derive(Debug)]
pub(crate) struct Laid {
    written: Written,
    pub(crate) layout: TableLayout,
    /// Length of the source without the blanks between its tokens.
    compact_bytes: u64,
}

/// Rows longer than this on average are better shown in parts.
const LONG_ROW_BYTES: u64 = 512;

impl Laid {
    /// Lays a document out; `None` if it is not JSON, holds no arrays of like records, or would not be smaller. With `is_lines` the
    /// source is a sequence of values.
    pub(crate) fn of(source: &[u8], is_lines: bool) -> Option<Self> {
        let start = if source.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let census = Census::of(source, start, is_lines)?;
        let mut laid = Self::planned(source, start, is_lines, &census);
        for census in census.mapped(source, start, is_lines) {
            laid = smaller(laid, Self::planned(source, start, is_lines, &census));
        }
        laid
    }

    /// The document as one census would have it, with long rows taken apart or not, whichever is smaller.
    fn planned(source: &[u8], start: usize, is_lines: bool, census: &Census) -> Option<Self> {
        let plan = Plan::of(source, census, true);
        let laid = Self::written(source, start, is_lines, census, &plan);
        if !plan.takes_apart {
            return laid;
        }
        let plan = Plan::of(source, census, false);
        smaller(laid, Self::written(source, start, is_lines, census, &plan))
    }

    fn written(source: &[u8], start: usize, is_lines: bool, census: &Census, plan: &Plan) -> Option<Self> {
        if !plan.has_table {
            return None;
        }
        let written = write(source, start, is_lines, census, plan);
        let bytes = written.text.len() as u64;
        if bytes >= census.bytes || bytes >= source.len() as u64 {
            return None;
        }
        let mut comparison = Comparison::new(source, start);
        decode::decode_into(&written.text, &mut comparison).ok()?;
        let layout = TableLayout::new(source, is_lines, census, plan, &written.tables);
        comparison.ends_whole().then_some(Self { written, layout, compact_bytes: census.bytes })
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &[u8] {
        &self.written.text
    }

    /// The whole text, and its layout.
    pub(crate) fn into_text(self) -> (String, TableLayout) {
        let text = String::from_utf8(self.written.text);
        (text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()), self.layout)
    }

    /// Says whether it is so much smaller than the source, and its rows so short, that mode `auto` takes it.
    pub(crate) fn is_clear_gain(&self) -> bool {
        let rows = self.written.tables.iter().map(|table| table.rows).sum::<u64>();
        let bytes = self.text().len() as u64;
        bytes * 4 <= self.compact_bytes * 3 && bytes <= rows * LONG_ROW_BYTES
    }
}

/// The smaller of two layouts, the first if they are alike.
fn smaller(first: Option<Laid>, second: Option<Laid>) -> Option<Laid> {
    let both = first.into_iter().chain(second);
    both.min_by_key(|laid| laid.text().len())
}

#[cfg(test)]
mod tests;
