//! The `recto` binary: arguments in, one call, output out.

mod arguments;
mod commands;
mod doctor;
mod environment;
mod explanation;
mod failure;
mod hook;
mod input;
mod named;
mod output;
mod recall;
mod run;
mod session;
mod settings;
mod stats;
mod store;
mod tools;
mod usage;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::main()
}
