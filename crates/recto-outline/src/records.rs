use std::borrow::Cow;

use crate::{Span, UnitId};

/// How the cells of a grid's rows are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Each row is a JSON object; columns are the paths of its leaves.
    Json,
    /// Cells between `delimiter` bytes, quoted with `"` where needed.
    Delimited {
        /// `,`, tab or `;`.
        delimiter: u8,
    },
    /// Cells between `|` (Markdown, psql).
    Pipes,
    /// Cells at fixed columns: each starts at these byte offsets of the line, in order.
    Fixed {
        /// Byte offset of each column in a line.
        starts: Vec<u32>,
    },
    /// Cells separated by runs of blanks.
    Blanks,
}

/// One grid: the children with [`crate::Kind::Row`] or [`crate::Role::Record`] of `container` are its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The unit whose children are the rows.
    pub container: UnitId,
    /// The line with the columns' names, if there is one.
    pub header: Option<Span>,
    /// How cells are found in a row.
    pub layout: Layout,
}

/// Rows and columns over an outline, borrowed: what `table` mode, the facts of notes and queries read.
pub trait Records {
    /// Number of rows.
    fn len(&self) -> usize;
    /// Says whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The columns' names, in order of first appearance.
    fn columns(&self) -> &[Cow<'_, str>];
    /// The bytes of a cell; `None` where the row has no such cell.
    fn cell(&self, row: usize, column: usize) -> Option<Span>;
}
