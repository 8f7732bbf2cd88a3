//! Everything in the archive, as files.

mod logs;

use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process::ExitCode,
};

use recto::archive::{Archive, ArchiveError, Digest, Kind, Ref, SqliteArchive, Stat, Target, block_on};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::PAGE;
use crate::{
    failure::{Failure, Outcome},
    output, store,
};

/// Bytes of an original read at once.
const PIECE_BYTES: u64 = 16 << 20;

/// What an export did.
#[derive(Default)]
struct Tally {
    originals: u64,
    bytes: u64,
    /// What could not be read, and why.
    damaged: Vec<(Option<Digest>, String)>,
}

pub(super) fn run(archive: &SqliteArchive, folder: &Path, merge: bool, as_json: bool) -> Outcome<ExitCode> {
    make_folder(folder)?;
    let is_empty =
        fs::read_dir(folder).map_err(|error| Failure::file(folder, "read", &error))?.next().is_none();
    if !is_empty && !merge {
        return Err(Failure::usage(format!("{} is not empty", folder.display()))
            .hint("name a new folder, or add --merge"));
    }
    make_folder(&folder.join("maps"))?;
    let mut tally = originals(archive, folder)?;
    let refs = refs(archive, &folder.join("refs.jsonl"))?;
    let logs = logs::run(archive, folder)?;
    tally.damaged.extend(logs.damaged.into_iter().map(|what| (None, what)));
    if as_json {
        let damaged: Vec<Value> = tally
            .damaged
            .iter()
            .map(|(digest, why)| json!({"sha256": digest.map(|digest| digest.to_string()), "what": why}))
            .collect();
        output::json(&json!({
            "folder": folder, "originals": tally.originals, "bytes": tally.bytes, "refs": refs,
            "logs": logs.logs, "events": logs.events, "damaged": damaged,
        }))?;
    } else {
        let events = match logs.logs {
            0 => String::new(),
            number => {
                format!(", {} in {}", output::count(logs.events, "event"), output::count(number, "log"))
            }
        };
        output::line(&format!(
            "{} and {}, {}{events}, in {}",
            output::count(tally.originals, "original"),
            output::count(refs, "ref"),
            output::size(tally.bytes),
            folder.display()
        ))?;
    }
    if tally.damaged.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    for (_, why) in &tally.damaged {
        output::warn(why);
    }
    let damaged = output::count(tally.damaged.len() as u64, "original, map or log");
    Err(Failure::job(format!("not exported, as damaged: {damaged}"))
        .hint("`recto store verify` names the refs that lead there"))
}

fn make_folder(path: &Path) -> Outcome<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| Failure::writing(path, &error))
}

fn originals(archive: &SqliteArchive, folder: &Path) -> Outcome<Tally> {
    let scope = store::scope();
    let mut tally = Tally::default();
    let bar = output::progress(block_on(archive.describe())?.source_bytes, "exporting");
    let mut after: Option<Digest> = None;
    loop {
        let page = block_on(archive.originals(&scope, after.as_ref(), PAGE))?;
        let Some(last) = page.last() else { break };
        after = Some(last.digest);
        for stat in page {
            match original(archive, &stat, folder) {
                Ok(()) => {
                    tally.originals += u64::from(stat.kind != Kind::Map);
                    tally.bytes += stat.bytes;
                }
                Err(Missed::Gone) => {}
                Err(Missed::Damaged(why)) => tally.damaged.push((Some(stat.digest), why)),
                Err(Missed::Failed(failure)) => return Err(failure),
            }
            bar.inc(stat.bytes);
        }
    }
    bar.finish_and_clear();
    Ok(tally)
}

/// Why there is no file of an original.
enum Missed {
    /// It was removed meanwhile.
    Gone,
    /// It cannot be read. The others may be sound.
    Damaged(String),
    /// Nor can any other be exported.
    Failed(Failure),
}

impl From<ArchiveError> for Missed {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Gone { .. } | ArchiveError::NotFound { .. } => Self::Gone,
            ArchiveError::Corrupt { .. } => Self::Damaged(error.to_string()),
            error => Self::Failed(error.into()),
        }
    }
}

/// Writes an original beside its place and moves it there: a file under its name is always whole, and is not written again.
fn original(archive: &SqliteArchive, stat: &Stat, folder: &Path) -> Result<(), Missed> {
    let name = stat.digest.to_string();
    let place = if stat.kind == Kind::Map { folder.join("maps").join(&name) } else { folder.join(&name) };
    if fs::metadata(&place).is_ok_and(|about| about.len() == stat.bytes) {
        return Ok(());
    }
    let partial = beside(&place);
    let copied = copy(archive, stat, &partial);
    let moved = copied.and_then(|()| {
        fs::rename(&partial, &place).map_err(|error| Missed::Failed(Failure::writing(&place, &error)))
    });
    if moved.is_err() {
        // It will be written anew.
        let _ = fs::remove_file(&partial);
    }
    moved
}

fn copy(archive: &SqliteArchive, stat: &Stat, partial: &Path) -> Result<(), Missed> {
    let failed = |error: io::Error| Missed::Failed(Failure::writing(partial, &error));
    let mut file = create(partial).map_err(failed)?;
    let mut sha256 = Sha256::new();
    let mut at = 0;
    while at < stat.bytes {
        let end = (at + PIECE_BYTES).min(stat.bytes);
        let piece = block_on(archive.get(&store::scope(), &stat.digest, at..end))?;
        sha256.update(&piece);
        file.write_all(&piece).map_err(failed)?;
        at = end;
    }
    if Digest(sha256.finalize().into()) == stat.digest {
        return file.sync_data().map_err(failed);
    }
    Err(Missed::Damaged(format!("{} does not have the SHA-256 that it is named by", stat.digest)))
}

/// Where a file is written before it is whole.
fn beside(place: &Path) -> PathBuf {
    place.with_added_extension("partial")
}

fn create(path: &Path) -> io::Result<File> {
    fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Writes what refs are bound to, after those lines that are there already; says how many refs the archive has.
fn refs(archive: &SqliteArchive, place: &Path) -> Outcome<u64> {
    let partial = beside(place);
    let failed = |error: io::Error| Failure::writing(&partial, &error);
    let mut file = BufWriter::new(create(&partial).map_err(failed)?);
    let mut there = HashSet::new();
    if let Ok(old) = File::open(place) {
        for line in BufReader::new(old).lines() {
            let line = line.map_err(|error| Failure::file(place, "read", &error))?;
            writeln!(file, "{line}").map_err(failed)?;
            there.insert(line);
        }
    }
    let mut count = 0;
    let mut after: Option<Ref> = None;
    loop {
        let page = block_on(archive.refs(&store::scope(), after.as_ref(), PAGE))?;
        let Some((last, _)) = page.last() else { break };
        after = Some(last.clone());
        for (name, target) in page {
            let Some(line) = line(&name, &target) else { continue };
            if !there.contains(&line) {
                writeln!(file, "{line}").map_err(failed)?;
            }
            count += 1;
        }
    }
    file.flush().map_err(failed)?;
    fs::rename(&partial, place).map_err(|error| Failure::writing(place, &error))?;
    Ok(count)
}

/// A ref and what it is bound to, as JSON.
fn line(name: &Ref, target: &Target) -> Option<String> {
    let name = name.to_string();
    let line = match target {
        Target::Original(original) => json!({"ref": name, "original": original.to_string()}),
        Target::View { original, policy, map } => json!({
            "ref": name, "original": original.to_string(), "policy": policy.to_string(), "map": map.to_string(),
        }),
        Target::Gone { why } => json!({"ref": name, "gone": why}),
        _ => return None,
    };
    Some(line.to_string())
}
