//! Logs, diffs, code and numbered files.

mod code;
mod diff;
mod laws;
mod log;
mod numbered;
