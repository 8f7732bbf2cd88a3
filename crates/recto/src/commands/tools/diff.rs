use std::process::ExitCode;

use clap::Args;
use recto_catalog::{Drift, ToolName};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    output,
    tools::source::{self, Patience},
    usage::text::plain,
};

/// Show how definitions have changed
///
/// Compares the tools of A with those of B: what came, what went, and what changed where, a `!` before what may make a call wrong that was right.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto tools diff yesterday.json today.json
  recto tools diff tools.json 'mcp:npx -y @playwright/mcp' --check    exit code 1 if calls may break")]
pub(crate) struct Arguments {
    /// The tools before: a file, `-`, or `mcp:COMMAND`
    a: String,

    /// The tools after
    b: String,

    /// Exit with 1 if a call that was right may be wrong now
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    patience: Patience,

    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'d> {
    breaking: bool,
    #[serde(flatten)]
    drift: &'d Drift,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    if arguments.a == "-" && arguments.b == "-" {
        return Err(
            Failure::usage("stdin cannot hold both lists of tools").hint("name a file for one of them")
        );
    }
    let before = source::read(&arguments.a, arguments.patience.limit)?;
    let after = source::read(&arguments.b, arguments.patience.limit)?;
    let drift = Drift::between(&before.tools, &after.tools);
    if arguments.json {
        output::json(&Report { breaking: drift.is_breaking(), drift: &drift })?;
    } else {
        show(&drift)?;
    }
    let broken = arguments.check && drift.is_breaking();
    Ok(if broken { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn show(drift: &Drift) -> Outcome<()> {
    if drift.is_empty() {
        return output::line("no tool differs");
    }
    let mut text = String::new();
    for (tools, word) in [(&drift.added, "+ "), (&drift.removed, "! - ")] {
        for tool in tools {
            text.push_str(&format!("{word}{}\n", name(tool)));
        }
    }
    for tool in &drift.changed {
        text.push_str(&format!("{}\n", name(&tool.tool)));
        for change in &tool.changes {
            let mark = if change.breaking { '!' } else { ' ' };
            text.push_str(&format!("{mark}   {}: {}\n", plain(&change.path), plain(&change.what)));
        }
    }
    output::data(text.as_bytes())?;
    let changes = drift.changed.iter().flat_map(|tool| &tool.changes);
    let breaking = drift.removed.len() + changes.filter(|change| change.breaking).count();
    output::complain(&format!(
        "{} added, {} removed, {} changed; {} may make calls wrong",
        drift.added.len(),
        drift.removed.len(),
        drift.changed.len(),
        output::count(breaking as u64, "change"),
    ));
    Ok(())
}

fn name(tool: &ToolName) -> String {
    let name = plain(&tool.name);
    tool.server.as_ref().map_or_else(|| name.to_string(), |server| format!("{name} ({})", plain(server)))
}
