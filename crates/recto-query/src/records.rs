//! One pass over the records of a source, with the cells that are asked for.

mod grid;
mod json;

use std::{borrow::Cow, ops::ControlFlow};

use recto_outline::{GridCells, Span, Table, delimited_rows};

pub(crate) use json::Wanted;

use crate::{Path, cell::Syntax, header::Header};

/// What a source's records are, and where.
#[derive(Clone, Debug)]
pub(crate) enum Records {
    /// The items of the JSON container in `span` (with `depth` 1), or the values in it (0).
    Json { span: Span, depth: usize, is_cut: bool },
    /// JSON values, a line each.
    JsonLines { span: Span },
    /// Rows of a grid.
    Grid { table: Table, header: Header, rows: Rows },
    /// Lines of text.
    Lines { span: Span },
}

/// Where the rows of a grid are.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    /// Delimited rows from here on; remarks above the first are none.
    Delimited { start: usize, delimiter: u8 },
    /// Lines in these spans.
    Lines(Vec<Span>),
}

/// One record, as it is visited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'r> {
    /// Its bytes; without the key that a record of a map stands under.
    pub(crate) span: Span,
    /// The key with its quotes, in a map.
    pub(crate) key: Option<Span>,
    /// Two cells for each path that was asked for: the first that there is counts.
    cells: &'r [Option<Span>],
}

impl Record<'_> {
    /// The cell of path number `index`.
    pub(crate) fn cell(&self, index: usize) -> Option<Span> {
        let cell = |at: usize| self.cells.get(at).copied().flatten();
        cell(2 * index).or_else(|| cell(2 * index + 1))
    }
}

impl Records {
    /// How cells are written.
    pub(crate) fn syntax(&self) -> Syntax {
        match self {
            Self::Json { .. } | Self::JsonLines { .. } => Syntax::Json,
            Self::Grid { rows: Rows::Delimited { .. }, .. } => Syntax::Delimited,
            Self::Grid { .. } | Self::Lines { .. } => Syntax::Plain,
        }
    }

    /// Calls `sink` with each record, in order, until it breaks. Gives how many lines were no records.
    pub(crate) fn visit<S>(&self, text: &[u8], wanted: &Wanted, sink: S) -> u64
    where
        S: FnMut(&Record<'_>) -> ControlFlow<()>,
    {
        match self {
            Self::Json { span, depth, is_cut } => {
                json::values(text, *span, (*depth, *is_cut), wanted, sink);
                0
            }
            Self::JsonLines { span } => json::lines(text, *span, wanted, sink),
            Self::Grid { table, header, rows } => {
                let cells = GridCells::new(text, table);
                let columns = header.places(wanted.paths());
                match rows {
                    Rows::Delimited { start, delimiter } => {
                        let rows = delimited_rows(text, *start, text.len(), *delimiter);
                        grid::visit(rows.filter(|row| !is_blank(row.of(text))), &cells, &columns, sink);
                    }
                    Rows::Lines(spans) => {
                        let rows = spans.iter().flat_map(|span| grid::lines(text, *span));
                        grid::visit(rows.filter(|row| !is_blank(row.of(text))), &cells, &columns, sink);
                    }
                }
                0
            }
            Self::Lines { span } => {
                let lines = grid::lines(text, *span).filter(|line| !line.of(text).trim_ascii().is_empty());
                grid::visit_lines(lines, wanted.paths(), sink);
                0
            }
        }
    }

    /// The cells of one record that was visited, a cell for each path.
    pub(crate) fn cells(
        &self,
        text: &[u8],
        span: Span,
        key: Option<Span>,
        wanted: &Wanted,
    ) -> Vec<Option<Span>> {
        let mut cells = vec![None; wanted.paths().len()];
        let mut take = |record: &Record<'_>| {
            for (index, cell) in cells.iter_mut().enumerate() {
                let is_key = wanted.paths().get(index).is_some_and(|path| path.name == KEY);
                *cell = record.cell(index).or_else(|| key.filter(|_| is_key));
            }
            ControlFlow::Break(())
        };
        match self {
            Self::Json { .. } | Self::JsonLines { .. } => json::values(text, span, (0, false), wanted, take),
            Self::Grid { table, header, .. } => {
                let places = header.places(wanted.paths());
                grid::visit(std::iter::once(span), &GridCells::new(text, table), &places, take);
            }
            Self::Lines { .. } => grid::visit_lines(std::iter::once(span), wanted.paths(), &mut take),
        }
        cells
    }

    /// The columns of one record, in its order: what `columns` left out stands for.
    pub(crate) fn columns_of(&self, text: &[u8], span: Span, has_key: bool) -> Vec<Path> {
        match self {
            Self::Json { .. } | Self::JsonLines { .. } => {
                let key = has_key.then(|| Path::named(KEY));
                key.into_iter().chain(json::members(text, span)).collect()
            }
            Self::Grid { table, header, .. } => {
                let count = GridCells::new(text, table).of(span).take(MOST_CELLS).count();
                header.names(count.max(header.len())).map(|name| Path::named(&name)).collect()
            }
            Self::Lines { .. } => vec![Path::named(TEXT)],
        }
    }

    /// Names of columns for an error: those of the first records, nested ones too.
    pub(crate) fn known_columns(&self, text: &[u8]) -> Vec<String> {
        /// Records looked at.
        const FIRST: usize = 200;
        const MOST_NAMES: usize = 400;
        let mut names: Vec<String> = Vec::new();
        let mut add = |name: String| {
            if names.len() < MOST_NAMES && !names.contains(&name) {
                names.push(name);
            }
        };
        match self {
            Self::Grid { header, .. } => header.names(header.len()).for_each(|name| add(name.into_owned())),
            Self::Lines { .. } => add(TEXT.to_owned()),
            Self::Json { .. } | Self::JsonLines { .. } => {
                let mut left = FIRST;
                self.visit(text, &Wanted::new(&[]), |record| {
                    if record.key.is_some() {
                        add(KEY.to_owned());
                    }
                    json::paths(text, record.span).into_iter().for_each(&mut add);
                    left -= 1;
                    if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                // Columns of the records themselves first.
                names.sort_by_key(|name| name.contains(['.', '[']));
            }
        }
        names
    }
}

/// The column of the key that a record of a map stands under.
pub(crate) const KEY: &str = "@key";
/// The column of records that are scalars.
pub(crate) const VALUE: &str = "value";
/// The column of records that are lines.
pub(crate) const TEXT: &str = "text";
/// Cells of a row that can be named.
pub(crate) const MOST_CELLS: usize = 4_096;

fn is_blank(row: &[u8]) -> bool {
    row.trim_ascii().is_empty() && !row.contains(&b'\t')
}

/// A key's text as UTF-8.
pub(crate) fn key_text(key: &[u8]) -> Cow<'_, str> {
    let inside = key.strip_prefix(b"\"").unwrap_or(key);
    let inside = inside.strip_suffix(b"\"").unwrap_or(inside);
    match recto_outline::decode_json_string(inside) {
        Cow::Borrowed(text) => String::from_utf8_lossy(text),
        Cow::Owned(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
    }
}
