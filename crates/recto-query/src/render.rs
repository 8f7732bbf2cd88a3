//! Rows as text: within the bytes allowed, each cut with a mark that says where the whole is.

use std::{borrow::Cow, fmt::Write as _};

use recto_outline::Span;
use serde::de::IgnoredAny;

use crate::{
    Format,
    aggregate::Shown,
    cell::{self, Syntax},
    decimal::Decimal,
    document::Layer,
};

/// Bytes of a cell below which none is cut further.
const LEAST_CELL_BYTES: usize = 24;

/// How rows are written.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) layer: Layer<'a>,
    pub(crate) syntax: Syntax,
    pub(crate) format: Format,
    pub(crate) names: &'a [String],
}

impl Writer<'_> {
    /// The line of names; JSON lines have none.
    pub(crate) fn header(&self) -> Option<String> {
        (self.format == Format::Table).then(|| {
            let names: Vec<String> = self
                .names
                .iter()
                .map(|name| if name.is_empty() { "\"\"".to_owned() } else { plain(name) })
                .collect();
            names.join("\t")
        })
    }

    /// A row without a line end, its cells of `cell_bytes` at most and a mark.
    pub(crate) fn row(&self, cells: &[Shown], cell_bytes: usize) -> String {
        match self.format {
            Format::Table => {
                let cells: Vec<String> = cells.iter().map(|cell| self.table_cell(cell, cell_bytes)).collect();
                cells.join("\t")
            }
            Format::Json => {
                let mut row = "{".to_owned();
                for (name, cell) in self.names.iter().zip(cells) {
                    let Some(value) = self.json_cell(cell, cell_bytes) else { continue };
                    let comma = if row.len() > 1 { "," } else { "" };
                    let _ = write!(row, "{comma}{}:{value}", json_string(name));
                }
                row.push('}');
                row
            }
        }
    }

    /// As [`Self::row`], of a row that must be shown: cells are cut shorter until it fits, and the line itself if nothing else helps.
    pub(crate) fn fitted_row(
        &self,
        cells: &[Shown],
        record: Option<Span>,
        cell_bytes: usize,
        most_bytes: usize,
    ) -> String {
        let mut cell_bytes = cell_bytes;
        loop {
            let row = self.row(cells, cell_bytes);
            if row.len() <= most_bytes {
                return row;
            }
            if cell_bytes <= LEAST_CELL_BYTES {
                let mark = match record {
                    Some(span) => format!("\u{2026}[row cut: {}; ask for fewer columns]", self.place(span)),
                    None => "\u{2026}[row cut: ask for fewer columns]".to_owned(),
                };
                let kept = row.floor_char_boundary(most_bytes.saturating_sub(mark.len()));
                let line = format!("{}{mark}", row.get(..kept).unwrap_or_default());
                return if self.format == Format::Json { json_string(&line) } else { line };
            }
            cell_bytes = (cell_bytes / 2).max(LEAST_CELL_BYTES);
        }
    }

    /// `bytes 10-20` of the source.
    fn place(&self, span: Span) -> String {
        let (start, end) = self.layer.origin(span);
        format!("bytes {start}-{end}")
    }

    fn table_cell(&self, cell: &Shown, cell_bytes: usize) -> String {
        let span = match cell {
            Shown::Missing => return String::new(),
            Shown::Computed(text) => return text.clone(),
            Shown::Source(span) => *span,
        };
        // Of a cell far too long, no more is looked at than is shown.
        let bytes = span.of(self.layer.text);
        let head = bytes.get(..cell_bytes.saturating_mul(8).max(4_096)).unwrap_or(bytes);
        let is_head = head.len() < bytes.len();
        let shown =
            if is_head { cell::compact_head(head, self.syntax) } else { cell::shown(bytes, self.syntax) };
        let text = String::from_utf8_lossy(&shown);
        let is_exact = matches!(text, Cow::Borrowed(_)) && !text.contains(['\t', '\n', '\r']);
        let length = if is_head { usize::MAX } else { text.len() };
        if is_exact && length <= cell_bytes {
            return text.into_owned();
        }
        let mut line = plain(text.get(..text.floor_char_boundary(cell_bytes)).unwrap_or_default());
        if length > cell_bytes {
            let _ = write!(line, "\u{2026}[cut, {} bytes: {}]", bytes.len(), self.place(span));
        } else {
            let _ = write!(line, "\u{2026}[not exact: {}]", self.place(span));
        }
        line
    }

    fn json_cell(&self, cell: &Shown, cell_bytes: usize) -> Option<String> {
        let span = match cell {
            Shown::Missing => return None,
            Shown::Computed(text) => return Some(text.clone()),
            Shown::Source(span) => *span,
        };
        let bytes = span.of(self.layer.text);
        if bytes.len() > cell_bytes.saturating_mul(8).max(4_096) {
            let head = bytes.get(..cell_bytes.saturating_mul(8)).unwrap_or(bytes);
            let text = String::from_utf8_lossy(&cell::compact_head(head, self.syntax)).into_owned();
            return Some(self.cut_string(&text, bytes.len(), span, cell_bytes));
        }
        let value = match self.syntax {
            Syntax::Json => {
                let json = cell::compact(bytes);
                match str::from_utf8(&json) {
                    Ok(json) if serde_json::from_str::<IgnoredAny>(json).is_ok() => json.to_owned(),
                    _ => json_string(&String::from_utf8_lossy(bytes)),
                }
            }
            Syntax::Delimited | Syntax::Plain => {
                if Decimal::read(bytes).is_some() {
                    String::from_utf8_lossy(bytes).into_owned()
                } else {
                    json_string(&String::from_utf8_lossy(&cell::value(bytes, self.syntax)?))
                }
            }
        };
        if value.len() <= cell_bytes {
            return Some(value);
        }
        let text = match cell::value(bytes, self.syntax) {
            Some(text) => String::from_utf8_lossy(&text).into_owned(),
            None => value,
        };
        Some(self.cut_string(&text, bytes.len(), span, cell_bytes))
    }

    fn cut_string(&self, text: &str, length: usize, span: Span, cell_bytes: usize) -> String {
        let kept = text.get(..text.floor_char_boundary(cell_bytes)).unwrap_or_default();
        json_string(&format!("{kept}\u{2026}[cut, {length} bytes: {}]", self.place(span)))
    }
}

/// A text on one line: tabs and line ends as `\t`, `\n`, `\r`.
fn plain(text: &str) -> String {
    if !text.contains(['\t', '\n', '\r']) {
        return text.to_owned();
    }
    text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
