/// Why a query has no answer. Each message says what to write instead.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryError {
    /// An argument has a name that a query does not know, or a value of the wrong kind.
    #[error("{message}")]
    Argument {
        /// What was wrong and how to write it.
        message: String,
    },
    /// A filter, a path or a list of columns does not read.
    #[error("{argument}: {message} (at character {})\n  {excerpt}\n  {caret:>width$}", .column + 1, caret = "^", width = .column - .shift + 1)]
    Syntax {
        /// The argument: `filter`, `columns`, `sort`, `group` or `path`.
        argument: &'static str,
        /// What was wrong and how to write it.
        message: String,
        /// The part of the text around the place.
        excerpt: String,
        /// Which character of the text, counted from 0.
        column: usize,
        /// How many characters of the text stand before the excerpt.
        shift: usize,
    },
    /// No record has a column of this name.
    #[error("{argument}: no record has a column {name:?}.{nearest} Columns: {columns}{example}")]
    UnknownColumn {
        /// The argument that names it.
        argument: &'static str,
        /// The column as it was written.
        name: String,
        /// ` Did you mean ...?`, or nothing.
        nearest: String,
        /// The columns that there are.
        columns: String,
        /// An example with one of them.
        example: String,
    },
    /// Nothing that holds records stands at the path.
    #[error("path: no records at {path:?}.{nearest} Records are at: {known}")]
    UnknownPath {
        /// The path as it was written.
        path: String,
        /// ` Did you mean ...?`, or nothing.
        nearest: String,
        /// The paths that hold records, with their numbers.
        known: String,
    },
    /// The source holds nothing to ask: it is empty, binary or UTF-16.
    #[error("no records: {reason}")]
    NoRecords {
        /// What the source is instead.
        reason: String,
    },
    /// A group has more values than the caller allows.
    #[error(
        "group: more than {limit} different values of {column}: add a filter, or group by a column with fewer values"
    )]
    TooManyGroups {
        /// The columns grouped by.
        column: String,
        /// The limit.
        limit: usize,
    },
    /// The source cannot be outlined.
    #[error(transparent)]
    Outline(#[from] recto_outline::OutlineError),
}

impl QueryError {
    /// A complaint about character `column` of `text`, with the text around it.
    pub(crate) fn at(argument: &'static str, text: &str, byte: usize, message: impl Into<String>) -> Self {
        /// Characters of the text shown before and behind the place.
        const AROUND: usize = 60;
        let byte = text.floor_char_boundary(byte);
        let column = text.get(..byte).unwrap_or_default().chars().count();
        let shift = column.saturating_sub(AROUND);
        let excerpt = text.chars().skip(shift).take(2 * AROUND);
        let excerpt = excerpt.map(|character| if character.is_control() { ' ' } else { character }).collect();
        Self::Syntax { argument, message: message.into(), excerpt, column, shift }
    }
}
