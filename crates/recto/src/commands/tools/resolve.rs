use std::{io::BufRead as _, path::PathBuf, process::ExitCode, time::Duration};

use clap::Args;
use recto_catalog::Outcome as Resolved;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    failure::Outcome,
    output,
    settings::{self, Settings},
    tools::{asked::Compiling, calls, source},
};

/// Make a model's calls the calls of the real tools
///
/// Reads lines `{"name": NAME, "args": {...}}` from stdin, as the model wrote them for the tools that `recto tools compile` made with the same options, and
/// prints a line for each: `{"kind": "call", "name", "args", "repairs"}` to be called, `{"kind": "meta", "result"}` to be answered, or
/// `{"kind": "error", "message", "recoverable"}` to be handed to the model.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto tools resolve tools.json --level 3 < calls.jsonl
  echo '{\"name\": \"t\", \"args\": {\"f\": \"read_file\", \"a\": {\"path\": \"x\"}}}' | recto tools resolve tools.json --level 3
  echo '{\"name\": \"q\", \"args\": {\"s\": \"who changed this line\"}}' | recto tools resolve tools.json --level 3")]
pub(crate) struct Arguments {
    /// The tools: a file or `mcp:COMMAND`
    file: String,

    #[command(flatten)]
    compiling: Compiling,

    /// Where the lines are, instead of stdin
    #[arg(long, value_name = "FILE")]
    calls: Option<PathBuf>,

    /// Do not check arguments against the tools' schemas
    #[arg(long)]
    no_validate: bool,

    /// Exit with 1 if any line is an error
    #[arg(long)]
    check: bool,

    /// How long a server has to tell its tools
    #[arg(long, value_name = "D", value_parser = settings::duration, default_value = "2m")]
    patience: Duration,
}

#[derive(Deserialize)]
struct Line {
    name: String,
    #[serde(default, alias = "arguments", alias = "input")]
    args: Value,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let calls = calls::open(arguments.calls.as_deref(), &arguments.file)?;
    let list = source::read(&arguments.file, arguments.patience)?;
    let catalog = arguments.compiling.compile_for_calls(
        &list.tools,
        settings.tokenizer.value,
        !arguments.no_validate,
    )?;
    let mut are_all_right = true;
    for line in calls.lines() {
        let line = calls::line(line)?;
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Line>(&line) {
            Ok(call) => {
                let resolved = catalog.resolve(&call.name, call.args);
                are_all_right &= !matches!(resolved, Resolved::Error { .. });
                output::json(&resolved)?;
            }
            Err(error) => {
                are_all_right = false;
                let message = format!("this line is no call: {error}");
                output::json(&json!({"kind": "error", "message": message, "recoverable": true}))?;
            }
        }
    }
    Ok(if are_all_right || !arguments.check { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
