mod bench;
mod compile;
mod diff;
mod policy;
mod resolve;
mod stats;
mod validate;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::{failure::Outcome, settings::Settings};

/// Make tool definitions smaller, and calls of the result the calls of the real tools
///
/// FILE holds a server's tools/list answer, an array of tools, or a request to a model, in the shapes of MCP, Anthropic, OpenAI or Gemini; `-` is
/// stdin, and `mcp:COMMAND` starts a server and asks it. docs/tools.md says which level is for whom.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto tools stats tools.json                                what each level costs
  recto tools stats 'mcp:npx -y @playwright/mcp'
  recto tools compile tools.json --level 3 --provider anthropic --json
  recto tools compile tools.json --budget 2000                as much as 2,000 tokens hold
  recto tools resolve tools.json --level 3 < calls.jsonl      the real calls, checked
  recto tools diff before.json after.json                     what a server changed")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compile(Box<compile::Arguments>),
    Resolve(Box<resolve::Arguments>),
    Validate(validate::Arguments),
    Stats(stats::Arguments),
    Bench(bench::Arguments),
    Diff(diff::Arguments),
    Policy(policy::Arguments),
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    match &arguments.command {
        Command::Compile(arguments) => compile::run(arguments, settings),
        Command::Resolve(arguments) => resolve::run(arguments, settings),
        Command::Validate(arguments) => validate::run(arguments),
        Command::Stats(arguments) => stats::run(arguments, settings),
        Command::Bench(arguments) => bench::run(arguments, settings),
        Command::Diff(arguments) => diff::run(arguments),
        Command::Policy(arguments) => policy::run(arguments),
    }
}
