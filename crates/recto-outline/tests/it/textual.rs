//! Logs, diffs, code and numbered files.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod code;
mod diff;
mod laws;
mod log;
mod numbered;
