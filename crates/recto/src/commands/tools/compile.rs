use std::{fs, path::Path, process::ExitCode};

use clap::{Args, ValueEnum};
use recto_catalog::{
    AnthropicOptions, Budget, BudgetLine, CacheLifetime, Catalog, Detail, Stats, for_anthropic, for_gemini,
    for_mcp, for_openai, for_openai_responses,
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    failure::{Failure, Outcome},
    output,
    settings::Settings,
    tools::{asked::Compiling, source::Servers},
    usage::text::plain,
};

/// Compile tools into what is sent to a model
///
/// Prints what the tools cost before and after, the map of level 3, and, with a budget, how each tool is offered and why. With `--json`, the tools as the
/// provider takes them, what goes into the system prompt, and the figures: `{tools, system?, stats}`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto tools compile tools.json
  recto tools compile tools.json --level 3 --map-style signature
  recto tools compile 'mcp:npx -y @playwright/mcp' --budget 1000 --pin browser_navigate
  recto tools compile tools.json --level 3 --provider anthropic --json | jq .tools
  recto tools compile tools.json --level 3 --ledger session.json      newcomers follow, nothing moves")]
pub(crate) struct Arguments {
    #[command(flatten)]
    servers: Servers,

    #[command(flatten)]
    compiling: Compiling,

    /// Whose shape the tools are printed in
    #[arg(long, value_name = "NAME", default_value = "mcp")]
    provider: Provider,

    /// For Anthropic: no cache breakpoints
    #[arg(long)]
    no_cache: bool,

    /// For Anthropic: keep the cached prefix for an hour
    #[arg(long)]
    one_hour: bool,

    /// For Anthropic and OpenAI Responses: the provider's own tool search first, and all but the first N tools deferred
    #[arg(long, value_name = "N")]
    native_search: Option<usize>,

    /// Print as JSON: what is sent, and the figures
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Provider {
    Anthropic,
    /// Chat Completions; xAI and others too
    Openai,
    OpenaiResponses,
    Gemini,
    Mcp,
}

#[derive(Serialize)]
struct Compiled {
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Value::is_null")]
    system: Value,
    stats: Stats,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<recto_catalog::Note>,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<recto_catalog::Budget>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let tokenizer = arguments.compiling.counting.tokenizer(settings);
    let list = arguments.servers.read()?;
    let catalog = arguments.compiling.compile(&list.tools, tokenizer)?;
    if let Some(path) = &arguments.compiling.ledger {
        write_ledger(path, &catalog)?;
    }
    arguments.compiling.complain_of_idle(&catalog);
    complain_of_provider(&catalog, arguments);
    complain_of_changes(&catalog);
    let stats = catalog.stats(tokenizer);
    if arguments.json {
        let (tools, system) = adapted(&catalog, arguments);
        // What a provider runs itself comes first: the breakpoint stays on the last tool, and there is one of it.
        let mut all = list.provider_tools;
        if arguments.provider == Provider::Anthropic && !arguments.no_cache {
            all.iter_mut()
                .filter_map(Value::as_object_mut)
                .for_each(|tool| drop(tool.shift_remove("cache_control")));
        }
        all.extend(tools);
        let tools = all;
        let compiled = Compiled {
            tools,
            system,
            stats,
            notes: catalog.notes().to_vec(),
            budget: catalog.budget().cloned(),
        };
        output::json(&compiled)?;
    } else {
        show(&catalog, &stats, arguments)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What became of tools, all of one kind in one line.
fn complain_of_changes(catalog: &Catalog) {
    let mut by_message: Vec<(&str, Vec<&str>)> = Vec::new();
    for note in catalog.notes() {
        match by_message.iter_mut().find(|(message, _)| *message == note.message) {
            Some((_, codes)) => codes.push(&note.code),
            None => by_message.push((&note.message, vec![&note.code])),
        }
    }
    for (message, codes) in by_message {
        let few: Vec<&str> =
            codes.iter().take(NAMED_TOOLS).copied().filter(|code| !code.is_empty()).collect();
        let more = codes.len().saturating_sub(NAMED_TOOLS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let who = if few.is_empty() { String::new() } else { format!(": {}{more}", few.join(", ")) };
        output::complain(&plain(&format!("{message}{who}")));
    }
}

/// How many tools are named in one line.
const NAMED_TOOLS: usize = 8;

/// The most tools that OpenAI and Gemini take in a request, and the longest description that OpenAI's Chat Completions took; requests
/// with more were refused with 400.
const MOST_TOOLS: usize = 128;
const LONGEST_DESCRIPTION: usize = 1_024;

/// Says what the provider may refuse, and which options are not for it.
fn complain_of_provider(catalog: &Catalog, arguments: &Arguments) {
    let provider = arguments.provider;
    let is_openai = matches!(provider, Provider::Openai | Provider::OpenaiResponses);
    let tools = catalog.tools();
    if (is_openai || provider == Provider::Gemini) && tools.len() > MOST_TOOLS {
        output::warn(&format!(
            "{} tools are more than the {MOST_TOOLS} that this provider takes in one request: see --level 3 and --budget",
            tools.len()
        ));
    }
    let long = tools.iter().filter(|tool| tool.description.chars().count() > LONGEST_DESCRIPTION).count();
    if provider == Provider::Openai && long > 0 {
        output::warn(&format!(
            "{} over {LONGEST_DESCRIPTION} characters, which Chat Completions has refused: see --level 3",
            output::count(long as u64, "description")
        ));
    }
    let searches = matches!(provider, Provider::Anthropic | Provider::OpenaiResponses);
    for (option, is_idle) in [
        ("--native-search", arguments.native_search.is_some() && !searches),
        ("--one-hour", arguments.one_hour && provider != Provider::Anthropic),
        ("--no-cache", arguments.no_cache && provider != Provider::Anthropic),
    ] {
        if is_idle {
            output::warn(&format!("{option} does nothing for this provider"));
        }
    }
}

fn adapted(catalog: &Catalog, arguments: &Arguments) -> (Vec<Value>, Value) {
    let plain = |adapted: recto_catalog::Adapted| {
        let system = adapted.system_preamble;
        (adapted.tools, if system.is_empty() { Value::Null } else { system.into() })
    };
    match arguments.provider {
        Provider::Anthropic => {
            let lifetime =
                if arguments.one_hour { CacheLifetime::OneHour } else { CacheLifetime::FiveMinutes };
            let options = AnthropicOptions {
                cache: !arguments.no_cache,
                lifetime,
                native_search_after: arguments.native_search,
            };
            let adapted = for_anthropic(catalog, options);
            (adapted.tools, if adapted.system.is_empty() { Value::Null } else { adapted.system.into() })
        }
        Provider::Openai => plain(for_openai(catalog)),
        Provider::OpenaiResponses => plain(for_openai_responses(catalog, arguments.native_search)),
        Provider::Gemini => plain(for_gemini(catalog)),
        Provider::Mcp => plain(for_mcp(catalog)),
    }
}

/// Writes the ledger whole or not at all, for its owner alone: names of tools may be private.
fn write_ledger(path: &Path, catalog: &Catalog) -> Outcome<()> {
    let text = serde_json::to_vec(&catalog.ledger()).map_err(|error| Failure::job(error.to_string()))?;
    let is_link = fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink());
    // What is put in the place of a link would leave the file alone that it leads to.
    let path = &match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if is_link => {
            return Err(
                Failure::file(path, "follow", &error).hint("the link leads nowhere: name the file itself")
            );
        }
        Err(_) => path.to_owned(),
    };
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    // A temporary file is its owner's alone from the start.
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|file| {
        fs::write(file.path(), &text)?;
        file.persist(path).map_err(|error| error.error)
    });
    written.map(|_| ()).map_err(|error| Failure::writing(path, &error))
}

fn show(catalog: &Catalog, stats: &Stats, arguments: &Arguments) -> Outcome<()> {
    let mut text = format!(
        "level {}: {} in, {} sent\n{} -> {} tokens ({}), {}\n",
        stats.level,
        output::count(stats.tool_count as u64, "tool"),
        stats.wire_tool_count,
        output::thousands(stats.original_tokens),
        output::thousands(stats.compressed_tokens),
        stats.tokenizer,
        saved(stats.saved_pct),
    );
    if let Some(why) = &stats.fallback_reason {
        text.push_str(&format!("{why}\n"));
    }
    if let Some(budget) = catalog.budget() {
        text.push('\n');
        let rows: Vec<Vec<String>> = budget
            .lines
            .iter()
            .map(|line| {
                vec![
                    line.code.clone(),
                    detail(line.detail).to_owned(),
                    output::thousands(line.tokens),
                    line.uses.to_string(),
                    line.more_tokens.map_or_else(|| given(line), |tokens| format!("+{tokens}")),
                ]
            })
            .collect();
        text.push_str(&output::table(&["tool", "offered", "tokens", "uses", "richer"], &rows, &[2, 3, 4]));
        text.push_str(&summary(budget));
    }
    if !catalog.system_preamble().is_empty() {
        text.push_str("\nIn the system prompt:\n");
        text.push_str(catalog.system_preamble());
    }
    let shown = catalog.tools().iter().take(SHOWN_TOOLS);
    text.push_str("\nTools:\n");
    for tool in shown {
        let description: Vec<&str> = tool.description.lines().collect();
        text.push_str(&cut(&plain(&format!("{}: {}", tool.name, description.join(" | ")))));
        text.push('\n');
    }
    if catalog.tools().len() > SHOWN_TOOLS {
        text.push_str(&format!("and {} more\n", catalog.tools().len() - SHOWN_TOOLS));
    }
    let lines: Vec<String> = text.lines().map(|line| plain(line).into_owned()).collect();
    output::line(&lines.join("\n"))?;
    if !arguments.json {
        output::complain("what is sent, as the provider takes it: --json");
    }
    Ok(())
}

/// What stands for the step that a tool has not.
fn given(line: &BudgetLine) -> String {
    if line.reason.starts_with("the richest") { "most".to_owned() } else { "given".to_owned() }
}

/// How many tools are offered in which way.
fn summary(budget: &Budget) -> String {
    let ways = [Detail::Native, Detail::Signature, Detail::Required, Detail::Name, Detail::Search];
    let counts = ways.map(|way| (way, budget.lines.iter().filter(|line| line.detail == way).count()));
    let counts: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(way, count)| format!("{count} {}", detail(*way)))
        .collect();
    format!(
        "{} of {} tokens: {}; `richer`: what the next richer way would cost more\n",
        output::thousands(budget.spent_tokens),
        output::thousands(budget.budget_tokens),
        counts.join(", "),
    )
}

/// How many of the tools that are sent a person is shown.
const SHOWN_TOOLS: usize = 12;

/// A line, cut to the terminal's width where there is one.
fn cut(line: &str) -> String {
    match output::columns() {
        Some(columns) if line.chars().count() > columns => {
            let mut short: String = line.chars().take(columns.saturating_sub(1)).collect();
            short.push('…');
            short
        }
        _ => line.to_owned(),
    }
}

fn detail(detail: Detail) -> &'static str {
    match detail {
        Detail::Native => "as itself",
        Detail::Signature => "signature",
        Detail::Required => "required",
        Detail::Name => "name",
        _ => "by search",
    }
}

/// A share in hundredths, in words.
pub(crate) fn saved(hundredths: i64) -> String {
    let tenths = (hundredths.abs() + 5) / 10;
    let number = format!("{}.{} %", tenths / 10, tenths % 10);
    if hundredths < 0 { format!("{number} more") } else { format!("{number} saved") }
}
