//! The session that a person means: a file, an id, or the beginning of one.

use std::path::{Path, PathBuf};

use recto::{
    transcript::{Reading, Transcript, TranscriptError, database},
    wire::Format,
};

use super::{
    find::{self, Folder, Found},
    ids::Ids,
    journal,
    save::{self, To},
};
use crate::{
    failure::{Failure, Outcome},
    output,
};

/// Fewest characters of an id.
const FEWEST_CHARS: usize = 4;
/// Sessions that are named where several fit.
const MOST_NAMED: usize = 5;

/// Opens the session that `asked` means; the newest one of all clients if nothing is asked for.
pub(crate) fn session(asked: Option<&str>, format: Option<Format>) -> Outcome<Transcript> {
    let transcript = found(asked, format)?;
    if journal::is_there(transcript.path()) {
        output::warn("this session is being changed, or a change of it was cut short: the next one ends it");
    }
    Ok(transcript)
}

fn found(asked: Option<&str>, format: Option<Format>) -> Outcome<Transcript> {
    let path = match asked {
        Some(asked) if Path::new(asked).exists() || database::is_in_database(Path::new(asked)) => {
            PathBuf::from(asked)
        }
        Some(asked) => by_id(asked)?.path,
        None => newest()?.path,
    };
    if path.is_dir() {
        if let Some(only) = only_session(&path) {
            return file(&only, format);
        }
        return Err(Failure::usage(format!("{} is a folder", path.display()))
            .hint("name a session's file or its id; `recto session ls` lists them"));
    }
    file(&path, format)
}

/// Opens the session that `asked` means, to write it where `to` says. What a process began on it before it was killed is ended first.
///
/// Only a session that is named is changed: the newest one may be another than the person has in mind.
pub(crate) fn to_write(asked: Option<&str>, format: Option<Format>, to: &To) -> Outcome<Transcript> {
    if asked.is_none() && to.is_hit() {
        let newest = newest()?;
        let id = Ids::of_all().short(&newest.path);
        return Err(Failure::usage(
            "what changes a session, or its agent's requests, needs its name: no SESSION is given",
        )
        .hint(format!("the newest one is {id}, of {}", newest.format.name())));
    }
    if to.is_dry() {
        return session(asked, format);
    }
    let transcript = found(asked, format)?;
    let transcript = match save::end_earlier(&transcript)? {
        true => file(transcript.path(), format)?,
        false => transcript,
    };
    to.check(&transcript)?;
    Ok(transcript)
}

/// Refuses a leaf that is not there: the path to another one would be taken.
pub(crate) fn check_leaf(reading: &Reading, leaf: Option<&str>) -> Outcome<()> {
    match leaf {
        Some(leaf) if !reading.found_leaf => {
            Err(Failure::usage(format!("no record of the session has the id {leaf:?}"))
                .hint("a record's id is its `uuid` or `id` in the session's file"))
        }
        _ => Ok(()),
    }
}

/// The one session of a folder that is laid out as opencode's storage.
fn only_session(folder: &Path) -> Option<PathBuf> {
    let folder = Folder { format: Format::OpenCode, path: folder.join("session") };
    match find::sessions(&folder).as_slice() {
        [only] => Some(only.path.clone()),
        _ => None,
    }
}

/// Opens a session's file. Where it does not say its format itself, it is that of the client in whose folder it lies.
pub(crate) fn file(path: &Path, format: Option<Format>) -> Outcome<Transcript> {
    match Transcript::open(path, format) {
        Err(TranscriptError::UnknownFormat { .. }) if find::format_of(path).is_some() => {
            Ok(Transcript::open(path, find::format_of(path))?)
        }
        opened => Ok(opened?),
    }
}

fn newest() -> Outcome<Found> {
    // A sub-agent's conversation is newer than the one that called it, and is not what a person means.
    let (of_agents, own): (Vec<Found>, Vec<Found>) =
        find::all().into_iter().partition(Found::is_of_sub_agent);
    let mut found = own.into_iter().chain(of_agents);
    found.find(|found| matches!(find::look(&found.path, Some(found.format)), Ok(Some(_)))).ok_or_else(|| {
        Failure::usage("no client has a session on this machine")
            .hint("name a session's file: recto session stats FILE")
    })
}

fn by_id(asked: &str) -> Outcome<Found> {
    let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if asked.len() < FEWEST_CHARS || !asked.chars().all(is_id) {
        return Err(Failure::usage(format!("there is no file {asked:?}"))
            .hint("name a session's file, or its id; `recto session ls` lists them"));
    }
    let name = |found: &Found| found.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let found: Vec<Found> = find::all().into_iter().filter(|found| name(found).contains(asked)).collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Failure::usage(format!("there is no file {asked:?}, and no session of that id"))
            .hint("`recto session ls` lists the sessions of all clients")),
        several => {
            // An id that is meant exactly goes before those that it begins.
            if let Some(exact) = several
                .iter()
                .find(|found| name(found) == asked || name(found).ends_with(&format!("_{asked}")))
            {
                return Ok(exact.clone());
            }
            let named: Vec<String> =
                several.iter().take(MOST_NAMED).map(|found| found.path.display().to_string()).collect();
            Err(Failure::usage(format!("{} sessions have {asked:?} in their names", several.len()))
                .hint(format!("one of them: {}", named.join(", "))))
        }
    }
}

impl From<TranscriptError> for Failure {
    fn from(error: TranscriptError) -> Self {
        let message = error.to_string();
        match error {
            TranscriptError::UnknownFormat { .. } => {
                let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
                Self::usage(message).hint(format!("name its format with --format: {}", known.join(", ")))
            }
            TranscriptError::Changed { .. } => Self::job(message),
            TranscriptError::Io { action: "copy", .. } => {
                Self::job(message).hint("is the disk full? the session is as it was")
            }
            _ => Self::usage(message),
        }
    }
}
