use std::{path::PathBuf, process::ExitCode};

use clap::{
    Args,
    builder::styling::{AnsiColor, Style},
};

use crate::{
    doctor::{self, State},
    failure::Outcome,
    output,
};

/// Say what is installed where, what would conflict, and why results were left as they were
///
/// Looks at recto itself, the archive, the agents on this machine and their settings, other programs that change what a model reads,
/// and what hooks wrote down in the last day. Nothing is changed, and nothing leaves the machine. Exit code 1 if something does not
/// work.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto doctor
  recto doctor --json | jq '.[] | select(.state != \"ok\")'")]
pub(crate) struct Arguments {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, store: Option<&PathBuf>) -> Outcome<ExitCode> {
    let found = doctor::examine(store);
    let fails = found.iter().any(|finding| finding.state == State::Failure);
    if arguments.json {
        output::json(&found)?;
    } else {
        let width = found.iter().map(|finding| finding.about.len()).max().unwrap_or(0);
        let mut about = "";
        for finding in &found {
            let name = if std::mem::replace(&mut about, finding.about) == finding.about {
                ""
            } else {
                finding.about
            };
            let (sign, style) = sign(finding.state);
            output::styled(&format!("{name:<width$}  {style}{sign}{style:#} {}", finding.what))?;
            if let Some(hint) = &finding.hint {
                output::styled(&format!("{:<width$}       hint: {hint}", ""))?;
            }
        }
    }
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A word for a state, all of one width, and its colour.
fn sign(state: State) -> (&'static str, Style) {
    match state {
        State::Ok => ("ok  ", AnsiColor::Green.on_default()),
        State::Note => ("note", AnsiColor::Cyan.on_default()),
        State::Warning => ("warn", AnsiColor::Yellow.on_default().bold()),
        State::Failure => ("FAIL", AnsiColor::Red.on_default().bold()),
    }
}
