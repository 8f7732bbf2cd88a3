//! A session's files written anew: beside, elsewhere, or in their own place.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::Write,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use clap::Args;
use recto::{
    transcript::{Rewrite, Transcript, TranscriptError},
    wire::Layout,
};

use super::journal::{self, Ended, Journal, Mark, Step};
use crate::{
    failure::{Failure, Outcome},
    output,
};

/// Where a changed session goes.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct To {
    /// Write the changed session to this file (a folder, for sessions of many files); it must not exist
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Change the session's own files; each keeps a backup beside it
    #[arg(long)]
    in_place: bool,

    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

impl To {
    /// To a new file.
    pub(crate) fn file(path: PathBuf) -> Self {
        Self { output: Some(path), in_place: false, dry_run: false }
    }

    /// Whether the session itself is changed, or what its agent sends: neither a copy nor nothing is written.
    pub(crate) fn is_hit(&self) -> bool {
        self.output.is_none() && !self.dry_run
    }

    /// Whether nothing is to be written.
    pub(crate) fn is_dry(&self) -> bool {
        self.dry_run
    }

    /// Whether a file of its own was asked for.
    pub(crate) fn is_file(&self) -> bool {
        self.output.is_some()
    }

    /// Refuses what would overwrite something.
    pub(crate) fn check(&self, transcript: &Transcript) -> Outcome<()> {
        if self.in_place && transcript.is_in_database() {
            let id = transcript.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(Failure::usage(format!(
                "{} is in opencode's own database, which recto reads and never writes",
                transcript.path().display()
            ))
            .hint(format!(
                "`recto session prune {id} --log-only` makes its requests smaller; `-o {id}.json` writes what `opencode import {id}.json` takes in \
                 where there is no session of that id yet"
            )));
        }
        if self.in_place {
            for path in transcript.paths() {
                let names = path.metadata().map_or(1, |about| about.nlink());
                if names > 1 {
                    return Err(Failure::usage(format!(
                        "{} has {names} names (hard links): changed in place, the others would keep the old one",
                        path.display()
                    ))
                    .hint("write a copy with --output"));
                }
            }
        }
        let Some(path) = &self.output else { return Ok(()) };
        let is_files = transcript.layout() == Layout::Files;
        if path.symlink_metadata().is_ok() && !(is_files && path.is_dir()) {
            return Err(Failure::usage(format!("{} is there already", path.display()))
                .hint("name a new file; `--in-place` changes the session's own and keeps a backup"));
        }
        Ok(())
    }

    /// What was written where nothing is changed, in words.
    pub(crate) fn said_of_copy(&self) -> String {
        self.output.as_ref().map_or_else(String::new, |path| format!(": {} is a copy", path.display()))
    }

    /// Where it went, in words.
    pub(crate) fn said(&self, session: &str) -> String {
        match &self.output {
            Some(path) => path.display().to_string(),
            None => format!("{session} (a backup is beside it)"),
        }
    }
}

/// How a session's files were when they were read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamp(Vec<Option<Mark>>);

impl Stamp {
    pub(crate) fn of(transcript: &Transcript) -> Self {
        Self(transcript.paths().map(Mark::of).collect())
    }

    /// Refuses to go on where a file was changed since.
    pub(crate) fn check(&self, transcript: &Transcript) -> Outcome<()> {
        if Self::of(transcript) == *self {
            return Ok(());
        }
        Err(journal::changed())
    }
}

/// What is to be written: some files of a session, and what goes into each.
pub(crate) struct Work<'w> {
    /// The session whose files they are.
    pub(crate) transcript: &'w Transcript,
    /// The numbers of the files.
    pub(crate) files: BTreeSet<u32>,
    /// Writes the file of a number.
    pub(crate) fill: &'w dyn Fn(u32, &mut dyn Write) -> Result<(), TranscriptError>,
}

/// Writes what a rewrite makes of a session. A file appears whole or not at all.
pub(crate) fn write(transcript: &Transcript, rewrite: &Rewrite, to: &To, before: &Stamp) -> Outcome<()> {
    let fill = |number: u32, to: &mut dyn Write| rewrite.write(transcript, number, to);
    do_work(&Work { transcript, files: rewrite.files(), fill: &fill }, to, before)
}

/// Writes files of a session. Each appears whole or not at all.
pub(crate) fn do_work(work: &Work<'_>, to: &To, before: &Stamp) -> Outcome<()> {
    let paths: Vec<PathBuf> = work.transcript.paths().map(Path::to_owned).collect();
    if let Some(path) = &to.output {
        if work.transcript.layout() != Layout::Files {
            // Also where nothing is changed: whoever asked for a file gets one.
            return new_file(work, 0, path);
        }
        fs::create_dir_all(path).map_err(|error| Failure::writing(path, &error))?;
        // All of them, so that the folder holds a session.
        for (number, source) in (0..).zip(&paths) {
            let target = path.join(below_storage(source));
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
            }
            new_file(work, number, &target)?;
        }
        return Ok(());
    }
    if to.in_place && !work.files.is_empty() { in_place(work, before, &|_| Ok(())) } else { Ok(()) }
}

/// Changes files where they are: all, or none.
fn in_place(work: &Work<'_>, before: &Stamp, step: &Step<'_>) -> Outcome<()> {
    let mut files = Vec::new();
    for (path, number) in
        work.transcript.paths().zip(0_u32..).filter(|(_, number)| work.files.contains(number))
    {
        // A link stays one: the file that it leads to is changed.
        let target = fs::canonicalize(path).map_err(|error| Failure::file(path, "find", &error))?;
        let mark = before.0.get(number as usize).copied().flatten().ok_or_else(journal::changed)?;
        files.push((target, mark, number));
    }
    let numbers: Vec<u32> = files.iter().map(|(.., number)| *number).collect();
    let files = files.into_iter().map(|(target, mark, _)| (target, mark));
    let mut journal = Journal::begin(work.transcript, files, step)?;
    let mut fill = |at: usize, to: &mut File| -> Outcome<()> {
        Ok((work.fill)(numbers.get(at).copied().unwrap_or_default(), to)?)
    };
    let ready = journal.make_ready(&mut fill, step).and_then(|()| before.check(work.transcript));
    if let Err(failure) = ready.and_then(|()| journal.is_ready(step)) {
        // As after a kill, only at once.
        if step("failed").is_ok() {
            journal.undo()?;
        }
        return Err(failure);
    }
    let changed = journal.finish(step)?;
    match changed.len() {
        0 => Ok(()),
        all if all == journal.count() => Err(journal::changed()),
        some => Err(Failure::job(format!(
            "{some} of {} files were changed by their client meanwhile and stay as they are: {}",
            journal.count(),
            said(&changed)
        ))
        .hint("the others are changed; run it again when the client is done")),
    }
}

/// Ends what a process began on this session's files before it was killed; says whether they are others now.
pub(crate) fn end_earlier(transcript: &Transcript) -> Outcome<bool> {
    match journal::end_earlier(transcript)? {
        Ended::Nothing => Ok(false),
        Ended::Undone => {
            output::warn(
                "an earlier change of this session was cut short before it changed a file: it is undone",
            );
            Ok(false)
        }
        Ended::Finished(changed) => {
            output::warn("an earlier change of this session was cut short: it is finished now");
            if !changed.is_empty() {
                let those = said(&changed);
                output::warn(&format!(
                    "but these were changed by their client since, and stay as they are: {those}"
                ));
            }
            Ok(true)
        }
    }
}

/// Some files in words.
fn said(paths: &[PathBuf]) -> String {
    /// Those that are named.
    const MOST_NAMED: usize = 3;
    let mut named: Vec<String> =
        paths.iter().take(MOST_NAMED).map(|path| path.display().to_string()).collect();
    if paths.len() > MOST_NAMED {
        named.push(format!("{} more", paths.len() - MOST_NAMED));
    }
    named.join(", ")
}

/// What stands of an opencode path below its folder of storage.
fn below_storage(path: &Path) -> PathBuf {
    let names: Vec<_> = path.components().collect();
    let start = names
        .iter()
        .rposition(|name| name.as_os_str() == "storage")
        .map_or(names.len().saturating_sub(3), |at| at + 1);
    names.get(start..).unwrap_or_default().iter().collect()
}

fn new_file(work: &Work<'_>, number: u32, path: &Path) -> Outcome<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".recto-")
        .tempfile_in(folder)
        .map_err(|error| Failure::writing(folder, &error))?;
    (work.fill)(number, file.as_file_mut())?;
    file.persist_noclobber(path).map_err(|error| Failure::writing(path, &error.error)).map(|_| ())
}

#[cfg(test)]
mod tests;
