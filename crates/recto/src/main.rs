//! The `recto` binary: arguments in, one call, output out.

mod arguments;
mod commands;
mod environment;
mod explanation;
mod failure;
mod input;
mod output;
mod run;
mod settings;
mod store;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::main()
}
