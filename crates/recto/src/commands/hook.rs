use std::{ops::ControlFlow, path::PathBuf, process::ExitCode, time::Instant};

use clap::{Args, Subcommand};
use recto::{view::Recall, wire::Format};
use serde::Serialize;
use similar::TextDiff;

use crate::{
    doctor::agents,
    environment,
    failure::Outcome,
    hook::{
        carry::{Carrier, Done},
        claude, context,
        deadline::{self, Missed},
        install::{self, Change, Place},
        plain,
    },
    output,
    settings::Settings,
    usage::{Usage, What, text},
};

/// Answer an agent's hooks: views in the place of large tool results
///
/// An agent runs this and gives it an event on stdin; nobody else needs to. A result that is large and may be cut is answered with
/// its view, in the shape of the agent's own tool; the original is in the archive before the answer is printed. Whatever is not
/// known, fails or takes longer than `hook.deadline` is not answered, and the original stands; `recto stats` counts it and `recto
/// doctor` tells why. The exit code is 0 then too: a hook of recto never blocks an agent.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto hook install claude                  what would be written into Claude Code's settings
  recto hook install claude --write
  recto hook status                          which agents have it
  recto hook uninstall claude --write        the settings as they were, byte for byte

What is never cut, whatever its size: recto config show classes")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer an event of Claude Code
    #[command(after_help = "\
Examples:
  recto hook claude < event.json | jq .hookSpecificOutput")]
    Claude(Carried),
    /// Answer a question of the extension for Pi
    #[command(after_help = "\
Examples:
  recto hook pi < question.json | jq '.texts[0]'
  recto hook pi --context < request.json | jq '.results[].id'")]
    Pi(Extension),
    /// Answer a question of the plug-in for opencode
    #[command(after_help = "\
Examples:
  recto hook opencode < question.json | jq '.texts[0]'")]
    Opencode(Extension),
    /// Put the hook into an agent's settings; without --write only show how they would change
    ///
    /// For Claude Code, entries in `~/.claude/settings.json` (or `$CLAUDE_CONFIG_DIR`); everything else in the file stays byte for byte, and
    /// a copy is kept beside it. For Pi and opencode, a file of recto's own in their folder for extensions. The plug-in for Claude Code
    /// does the same without a change of settings, and offers the model recto's tools besides: docs/hooks.md.
    #[command(after_help = "\
Examples:
  recto hook install claude                  shows the change
  recto hook install claude --write
  recto hook install pi --project --write    for the project in this folder only")]
    Install(Placed),
    /// Take the hook out of an agent's settings again; without --write only show how they would change
    ///
    /// Removes what `install` put in and nothing else: an unchanged file is again as it was, byte for byte, and one that was made for
    /// recto is deleted.
    #[command(after_help = "\
Examples:
  recto hook uninstall claude
  recto hook uninstall claude --write")]
    Uninstall(Placed),
    /// Say which agents have the hook, and where
    #[command(after_help = "\
Examples:
  recto hook status
  recto hook status --json | jq '.[] | select(.state == \"installed\").path'")]
    Status {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct Placed {
    /// The agent
    agent: install::Agent,

    /// In this folder's project, instead of for all
    #[arg(long)]
    project: bool,

    /// Make the change
    #[arg(long)]
    write: bool,
}

#[derive(Debug, Args)]
struct Carried {
    /// How the model can get the rest: tool, where it is offered `recto_expand`, or shell [default: `compress.recall`]
    #[arg(long, value_name = "WAY")]
    recall: Option<Recall>,
}

#[derive(Debug, Args)]
struct Extension {
    #[command(flatten)]
    carried: Carried,

    /// Say what of a request's results stands as it was decided with `recto session prune --log-only`; nothing is decided here
    #[arg(long)]
    context: bool,
}

/// Which agent asks.
#[derive(Clone, Copy)]
enum Agent {
    Claude,
    Pi,
    Opencode,
}

impl Agent {
    fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Pi => "pi",
            Self::Opencode => "opencode",
        }
    }

    fn answer(self, event: &str, carrier: &Carrier) -> Done {
        match self {
            Self::Claude => claude::answer(event, carrier),
            Self::Pi | Self::Opencode => plain::answer(event, carrier),
        }
    }

    /// How it writes its sessions.
    fn format(self) -> Format {
        match self {
            Self::Claude => Format::ClaudeCode,
            Self::Pi => Format::Pi,
            Self::Opencode => Format::OpenCode,
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy)]
enum Asked {
    /// Views of new results, and whether a call may be made.
    Event(Option<Recall>),
    /// What was decided of the results of a request.
    Context,
}

pub(crate) fn run(arguments: &Arguments, store: Option<&PathBuf>) -> Outcome<ExitCode> {
    let begun = Instant::now();
    let extension = |extension: &Extension| {
        if extension.context { Asked::Context } else { Asked::Event(extension.carried.recall) }
    };
    let (agent, asked) = match &arguments.command {
        Command::Claude(carried) => (Agent::Claude, Asked::Event(carried.recall)),
        Command::Pi(pi) => (Agent::Pi, extension(pi)),
        Command::Opencode(opencode) => (Agent::Opencode, extension(opencode)),
        Command::Install(placed) => return change(placed, store, Place::install),
        Command::Uninstall(placed) => return change(placed, store, Place::uninstall),
        Command::Status { json } => return status(*json, store),
    };
    answer(agent, asked, store, begun);
    Ok(ExitCode::SUCCESS)
}

/// Shows what a file becomes, and writes it if asked to.
fn change(
    placed: &Placed,
    store: Option<&PathBuf>,
    made: impl FnOnce(&Place) -> Outcome<Change>,
) -> Outcome<ExitCode> {
    let place = Place::of(placed.agent, placed.project, store.map(PathBuf::as_path))?;
    let change = made(&place)?;
    let path = change.path.display();
    if change.is_none() {
        output::complain(&format!("{path}: nothing to change"));
        return Ok(ExitCode::SUCCESS);
    }
    let (before, after) =
        (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
    let name = |text: &Option<String>| if text.is_some() { path.to_string() } else { "/dev/null".to_owned() };
    let lines = TextDiff::from_lines(before, after);
    let shown = lines.unified_diff().header(&name(&change.before), &name(&change.after)).to_string();
    output::data(shown.as_bytes())?;
    if placed.write {
        change.write()?;
        output::complain(&format!("{path}: {}", if change.after.is_some() { "written" } else { "removed" }));
        if let Some(note) = &change.note {
            output::complain(note);
        }
        if placed.agent == install::Agent::Claude
            && change.after.as_deref().is_some_and(|text| !agents::is_plain_json(text))
        {
            output::warn(&format!("{path}: {}: none of its hooks run", agents::NOT_READ));
        }
    } else {
        output::complain("hint: nothing was written; add --write");
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Status {
    agent: &'static str,
    state: &'static str,
    path: String,
}

fn status(json: bool, store: Option<&PathBuf>) -> Outcome<ExitCode> {
    let mut found = Vec::new();
    for agent in install::Agent::ALL {
        for in_project in [false, true] {
            // Without a home there are only projects.
            let Ok(place) = Place::of(agent, in_project, store.map(PathBuf::as_path)) else { continue };
            let state = match place.is_current() {
                Ok(Some(true)) => "installed",
                Ok(Some(false)) => "outdated",
                Ok(None) => "-",
                Err(_) => "unreadable",
            };
            found.push(Status { agent: place.agent.name(), state, path: place.path.display().to_string() });
        }
    }
    if environment::claude_folder()
        .is_some_and(|folder| agents::has_plugin(&agents::json(&folder.join("settings.json"))))
    {
        found.insert(0, Status { agent: "claude", state: "installed", path: "as its plug-in".to_owned() });
    }
    if json {
        output::json(&found)?;
    } else {
        let rows: Vec<Vec<String>> =
            found.into_iter().map(|one| vec![one.agent.to_owned(), one.state.to_owned(), one.path]).collect();
        output::data(output::table(&["agent", "state", "file"], &rows, &[]).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers, or says nothing and writes down why.
fn answer(agent: Agent, asked: Asked, store: Option<&PathBuf>, begun: Instant) {
    let failed = |why: &str| Done::failed(agent.name(), "", why);
    let (settings, done) = match Settings::load(store) {
        Err(failure) => {
            // The event is read all the same, so that the agent finds no closed pipe.
            let _ = deadline::answer(begun, |_| ());
            (Settings::without_file(store).ok(), failed(&format!("the configuration: {}", failure.message())))
        }
        Ok(settings) => {
            let until = begun + settings.hook_deadline.value;
            let usage = settings.clone();
            let work = move |event: String| {
                let Asked::Event(recall) = asked else {
                    return context::answer(&event, agent.name(), agent.format(), &settings);
                };
                let recall = recall.unwrap_or(settings.recall.value);
                match Carrier::new(agent.name(), settings, recall) {
                    Ok(carrier) => agent.answer(&event, &carrier),
                    Err(error) => Done::failed(agent.name(), "", &error.to_string()),
                }
            };
            let done = deadline::answer(until, work).unwrap_or_else(|missed| match missed {
                Missed::Late => failed(&format!("too late, after {} ms", begun.elapsed().as_millis())),
                // What panics say may end with the text that they came upon.
                Missed::Defect(what) => {
                    failed(&format!("a defect of recto, please report it: {}", text::capped(&what, 60)))
                }
                Missed::Unread(what) => failed(&format!("the event cannot be read: {what}")),
            });
            (Some(usage), done)
        }
    };
    finish(agent, done, settings.as_ref().map(Usage::of).as_ref());
}

/// Prints the answer, and writes down what came of it.
fn finish(agent: Agent, mut done: Done, usage: Option<&Usage>) {
    // What a view leaves out is protected by what is written down for its session: without that there is no view.
    if let Err(error) = usage.map_or(Ok(()), |usage| usage.keep_for_sessions(&done.lines))
        && done.lines.iter().any(|line| line.what == What::View)
    {
        done =
            Done::failed(agent.name(), "", &format!("the session's views cannot be written down: {error}"));
    }
    if let Some(answer) = &done.answer
        && !matches!(output::piece(format!("{answer}\n").as_bytes()), Ok(ControlFlow::Continue(())))
    {
        for line in &mut done.lines {
            line.what = What::Failed;
            line.why = "the answer could not be handed to the agent".to_owned();
            (line.shown, line.reference) = (line.bytes, None);
        }
    }
    if let Some(usage) = usage {
        for line in &done.lines {
            let _ = usage.record(line);
        }
    }
}
