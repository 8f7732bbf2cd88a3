//! Events as rows.

use rusqlite::Row;

use crate::event_rows::{self, EventRow};

/// The columns that [`row`] reads.
pub(super) const COLUMNS: &str = "number, bytes, sha256_64, coding, body";

pub(super) fn row<'r>(row: &'r Row<'_>) -> rusqlite::Result<EventRow<'r>> {
    Ok(EventRow {
        number: row.get(0)?,
        bytes: row.get(1)?,
        sum: row.get(2)?,
        coding: row.get(3)?,
        body: row.get_ref(4)?.as_blob().map_err(rusqlite::Error::from)?,
    })
}

/// Names a log in errors.
pub(super) fn whose(log: &str, path: &std::path::Path) -> String {
    event_rows::whose(log, &path.display().to_string())
}
