use std::{
    ffi::OsString,
    io::{self, IsTerminal},
    path::PathBuf,
    process::{Command, ExitCode},
    time::Duration,
};

use clap::Args;
use recto::view::Mode;

use crate::{
    commands::{budget::ViewOptions, store::adopt_small},
    environment,
    failure::{Failure, Outcome},
    output,
    run::{
        keeper::Keeper,
        process::{self, NotRun, Receiver, Stream, Terms},
        show::Show,
    },
    settings::{self, Settings},
    store,
};

/// Run a command, keep all it prints, show a view of it, end as it ends
///
/// Wrap a whole command line, never a stage inside a pipe: what programs read of each other must not be cut. Output that fits the
/// budget (without one: 16 KiB) is printed as it is, byte for byte; of more a view is printed, whose first note states the ref
/// that gives the rest back. It is printed once the command has ended; until then nothing is.
///
/// The output goes into the archive as it comes, so that nothing is lost if recto is killed: the next `recto run` or `recto gc`
/// makes an original of it and prints its ref, and so does `recto store adopt`. If the archive cannot be written, output is kept in
/// a file of its own in --spill; if that fails too it is printed unmodified.
///
/// stdout and stderr are read through one pipe, so their order is kept, and the view goes to stdout. stdin is the command's own (a
/// closed one is empty). Signals that recto gets are passed on, and it waits for the command to end; a second Ctrl-C kills it.
/// What a command leaves running in the background is not waited for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto run -- cargo test
  recto run --max-tokens 3000 -- npm run build
  recto run --query 'test_login' -- pytest -v             what names the test is shown first
  recto run --shell 'kubectl get pods -o json | jq .items'
  recto run --mode auto -- gh api repos/a/b/issues        records as a table, if that is clearly smaller
  recto run --timeout 90s -- ./soak.sh                    its view so far, after 90 seconds
  recto run --json -- make check | jq '{ref, exitCode}'
  recto expand r:123456789012345 --grep 'error'           what a view left out

Exit code: the command's own; recto dies by the signal that the command died by. 124: it ran into --timeout; 125: recto itself
failed, or its arguments are wrong; 126: the command cannot be executed; 127: it was not found.")]
pub(crate) struct Arguments {
    /// Take the one argument for a line of shell, run by `sh -c`
    #[arg(long)]
    shell: bool,

    #[command(flatten)]
    options: ViewOptions,

    /// How it is shown: `marked`, each omission is announced by a note; `table`, JSON with arrays of like records as tables; `auto`,
    /// `table` where that is clearly smaller, else `marked` [default: `compress.mode`, if it is one of these]
    #[arg(long, value_name = "M", value_parser = announcing_mode)]
    mode: Option<Mode>,

    /// Keep stdout and stderr apart: two views, each where it belongs; their common order is lost
    #[arg(long)]
    split: bool,

    /// End the command after this long (30s, 5m): SIGTERM, and SIGKILL 2 seconds later. Unless stdin is a terminal, all that the
    /// command started ends with it: it is then a process group of its own, as with timeout(1)
    #[arg(long, value_name = "D", value_parser = settings::duration)]
    timeout: Option<Duration>,

    /// Where to keep output that the archive cannot take, in files that only you can read [default: $TMPDIR]
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,

    /// Print as JSON: the view, its map and ref, the exit code
    #[arg(long, conflicts_with = "split")]
    json: bool,

    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// The streams of one command.
struct Keepers<'a> {
    out: Keeper<'a>,
    errors: Option<Keeper<'a>>,
}

impl Receiver for Keepers<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        match (stream, &mut self.errors) {
            (Stream::Err, Some(errors)) => errors.write(bytes),
            _ => self.out.write(bytes),
        }
    }

    fn tick(&mut self) {
        self.out.flush();
        if let Some(errors) = &mut self.errors {
            errors.flush();
        }
    }
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let usual = if settings.mode.value == Mode::Exact { Mode::Marked } else { settings.mode.value };
    let policy = arguments.options.policy(settings, arguments.mode.unwrap_or(usual))?;
    let (command, label) = command(arguments)?;
    let folder = arguments.spill.clone().unwrap_or_else(environment::temporary_folder);
    let opened = if arguments.options.no_store { None } else { Some(store::open(settings)) };
    let archive = match &opened {
        Some(Ok(archive)) => Some(&**archive),
        _ => None,
    };
    if let Some(archive) = archive {
        adopt_small(archive);
    }
    let keeper = |stream, label: &str| match &opened {
        Some(Ok(archive)) => Keeper::in_archive(&**archive, label, stream, &folder),
        Some(Err(error)) => Keeper::in_spill(&error.to_string(), stream, &folder),
        None => Keeper::for_now(stream, &folder),
    };
    let errors = arguments.split.then(|| keeper(Stream::Err, &format!("stderr of {label}")));
    let mut keepers = Keepers { out: keeper(Stream::Out, &label), errors };
    let terms = Terms {
        split: arguments.split,
        timeout: arguments.timeout,
        own_group: arguments.timeout.is_some() && !io::stdin().is_terminal(),
    };
    let name = arguments.command.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    let ended = match process::run(command, terms, &mut keepers) {
        Ok(ended) => ended,
        Err(NotRun::NotStarted(error)) => return not_started(&name, &error),
        Err(NotRun::Failed(error)) => {
            return Err(Failure::job(format!("cannot run {name}: {error}")));
        }
    };
    let show =
        Show { policy: &policy, archive, spill_folder: &folder, ended: &ended, as_json: arguments.json };
    let errors = keepers.errors.map(Keeper::finish);
    show.stream(keepers.out.finish(), Stream::Out)?;
    if let Some(errors) = errors {
        show.stream(errors, Stream::Err)?;
    }
    if ended.left_open {
        output::warn(
            "the command ended, but something it started still holds its output: what that prints from now on is not kept",
        );
    }
    if let (true, Some(limit)) = (ended.timed_out, arguments.timeout) {
        output::warn(&format!("the command was ended after {limit:?} (--timeout)"));
    }
    Ok(ended.alike())
}

/// A mode that says what is left out: who reads a command's output has no other way to know.
fn announcing_mode(name: &str) -> Result<Mode, String> {
    match name.parse()? {
        Mode::Exact => Err("`recto run` announces what it leaves out: give marked, table or auto".to_owned()),
        mode => Ok(mode),
    }
}

/// The command to run, and its line as a label.
fn command(arguments: &Arguments) -> Outcome<(Command, String)> {
    const MOST_CHARS: usize = 200;
    let line = arguments.command.join(&OsString::from(" ")).to_string_lossy().into_owned();
    let label = line.chars().take(MOST_CHARS).collect();
    let mut words = arguments.command.iter();
    let Some(first) = words.next() else { return Err(Failure::usage("name a command")) };
    if arguments.shell {
        if words.next().is_some() {
            return Err(Failure::usage("--shell takes the whole line as one argument")
                .hint("quote it: recto run --shell 'a | b'"));
        }
        let mut command = Command::new("sh");
        command.arg("-c").arg(first);
        return Ok((command, label));
    }
    let mut command = Command::new(first);
    command.args(words);
    Ok((command, label))
}

fn not_started(name: &str, error: &io::Error) -> Outcome<ExitCode> {
    let is_no_program = error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error());
    let failure = Failure::job(format!("cannot run {name}: {error}"));
    let code = match error.kind() {
        io::ErrorKind::NotFound => 127,
        io::ErrorKind::PermissionDenied => 126,
        _ if is_no_program => {
            failure.hint("if it is a script, say so in its first line: #!/bin/sh").report();
            return Ok(ExitCode::from(126));
        }
        _ => return Err(failure),
    };
    let failure = match code {
        127 if name.contains(' ') => {
            failure.hint(format!("a line of shell wants --shell: recto run --shell '{name}'"))
        }
        127 => failure.hint("is it installed, and on your PATH?"),
        _ => failure,
    };
    failure.report();
    Ok(ExitCode::from(code))
}
