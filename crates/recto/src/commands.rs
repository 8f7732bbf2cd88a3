//! One command, one file.

pub(crate) mod budget;
pub(crate) mod compress;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod documentation;
pub(crate) mod eval;
pub(crate) mod expand;
pub(crate) mod gc;
pub(crate) mod hook;
pub(crate) mod mcp_tools;
pub(crate) mod query;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod stats;
pub(crate) mod store;
pub(crate) mod tools;
pub(crate) mod verify;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::{
    arguments::{Arguments, Command},
    failure::Outcome,
    output,
    settings::Settings,
};

/// What `recto run` exits with when it is recto that failed, wrong arguments included: 0 to 124 are for its command, as with env(1),
/// nohup(1) and timeout(1).
const RUN_FAILED: u8 = 125;

/// What a hook exits with whose arguments are wrong: agents take 2 for a refusal of the call.
const HOOK_FAILED: u8 = 1;

/// The exit code for arguments that are wrong, by the command that they are for.
fn code_of_wrong_arguments(usual: u8) -> u8 {
    let lenient = Arguments::command().ignore_errors(true).try_get_matches();
    match lenient.ok().as_ref().and_then(|matches| matches.subcommand_name()) {
        Some("run") => RUN_FAILED,
        Some("hook") => HOOK_FAILED,
        _ => usual,
    }
}

/// Parses the arguments, runs the command, reports what went wrong.
pub(crate) fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout with exit code 0, all else to stderr.
            let _ = error.print();
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            return ExitCode::from(if code == 0 { code } else { code_of_wrong_arguments(code) });
        }
    };
    let is_run = matches!(arguments.command, Command::Run(_));
    match run_command(&arguments) {
        Ok(code) => code,
        Err(failure) => {
            failure.report();
            ExitCode::from(if is_run { RUN_FAILED } else { failure.code })
        }
    }
}

fn run_command(arguments: &Arguments) -> Outcome<ExitCode> {
    if let Command::Completions { shell } = arguments.command {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Arguments::command(), "recto", &mut script);
        output::data(&script)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Command::Documentation(arguments) = &arguments.command {
        return documentation::run(arguments);
    }
    if let Command::Eval(arguments) = &arguments.command {
        return eval::run(arguments);
    }
    if let Command::Hook(hook) = &arguments.command {
        return hook::run(hook, arguments.store.as_ref());
    }
    if let Command::Doctor(doctor) = &arguments.command {
        return doctor::run(doctor, arguments.store.as_ref());
    }
    let settings = Settings::load(arguments.store.as_ref())?;
    match &arguments.command {
        Command::Compress(arguments) => compress::run(arguments, &settings),
        Command::Expand(arguments) => expand::run(arguments, &settings),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Run(arguments) => run::run(arguments, &settings),
        Command::Query(arguments) => query::run(arguments, &settings),
        Command::Session(arguments) => session::run(arguments, &settings),
        Command::Stats(arguments) => stats::run(arguments, &settings),
        Command::McpTools(arguments) => mcp_tools::run(arguments, &settings),
        Command::Gc(arguments) => gc::run(arguments, &settings),
        Command::Store(arguments) => store::run(arguments, &settings),
        Command::Tools(arguments) => tools::run(arguments, &settings),
        Command::Config(arguments) => config::run(arguments, &settings),
        Command::Completions { .. }
        | Command::Documentation(_)
        | Command::Doctor(_)
        | Command::Eval(_)
        | Command::Hook(_) => Ok(ExitCode::SUCCESS),
    }
}
