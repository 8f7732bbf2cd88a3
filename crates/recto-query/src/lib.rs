//! Questions about the records of a tool's output: filter, columns, sort, group, limit; typed, exact and capped.
//!
//! [`query`] finds the records of a source (an array in JSON, JSON lines, the rows of CSV, of a Markdown table, of a listing;
//! inside a wrapper that quotes them as a JSON string, too), goes over them once and answers with a small text whose cells are the
//! source's own bytes. Nothing is parsed into a tree: records are read off the scanner's byte ranges, one at a time.
//!
//! - [`Query`] is what is asked ([`Query::from_json`] reads a tool's arguments), [`Caps`] what the caller allows.
//! - `document` finds the text to ask (through wrappers), `sources` the records in it, `records` goes over them.
//! - `filter` is the little language of conditions, [`Path`] names a column, `decimal` and `total` count exactly.
//! - `asked` is a query read, `visit` makes rows and groups of the records, `page` and `render` write them.
//!
//! Pure, linear in the source but for sorting, without recursion over it and without a panic on any bytes.

mod aggregate;
mod answer;
mod asked;
mod cell;
mod decimal;
mod document;
mod engine;
mod error;
mod filter;
mod group;
mod header;
mod page;
mod path;
mod query;
mod records;
mod render;
mod sort;
mod sources;
mod suggest;
mod total;
mod visit;

pub use answer::{Answer, OtherRecords};
pub use engine::query;
pub use error::QueryError;
pub use path::{Path, Segment};
pub use query::{Caps, Format, Query};
