use std::{fmt::Write as _, process::ExitCode};

use clap::{Args, Command, CommandFactory, ValueEnum};

use crate::{arguments, environment::VARIABLES, failure::Outcome, output, settings::Settings};

/// Print a page of the documentation, made of what the binary knows
///
/// `docs/cli.md` and `docs/configuration.md` are these pages; a test compares them.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Arguments {
    /// The page
    page: Page,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Page {
    /// docs/cli.md
    Cli,
    /// docs/configuration.md
    Configuration,
}

/// Columns of the help texts in the page.
const WIDTH: usize = 100;

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let page = match arguments.page {
        Page::Cli => cli(),
        Page::Configuration => configuration(&Settings::defaults()?),
    };
    output::data(page.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn cli() -> String {
    let mut page = String::from(
        "# The command line

<!-- Made by `recto documentation cli`. -->

Data goes to stdout, everything else to stderr, so that any command can stand in a pipe; a reader that closes the pipe early is
no error. Exit codes: 0 done, 1 the job failed, 2 bad usage or bad input. `recto run` ends as its command does; 125 means that
recto itself failed, or that its own arguments are wrong. An error is one message and, as its last line, a hint at what to do. Colours are used on terminals only.

Settings that hold for every call are on the [configuration](configuration.md) page.
",
    );
    let mut command = arguments::Arguments::command().term_width(WIDTH);
    command.build();
    // A command and all commands below it, each before those that follow it.
    let mut waiting = vec![(command, String::new())];
    while let Some((mut command, parents)) = waiting.pop() {
        let name = format!("{parents}{}", command.get_name());
        let help = command.render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _ = write!(page, "\n## `{name}`\n\n```text\n{}\n```\n", lines.join("\n").trim_end());
        let below: Vec<Command> = command
            .get_subcommands()
            .filter(|below| !below.is_hide_set() && below.get_name() != "help")
            .cloned()
            .collect();
        waiting.extend(below.into_iter().rev().map(|below| (below, format!("{name} "))));
    }
    page
}

fn configuration(defaults: &Settings) -> String {
    let mut page = String::from(
        "# Configuration

<!-- Made by `recto documentation configuration`. -->

recto needs none. What can be set, and where each value comes from, is printed by `recto config show`. Later layers win:
defaults, the configuration file, the environment, flags.

## The file

`$XDG_CONFIG_HOME/recto/config.toml`, by default `~/.config/recto/config.toml`. A key that recto does not know, or a value that
makes no sense, is an error that names file and line. A file that sets everything:

```toml
[store]
path = \"~/archives/recto.db\"
max_age = \"30d\"
max_bytes = \"5GB\"

[compress]
ratio = 0.45
mode = \"marked\"
tokenizer = \"o200k\"
recall = \"shell\"

[hook]
threshold = \"8KiB\"
max_bytes = \"12KiB\"
deadline = \"50ms\"
deny_notes = true
wrap = [\"cargo test\", \"pytest\"]

[[class-rule]]                   # as many as you like; they go before the table that ships with recto
class = \"source\"
tools = [\"mcp__docs__*\"]
why = \"pages that are quoted word for word\"
```

| setting | default | meaning |
| --- | --- | --- |
",
    );
    for shown in defaults.shown() {
        let _ = writeln!(page, "| `{}` | `{}` | {} |", shown.name, shown.value, shown.meaning);
    }
    page.push_str(
        "
Nothing is removed by itself: the limits of the store hold when `recto gc` is run.

## The environment

`recto config environment` prints this list. An empty variable is as good as none.

| variable | what for |
| --- | --- |
",
    );
    for (name, purpose) in VARIABLES {
        let _ = writeln!(page, "| `{name}` | {purpose} |");
    }
    page
}
