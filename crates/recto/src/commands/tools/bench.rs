use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use clap::{ArgGroup, Args};
use recto::tokens::Tokenizer;
use recto_catalog::{CodeStyle, Directory, Level, MapStyle, SearchIndex, Tool, ToolList};
use serde::{Deserialize, Serialize};

use crate::{
    commands::tools::stats::{self, Row},
    failure::{Failure, Outcome},
    input, output,
    settings::Settings,
    tools::{
        asked,
        changes::{self, CacheHits},
        live,
        prices::{self, BreakEven},
        source::Lists,
    },
};

/// Measure what compiling tools is worth
///
/// Tokens of each level in each tokenizer; how often a look-up finds its tool; in how many look-ups a map pays for itself; how much of what is sent is
/// read from a prompt cache while tools come and go. All of it is worked out here.
///
/// Only `--live` and `--count-with` ask a provider. They send it the definitions, and the scenarios' prompts, with the key in ANTHROPIC_API_KEY,
/// OPENAI_API_KEY or GEMINI_API_KEY, by curl; `--live` costs what the model's tokens cost: scenarios x levels x reps conversations of some turns.
/// It prints a line of JSON for each of them, and nothing of the above: outcome `right`, `wrong tool`, `wrong arguments`, `no call`, `turns` (all
/// were used up) or `failed` (the provider gave no answer; the exit code is 1 then), graded by the first call of a real tool.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto tools bench servers/
  recto tools bench tools.json --lookups lookups.jsonl     {\"query\": \"...\", \"tools\": [\"name\"]} a line
  recto tools bench servers/ --json | jq .search
  recto tools bench tools.json --live anthropic --model claude-haiku-4-5 --scenarios scenarios.jsonl
                      {\"prompt\": \"...\", \"expect\": {\"tool\": \"name\", \"args\": {...}}} a line
  recto tools bench tools.json --count-with anthropic --model claude-haiku-4-5")]
pub(crate) struct Arguments {
    #[command(flatten)]
    lists: Lists,

    /// Look-ups with the tools that they should find, as JSON lines; without, each tool is looked up by its description's first
    /// sentence, less the words of its name
    #[arg(long, value_name = "FILE")]
    lookups: Option<PathBuf>,

    /// Print as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    asking: Asking,
}

/// What a provider is asked.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "With a provider (sends it the tools, and may cost money)",
    group(ArgGroup::new("provider").args(["live", "count_with"]).multiple(true))
)]
struct Asking {
    /// Give a model of this provider the tools and the prompts of `--scenarios`, and grade its calls
    #[arg(long, value_name = "PROVIDER", requires_all = ["model", "scenarios"], conflicts_with_all = ["lookups", "json", "count_with"])]
    live: Option<live::Provider>,

    /// Have this provider count the tools at each level: a further row of tokens
    #[arg(long, value_name = "PROVIDER", requires = "model")]
    count_with: Option<live::Counter>,

    /// The model that is asked, or whose counter; as for `recto tools compile`, its row in the table of what was measured chooses style and
    /// codes of the map
    #[arg(long, value_name = "NAME", requires = "provider")]
    model: Option<String>,

    /// What is asked, as JSON lines: {"prompt", "expect": {"tool", "args"}}, and "name", "system", "tools" (only these) if need be
    #[arg(long, value_name = "FILE", requires = "live")]
    scenarios: Option<PathBuf>,

    /// How often each scenario is played at each level
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000), requires = "live")]
    reps: u32,

    /// The levels that are tried
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "1,3", value_parser = asked::words::<Level>(&["0", "1", "2", "3"]), requires = "live")]
    levels: Vec<Level>,

    /// How many answers a model has until it must have called a tool
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100), requires = "live")]
    turns: u32,

    /// How a line of the map is written, as for `recto tools compile`
    #[arg(long, value_name = "STYLE", value_parser = asked::words::<MapStyle>(&["name+required", "explicit", "signature"]), requires = "live")]
    map_style: Option<MapStyle>,

    /// What stands for a tool in the map, as for `recto tools compile`
    #[arg(long, value_name = "CODES", value_parser = asked::words::<CodeStyle>(&["name", "short"]), requires = "live")]
    codes: Option<CodeStyle>,
}

impl Asking {
    /// What is to be tried with a model, if anything is.
    fn plan(&self) -> Option<live::Plan> {
        Some(live::Plan {
            provider: self.live?,
            model: self.model.clone()?,
            scenarios: self.scenarios.clone()?,
            reps: self.reps,
            levels: self.levels.clone(),
            map_style: self.map_style,
            code_style: self.codes,
            max_turns: self.turns,
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    tools: usize,
    tokens: Vec<TokenRow>,
    /// The same by a provider's own counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    counted: Option<live::Counted>,
    search: Recall,
    break_even: Vec<LevelBreakEven>,
    cache: Vec<CacheHits>,
}

/// Tokens of all servers together, in one tokenizer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TokenRow {
    tokenizer: &'static str,
    original: u64,
    level1: u64,
    level2: u64,
    level3: u64,
    level3_signatures: u64,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Recall {
    look_ups: usize,
    /// Look-ups whose tool is the first, among the first three, among the first eight.
    at1: usize,
    at3: usize,
    at8: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LevelBreakEven {
    level: Level,
    sessions: Vec<BreakEven>,
}

#[derive(Deserialize)]
struct LookUp {
    query: String,
    tools: Vec<String>,
    #[serde(default)]
    file: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let lists = arguments.lists.read()?;
    if let Some(plan) = arguments.asking.plan() {
        let tools: Vec<Tool> = lists.into_iter().flat_map(|(_, list)| list.tools).collect();
        return live::run(&plan, &tools);
    }
    let counted_by_provider = match (arguments.asking.count_with, &arguments.asking.model) {
        (Some(counter), Some(model)) => Some(live::count(counter, model, &lists)?),
        _ => None,
    };
    let counted = settings.tokenizer.value;
    let mut tokens = Vec::new();
    let mut break_even = Vec::new();
    for tokenizer in Tokenizer::ALL {
        let mut rows = rows(&lists, tokenizer)?;
        tokens.push(token_row(&rows, tokenizer));
        if tokenizer == counted {
            // A few very large servers make the mean of all.
            rows.sort_by_key(|row| row.original_tokens);
            let middle = rows.get(rows.len() / 2);
            break_even.extend(middle.into_iter().flat_map(|row| {
                [(Level::Native, row.level1_tokens), (Level::Map, row.level3_tokens)].map(|(level, sent)| {
                    LevelBreakEven { level, sessions: prices::break_even(row.original_tokens, sent) }
                })
            }));
        }
    }
    let report = Report {
        tools: lists.iter().map(|(_, list)| list.tools.len()).sum(),
        tokens,
        counted: counted_by_provider,
        search: match &arguments.lookups {
            Some(path) => given(&lists, &read_look_ups(path)?),
            None => from_descriptions(&lists),
        },
        break_even,
        cache: cache(&lists, counted)?,
    };
    if arguments.json {
        output::json(&report)?;
    } else {
        show(&report, lists.len(), counted)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(lists: &[(String, ToolList)], tokenizer: Tokenizer) -> Outcome<Vec<Row>> {
    lists.iter().map(|(name, list)| stats::row(name, &list.tools, tokenizer)).collect()
}

fn token_row(rows: &[Row], tokenizer: Tokenizer) -> TokenRow {
    let sum = |column: fn(&Row) -> u64| rows.iter().map(column).sum();
    TokenRow {
        tokenizer: tokenizer.name(),
        original: sum(|row| row.original_tokens),
        level1: sum(|row| row.level1_tokens),
        level2: sum(|row| row.level2_tokens),
        level3: sum(|row| row.level3_tokens),
        level3_signatures: sum(|row| row.level3_signature_tokens),
    }
}

fn read_look_ups(path: &std::path::Path) -> Outcome<Vec<LookUp>> {
    let text = input::read(Some(path))?;
    let lines =
        text.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_slice(line).map_err(|error| {
                Failure::usage(format!("{}, line {}: {error}", path.display(), number + 1))
                    .hint("a line is {\"query\": \"what it should do\", \"tools\": [\"its name\"], \"file\": \"of which list\"}")
            })
        })
        .collect()
}

/// Looks up what is given: each in the list that it names, else in all of them that have one of its tools.
fn given(lists: &[(String, ToolList)], look_ups: &[LookUp]) -> Recall {
    let mut recall = Recall::default();
    for (name, list) in lists {
        let directory = Directory::new(&list.tools, &[]);
        let index = SearchIndex::new(directory.entries());
        for look_up in look_ups.iter().filter(|look_up| look_up.file.as_ref().is_none_or(|file| file == name))
        {
            let is_there = list.tools.iter().any(|tool| look_up.tools.iter().any(|name| name == tool.name()));
            if is_there {
                recall.count(&directory, &index, &look_up.query, &|tool| {
                    look_up.tools.iter().any(|name| name == tool.name())
                });
            }
        }
    }
    recall
}

fn from_descriptions(lists: &[(String, ToolList)]) -> Recall {
    let mut recall = Recall::default();
    for (_, list) in lists {
        let directory = Directory::new(&list.tools, &[]);
        let index = SearchIndex::new(directory.entries());
        for entry in directory.entries() {
            let tool = entry.tool();
            let sentence = recto_catalog::first_sentence(tool.description());
            let named: Vec<String> = words(tool.name());
            let query: Vec<&str> = sentence
                .split_whitespace()
                .filter(|word| !words(word).iter().any(|word| named.contains(word)))
                .collect();
            if !query.is_empty() {
                recall.count(&directory, &index, &query.join(" "), &|other| other == tool);
            }
        }
    }
    recall
}

/// The words of a name or a text, in small letters.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    parts.map(str::to_lowercase).collect()
}

impl Recall {
    fn count(
        &mut self,
        directory: &Directory,
        index: &SearchIndex,
        query: &str,
        is_it: &dyn Fn(&Tool) -> bool,
    ) {
        self.look_ups += 1;
        let hits = index.find(query, 8);
        let place = hits
            .iter()
            .position(|hit| directory.entries().get(hit.place).is_some_and(|entry| is_it(entry.tool())));
        if let Some(place) = place {
            self.at1 += usize::from(place < 1);
            self.at3 += usize::from(place < 3);
            self.at8 += 1;
        }
    }
}

/// The mean over servers of what is read from the cache.
fn cache(lists: &[(String, ToolList)], tokenizer: Tokenizer) -> Outcome<Vec<CacheHits>> {
    let counter = tokenizer.counter();
    let mut rows = Vec::new();
    for level in [Level::Native, Level::Namespaces, Level::Map] {
        let mut sums: BTreeMap<bool, u64> = BTreeMap::new();
        let mut played = 0;
        for (name, list) in lists.iter().filter(|(_, list)| list.tools.len() >= 10) {
            let hits = changes::play(&list.tools, level, counter)
                .map_err(|error| Failure::usage(format!("{name}: {error}")))?;
            *sums.entry(false).or_default() += hits.sorted_per_mille;
            *sums.entry(true).or_default() += hits.ledger_per_mille;
            played += 1;
        }
        if played > 0 {
            let mean = |with_ledger| sums.get(&with_ledger).copied().unwrap_or_default() / played;
            rows.push(CacheHits { level, sorted_per_mille: mean(false), ledger_per_mille: mean(true) });
        }
    }
    Ok(rows)
}

fn show(report: &Report, servers: usize, tokenizer: Tokenizer) -> Outcome<()> {
    let mut text = format!(
        "{} of {}\n\n",
        output::count(report.tools as u64, "tool"),
        output::count(servers as u64, "server")
    );
    let mut rows: Vec<Vec<String>> = report
        .tokens
        .iter()
        .map(|row| {
            let mut cells = vec![row.tokenizer.to_owned()];
            cells.extend(
                [row.original, row.level1, row.level2, row.level3, row.level3_signatures]
                    .map(output::thousands),
            );
            cells
        })
        .collect();
    if let Some(row) = &report.counted {
        let columns = [row.original, row.level1, row.level2, row.level3, row.level3_signatures];
        let mut cells = vec![format!("{}'s own", row.provider)];
        cells.extend(columns.map(|tokens| tokens.map_or_else(|| "-".to_owned(), output::thousands)));
        rows.push(cells);
    }
    text.push_str(&output::table(
        &["tokenizer", "as is", "level 1", "level 2", "level 3", "signatures"],
        &rows,
        &[1, 2, 3, 4, 5],
    ));
    let search = &report.search;
    let share = |found: usize| {
        format!("{} %", tenths((found * 1_000).checked_div(search.look_ups).unwrap_or(0) as u64))
    };
    text.push_str(&format!("\n{} find their tool:\n", output::count(search.look_ups as u64, "look-up")));
    let rows = vec![vec![share(search.at1), share(search.at3), share(search.at8)]];
    text.push_str(&output::table(&["first", "in 3", "in 8"], &rows, &[0, 1, 2]));
    if !report.break_even.is_empty() {
        text.push_str(&format!(
            "\nthe cost of the median server's tools, in tokens of input ({}), prefix cached:\n",
            tokenizer.name()
        ));
        let mut rows = Vec::new();
        for level in &report.break_even {
            for session in &level.sessions {
                let look_ups = if level.level == Level::Map {
                    output::thousands(session.look_ups)
                } else {
                    "none needed".to_owned()
                };
                rows.push(vec![
                    level.level.to_string(),
                    session.turns.to_string(),
                    output::thousands(session.as_is),
                    output::thousands(session.level),
                    look_ups,
                ]);
            }
        }
        text.push_str(&output::table(
            &["level", "turns", "as is", "at level", "look-ups it pays for"],
            &rows,
            &[1, 2, 3, 4],
        ));
    }
    if !report.cache.is_empty() {
        text.push_str(
            "\nread from the cache while tools come and go (20 turns, a change in every second):\n",
        );
        let rows: Vec<Vec<String>> = report
            .cache
            .iter()
            .map(|row| {
                vec![
                    row.level.to_string(),
                    format!("{} %", tenths(row.sorted_per_mille)),
                    format!("{} %", tenths(row.ledger_per_mille)),
                ]
            })
            .collect();
        text.push_str(&output::table(&["level", "sorted anew", "with a ledger"], &rows, &[1, 2]));
    }
    output::data(text.as_bytes())
}

fn tenths(per_mille: u64) -> String {
    format!("{}.{}", per_mille / 10, per_mille % 10)
}
