//! Bytes to an outline of units: one shape for every format a tool prints.
//!
//! An [`Outline`] is a tree of [`Unit`]s over a borrowed source, each a byte range with the separator before it. Whoever
//! ranks units, renders a subset of them or writes a note in place of the rest needs to know nothing else of the format.
//! [`outline`] detects the [`ContentType`] (or takes a given one) and runs that format's parser, which drives a
//! [`Builder`]. Everything here is pure, linear in the source and free of recursion over it.

mod beside;
mod blocks;
mod builder;
mod cells;
mod chat;
mod code;
mod columns;
mod content_type;
mod csv;
mod detect;
mod diff;
mod embedded;
mod error;
mod fuel;
mod gap;
mod json;
mod jsonl;
mod lines;
mod listing;
mod log;
mod markdown_table;
mod markup;
mod numbered;
mod numbers;
mod outline;
mod parser;
mod piped;
mod prose;
mod rag;
mod records;
mod search;
mod sentences;
mod source;
mod span;
mod template;
mod unit;
mod words;

pub use beside::{BESIDE_FROM_BYTES, beside};
pub use blocks::blocks;
pub use builder::{Builder, LINE_NOTES};
pub use cells::{GridCells, TableRecords, cells, delimited_rows, header_names};
pub use columns::{Column, Columns, Hashed, HashedHasher, Names, Text, Texts, Value};
pub use content_type::ContentType;
pub use detect::detect;
pub use error::OutlineError;
pub use fuel::Fuel;
pub use json::{
    Decoded as DecodedString, Events as JsonEvents, Item as JsonItem, Leaf, Outcome as JsonOutcome,
    decode_json_string, hash, is_scalar as is_json_scalar, json_leaves, json_member_path, json_path,
    scan as scan_json,
};
pub use log::Level;
pub use numbers::{Numbers, Placed, moment, number};
pub use outline::{LineEnd, Outline, unit_limit};
pub use records::{Layout, Records, Table};
pub use source::{Encoding, outline, outline_as};
pub use span::Span;
pub use template::{Alike, template};
pub use unit::{Comment, Kind, NoteSyntax, Role, Unit, UnitId};

/// Every format's parser, in the order in which ties are decided.
static FORMATS: &[&dyn parser::Parser] = &[
    &json::Json,
    &jsonl::Jsonl,
    &diff::Diff,
    &numbered::Numbered,
    &markdown_table::MarkdownTable,
    &csv::Csv,
    &search::Search,
    &listing::Listing,
    &markup::Markup,
    &chat::Chat,
    &rag::Rag,
    &log::Log,
    // Behind the parser for logs that are named as such.
    &numbered::NumberedLog,
    &code::Code,
    &prose::Prose,
];
