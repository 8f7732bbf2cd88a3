use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use recto_hooks::classes::Table;

use crate::{
    environment::VARIABLES,
    failure::{Failure, Outcome},
    output,
    settings::Settings,
};

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
    /// The origin is `default`, a line of the configuration file, a variable of the environment, or a flag. `show classes` prints which
    /// tool results are never cut, and by which rule: rules are asked in their order, and the first that holds decides. Your own,
    /// `[[class-rule]]` in the configuration file, are asked first.
    #[command(after_help = "\
Examples:
  recto config show
  recto config show --json | jq -r '.[] | select(.name == \"store.path\").value'
  recto config show classes                 what hooks never cut")]
    Show {
        /// What to print instead of the settings
        what: Option<Shown>,

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

/// What can be shown besides the settings.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shown {
    /// The classes of tool results
    Classes,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    match arguments.command {
        Command::Show { what: None, json } => show(settings, json)?,
        Command::Show { what: Some(Shown::Classes), json } => classes(settings, json)?,
        Command::Environment => environment()?,
    }
    Ok(ExitCode::SUCCESS)
}

fn environment() -> Outcome<()> {
    let rows: Vec<Vec<String>> =
        VARIABLES.iter().map(|(name, what)| vec![(*name).to_owned(), (*what).to_owned()]).collect();
    output::data(output::table(&["variable", "what for"], &rows, &[]).as_bytes())
}

fn classes(settings: &Settings, json: bool) -> Outcome<()> {
    let builtin = Table::builtin().map_err(|error| Failure::job(error.to_string()))?;
    let table = Table::before(settings.classes.clone(), builtin);
    if json {
        return output::json(&table.rules());
    }
    output::line(&format!("{:<13} calls that a program made, whatever they are", "program"))?;
    for rule in table.rules() {
        output::line(&format!("{:<13} {}", rule.class.name(), rule.why))?;
        let conditions: [(&str, &[String]); 4] = [
            ("tools", &rule.tools),
            ("commands", &rule.commands),
            ("paths", &rule.paths),
            ("texts", &rule.texts),
        ];
        for (name, values) in conditions.into_iter().filter(|(_, values)| !values.is_empty()) {
            output::line(&format!("  {name:<11} {}", values.join("  ")))?;
        }
        if let Some(ranged) = rule.ranged {
            output::line(&format!("  {:<11} {ranged}", "ranged"))?;
        }
    }
    output::line(&format!("{:<13} everything else", "ordinary"))
}

fn show(settings: &Settings, json: bool) -> Outcome<()> {
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
    Ok(())
}
