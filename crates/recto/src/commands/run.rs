use std::{
    ffi::OsString,
    io::{self, Write},
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Command, ExitCode},
    time::Duration,
};

use clap::Args;
use recto::{
    Issued,
    archive::{Archive, Digest, SqliteArchive, Target, block_on},
    compress,
    view::{Mode, Policy, Source, WHOLE_BELOW_BYTES},
};

use crate::{
    commands::{budget::ViewOptions, compress::report, store::adopt_abandoned},
    environment,
    failure::{Failure, Outcome},
    output,
    run::{
        keeper::{Keeper, Kept},
        process::{self, Ended, Receiver, Stream},
    },
    settings::{self, Settings},
    store,
};

/// Outputs longer than this are not read back for a view: one line with their ref stands for them.
const VIEW_LIMIT_BYTES: u64 = 1 << 30;

/// Run a command, keep all it prints, show a view of it, end as it ends
///
/// Wrap a whole command line, never a stage inside a pipe: what programs read of each other must not be cut. stdout and stderr are
/// read through one pipe, so their order is kept. The output is safe in the archive as it comes, whatever happens to recto.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto run -- cargo test
  recto run --max-tokens 3000 -- npm run build
  recto run --shell 'kubectl get pods -o json | jq .items'
  recto run --timeout 90s -- ./soak.sh

Exit code: the command's own, and recto dies by the signal that the command died by. 124: it ran into --timeout; 125: recto itself
failed; 126: the command cannot be executed; 127: it was not found. Output of a killed recto: `recto store runs`.")]
pub(crate) struct Arguments {
    /// Take the one argument for a line of shell, run by `sh -c`
    #[arg(long)]
    shell: bool,

    #[command(flatten)]
    options: ViewOptions,

    /// Keep stdout and stderr apart: two views, each where it belongs; their common order is lost
    #[arg(long)]
    split: bool,

    /// End the command after this long: 30s, 5m
    #[arg(long, value_name = "D", value_parser = settings::duration)]
    timeout: Option<Duration>,

    /// Where to keep output that the archive cannot take [default: $TMPDIR]
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,

    /// Print as JSON: the view, its map and ref, the exit code
    #[arg(long, conflicts_with = "split")]
    json: bool,

    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
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
    let policy = arguments.options.policy(settings, Mode::Marked)?;
    let (command, label) = command(arguments)?;
    let folder = arguments.spill.clone().unwrap_or_else(environment::temporary_folder);
    let opened = if arguments.options.no_store { None } else { Some(store::open(settings)) };
    let archive = match &opened {
        Some(Ok(archive)) => Some(archive),
        _ => None,
    };
    if let Some(archive) = archive {
        adopt_abandoned(archive);
    }
    let keeper = |label: &str| match &opened {
        Some(Ok(archive)) => Keeper::in_archive(archive, label, &folder),
        Some(Err(error)) => Keeper::in_spill(&error.to_string(), &folder),
        None => Keeper::for_now(&folder),
    };
    let errors = arguments.split.then(|| keeper(&format!("{label} (stderr)")));
    let mut keepers = Keepers { out: keeper(&label), errors };
    let ended = match process::run(command, arguments.split, arguments.timeout, &mut keepers) {
        Ok(ended) => ended,
        Err(error) => return not_started(&label, &error),
    };
    let show = Show { arguments, policy: &policy, archive, ended: &ended };
    let errors = keepers.errors.map(Keeper::finish);
    show.stream(keepers.out.finish(), Stream::Out)?;
    if let Some(errors) = errors {
        show.stream(errors, Stream::Err)?;
    }
    if ended.left_open {
        output::warn(
            "the command ended, but something it started still holds its output: what that prints is not kept",
        );
    }
    if ended.timed_out {
        output::complain("the command was ended by --timeout");
    }
    Ok(end_alike(&ended))
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

fn not_started(label: &str, error: &io::Error) -> Outcome<ExitCode> {
    let code = match error.kind() {
        io::ErrorKind::NotFound => 127,
        io::ErrorKind::PermissionDenied => 126,
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => 126,
        _ => return Err(Failure::job(format!("cannot run {label}: {error}"))),
    };
    Failure::job(format!("cannot run {label}: {error}")).report();
    Ok(ExitCode::from(code))
}

/// Ends as the command ended: by its exit code, or by the signal that it died by.
fn end_alike(ended: &Ended) -> ExitCode {
    if let Some(signal) = ended.status.signal()
        && !ended.timed_out
    {
        // Comes back only for signals whose default is not to end the process.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    ExitCode::from(ended.code())
}

struct Show<'s> {
    arguments: &'s Arguments,
    policy: &'s Policy,
    archive: Option<&'s SqliteArchive>,
    ended: &'s Ended,
}

impl Show<'_> {
    fn stream(&self, kept: Kept, stream: Stream) -> Outcome<()> {
        match kept {
            Kept::Stored(digest) => self.stored(digest, stream),
            Kept::Spilled(bytes, path) => {
                if let Some(path) = path {
                    output::complain(&format!("the whole output: {}", path.display()));
                }
                self.bytes(&bytes, None, stream)
            }
            Kept::Printed => Ok(()),
        }
    }

    fn stored(&self, digest: Digest, stream: Stream) -> Outcome<()> {
        let Some(archive) = self.archive else { return Ok(()) };
        let scope = store::scope();
        let bytes = block_on(archive.stat(&scope, &digest))?.map_or(0, |stat| stat.bytes);
        // The original has a name of its own, whether or not a view leaves anything out.
        let name = block_on(archive.issue(&scope, &Target::Original(digest)))?;
        if bytes > VIEW_LIMIT_BYTES {
            return self.print(
                format!("[recto: output, {}, recto expand {name}]\n", output::size(bytes)).as_bytes(),
                stream,
            );
        }
        let bytes = block_on(archive.get(&scope, &digest, 0..u64::MAX))?;
        self.bytes(&bytes, Some((digest, name.to_string())), stream)
    }

    fn bytes(&self, bytes: &[u8], original: Option<(Digest, String)>, stream: Stream) -> Outcome<()> {
        let is_small = bytes.len() as u64 <= WHOLE_BELOW_BYTES && !self.policy.budget.is_given();
        if is_small && !self.arguments.json {
            return self.print(bytes, stream);
        }
        let source = match &original {
            Some((digest, _)) => Source::with_digest(bytes, digest.0),
            None => Source::new(bytes),
        };
        let archive = self.archive.filter(|_| original.is_some());
        match compress(&source, self.policy, &store::scope(), || Ok(archive)) {
            Ok(issued) => self.view(&source, &issued, original.map(|(_, name)| name), stream),
            Err(error) => {
                output::warn(&format!("no view could be made, everything is printed: {error}"));
                self.print(bytes, stream)
            }
        }
    }

    fn view(
        &self,
        source: &Source<'_>,
        issued: &Issued,
        original: Option<String>,
        stream: Stream,
    ) -> Outcome<()> {
        if self.arguments.json {
            let mut value = report(source, self.policy, issued)?;
            if let Some(object) = value.as_object_mut() {
                let reference = issued.name.as_ref().map(ToString::to_string).or(original.clone());
                object.insert("ref".to_owned(), reference.into());
                object.insert("original".to_owned(), original.into());
                object.insert("exitCode".to_owned(), self.ended.code().into());
                object.insert("signal".to_owned(), self.ended.status.signal().into());
                object.insert("timedOut".to_owned(), self.ended.timed_out.into());
            }
            return output::json(&value);
        }
        let mut text = issued.view.render(source)?;
        // A view that is cut at its end must not run into the prompt.
        if !issued.view.is_whole() && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if archive_is_needed(issued) && self.archive.is_none() && self.arguments.options.no_store {
            output::warn(
                "nothing was stored (--no-store): what is left out can be had only by running the command again",
            );
        }
        self.print(text.as_bytes(), stream)
    }

    fn print(&self, bytes: &[u8], stream: Stream) -> Outcome<()> {
        if stream == Stream::Err {
            // Like stdout: whoever read has seen enough.
            let _ = io::stderr().write_all(bytes);
            return Ok(());
        }
        output::data(bytes)
    }
}

fn archive_is_needed(issued: &Issued) -> bool {
    !issued.view.is_whole()
}
