mod abandoned;
mod export;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Args, Subcommand};
use recto::archive::{
    Archive, Digest, Ref, RunId, RunState, SqliteArchive, Target, VerifyReport, block_on,
    clock::{Clock, SystemClock},
};
use serde_json::{Value, json};

pub(crate) use self::abandoned::{adopt_all, adopt_small};
use crate::{
    failure::{Failure, Outcome},
    output,
    settings::Settings,
    store,
};

/// Refs read at once.
const PAGE: u32 = 500;

/// Look after the archive: what is in it, is it sound, take it elsewhere
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto store info
  recto store verify                     reads all of it; exit code 1 if anything is damaged
  recto store export backup/             again with --merge: only what is new
  recto store runs                       what killed commands left
  recto store adopt 0123abcd             make an original of it and print its ref")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Print as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say where the archive is, what it holds and how it is
    Info,
    /// Read everything and check it by SHA-256; exit code 1 if anything is damaged
    ///
    /// Names what is damaged by its SHA-256, with the refs that lead to it, or by its log and number.
    Verify,
    /// Write every original to a folder, as files named by their SHA-256
    ///
    /// Beside them: `maps/`, the span maps of views, `refs.jsonl`, what every ref is bound to, one a line, and `logs/`, the events of
    /// each log, one a line. Each file is checked and appears whole or not at all, so an export that was stopped goes on with --merge.
    /// Files are for your eyes only (0600).
    Export {
        /// The folder; made if need be
        folder: PathBuf,
        /// Write into a folder that is not empty: files and refs that are there already are left
        #[arg(long)]
        merge: bool,
    },
    /// List the journals of running and killed commands
    ///
    /// A `live` one is being written. An `abandoned` one was left by a recto that was killed; the next `recto run` or `recto gc`
    /// makes an original of it, or `recto store adopt`.
    Runs,
    /// Make an original of a killed command's journal, and print its ref
    Adopt {
        /// The run, as `recto store runs` names it
        run: RunId,
    },
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let path = store::path(settings);
    if !path.exists() {
        return Err(Failure::job(format!("there is no archive at {}", path.display()))
            .hint("it is made when something is stored; name another one with `--store PATH`"));
    }
    let archive = store::open_existing(settings)?;
    if matches!(arguments.command, Command::Info | Command::Verify | Command::Export { .. }) {
        adopt_all(&archive);
    }
    match &arguments.command {
        Command::Info => info(&archive, arguments.json),
        Command::Verify => verify(&archive, arguments.json),
        Command::Export { folder, merge } => export::run(&archive, folder, *merge, arguments.json),
        Command::Runs => runs(&archive, arguments.json),
        Command::Adopt { run } => adopt(&archive, run, arguments.json),
    }
}

fn info(archive: &SqliteArchive, as_json: bool) -> Outcome<ExitCode> {
    let about = block_on(archive.describe())?;
    let health = block_on(archive.health())?;
    if as_json {
        output::json(&json!({
            "path": about.path, "engine": about.engine, "schema": about.schema, "mode": about.mode.to_string(), "originals": about.originals,
            "sourceBytes": about.source_bytes, "storedBytes": about.stored_bytes, "occupiedBytes": about.occupied_bytes,
            "logs": about.logs, "events": about.events, "eventBytes": about.event_bytes, "notes": health.notes,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let path = about.path.map_or_else(|| "in memory".to_owned(), |path| path.display().to_string());
    let mut rows = vec![
        vec!["path".to_owned(), path],
        vec!["engine".to_owned(), format!("{}, schema {}", about.engine, about.schema)],
        vec!["mode".to_owned(), about.mode.to_string()],
        vec!["originals".to_owned(), about.originals.to_string()],
        vec!["their size".to_owned(), output::size(about.source_bytes)],
        vec!["stored in".to_owned(), output::size(about.stored_bytes)],
        vec!["on disk".to_owned(), output::size(about.occupied_bytes)],
    ];
    if about.logs > 0 {
        let size = output::size(about.event_bytes);
        let events = format!("{}, {}, {size}", about.logs, output::count(about.events, "event"));
        rows.push(vec!["logs".to_owned(), events]);
    }
    rows.extend(health.notes.into_iter().map(|note| vec!["note".to_owned(), note]));
    output::data(output::table(&["archive", ""], &rows, &[]).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn verify(archive: &SqliteArchive, as_json: bool) -> Outcome<ExitCode> {
    let about = block_on(archive.describe())?;
    let bar = output::progress(about.source_bytes.saturating_add(about.event_bytes), "verifying");
    let report = block_on(archive.verify(&|progress| bar.set_position(progress.done_bytes)))?;
    bar.finish_and_clear();
    let code = ExitCode::from(u8::from(!report.is_sound()));
    let refs = refs_of_damaged(archive, &report)?;
    let refs_of =
        |digest: Option<Digest>| digest.and_then(|digest| refs.get(&digest)).map_or(&[][..], Vec::as_slice);
    if as_json {
        let damaged: Vec<Value> = report
            .damaged
            .iter()
            .map(|damage| {
                let refs: Vec<String> = refs_of(damage.digest).iter().map(ToString::to_string).collect();
                json!({"sha256": damage.digest.map(|digest| digest.to_string()), "what": damage.what, "refs": refs})
            })
            .collect();
        output::json(&json!({"ok": report.is_sound(), "originals": report.originals, "bytes": report.bytes,
                "logs": report.logs, "events": report.events, "damaged": damaged}))?;
        return Ok(code);
    }
    if report.is_sound() {
        let events = match report.logs {
            0 => String::new(),
            logs => format!(", {} in {}", output::count(report.events, "event"), output::count(logs, "log")),
        };
        output::line(&format!(
            "ok: {} originals and maps, {}{events}, all sound",
            report.originals,
            output::size(report.bytes)
        ))?;
        return Ok(code);
    }
    let rows: Vec<Vec<String>> = report
        .damaged
        .iter()
        .map(|damage| {
            vec![
                damage.digest.map_or_else(|| "-".to_owned(), |digest| digest.to_string()),
                some_refs(refs_of(damage.digest)),
                damage.what.clone(),
            ]
        })
        .collect();
    output::data(output::table(&["damaged", "refs", "what"], &rows, &[]).as_bytes())?;
    let originals = report.damaged.iter().filter(|damage| damage.digest.is_some()).count();
    let of_originals = format!("{originals} of {} originals and maps", report.originals);
    let failure = match rows.len() - originals {
        0 => format!("{of_originals} are damaged"),
        others => format!("damaged: {of_originals}, and logs or the store itself in {others} places"),
    };
    Err(Failure::job(failure).hint("store the same bytes again to mend an original"))
}

/// Finds the refs that lead to what is damaged: to an original, or by its map to a view.
fn refs_of_damaged(archive: &SqliteArchive, report: &VerifyReport) -> Outcome<BTreeMap<Digest, Vec<Ref>>> {
    let damaged: BTreeSet<Digest> = report.damaged.iter().filter_map(|damage| damage.digest).collect();
    let mut refs: BTreeMap<Digest, Vec<Ref>> = BTreeMap::new();
    if damaged.is_empty() {
        return Ok(refs);
    }
    let scope = store::scope();
    let mut after: Option<Ref> = None;
    loop {
        let page = block_on(archive.refs(&scope, after.as_ref(), PAGE))?;
        let Some((last, _)) = page.last() else { return Ok(refs) };
        after = Some(last.clone());
        for (name, target) in page {
            let leads_to = match target {
                Target::Original(original) => [Some(original), None],
                Target::View { original, map, .. } => [Some(original), Some(map)],
                _ => [None, None],
            };
            for digest in leads_to.into_iter().flatten().filter(|digest| damaged.contains(digest)) {
                refs.entry(digest).or_default().push(name.clone());
            }
        }
    }
}

/// The first few of many.
fn some_refs(refs: &[Ref]) -> String {
    const MOST: usize = 3;
    let shown: Vec<String> = refs.iter().take(MOST).map(ToString::to_string).collect();
    match refs.len().saturating_sub(MOST) {
        0 if shown.is_empty() => "-".to_owned(),
        0 => shown.join(" "),
        more => format!("{} and {more} more", shown.join(" ")),
    }
}

fn runs(archive: &SqliteArchive, as_json: bool) -> Outcome<ExitCode> {
    let runs = block_on(archive.runs(&store::scope()))?;
    let state = |state: RunState| if state == RunState::Abandoned { "abandoned" } else { "live" };
    if as_json {
        let rows: Vec<Value> = runs
            .iter()
            .map(|run| json!({"id": run.id.to_string(), "label": run.label, "startedUnixMs": run.started_unix_ms, "bytes": run.bytes, "state": state(run.state)}))
            .collect();
        output::json(&rows)?;
        return Ok(ExitCode::SUCCESS);
    }
    let now_unix_ms = SystemClock.now_unix_ms();
    let rows: Vec<Vec<String>> = runs
        .iter()
        .map(|run| {
            let age = age(now_unix_ms.saturating_sub(run.started_unix_ms));
            // A line of shell may be many; here it is one.
            let label = run.label.replace(char::is_control, " ");
            vec![run.id.to_string(), state(run.state).to_owned(), age, output::size(run.bytes), label]
        })
        .collect();
    output::data(output::table(&["run", "state", "started", "bytes", "command"], &rows, &[2, 3]).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// How long ago something was, in the largest unit that it fills.
fn age(age_ms: u64) -> String {
    let seconds = age_ms / 1_000;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

fn adopt(archive: &SqliteArchive, run: &RunId, as_json: bool) -> Outcome<ExitCode> {
    let (name, digest) = abandoned::adopt(archive, run)?;
    if as_json {
        output::json(&json!({"ref": name.to_string(), "sha256": digest.to_string()}))?;
    } else {
        output::line(&name.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
