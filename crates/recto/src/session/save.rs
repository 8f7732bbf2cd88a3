//! A session's files written anew: beside, elsewhere, or in their own place.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use clap::Args;
use recto::{
    transcript::{Rewrite, Transcript, TranscriptError},
    wire::Layout,
};

use crate::failure::{Failure, Outcome};

/// Backups of one file.
const MOST_BACKUPS: u32 = 1000;

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
pub(crate) struct Stamp(Vec<Option<(u64, i64, i64, u64)>>);

impl Stamp {
    pub(crate) fn of(transcript: &Transcript) -> Self {
        let about = |path: &Path| {
            let about = path.metadata().ok()?;
            Some((about.len(), about.mtime(), about.mtime_nsec(), about.ino()))
        };
        Self(transcript.paths().map(about).collect())
    }

    /// Refuses to go on where a file was changed since.
    pub(crate) fn check(&self, transcript: &Transcript) -> Outcome<()> {
        if Self::of(transcript) == *self {
            return Ok(());
        }
        Err(Failure::job("the session was changed while it was read: nothing was written")
            .hint("try again when its client is done, or write a copy with --output"))
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
    if !to.in_place {
        return Ok(());
    }
    let mut ready = Vec::new();
    for number in &work.files {
        let Some(path) = paths.get(*number as usize) else { continue };
        // A link stays one: the file that it leads to is changed.
        let path = fs::canonicalize(path).map_err(|error| Failure::file(path, "find", &error))?;
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        let mut file = tempfile::Builder::new()
            .prefix(".recto-")
            .tempfile_in(folder)
            .map_err(|error| Failure::writing(folder, &error))?;
        (work.fill)(*number, file.as_file_mut())?;
        let about = path.metadata().map_err(|error| Failure::file(&path, "read", &error))?;
        let mode = about.permissions().mode();
        // Its client has to be able to read it. Where this is refused, the owner was this user already, or is not to be changed.
        let _ = std::os::unix::fs::fchown(file.as_file(), Some(about.uid()), Some(about.gid()));
        file.as_file()
            .set_permissions(fs::Permissions::from_mode(mode & 0o777))
            .and_then(|()| file.as_file().sync_all())
            .map_err(|error| Failure::writing(&path, &error))?;
        ready.push((path, file));
    }
    before.check(work.transcript)?;
    for (path, file) in ready {
        back_up(&path)?;
        // Copying takes a while: what a client wrote meanwhile is in the backup at most.
        if work.files.len() == 1 {
            before.check(work.transcript)?;
        }
        file.persist(&path).map_err(|error| Failure::writing(&path, &error.error))?;
    }
    Ok(())
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

/// Copies a file beside itself, under the first free name.
fn back_up(path: &Path) -> Outcome<()> {
    let mut source = File::open(path).map_err(|error| Failure::file(path, "read", &error))?;
    for number in 1..=MOST_BACKUPS {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".recto-backup-{number}"));
        let backup = PathBuf::from(name);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&backup) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Failure::writing(&backup, &error)),
            Ok(mut file) => {
                let copied = io::copy(&mut source, &mut file)
                    .and_then(|_| file.flush())
                    .and_then(|()| file.sync_all());
                return copied.map_err(|error| {
                    // A part of a file is no backup.
                    let _ = fs::remove_file(&backup);
                    Failure::writing(&backup, &error)
                });
            }
        }
    }
    Err(Failure::job(format!("{} has {MOST_BACKUPS} backups already", path.display()))
        .hint("move them elsewhere"))
}
