//! The command line.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

use crate::commands::{
    compress, config, doctor, documentation, eval, expand, gc, hook, mcp_tools, query, run, session, stats,
    store, tools, verify,
};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The context layer for LLM agents.
///
/// recto shows a model the part of a tool's output that matters, made of the output's own bytes, within a budget. Whatever is left
/// out is announced in its place, and can be had back, byte for byte, by the ref that stands in the first note.
#[derive(Debug, Parser)]
#[command(name = "recto", version, styles = STYLES, max_term_width = 100, after_help = "\
Examples:
  recto compress build.log --max-tokens 2000           a view of a log
  kubectl get pods -o json | recto compress -q api-7   what is piped in, with a query
  recto expand r:123456789012345#3                     what note #3 left out
  recto run -- cargo test                              run a command, read its view

Exit codes: 0 done, 1 the job failed, 2 bad usage or bad input; `recto run` exits as its command does.")]
pub(crate) struct Arguments {
    /// The archive of originals: a file, or postgresql://user@host/database; also RECTO_STORE [default: $XDG_DATA_HOME/recto/recto.db]
    #[arg(long, global = true, value_name = "PATH", display_order = 900)]
    pub(crate) store: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Compress(Box<compress::Arguments>),
    Expand(expand::Arguments),
    Query(query::Arguments),
    Verify(verify::Arguments),
    Run(Box<run::Arguments>),
    Hook(hook::Arguments),
    Session(session::Arguments),
    Tools(tools::Arguments),
    Stats(stats::Arguments),
    Doctor(doctor::Arguments),
    McpTools(mcp_tools::Arguments),
    Gc(gc::Arguments),
    Store(store::Arguments),
    Eval(Box<eval::Arguments>),
    Config(config::Arguments),
    Documentation(documentation::Arguments),
    /// Print a completion script for a shell
    ///
    /// Write it where your shell looks for completions, and begin a new shell.
    #[command(after_help = "\
Examples:
  recto completions bash > ~/.local/share/bash-completion/completions/recto
  recto completions fish > ~/.config/fish/completions/recto.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}
