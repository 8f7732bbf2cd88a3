//! Integration tests of `recto-wire`.
#![expect(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod bodies;
mod body_laws;
mod body_shapes;
mod claude_code;
mod codex;
mod corpus;
mod detection;
mod gemini_cli;
mod laws;
mod mutations;
mod opencode;
mod pi;
mod reading;
mod walker;
