use std::process::ExitCode;

use clap::Args;
use recto::tokens::Tokenizer;
use recto_catalog::{Level, MapStyle, Options, Stats, Tool, compile, recommend_level};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    named::Counting,
    output,
    settings::Settings,
    tools::source::Lists,
};

/// Show what definitions cost at each level
///
/// A row for each file or server: tokens of the definitions as they are, and of what each level sends, preamble and its two tools included; and which
/// level is recommended. Folders stand for their .json files. With several, the last row is the median of what is left of 100 tokens.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto tools stats tools.json
  recto tools stats 'mcp:npx -y @modelcontextprotocol/server-filesystem .'
  recto tools stats servers/ --tokenizer claude --json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    lists: Lists,

    #[command(flatten)]
    counting: Counting,

    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// What one list of tools costs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    name: String,
    tools: usize,
    pub(super) original_tokens: u64,
    pub(super) level1_tokens: u64,
    pub(super) level2_tokens: u64,
    pub(super) level3_tokens: u64,
    pub(super) level3_signature_tokens: u64,
    recommended_level: Level,
}

#[derive(Serialize)]
struct Report<'r> {
    tokenizer: &'static str,
    rows: &'r [Row],
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let tokenizer = arguments.counting.tokenizer(settings);
    let lists = arguments.lists.read()?;
    let rows: Vec<Row> =
        lists.iter().map(|(name, list)| row(name, &list.tools, tokenizer)).collect::<Outcome<_>>()?;
    if arguments.json {
        output::json(&Report { tokenizer: tokenizer.name(), rows: &rows })?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&rows)?;
    output::complain(&format!(
        "tokens of {}; levels: 1 the same tools, short; 2 a tool a namespace; 3 a map of names, or of whole signatures",
        tokenizer.name()
    ));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn row(name: &str, tools: &[Tool], tokenizer: Tokenizer) -> Outcome<Row> {
    let stats = |level, map_style| -> Outcome<Stats> {
        let options = Options { map_style, ..Options::at(level) };
        let catalog = compile(tools, &options).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
        Ok(catalog.stats(tokenizer))
    };
    let native = stats(Level::Native, None)?;
    Ok(Row {
        name: name.to_owned(),
        tools: native.tool_count,
        original_tokens: native.original_tokens,
        level1_tokens: native.compressed_tokens,
        level2_tokens: stats(Level::Namespaces, None)?.compressed_tokens,
        level3_tokens: stats(Level::Map, None)?.compressed_tokens,
        level3_signature_tokens: stats(Level::Map, Some(MapStyle::Signature))?.compressed_tokens,
        recommended_level: recommend_level(tools, None).level,
    })
}

fn show(rows: &[Row]) -> Outcome<()> {
    let mut cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let mut cells = vec![
                crate::usage::text::capped(&row.name, 24).into_owned(),
                output::thousands(row.tools as u64),
            ];
            cells.extend(
                [
                    row.original_tokens,
                    row.level1_tokens,
                    row.level2_tokens,
                    row.level3_tokens,
                    row.level3_signature_tokens,
                ]
                .map(output::thousands),
            );
            cells.push(row.recommended_level.to_string());
            cells
        })
        .collect();
    if rows.len() > 1 {
        let mut last = vec!["median, % left".to_owned(), String::new(), "100".to_owned()];
        let columns: [fn(&Row) -> u64; 4] = [
            |row| row.level1_tokens,
            |row| row.level2_tokens,
            |row| row.level3_tokens,
            |row| row.level3_signature_tokens,
        ];
        last.extend(columns.map(|column| median_left(rows, column)));
        last.push(String::new());
        cells.push(last);
    }
    let headings = ["server", "tools", "as is", "level 1", "level 2", "level 3", "signatures", "advised"];
    output::data(output::table(&headings, &cells, &[1, 2, 3, 4, 5, 6, 7]).as_bytes())
}

/// The median of what is left of 100 tokens, to a tenth.
fn median_left(rows: &[Row], column: fn(&Row) -> u64) -> String {
    let mut shares: Vec<u64> = rows
        .iter()
        .filter(|row| row.original_tokens > 0)
        .map(|row| column(row).saturating_mul(1_000) / row.original_tokens)
        .collect();
    shares.sort_unstable();
    let middle = shares.len() / 2;
    let median = match (shares.get(middle.wrapping_sub(1)), shares.get(middle)) {
        (Some(one), Some(other)) if shares.len().is_multiple_of(2) => u64::midpoint(*one, *other),
        (_, Some(one)) => *one,
        _ => return String::new(),
    };
    format!("{}.{}", median / 10, median % 10)
}
