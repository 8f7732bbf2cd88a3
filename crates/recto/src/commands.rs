//! One command, one file.

pub(crate) mod budget;
pub(crate) mod compress;
pub(crate) mod config;
pub(crate) mod documentation;
pub(crate) mod eval;
pub(crate) mod expand;
pub(crate) mod gc;
pub(crate) mod mcp_tools;
pub(crate) mod run;
pub(crate) mod store;
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

/// Whether arguments that are wrong are wrong for `recto run`.
fn means_run() -> bool {
    let lenient = Arguments::command().ignore_errors(true).try_get_matches();
    lenient.is_ok_and(|matches| matches.subcommand_name() == Some("run"))
}

/// Parses the arguments, runs the command, reports what went wrong.
pub(crate) fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout with exit code 0, all else to stderr.
            let _ = error.print();
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            return ExitCode::from(if code != 0 && means_run() { RUN_FAILED } else { code });
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
    let settings = Settings::load(arguments.store.as_ref())?;
    match &arguments.command {
        Command::Compress(arguments) => compress::run(arguments, &settings),
        Command::Expand(arguments) => expand::run(arguments, &settings),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Run(arguments) => run::run(arguments, &settings),
        Command::McpTools(arguments) => mcp_tools::run(arguments, &settings),
        Command::Gc(arguments) => gc::run(arguments, &settings),
        Command::Store(arguments) => store::run(arguments, &settings),
        Command::Config(arguments) => config::run(arguments, &settings),
        Command::Completions { .. } | Command::Documentation(_) | Command::Eval(_) => Ok(ExitCode::SUCCESS),
    }
}
