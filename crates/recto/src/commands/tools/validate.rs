use std::{collections::HashMap, path::PathBuf, process::ExitCode};

use clap::Args;
use recto_catalog::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    failure::Outcome,
    output,
    tools::{calls, source::Servers},
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
    #[command(flatten)]
    servers: Servers,

    /// Where the lines are, instead of stdin
    #[arg(long, value_name = "FILE")]
    calls: Option<PathBuf>,

    /// Exit with 1 if any line is wrong
    #[arg(long)]
    check: bool,
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

/// Says what of a tool's schema was not checked.
fn unchecked(tool: &Tool) -> Option<String> {
    let validator = tool.validator();
    let whole = validator.unchecked().map(|why| format!("not checked: {why}"));
    whole.or_else(|| validator.left_out().map(|why| format!("partly not checked: {why}")))
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let mut calls = calls::open(arguments.calls.as_deref(), arguments.servers.use_stdin())?;
    let list = arguments.servers.read()?;
    let mut by_name: HashMap<&str, Vec<&Tool>> = HashMap::new();
    for tool in &list.tools {
        by_name.entry(tool.name()).or_default().push(tool);
    }
    let mut are_all_right = true;
    while let Some(line) = calls::next_line(&mut *calls)? {
        let checked = line
            .and_then(|line| {
                let value = calls::value(&line).map_err(|unread| unread.message)?;
                serde_json::from_value::<Line>(value)
                    .map_err(|error| format!("this line is no call: {error}"))
            })
            .and_then(|line| {
                let named = by_name.get(&*line.tool).map_or(&[][..], Vec::as_slice);
                let mut fitting = named
                    .iter()
                    .filter(|tool| line._server.is_none() || tool.server() == line._server.as_deref());
                match (fitting.next(), fitting.next()) {
                    (Some(tool), None) => tool.check(&line.args).map(|()| unchecked(tool)),
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
