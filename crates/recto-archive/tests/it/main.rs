//! The archive's public face: the suite over each store, and what only a file on a disk can suffer.

#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests fail by panicking")]

mod child;
mod logs;
mod memory;
mod properties;
mod sqlite;
