use std::process::ExitCode;

use clap::Args;
use recto_catalog::Policy;

use crate::{failure::Outcome, output};

/// Show what was measured of models, by which map styles and codes are chosen
///
/// The table ships with recto, with its source. Another one can be given wherever tools are compiled: `--policy FILE`, in the form that `--json` prints.
/// A model that is in no row gets the defaults.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto tools policy
  recto tools policy --json > policy.json       edit it, then
  recto tools compile tools.json --level 3 --model my-model --objective cost --policy policy.json")]
pub(crate) struct Arguments {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let policy = Policy::shipped();
    if arguments.json {
        output::json(policy)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut push = |model: &str, what: String, measured: &str| {
        rows.push(vec![model.to_owned(), what, measured.to_owned()])
    };
    for row in &policy.styles {
        push(&row.model, format!("{} for cost", row.map_style), &row.measured);
    }
    for row in &policy.refused {
        push(&row.model, format!("{} instead of {}", row.instead, row.map_style), &row.measured);
    }
    for row in &policy.codes {
        push(&row.model, "short codes".to_owned(), &row.measured);
    }
    for row in &policy.native_search {
        push(&row.model, format!("level {} rather than native search", row.level), &row.measured);
    }
    output::data(output::table(&["model", "gets", "because"], &rows, &[]).as_bytes())?;
    output::complain(&format!("source: {}", policy.source));
    Ok(ExitCode::SUCCESS)
}
