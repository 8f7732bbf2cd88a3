use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, UNIX_EPOCH},
};

use clap::Args;
use recto::{
    archive::clock::{Clock as _, SystemClock},
    tokens::Tokenizer,
    transcript::{Transcript, TranscriptError, database},
    wire::Format,
};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    named::{self, Counting, Written},
    output,
    session::{
        find::{self, Candidate},
        ids, open,
        stats::{self, Adding, MOST_POLICY_BYTES, Many, page, text},
    },
    settings::{self, Settings},
};

/// Show where the tokens of sessions are, and what recto's policies would have saved
///
/// Of one session: by kind, by tool, by age; what was read twice; the largest results; images and Base64 apart. Of several, of folders, or, with nothing
/// named, of all sessions in the clients' own folders: the sums, by client, and medians. Policies are tried on every session (with `--policies` on one):
/// what each would have saved, and how many of the names that the agent came back to would have been out of its sight.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto session stats                          all sessions of this machine's agents
  recto session stats --since 30d --html sessions.html
  recto session stats 3fa2c1d0 --policies
  recto session stats run.jsonl --html run.html
  recto session stats ~/transcripts --json | jq .medianResultShare")]
pub(crate) struct Arguments {
    /// Sessions (files or ids), or folders of them; all sessions of all clients if absent
    #[arg(value_name = "SESSION|FOLDER")]
    sessions: Vec<String>,

    /// Also of one session: what policies would have saved
    #[arg(long)]
    policies: bool,

    /// Only read and count: no policies
    #[arg(long, conflicts_with = "policies")]
    no_policies: bool,

    /// Write a page with plots to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Only this client's sessions: claude-code, codex, pi, opencode, gemini-cli
    #[arg(long, value_name = "NAME", value_parser = named::client(), hide_possible_values = true)]
    client: Option<Format>,

    /// Only sessions that were written in this time: 12h, 7d
    #[arg(long, value_name = "D", value_parser = settings::duration)]
    since: Option<Duration>,

    #[command(flatten)]
    counting: Counting,

    /// Of one session: the way to this record of its tree, not to its newest
    #[arg(long, value_name = "ID")]
    leaf: Option<String>,

    #[command(flatten)]
    written: Written,

    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'r, T> {
    tokenizer: &'static str,
    #[serde(flatten)]
    stats: &'r T,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let tokenizer = arguments.counting.tokenizer(settings);
    if let [asked] = &*arguments.sessions
        && !Path::new(asked).is_dir()
        && !database::is_database(Path::new(asked))
    {
        return one(asked, arguments, settings, tokenizer);
    }
    if arguments.leaf.is_some() {
        return Err(Failure::usage("--leaf is of one session: name it"));
    }
    let found = found(arguments)?;
    if found.is_empty() && !arguments.json {
        output::complain("no session was found in");
        if arguments.sessions.is_empty() {
            for place in find::places() {
                output::complain(&format!("  {} ({})", place.path.display(), place.format.name()));
            }
        }
        arguments.sessions.iter().for_each(|path| output::complain(&format!("  {path}")));
        return Ok(ExitCode::SUCCESS);
    }
    let many = many(&found, arguments, settings, tokenizer)?;
    for why in &many.skipped {
        output::complain(why);
    }
    write_page(arguments, || page::of_many(&many, tokenizer))?;
    if arguments.json {
        output::json(&Report { tokenizer: tokenizer.name(), stats: &many })?;
    } else {
        text::print_many(&many, tokenizer)?;
        if many.problems > 0 {
            let problems = output::count(many.problems, "problem");
            output::complain(&format!(
                "{problems} in these sessions; `recto session show SESSION` lists a session's"
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn one(asked: &str, arguments: &Arguments, settings: &Settings, tokenizer: Tokenizer) -> Outcome<ExitCode> {
    let transcript = open::session(Some(asked), arguments.written.format)?;
    let bar = output::progress(transcript.length(), "reading");
    let is_short = transcript.length() <= MOST_POLICY_BYTES;
    if arguments.policies && !is_short {
        output::warn(&too_long(&transcript));
    }
    let session = stats::one(
        &transcript,
        arguments.leaf.as_deref(),
        settings,
        tokenizer,
        // A page draws what they would leave.
        (arguments.policies || arguments.html.is_some() && !arguments.no_policies) && is_short,
        &mut |at| bar.set_position(at),
    )?;
    bar.finish_and_clear();
    write_page(arguments, || page::of_one(&session, tokenizer))?;
    if arguments.json {
        output::json(&Report { tokenizer: tokenizer.name(), stats: &session })?;
    } else {
        text::print(&session, tokenizer)?;
        if session.problems > 0 {
            let problems = output::count(session.problems, "problem");
            let name = ids::of_path(transcript.path());
            output::complain(&format!("{problems}; `recto session show {name}` lists them"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The sessions that are meant, each once.
fn found(arguments: &Arguments) -> Outcome<Vec<Candidate>> {
    let mut found: Vec<Candidate> = Vec::new();
    if arguments.sessions.is_empty() {
        found.extend(find::all().into_iter().map(Candidate::from));
    }
    for asked in &arguments.sessions {
        let path = Path::new(asked);
        if path.is_dir() || database::is_database(path) {
            found.extend(find::candidates(path));
            continue;
        }
        let transcript = open::session(Some(asked), arguments.written.format)?;
        let own = Candidate::of(transcript.path());
        found.push(own.map_err(|error| Failure::file(transcript.path(), "read", &error))?);
    }
    if let Some(since) = arguments.since {
        let since = Duration::from_millis(SystemClock.now_unix_ms()).saturating_sub(since);
        found.retain(|candidate| candidate.changed.duration_since(UNIX_EPOCH).unwrap_or_default() >= since);
    }
    found.retain(|candidate| match (arguments.client, candidate.format) {
        (Some(asked), Some(own)) => asked == own,
        _ => true,
    });
    let mut seen = std::collections::HashSet::new();
    found.retain(|candidate| seen.insert(candidate.path.clone()));
    Ok(found)
}

fn many(
    found: &[Candidate],
    arguments: &Arguments,
    settings: &Settings,
    tokenizer: Tokenizer,
) -> Outcome<Many> {
    let bar = output::progress(found.iter().map(|candidate| candidate.bytes).sum(), "reading sessions");
    let mut adding = Adding::default();
    for candidate in found {
        let transcript =
            match Transcript::open(&candidate.path, arguments.written.format.or(candidate.format)) {
                Ok(transcript) => transcript,
                // Not every JSON file of a folder is a session.
                Err(TranscriptError::UnknownFormat { .. }) if candidate.format.is_none() => {
                    adding.skip(format!("not a session: {}", candidate.path.display()));
                    continue;
                }
                Err(error) => {
                    adding.skip(format!("not read: {error}"));
                    continue;
                }
            };
        if arguments.client.is_some_and(|client| client != transcript.format()) {
            continue;
        }
        let is_short = transcript.length() <= MOST_POLICY_BYTES;
        if !is_short && !arguments.no_policies {
            adding.skip(too_long(&transcript));
        }
        let with_policies = is_short && !arguments.no_policies;
        match stats::one(&transcript, None, settings, tokenizer, with_policies, &mut |_| {}) {
            Ok(session) => adding.add(transcript.format(), session),
            Err(error) => adding.skip(format!("not read: {}", error.message())),
        }
        bar.inc(candidate.bytes);
    }
    bar.finish_and_clear();
    Ok(adding.finish())
}

fn too_long(transcript: &Transcript) -> String {
    let (size, most) = (output::size(transcript.length()), output::size(MOST_POLICY_BYTES));
    format!(
        "no policies tried on {}: it has {size}, and at most {most} are tried",
        transcript.path().display()
    )
}

fn write_page(arguments: &Arguments, page: impl FnOnce() -> String) -> Outcome<()> {
    let Some(path) = &arguments.html else { return Ok(()) };
    fs::write(path, page()).map_err(|error| Failure::writing(path, &error))?;
    output::complain(&format!("written: {}", path.display()));
    Ok(())
}
