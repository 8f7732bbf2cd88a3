use std::{path::Path, process::ExitCode};

use clap::Args;
use recto::outline::ContentType;
use recto_query::{Answer, Caps, Format, Query, query};
use serde_json::Value;

use crate::{
    failure::{Failure, Outcome},
    input, output, recall,
    settings::Settings,
    store,
};

/// Ask the records of a file or an original: filter, sort, group, count
///
/// The records are those of JSON, JSON lines, CSV, Markdown tables and text tables, also inside wrappers; docs/query.md has the language of
/// conditions. Cells are the source's own bytes; the first line says how many records match. It is what the model's tool
/// `recto_query` answers, with wider limits.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto query pods.json --filter 'status.phase != \"Running\"' --columns metadata.name,status.phase
  recto query r:123456789012345 --group level                 how many of each
  recto query orders.csv --sort -total --limit 10
  kubectl get pods | recto query - --filter 'RESTARTS > 3'
  recto query orders.csv --group country --columns 'sum(total), avg(total)'")]
pub(crate) struct Arguments {
    /// A ref, a file, or - for stdin
    #[arg(value_name = "REF|FILE")]
    source: String,

    /// Which records: `status != "ok" and restarts > 5`
    #[arg(long, short, value_name = "CONDITION")]
    filter: Option<String>,

    /// Which columns, by name or path; in a grouped question also sum(x), min(x), max(x), avg(x), count(x)
    #[arg(long, short, value_name = "A,B", value_delimiter = ',')]
    columns: Vec<String>,

    /// By which columns to sort; `-` before those that fall
    #[arg(long, short, value_name = "A,-B", value_delimiter = ',', allow_hyphen_values = true)]
    sort: Vec<String>,

    /// By which columns to count, a row for each value
    #[arg(long, short, value_name = "A,B", value_delimiter = ',')]
    group: Vec<String>,

    /// Where the records are, if the source has several places
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// How many rows at most [default: 50]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<u64>,

    /// How many rows to pass over
    #[arg(long, value_name = "N")]
    offset: Option<u64>,

    /// What to take the source for, instead of looking
    #[arg(long = "type", value_name = "T")]
    content_type: Option<ContentType>,

    /// Print the answer as JSON: its rows as objects, the counts, where to go on
    #[arg(long)]
    json: bool,
}

/// A person's terminal takes more than a model's page.
const MOST_ROWS: u64 = 100_000;
const MOST_BYTES: usize = 64 << 20;
const MOST_CELL_BYTES: usize = 4_000;

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let source = read(&arguments.source, settings)?;
    let asked = Query {
        path: arguments.path.clone(),
        filter: arguments.filter.clone(),
        columns: arguments.columns.clone(),
        sort: arguments.sort.clone(),
        group: arguments.group.clone(),
        limit: arguments.limit,
        offset: arguments.offset,
        format: if arguments.json { Format::Json } else { Format::Table },
    };
    let mut caps = Caps::bytes(MOST_BYTES);
    caps.max_rows = MOST_ROWS;
    caps.max_cell_bytes = MOST_CELL_BYTES;
    let answer = query(&source, arguments.content_type, &asked, &caps)
        .map_err(|error| Failure::usage(error.to_string()))?;
    if arguments.json {
        output::json(&report(&answer)?)?;
    } else {
        output::data(answer.text.as_bytes())?;
        if !answer.text.ends_with('\n') {
            output::line("")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The answer for programs: its rows as they stand, a JSON object each.
fn report(answer: &Answer) -> Outcome<Value> {
    let mut report = serde_json::to_value(answer).map_err(|error| Failure::job(error.to_string()))?;
    let rows: Vec<Value> = answer
        .text
        .lines()
        .filter(|line| line.starts_with('{'))
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if let Some(members) = report.as_object_mut() {
        members.remove("text");
        members.insert("rows".to_owned(), Value::from(rows));
    }
    Ok(report)
}

/// All bytes of a ref's run, or of a file.
fn read(source: &str, settings: &Settings) -> Outcome<Vec<u8>> {
    let is_ref = source.strip_prefix("r:").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if !is_ref {
        return input::read(Some(Path::new(source)));
    }
    let asked = source.parse()?;
    let (archive, scope) = (recall::archive(settings)?, store::scope());
    let found = recall::by_ref(&*archive, &scope, &asked, settings)?;
    Ok(found.read(0..found.bytes())?)
}
