use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::{environment::VARIABLES, failure::Outcome, output, settings::Settings};

/// Show the settings and where each comes from
///
/// Settings come in layers, and later ones win: defaults, the configuration file `$XDG_CONFIG_HOME/recto/config.toml`, the
/// environment, flags.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto config show
  recto config environment")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print every setting, its value and its origin
    ///
    /// The origin is `default`, a line of the configuration file, a variable of the environment, or a flag.
    #[command(after_help = "\
Examples:
  recto config show
  recto config show --json | jq -r '.[] | select(.name == \"store.path\").value'")]
    Show {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print every environment variable that recto reads
    #[command(after_help = "\
Examples:
  recto config environment")]
    Environment,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let Command::Show { json } = arguments.command else {
        let rows: Vec<Vec<String>> =
            VARIABLES.iter().map(|(name, what)| vec![(*name).to_owned(), (*what).to_owned()]).collect();
        output::data(output::table(&["variable", "what for"], &rows, &[]).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    };
    let shown = settings.shown();
    if json {
        output::json(&shown)?;
    } else {
        let rows: Vec<Vec<String>> = shown
            .into_iter()
            .map(|setting| vec![setting.name.to_owned(), setting.value, setting.origin])
            .collect();
        output::data(output::table(&["setting", "value", "origin"], &rows, &[]).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
