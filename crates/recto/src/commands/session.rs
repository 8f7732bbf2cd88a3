mod export;
mod ls;
mod prune;
mod recall;
mod repair;
mod show;
mod stats;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::{failure::Outcome, settings::Settings};

/// Look into the sessions of agents, make them smaller, put them right
///
/// SESSION is a session's file, or its id or a part of it that no other has; without one, the newest session of any client is meant.
/// Files of Claude Code, Codex, Pi, opencode and Gemini CLI are found in these clients' own folders; request bodies of the model APIs
/// (Anthropic Messages, OpenAI Chat and Responses, Gemini, AI SDK) are read too. A file is never changed in place unless that is asked for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto session ls                                the newest sessions of this machine's agents
  recto session show SESSION                      the conversation, a line for each message
  recto session stats SESSION                     where its tokens are
  recto session prune SESSION --dry-run           what policies would save
  recto session prune SESSION -o smaller.jsonl
  recto session recall --session SESSION toolu_01  what stood there before
  recto session repair SESSION --dry-run          what is wrong with it
  recto session export SESSION --originals -o whole.jsonl")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Ls(ls::Arguments),
    Show(show::Arguments),
    Stats(stats::Arguments),
    Prune(Box<prune::Arguments>),
    Recall(Box<recall::Arguments>),
    Repair(Box<repair::Arguments>),
    Export(Box<export::Arguments>),
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    match &arguments.command {
        Command::Ls(arguments) => ls::run(arguments),
        Command::Show(arguments) => show::run(arguments, settings),
        Command::Stats(arguments) => stats::run(arguments, settings),
        Command::Prune(arguments) => prune::run(arguments, settings),
        Command::Recall(arguments) => recall::run(arguments, settings),
        Command::Repair(arguments) => repair::run(arguments, settings),
        Command::Export(arguments) => export::run(arguments, settings),
    }
}
