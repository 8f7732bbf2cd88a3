use std::{
    fs,
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use recto::archive::{
    Archive, ArchiveError, Digest, Kind, Ref, RunId, RunState, SqliteArchive, Target, block_on,
};
use serde_json::{Value, json};

use crate::{
    failure::{Failure, Outcome},
    output,
    settings::Settings,
    store,
};

/// Look after the archive: what is in it, is it sound, take it elsewhere
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto store info
  recto store verify
  recto store export backup/
  recto store runs")]
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
    Verify,
    /// Write every original to a folder, as files named by their SHA-256, with refs.jsonl
    Export {
        /// The folder; made if need be
        folder: PathBuf,
        /// Write into a folder that is not empty; files that are there already are left
        #[arg(long)]
        merge: bool,
    },
    /// List the journals of running and killed commands
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
    match &arguments.command {
        Command::Info => info(&archive, arguments.json),
        Command::Verify => verify(&archive, arguments.json),
        Command::Export { folder, merge } => export(&archive, folder, *merge, arguments.json),
        Command::Runs => runs(&archive, arguments.json),
        Command::Adopt { run } => adopt(&archive, run, arguments.json),
    }
}

/// Makes originals of the journals that killed commands left. What cannot be adopted now can be later.
pub(crate) fn adopt_abandoned(archive: &dyn Archive) {
    let scope = store::scope();
    for run in block_on(archive.runs(&scope)).unwrap_or_default() {
        if run.state != RunState::Abandoned {
            continue;
        }
        match name_run(archive, &run.id) {
            Ok((name, _)) => {
                output::complain(&format!("note: a killed run ({}) was kept as {name}", run.label))
            }
            Err(error) => output::warn(&format!("run {} could not be adopted: {error}", run.id)),
        }
    }
}

fn name_run(archive: &dyn Archive, run: &RunId) -> Result<(Ref, Digest), ArchiveError> {
    let scope = store::scope();
    let digest = block_on(archive.adopt(&scope, run))?;
    Ok((block_on(archive.issue(&scope, &Target::Original(digest)))?, digest))
}

fn info(archive: &SqliteArchive, as_json: bool) -> Outcome<ExitCode> {
    let about = block_on(archive.describe())?;
    let health = block_on(archive.health())?;
    if as_json {
        output::json(&json!({
            "path": about.path, "engine": about.engine, "schema": about.schema, "mode": about.mode.to_string(), "originals": about.originals,
            "sourceBytes": about.source_bytes, "storedBytes": about.stored_bytes, "occupiedBytes": about.occupied_bytes, "notes": health.notes,
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
    rows.extend(health.notes.into_iter().map(|note| vec!["note".to_owned(), note]));
    output::data(output::table(&["archive", ""], &rows, &[]).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn verify(archive: &SqliteArchive, as_json: bool) -> Outcome<ExitCode> {
    let total = block_on(archive.describe())?.source_bytes;
    let bar = output::progress(total, "verifying");
    let report = block_on(archive.verify(&|progress| bar.set_position(progress.done_bytes)))?;
    bar.finish_and_clear();
    let code = ExitCode::from(u8::from(!report.is_sound()));
    if as_json {
        let damaged: Vec<Value> = report
            .damaged
            .iter()
            .map(|damage| json!({"sha256": damage.digest.map(|digest| digest.to_string()), "what": damage.what}))
            .collect();
        output::json(
            &json!({"ok": report.is_sound(), "originals": report.originals, "bytes": report.bytes, "damaged": damaged}),
        )?;
        return Ok(code);
    }
    if report.is_sound() {
        output::line(&format!(
            "ok: {} originals and maps, {}, all sound",
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
                damage.what.clone(),
            ]
        })
        .collect();
    output::data(output::table(&["damaged", "what"], &rows, &[]).as_bytes())?;
    Err(Failure::job(format!("{} of {} originals and maps are damaged", rows.len(), report.originals))
        .hint("store the same bytes again to mend an original"))
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
    let rows: Vec<Vec<String>> = runs
        .iter()
        .map(|run| {
            vec![run.id.to_string(), state(run.state).to_owned(), output::size(run.bytes), run.label.clone()]
        })
        .collect();
    output::data(output::table(&["run", "state", "bytes", "command"], &rows, &[2]).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn adopt(archive: &SqliteArchive, run: &RunId, as_json: bool) -> Outcome<ExitCode> {
    let (name, digest) = name_run(archive, run)?;
    if as_json {
        output::json(&json!({"ref": name.to_string(), "sha256": digest.to_string()}))?;
    } else {
        output::line(&name.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Pages read at once.
const PAGE: u32 = 500;

fn export(archive: &SqliteArchive, folder: &Path, merge: bool, as_json: bool) -> Outcome<ExitCode> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| Failure::writing(&path, &error)
    };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed(folder))?;
    let is_empty = fs::read_dir(folder).map_err(failed(folder))?.next().is_none();
    if !is_empty && !merge {
        return Err(Failure::usage(format!("{} is not empty", folder.display()))
            .hint("name a new folder, or add --merge"));
    }
    let maps = folder.join("maps");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&maps).map_err(failed(&maps))?;
    let scope = store::scope();
    let (mut originals, mut bytes) = (0_u64, 0_u64);
    let bar = output::progress(block_on(archive.describe())?.source_bytes, "exporting");
    let mut after: Option<Digest> = None;
    loop {
        let page = block_on(archive.originals(&scope, after.as_ref(), PAGE))?;
        let Some(last) = page.last() else { break };
        after = Some(last.digest);
        for stat in page {
            let place = if stat.kind == Kind::Map {
                maps.join(stat.digest.to_string())
            } else {
                folder.join(stat.digest.to_string())
            };
            if !place.exists() {
                write_original(archive, &stat.digest, stat.bytes, &place)?;
            }
            originals += u64::from(stat.kind != Kind::Map);
            bytes += stat.bytes;
            bar.inc(stat.bytes);
        }
    }
    bar.finish_and_clear();
    let refs = export_refs(archive, &folder.join("refs.jsonl"))?;
    if as_json {
        output::json(&json!({"folder": folder, "originals": originals, "bytes": bytes, "refs": refs}))?;
    } else {
        output::line(&format!(
            "{originals} originals and {refs} refs, {}, written to {}",
            output::size(bytes),
            folder.display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes an original beside its place and moves it there: a file under its name is always whole.
fn write_original(archive: &SqliteArchive, digest: &Digest, bytes: u64, place: &Path) -> Outcome<()> {
    const PIECE_BYTES: u64 = 16 << 20;
    let failed = |error: std::io::Error| Failure::writing(place, &error);
    let partial = place.with_extension("partial");
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&partial)
        .map_err(failed)?;
    let mut at = 0;
    while at < bytes {
        let end = (at + PIECE_BYTES).min(bytes);
        file.write_all(&block_on(archive.get(&store::scope(), digest, at..end))?).map_err(failed)?;
        at = end;
    }
    drop(file);
    fs::rename(&partial, place).map_err(failed)
}

fn export_refs(archive: &SqliteArchive, place: &Path) -> Outcome<u64> {
    let failed = |error: std::io::Error| Failure::writing(place, &error);
    let file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(place)
        .map_err(failed)?;
    let mut file = std::io::BufWriter::new(file);
    let mut count = 0;
    let mut after: Option<Ref> = None;
    loop {
        let page = block_on(archive.refs(&store::scope(), after.as_ref(), PAGE))?;
        let Some((last, _)) = page.last() else { break };
        after = Some(last.clone());
        for (name, target) in page {
            let line = match target {
                Target::Original(original) => {
                    json!({"ref": name.to_string(), "original": original.to_string()})
                }
                Target::View { original, policy, map } => {
                    json!({"ref": name.to_string(), "original": original.to_string(), "policy": policy.to_string(), "map": map.to_string()})
                }
                Target::Gone { why } => json!({"ref": name.to_string(), "gone": why}),
                _ => continue,
            };
            writeln!(file, "{line}").map_err(failed)?;
            count += 1;
        }
    }
    file.flush().map_err(failed)?;
    Ok(count)
}
