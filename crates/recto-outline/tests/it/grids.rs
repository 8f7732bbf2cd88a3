//! CSV, tables, listings and search hits.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cells;
mod csv;
mod laws;
mod listing;
mod markdown_table;
mod search;
mod view;
