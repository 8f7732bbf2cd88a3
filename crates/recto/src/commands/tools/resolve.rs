use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use recto_catalog::Outcome as Resolved;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    failure::{Failure, Outcome},
    output,
    settings::Settings,
    tools::{
        asked::Compiling,
        calls::{self, Unread},
        source::Servers,
    },
};

/// Make a model's calls the calls of the real tools
///
/// Reads calls from stdin, one JSON object a line, `{"name": NAME, "args": {...}}` or as an API gives them (Anthropic's `tool_use`, OpenAI's
/// `function` and `function_call`, Gemini's `functionCall`), as the model wrote them for the tools that `recto tools compile` made with the same options, and
/// prints a line for each: `{"kind": "call", "name", "args", "repairs"}` to be called, `{"kind": "meta", "result"}` to be answered, or
/// `{"kind": "error", "message", "recoverable"}` to be handed to the model; with the call's id, where it has one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto tools resolve tools.json --level 3 < calls.jsonl
  recto tools resolve files=mcp:server-a notes=notes.json --level 3 < calls.jsonl

A line of calls.jsonl, at level 3 and at level 1:
  {\"name\": \"t\", \"args\": {\"f\": \"read_file\", \"a\": {\"path\": \"x\"}}}
  {\"name\": \"read_file\", \"args\": {\"path\": \"x\"}}")]
pub(crate) struct Arguments {
    #[command(flatten)]
    servers: Servers,

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
}

/// What became of a call, with the id that its API gave it.
#[derive(Serialize)]
struct Answered {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    #[serde(flatten)]
    resolved: Value,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let mut calls = calls::open(arguments.calls.as_deref(), arguments.servers.use_stdin())?;
    let list = arguments.servers.read()?;
    let catalog = arguments.compiling.compile_for_calls(
        &list.tools,
        arguments.compiling.counting.tokenizer(settings),
        !arguments.no_validate,
    )?;
    let (mut are_all_right, mut hinted) = (true, false);
    while let Some(line) = calls::next_line(&mut *calls)? {
        let (id, resolved) = match line.map_err(Unread::host).and_then(|line| calls::read(&line)) {
            Ok(call) => {
                let is_meta = matches!(&*call.name, "t" | "q" | "describe_op");
                let resolved = catalog.resolve(&call.name, call.arguments);
                if is_meta && matches!(resolved, Resolved::Error { code: None, .. }) && !hinted {
                    hinted = true;
                    let level = catalog.level();
                    output::complain(&format!(
                        "hint: calls of {:?} are made at another level than {level}: give the `--level` of `recto tools compile`",
                        call.name
                    ));
                }
                are_all_right &= !matches!(resolved, Resolved::Error { .. });
                (call.id, serde_json::to_value(&resolved).map_err(|error| Failure::job(error.to_string()))?)
            }
            Err(Unread { message, recoverable }) => {
                are_all_right = false;
                (None, json!({"kind": "error", "message": message, "recoverable": recoverable}))
            }
        };
        output::json(&Answered { id, resolved })?;
    }
    Ok(if are_all_right || !arguments.check { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
