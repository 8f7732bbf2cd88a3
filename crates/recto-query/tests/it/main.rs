//! The engine as its callers see it.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "tests fail by panicking")]

mod cases;
mod corpus;
mod documents;
mod errors;
mod laws;
mod oracle;
mod properties;

use recto_query::{Answer, Caps, Query, QueryError, query};

/// Asks a source with the default limits.
fn ask(source: &[u8], arguments: &str) -> Result<Answer, QueryError> {
    Query::from_json(arguments.as_bytes()).and_then(|asked| query(source, None, &asked, &Caps::default()))
}

/// The text of an answer, or of an error.
fn text(source: &[u8], arguments: &str) -> String {
    ask(source, arguments).map_or_else(|error| format!("{error}\n"), |answer| answer.text)
}
