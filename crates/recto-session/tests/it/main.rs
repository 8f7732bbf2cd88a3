//! Sessions as their callers see them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod atoms;
mod branches;
mod config;
mod content;
mod corpus;
mod events;
mod folding;
mod images;
mod laws;
mod rewriting;
mod sessions;
mod stats;

use recto_session::{Log, SessionError};

/// A log of lines that are right.
fn log(lines: &[&str]) -> Log {
    Log::from_jsonl(&lines.join("\n")).unwrap()
}

/// The seqs of the newest leaf's projection.
fn seqs(log: &Log) -> Vec<u64> {
    log.projection().nodes().map(recto_session::Node::seq).collect()
}

/// Appends a line that is to be refused; the log must not change.
fn refused(log: &mut Log, line: &str) -> SessionError {
    let before = (log.to_jsonl(), log.projection().clone());
    let error = laws::append(log, line).unwrap_err();
    assert_eq!((log.to_jsonl(), log.projection().clone()), before, "{line}");
    error
}
