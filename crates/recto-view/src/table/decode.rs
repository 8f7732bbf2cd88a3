//! A table back to JSON.

use super::{cell::RAW, compact::Sink, head::read_header, record::Reader};
use crate::note::MARK;

/// The first line of a JSON document with tables.
pub(super) const JSON_HEAD: &[u8] = b"[recto: JSON, arrays as tab-separated tables, empty = absent]\n";

/// The first line of JSON lines as one table.
pub(super) const LINES_HEAD: &[u8] = b"[recto: JSON lines as a tab-separated table, empty = absent]\n";

/// Why a text is no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The first line is not that of a table.
    #[error(
        "this is no table of recto: its first line does not say so; give the text of a view in mode `table`, from its beginning"
    )]
    NotATable,
    /// A header that cannot be read.
    #[error("the table's header in line {line} cannot be read: {what}")]
    BadHeader {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A row that does not fit the header.
    #[error("the table's row in line {line} cannot be read: {what}")]
    BadRow {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// The text ends inside a table.
    #[error(
        "the text ends inside a table: the line that closes it is missing; it was cut off after line {line}"
    )]
    CutOff {
        /// The last line, from 1.
        line: usize,
    },
}

/// Reads the text of a view in mode `table` back: the JSON of its source, each token as it was, without blanks between tokens (JSON
/// lines: a value a line). Notes become strings in the place of what they stand for, as in mode `marked` (among members: keys with the value `null`).
///
/// Linear, without recursion. What stands in cells is not checked: of a text that is no view's, the result may be no JSON.
///
/// # Errors
/// [`TableError`] for a text that is not the whole of a table.
///
/// ```
/// let table = "[recto: JSON lines as a tab-separated table, empty = absent]\nid\tname\tok=true\n1\tAnn\n2\n";
/// assert_eq!(recto_view::decode(table)?, "{\"id\":1,\"name\":\"Ann\",\"ok\":true}\n{\"id\":2,\"ok\":true}");
/// # Ok::<(), recto_view::TableError>(())
/// ```
pub fn decode(text: &str) -> Result<String, TableError> {
    let mut out = Vec::with_capacity(text.len() * 2);
    decode_into(text.as_bytes(), &mut out)?;
    Ok(String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Decodes into a sink.
pub(super) fn decode_into(text: &[u8], sink: &mut impl Sink) -> Result<(), TableError> {
    let mut decoder = Decoder { lines: Lines { rest: text, number: 0 }, sink };
    let mut head = text.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default().to_vec();
    if head.last() != Some(&b'\n') {
        head.push(b'\n');
    }
    decoder.lines.next();
    match head.as_slice() {
        LINES_HEAD => decoder.table(None),
        JSON_HEAD => decoder.document(),
        _ => Err(TableError::NotATable),
    }
}

/// The lines that are left.
struct Lines<'t> {
    rest: &'t [u8],
    /// The number of the line taken last.
    number: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Option<&'t [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = memchr::memchr(b'\n', self.rest);
        let (line, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.get(1..).unwrap_or_default();
        Some(line)
    }
}

struct Decoder<'t, 'k, S> {
    lines: Lines<'t>,
    sink: &'k mut S,
}

impl<S: Sink> Decoder<'_, '_, S> {
    /// Compact JSON, in which a line that ends with `[` is followed by a table.
    fn document(&mut self) -> Result<(), TableError> {
        while let Some(line) = self.lines.next() {
            self.sink.put(line);
            if let Some(brace @ (b'[' | b'{')) = line.last() {
                // `[` + 2 is `]`, and `{` + 2 is `}`.
                self.table(Some(brace + 2))?;
            } else if !self.lines.rest.is_empty() {
                let line = self.lines.number + 1;
                return Err(TableError::BadHeader { line, what: "no array is open before it" });
            }
        }
        Ok(())
    }

    /// A header and its rows: to the end of the text, or up to a line that begins with the brace that closes the array or object.
    fn table(&mut self, closing: Option<u8>) -> Result<(), TableError> {
        let header = self.lines.next().unwrap_or_default();
        let line = self.lines.number;
        let schemas = read_header(header).map_err(|what| TableError::BadHeader { line, what })?;
        let mut reader = Reader::new(&schemas);
        let mut is_first = true;
        loop {
            if closing.is_some() && self.lines.rest.first().copied() == closing {
                return Ok(());
            }
            let Some(row) = self.lines.next() else {
                let line = self.lines.number;
                return if closing.is_none() { Ok(()) } else { Err(TableError::CutOff { line }) };
            };
            match (std::mem::take(&mut is_first), closing) {
                (true, _) => {}
                (false, None) => self.sink.line_end(),
                (false, Some(_)) => self.sink.sign(b','),
            }
            if let Some((&RAW, value)) = row.split_first() {
                self.sink.put(value);
            } else if row.starts_with(MARK.as_bytes()) {
                self.note(row);
                if closing == Some(b'}') {
                    self.sink.put(b":null");
                }
            } else {
                let line = self.lines.number;
                reader.row(row, self.sink).map_err(|what| TableError::BadRow { line, what })?;
            }
        }
    }

    /// A note as the string that stands for it.
    fn note(&mut self, words: &[u8]) {
        let mut escaped = Vec::with_capacity(words.len());
        for byte in words {
            if matches!(byte, b'"' | b'\\') {
                escaped.push(b'\\');
            }
            escaped.push(*byte);
        }
        self.sink.string([b"", &escaped, b""]);
    }
}
