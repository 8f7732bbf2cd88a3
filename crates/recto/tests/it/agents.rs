//! Real agents with recto in them, against a scripted model. Where one is not installed, its tests say so and pass; see
//! `recto_testkit::agents`.
#![expect(
    clippy::panic,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "helper functions of tests fail by panicking and print"
)]

mod claude;
mod claude_settings;
mod codex;
mod context;
mod never_cut;
mod opencode;
mod pi;
mod session;
mod sought;
