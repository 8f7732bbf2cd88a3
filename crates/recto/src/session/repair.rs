//! A session made valid again. Nothing goes that is not in the archive before.

mod blocks;
mod forms;
mod index;
mod links;
mod pairs;
mod round;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use recto::{
    session::history::{Place, Problem, ProblemKind},
    transcript::{Reading, Transcript},
    wire::Layout,
};
use serde::Serialize;

pub(crate) use self::round::Keeper;
use self::round::Round;
use super::watch;
use crate::failure::{Failure, Outcome};

/// Rounds of reading and changing. Each takes away what the one before made possible to see.
const MOST_ROUNDS: usize = 60;

/// What may stand in a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of an image.
    pub(crate) image_bytes: u64,
    /// Width and height of one.
    pub(crate) image_pixels: u32,
}

/// Something that was done, or left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fix {
    /// Which of the session's files, from 0.
    pub(crate) file: u32,
    /// Its line or item, in the session as it was before this round.
    pub(crate) line: u32,
    /// What was wrong.
    pub(crate) problem: &'static str,
    /// What was done about it.
    pub(crate) did: String,
    /// By which what was taken out comes back.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<String>,
}

impl Fix {
    fn of(place: Place, problem: &'static str, did: impl Into<String>) -> Self {
        Self { file: place.file, line: place.line, problem, did: did.into(), reference: None }
    }
}

/// A session that was repaired.
#[derive(Debug)]
pub(crate) struct Repaired {
    /// What was done, in its order.
    pub(crate) done: Vec<Fix>,
    /// What could not be.
    pub(crate) left: Vec<Fix>,
    /// The session as it is now: its own file, if nothing was wrong with it.
    pub(crate) transcript: Transcript,
    /// Changes that are not written yet: of sessions of many files.
    pub(crate) rewrite: recto::transcript::Rewrite,
    /// Records that were looked at again, in all rounds.
    pub(crate) read_records: u64,
    /// Where it stands until it is written.
    _folder: Option<tempfile::TempDir>,
}

/// Repairs a session, in files of its own.
pub(crate) fn repair(
    transcript: &Transcript,
    reading: Reading,
    keeper: &Keeper<'_>,
    limits: Limits,
) -> Outcome<Repaired> {
    let mut repaired = Repaired {
        done: Vec::new(),
        left: Vec::new(),
        transcript: transcript.clone(),
        rewrite: recto::transcript::Rewrite::default(),
        read_records: 0,
        _folder: None,
    };
    let mut reading = reading;
    for number in 0..MOST_ROUNDS {
        let round = Round::new(&repaired.transcript, &reading.history, keeper, limits)?.run()?;
        repaired.left = round.left;
        repaired.read_records += round.read_records;
        if round.rewrite.is_identity() {
            return Ok(repaired);
        }
        repaired.done.extend(round.done);
        if transcript.layout() == Layout::Files {
            repaired.rewrite = round.rewrite;
            return Ok(repaired);
        }
        let folder = match repaired._folder.take() {
            Some(folder) => folder,
            None => {
                tempfile::tempdir().map_err(|error| Failure::job(format!("no room for a copy: {error}")))?
            }
        };
        let path: PathBuf = folder.path().join(format!("{number}"));
        let mut file = std::fs::File::create_new(&path).map_err(|error| Failure::writing(&path, &error))?;
        round.rewrite.write(&repaired.transcript, 0, &mut file)?;
        if repaired.transcript.path() != transcript.path() {
            let _ = std::fs::remove_file(repaired.transcript.path());
        }
        repaired.transcript = Transcript::open(&path, Some(transcript.format()))?;
        repaired._folder = Some(folder);
        reading = watch::silently(&repaired.transcript)?;
    }
    let is_known = |problem: &&Problem| {
        !matches!(problem.kind, ProblemKind::UnknownType | ProblemKind::Pending | ProblemKind::DoubledId)
    };
    if let Some(next) = reading.history.problems.iter().find(is_known) {
        let did = format!("left for another repair, after {MOST_ROUNDS} rounds");
        repaired.left.push(Fix::of(next.place, words(next.kind), did));
    }
    Ok(repaired)
}

/// A problem in words.
pub(crate) fn words(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Malformed => "not JSON",
        ProblemKind::Truncated => "cut short",
        ProblemKind::UnknownType => "unknown type",
        ProblemKind::DoubledId => "id given before",
        ProblemKind::MissingParent => "follows what is not there",
        ProblemKind::Cycle => "follows itself",
        ProblemKind::Unanswered => "call without a result",
        ProblemKind::Pending => "call that may be running",
        ProblemKind::OrphanResult => "result without a call",
        ProblemKind::ResultBeforeCall => "result before its call",
        ProblemKind::DoubledResult => "second result of a call",
        ProblemKind::DoubledCall => "second call of an id",
        _ => "a problem",
    }
}
