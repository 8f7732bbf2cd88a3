use std::{
    io::{self, IsTerminal, Read as _},
    process::ExitCode,
};

use clap::Args;
use recto::archive::Archive;
use recto_gateway::{
    DEFAULT_PAGE_TOKENS, FEWEST_PAGE_TOKENS, Observed, RecallTools, ServeError, StoreError, serve,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    failure::{Failure, Outcome},
    output,
    settings::Settings,
    store,
    usage::{Line, Usage, What},
};

/// Serve the tools by which a model reads what was left out, over MCP
///
/// An MCP server on stdin and stdout with the tools recto_expand (any part of an original, exact), recto_search (the lines that
/// match) and recto_query (records: filtered, sorted, counted). A host starts it; docs/mcp-tools.md says how it is told to. It reads
/// the archive anew for each call, stores nothing, and ends when stdin does.
///
/// Answers come in pages of so many tokens, each with the call that gives the next one. Tokens are counted in the setting
/// `compress.tokenizer`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  claude mcp add --scope user recto -- recto mcp-tools
  recto mcp-tools --page-tokens 5000              longer pages
  recto mcp-tools --store ./recto.db              another archive
  recto mcp-tools --list | jq '.tools[].name'
  echo '{\"ref\": \"r:123456789012345#1\"}' | recto mcp-tools --call recto_expand

In a host's `mcpServers`:
  {\"recto\": {\"command\": \"recto\", \"args\": [\"mcp-tools\"]}}")]
pub(crate) struct Arguments {
    /// The most tokens of an answer, the line that says how to go on included
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PAGE_TOKENS,
          value_parser = clap::value_parser!(u64).range(FEWEST_PAGE_TOKENS..))]
    page_tokens: u64,

    /// Print the tools as `tools/list` answers them, and end
    #[arg(long, conflicts_with = "call")]
    list: bool,

    /// Answer one call of this tool, whose arguments are read from stdin as JSON, print the answer, and end
    #[arg(long, value_name = "TOOL")]
    call: Option<String>,
}

/// What one tool is, as on the wire.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: &'static str,
    description: &'static str,
    input_schema: Map<String, Value>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let usage = Usage::of(settings);
    let tools = tools(arguments, settings);
    if arguments.list {
        let listed = RecallTools::definitions().into_iter().map(|tool| Listed {
            name: tool.name,
            description: tool.description,
            input_schema: tool.input_schema,
        });
        output::json(&json!({ "tools": listed.collect::<Vec<_>>() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(tool) = &arguments.call {
        return call(&tools, tool, &usage);
    }
    if io::stdin().is_terminal() {
        output::complain("this is a server for MCP hosts, which speak JSON with it; Ctrl-D ends it");
    }
    let observe = move |observed: &Observed| {
        if observed.is_error {
            return;
        }
        write_down(&usage, &observed.tool, observed.reference.as_deref(), observed.answer_bytes);
    };
    serve(tools, observe).map_err(|error| match error {
        ServeError::Handshake { .. } => Failure::usage(error.to_string()),
        _ => Failure::job(error.to_string()),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn tools(arguments: &Arguments, settings: &Settings) -> RecallTools {
    let tokenizer = settings.tokenizer.value;
    let settings = settings.clone();
    let open = move || -> Result<Box<dyn Archive>, StoreError> {
        if !store::is_there(&settings) {
            return Err(StoreError::Absent);
        }
        Ok(store::open_existing(&settings)?)
    };
    RecallTools::new(store::scope(), open).with_page_tokens(arguments.page_tokens, tokenizer)
}

/// Answers one call as a server would: `{"content": [...], "isError": ...}`.
fn call(tools: &RecallTools, tool: &str, usage: &Usage) -> Outcome<ExitCode> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(|error| Failure::usage(format!("stdin: {error}")))?;
    let given: Map<String, Value> = serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("stdin holds no object of arguments: {error}")))?;
    let answer = tools.call(tool, &given);
    if !answer.is_error {
        write_down(usage, tool, given.get("ref").and_then(Value::as_str), answer.bytes());
    }
    let texts = [Some(answer.text), answer.note].into_iter().flatten().filter(|text| !text.is_empty());
    let content: Vec<Value> = texts.map(|text| json!({ "type": "text", "text": text })).collect();
    output::json(&json!({ "content": content, "isError": answer.is_error }))?;
    Ok(ExitCode::SUCCESS)
}

/// What was asked for again comes off what was saved.
fn write_down(usage: &Usage, tool: &str, reference: Option<&str>, bytes: u64) {
    let line = Line {
        shown: bytes,
        reference: reference.map(|name| name.chars().take(40).collect()),
        ..Line::new("mcp", tool, What::Recall)
    };
    // An answer does not fail since it could not be written down.
    let _ = usage.record(&line);
}
