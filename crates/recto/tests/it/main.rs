//! Integration tests of the `recto` binary, a file a command.
#![expect(clippy::unwrap_used, reason = "tests")]

mod compress;
mod config;
mod desk;
mod expand;
mod help;
mod run;
mod store;
mod verify;
