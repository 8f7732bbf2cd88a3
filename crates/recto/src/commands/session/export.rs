use std::{io::Write as _, path::PathBuf, process::ExitCode};

use clap::Args;
use recto::{
    archive::{Archive, MemoryArchive},
    session::history::{History, Place},
    transcript::{Rewrite, Transcript, TranscriptError},
    wire::{Span, Splice, quote, unquote},
};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    named::Written,
    output, recall,
    session::{
        contents::{Content, Contents},
        events::Events,
        log::{self, SessionLog},
        open,
        originals::{Origin, Originals},
        save::{self, Stamp, To, Work},
        watch,
        without::{self, Plain},
    },
    settings::Settings,
    store,
};

/// Write a session out: as it was before recto, or as it goes on without recto, or as events
///
/// With `--originals` every view and every rewritten result whose original is in the archive is what it was, byte for byte. With
/// `--without-recto` what is shown stays as it is, and no note names a ref or command any more: the client resumes the session where there is no recto. With
/// `--events` the session becomes recto's own log, an event a line. The session itself is not changed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto session export 3fa2c1 --originals -o whole.jsonl
  recto session export run.jsonl --without-recto -o plain.jsonl
  recto session export run.jsonl --events -o events.jsonl")]
pub(crate) struct Arguments {
    /// The session: a file, or an id; the newest one if absent
    session: Option<String>,

    /// Write to this file (a folder, for sessions of many files); it must not exist
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    form: Form,

    /// With --events: results by their SHA-256, their bytes in the archive
    #[arg(long, requires = "events")]
    by_hash: bool,

    #[command(flatten)]
    written: Written,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// As what it is written.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
struct Form {
    /// As the client resumes it where there is no recto
    #[arg(long)]
    without_recto: bool,

    /// With every original that is known put back
    #[arg(long)]
    originals: bool,

    /// As recto's own log of events, one JSON object a line
    #[arg(long)]
    events: bool,
}

/// What was done.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    session: String,
    format: &'static str,
    output: String,
    /// Results and arguments that were put back, or made plain.
    changed: u64,
    /// Those that name a ref and are not known.
    unknown: u64,
    /// Those whose original was removed by retention.
    gone: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let transcript = open::session(arguments.session.as_deref(), arguments.written.format)?;
    let to = To::file(arguments.output.clone());
    to.check(&transcript)?;
    let before = Stamp::of(&transcript);
    let reading = watch::silently(&transcript)?;
    let archive: Box<dyn Archive> = match store::is_there(settings) {
        _ if arguments.by_hash => store::open(settings)?,
        true => recall::archive(settings)?,
        false => Box::new(MemoryArchive::new()),
    };
    let scope = store::scope();
    let log = SessionLog::read(&*archive, &scope, &log::name(&transcript, &reading.about)?)?;
    let originals = Originals { archive: &*archive, scope: &scope, log: &log };
    let mut report = Report {
        session: transcript.path().display().to_string(),
        format: transcript.format().name(),
        output: arguments.output.display().to_string(),
        ..Report::default()
    };
    if arguments.form.events {
        let by_hash = arguments.by_hash.then_some((&*archive, &scope));
        let contents = Contents::new(&transcript, &reading.history);
        let events = Events { history: &reading.history, contents, originals: &originals, by_hash };
        let log = events.log()?;
        report.events = Some(log.events().len() as u64);
        write_new(&arguments.output, log.to_jsonl().as_bytes())?;
    } else {
        let rewrite =
            rewritten(&transcript, &reading.history, &originals, arguments.form.originals, &mut report)?;
        let count = u32::try_from(transcript.paths().count()).unwrap_or(u32::MAX);
        let fill = |number: u32, to: &mut dyn std::io::Write| -> Result<(), TranscriptError> {
            rewrite.write(&transcript, number, to)
        };
        let work = Work { transcript: &transcript, files: (0..count).collect(), fill: &fill };
        save::do_work(&work, &to, &before)?;
    }
    before
        .check(&transcript)
        .map_err(|failure| failure.or_hint("what was written is of the session as it was then"))?;
    if arguments.json {
        output::json(&report)?;
    } else {
        report.print(&arguments.form);
    }
    Ok(ExitCode::SUCCESS)
}

/// Results and arguments as they were, or as they stand without recto.
fn rewritten(
    transcript: &Transcript,
    history: &History,
    originals: &Originals<'_>,
    as_they_were: bool,
    report: &mut Report,
) -> Outcome<Rewrite> {
    let mut rewrite = Rewrite::default();
    let mut contents = Contents::new(transcript, history);
    let mut put = |content: &Content, is_call: bool, report: &mut Report| -> Outcome<()> {
        let now = match as_they_were {
            true => back(content, report),
            false => plain(content, is_call, originals, report)?,
        };
        if let Some(now) = now {
            report.changed += 1;
            place(&mut rewrite, content.place, content.whole, now);
        }
        Ok(())
    };
    for result in 0..history.results.len() {
        let result = u32::try_from(result).unwrap_or(u32::MAX);
        if let Some(content) = contents.result(history, result, originals)? {
            put(&content, false, report)?;
        }
    }
    for call in 0..history.calls.len() {
        let call = u32::try_from(call).unwrap_or(u32::MAX);
        if let Some(content) = contents.arguments(history, call, originals)? {
            put(&content, true, report)?;
        }
    }
    Ok(rewrite)
}

fn place(rewrite: &mut Rewrite, place: Place, span: Span, now: Vec<u8>) {
    rewrite.replace(place, span, now);
}

fn back(content: &Content, report: &mut Report) -> Option<Vec<u8>> {
    if content.before.origin != Origin::File {
        return Some(content.before.bytes.clone());
    }
    report.gone += u64::from(content.before.gone.is_some());
    report.unknown += u64::from(content.before.foreign.is_some());
    None
}

fn plain(
    content: &Content,
    is_call: bool,
    originals: &Originals<'_>,
    report: &mut Report,
) -> Outcome<Option<Vec<u8>>> {
    if is_call {
        return without::arguments(originals, &content.standing, &content.before.refs);
    }
    let mut edits = Vec::new();
    let mut is_unknown = false;
    for span in &content.standing_texts {
        let Some(text) = unquote(span.of(&content.standing)) else { continue };
        match without::text(originals, &text, &content.before.refs)? {
            Plain::Made(plain) => edits.push((*span, quote(&plain))),
            Plain::Unknown => is_unknown = true,
            Plain::Same => {}
        }
    }
    report.unknown += u64::from(is_unknown);
    report.gone += u64::from(is_unknown && content.before.gone.is_some());
    let Ok(splice) = Splice::new(edits) else { return Ok(None) };
    Ok((!splice.is_identity()).then(|| splice.apply(&content.standing).into_owned()))
}

fn write_new(path: &std::path::Path, bytes: &[u8]) -> Outcome<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or_else(|| std::path::Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".recto-")
        .tempfile_in(folder)
        .map_err(|error| Failure::writing(folder, &error))?;
    file.write_all(bytes).map_err(|error| Failure::writing(path, &error))?;
    file.persist_noclobber(path).map_err(|error| Failure::writing(path, &error.error)).map(|_| ())
}

impl Report {
    fn print(&self, form: &Form) {
        let results = |count: u64| output::count(count, "result");
        let done = match self.events {
            Some(events) => output::count(events, "event"),
            None if form.originals => format!("{} put back", results(self.changed)),
            None => format!("{} without words of recto", results(self.changed)),
        };
        output::complain(&format!("written: {}; {done}", self.output));
        if self.unknown > 0 {
            output::warn(&format!(
                "left as they were, since this archive does not know their refs: {}",
                results(self.unknown)
            ));
        }
        if self.gone > 0 {
            output::warn(&format!("{}: the original is no longer kept", results(self.gone)));
        }
    }
}
