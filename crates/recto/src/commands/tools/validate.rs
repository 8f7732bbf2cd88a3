use std::{collections::HashMap, path::PathBuf, process::ExitCode, time::Duration};

use clap::Args;
use recto_catalog::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    failure::Outcome,
    output, settings,
    tools::{calls, source},
};

/// Check arguments against the tools' own schemas, by the standard alone
///
/// Reads lines `{"tool": NAME, "args": {...}}` from stdin, with `"_server"` where names repeat, and prints a line `{"kind": "call"}` or
/// `{"kind": "error", "message": ...}` for each. Nothing is repaired.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto tools validate tools.json < calls.jsonl
  echo '{\"tool\": \"read_file\", \"args\": {\"path\": 7}}' | recto tools validate tools.json")]
pub(crate) struct Arguments {
    /// The tools: files, `-`, `mcp:COMMAND`; of several servers `NAME=FILE` says what each is called
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    /// Where the lines are, instead of stdin
    #[arg(long, value_name = "FILE")]
    calls: Option<PathBuf>,

    /// Exit with 1 if any line is wrong
    #[arg(long)]
    check: bool,

    /// How long a server has to tell its tools
    #[arg(long, value_name = "D", value_parser = settings::duration, default_value = "2m")]
    patience: Duration,
}

#[derive(Deserialize)]
struct Line {
    tool: String,
    #[serde(default)]
    _server: Option<String>,
    #[serde(default, alias = "arguments")]
    args: Value,
}

#[derive(Serialize)]
struct Verdict {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let mut calls = calls::open(arguments.calls.as_deref(), &arguments.files)?;
    let list = source::read_together(&arguments.files, arguments.patience)?;
    let mut by_name: HashMap<&str, Vec<&Tool>> = HashMap::new();
    for tool in &list.tools {
        by_name.entry(tool.name()).or_default().push(tool);
    }
    let mut are_all_right = true;
    while let Some(line) = calls::next_line(&mut *calls)? {
        let checked = line
            .and_then(|line| {
                serde_json::from_str::<Line>(&line).map_err(|error| format!("this line is no call: {error}"))
            })
            .and_then(|line| {
                let named = by_name.get(&*line.tool).map_or(&[][..], Vec::as_slice);
                let mut fitting = named
                    .iter()
                    .filter(|tool| line._server.is_none() || tool.server() == line._server.as_deref());
                match (fitting.next(), fitting.next()) {
                    (Some(tool), None) => tool
                        .check(&line.args)
                        .map(|()| tool.validator().unchecked().map(|why| format!("not checked: {why}"))),
                    (Some(_), Some(_)) => Err(format!(
                        "{:?} is a tool of several servers: say which with \"_server\"",
                        line.tool
                    )),
                    _ => Err(format!("there is no tool {:?}", line.tool)),
                }
            });
        are_all_right &= checked.is_ok();
        let kind = if checked.is_ok() { "call" } else { "error" };
        let message = checked.unwrap_or_else(Some);
        output::json(&Verdict { kind, message })?;
    }
    Ok(if are_all_right || !arguments.check { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
