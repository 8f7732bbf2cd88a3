use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

use clap::Args;
use recto::archive::Archive;
use recto_gateway::{DEFAULT_PAGE_TOKENS, FEWEST_PAGE_TOKENS, RecallTools, ServeError, StoreError, serve};

use crate::{
    failure::{Failure, Outcome},
    output,
    settings::Settings,
    store,
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

In a host's `mcpServers`:
  {\"recto\": {\"command\": \"recto\", \"args\": [\"mcp-tools\"]}}")]
pub(crate) struct Arguments {
    /// The most tokens of an answer, the line that says how to go on included
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PAGE_TOKENS,
          value_parser = clap::value_parser!(u64).range(FEWEST_PAGE_TOKENS..))]
    page_tokens: u64,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    if io::stdin().is_terminal() {
        output::complain("this is a server for MCP hosts, which speak JSON with it; Ctrl-D ends it");
    }
    let tokenizer = settings.tokenizer.value;
    let settings = settings.clone();
    let open = move || -> Result<Box<dyn Archive>, StoreError> {
        if !store::path(&settings).exists() {
            return Err(StoreError::Absent);
        }
        Ok(Box::new(store::open_existing(&settings)?))
    };
    let tools = RecallTools::new(store::scope(), open).with_page_tokens(arguments.page_tokens, tokenizer);
    serve(tools, |_| {}).map_err(|error| match error {
        ServeError::Handshake { .. } => Failure::usage(error.to_string()),
        _ => Failure::job(error.to_string()),
    })?;
    Ok(ExitCode::SUCCESS)
}
