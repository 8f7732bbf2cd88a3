use std::{path::PathBuf, process::ExitCode, time::Instant};

use clap::{Args, Subcommand};
use recto::view::Recall;

use crate::{
    failure::Outcome,
    hook::{
        carry::{Carrier, Done},
        claude,
        deadline::{self, Missed},
        plain,
    },
    output,
    settings::Settings,
    usage::{Line, Usage, What},
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
  recto hook pi < question.json | jq '.texts[0]'")]
    Pi(Carried),
    /// Answer a question of the plug-in for opencode
    #[command(after_help = "\
Examples:
  recto hook opencode < question.json | jq '.texts[0]'")]
    Opencode(Carried),
}

#[derive(Debug, Args)]
struct Carried {
    /// How the model can get the rest: tool, where it is offered `recto_expand`, or shell [default: `compress.recall`]
    #[arg(long, value_name = "WAY")]
    recall: Option<Recall>,
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
}

pub(crate) fn run(arguments: &Arguments, store: Option<&PathBuf>) -> Outcome<ExitCode> {
    let begun = Instant::now();
    let (agent, carried) = match &arguments.command {
        Command::Claude(carried) => (Agent::Claude, carried),
        Command::Pi(carried) => (Agent::Pi, carried),
        Command::Opencode(carried) => (Agent::Opencode, carried),
    };
    answer(agent, carried.recall, store, begun);
    Ok(ExitCode::SUCCESS)
}

/// Answers, or says nothing and writes down why.
fn answer(agent: Agent, recall: Option<Recall>, store: Option<&PathBuf>, begun: Instant) {
    let failed = |why: &str| failed(agent, why);
    let (usage, done) = match Settings::load(store) {
        Err(failure) => {
            // The event is read all the same, so that the agent finds no closed pipe.
            let _ = deadline::answer(begun, |_| ());
            (Settings::without_file(store).ok(), failed(&format!("the configuration: {}", failure.message())))
        }
        Ok(settings) => {
            let until = begun + settings.hook_deadline.value;
            let recall = recall.unwrap_or(settings.recall.value);
            let usage = settings.clone();
            let work = move |event: String| match Carrier::new(agent.name(), settings, recall) {
                Ok(carrier) => agent.answer(&event, &carrier),
                Err(error) => self::failed(agent, &error.to_string()),
            };
            let done = deadline::answer(until, work).unwrap_or_else(|missed| match missed {
                Missed::Late => failed(&format!("too late, after {} ms", begun.elapsed().as_millis())),
                Missed::Defect(what) => failed(&format!("a defect of recto, please report it: {what}")),
                Missed::Unread(what) => failed(&format!("the event cannot be read: {what}")),
            });
            (Some(usage), done)
        }
    };
    if let Some(answer) = &done.answer {
        // Nobody is left to tell if this fails.
        let _ = output::line(answer);
    }
    if let Some(settings) = usage {
        let usage = Usage::of(&settings);
        for line in &done.lines {
            let _ = usage.record(line);
        }
    }
}

fn failed(agent: Agent, why: &str) -> Done {
    let line = Line { why: why.to_owned(), ..Line::new(agent.name(), "", What::Failed) };
    Done { answer: None, lines: vec![line] }
}
