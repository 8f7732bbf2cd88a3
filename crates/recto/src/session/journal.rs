//! Files of a session changed in place, all or none.
//!
//! A journal beside the session names the files and what is to stand in their place, and is on the disk before either is touched. Whoever
//! comes after a kill ends what it says: without its last line what was made ready goes, with it the rest of the files are changed too. Its
//! writer holds a lock on it, which the system lets go of when that process ends, however it does.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use recto::{archive::Digest, transcript::Transcript};
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Outcome};

/// Backups of one file.
const MOST_BACKUPS: u32 = 1000;
/// Largest journal that is read.
const MOST_BYTES: u64 = 1 << 30;
/// The last line: all is ready, and nothing is undone any more.
const READY: &[u8] = b"ready\n";

/// What is told after each step; an error ends the work as a kill would.
pub(super) type Step<'s> = dyn Fn(&'static str) -> Outcome<()> + 's;

/// How a file was when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
    inode: u64,
}

impl Mark {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let about = path.metadata().ok()?;
        Some(Self {
            bytes: about.len(),
            seconds: about.mtime(),
            nanoseconds: about.mtime_nsec(),
            inode: about.ino(),
        })
    }
}

/// A file, and what is to stand in its place.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    target: OsString,
    fresh: OsString,
    mark: Mark,
}

impl Entry {
    fn target(&self) -> &Path {
        Path::new(&self.target)
    }

    fn fresh(&self) -> &Path {
        Path::new(&self.fresh)
    }

    /// A copy of the file on the way to its backup.
    fn copy(&self) -> PathBuf {
        let mut name = self.fresh.clone();
        name.push("-copy");
        PathBuf::from(name)
    }

    fn clear(&self) -> Outcome<()> {
        for path in [self.fresh(), &self.copy()] {
            gone(path)?;
        }
        Ok(())
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Plan {
    /// The form of this file.
    version: u32,
    files: Vec<Entry>,
}

/// What a client changed before its turn came: it was left as it is.
pub(super) type Changed = Vec<PathBuf>;

/// What became of work that was cut short.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// There was none.
    Nothing,
    /// It had not begun to change files: nothing is left of it.
    Undone,
    /// All files are changed now, but those that their client changed meanwhile.
    Finished(Changed),
}

/// Work that is being done.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    plan: Plan,
}

/// The journal of a session, by the file that it was opened by.
fn path_of(session: &Path) -> PathBuf {
    let whole = session.canonicalize().unwrap_or_else(|_| session.to_owned());
    let mut name = whole.into_os_string();
    name.push(".recto-journal");
    PathBuf::from(name)
}

/// Whether work on this session is under way, or was cut short.
pub(crate) fn is_there(session: &Path) -> bool {
    path_of(session).symlink_metadata().is_ok()
}

fn busy() -> Failure {
    Failure::job("another recto is writing this session: nothing was written")
        .hint("try again when it is done")
}

/// Ends what a process began that is no more.
pub(crate) fn end_earlier(transcript: &Transcript) -> Outcome<Ended> {
    let path = path_of(transcript.path());
    let mut file = match OpenOptions::new().read(true).write(true).open(&path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Ended::Nothing);
        }
        Err(error) => return Err(Failure::file(&path, "open", &error)),
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(busy()),
        Err(TryLockError::Error(error)) => return Err(Failure::file(&path, "lock", &error)),
    }
    // It may have been ended between the two.
    if !is_at(&file, &path) {
        return Ok(Ended::Nothing);
    }
    let mut bytes = Vec::new();
    (&mut file)
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::file(&path, "read", &error))?;
    let Some(end) = memchr::memchr(b'\n', &bytes) else {
        // Its first line is not whole: nothing was made ready.
        gone(&path)?;
        return Ok(Ended::Undone);
    };
    let (plan, rest) = bytes.split_at(end + 1);
    let foreign = || {
        Failure::job(format!("{} is no journal of this session", path.display()))
            .hint("it says what was being done to the session's files: look at them, and move it away")
    };
    let plan: Plan = serde_json::from_slice(plan).map_err(|_| foreign())?;
    if plan.version != 1 || !is_of(&plan, transcript) {
        return Err(foreign());
    }
    let mut journal = Journal { path, file, plan };
    if rest.starts_with(READY) {
        return Ok(Ended::Finished(journal.finish(&|_| Ok(()))?));
    }
    journal.undo()?;
    Ok(Ended::Undone)
}

/// Whether a plan is about this session's files alone, and about files of recto's beside them.
fn is_of(plan: &Plan, transcript: &Transcript) -> bool {
    let own: BTreeSet<PathBuf> = transcript.paths().filter_map(|path| path.canonicalize().ok()).collect();
    plan.files.iter().all(|entry| own.contains(entry.target()) && entry.fresh() == fresh_of(entry.target()))
}

/// What is to stand in the place of a file is written beside it, under a name that follows from its own.
fn fresh_of(target: &Path) -> PathBuf {
    let digest = Digest::of(target.as_os_str().as_encoded_bytes()).to_string();
    target.with_file_name(format!(".recto-{}", digest.get(..16).unwrap_or(&digest)))
}

impl Journal {
    /// Begins work on these files, as they were when they were read.
    pub(super) fn begin(
        transcript: &Transcript,
        files: impl Iterator<Item = (PathBuf, Mark)>,
        step: &Step<'_>,
    ) -> Outcome<Self> {
        let files = files.map(|(target, mark)| {
            let fresh = fresh_of(&target).into_os_string();
            Entry { target: target.into_os_string(), fresh, mark }
        });
        let plan = Plan { version: 1, files: files.collect() };
        let path = path_of(transcript.path());
        let failed = |error: io::Error| Failure::writing(&path, &error);
        let file = loop {
            match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => match file.try_lock() {
                    Ok(()) if is_at(&file, &path) => break file,
                    Ok(()) => {}
                    Err(TryLockError::WouldBlock) => return Err(busy()),
                    Err(TryLockError::Error(error)) => return Err(failed(error)),
                },
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if let Ended::Finished(_) = end_earlier(transcript)? {
                        // What was read is not what stands there now.
                        return Err(changed());
                    }
                }
                Err(error) => return Err(failed(error)),
            }
        };
        step("locked")?;
        let mut journal = Self { path, file, plan };
        let mut line = serde_json::to_vec(&journal.plan).map_err(|error| Failure::job(error.to_string()))?;
        line.push(b'\n');
        journal.write(&line)?;
        synced_folder(&journal.path);
        step("planned")?;
        Ok(journal)
    }

    fn write(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.file
            .write_all(bytes)
            .and_then(|()| self.file.sync_all())
            .map_err(|error| Failure::writing(&self.path, &error))
    }

    /// Writes what is to stand in the place of each file, in their order.
    pub(super) fn make_ready(
        &self,
        fill: &mut dyn FnMut(usize, &mut File) -> Outcome<()>,
        step: &Step<'_>,
    ) -> Outcome<()> {
        for (number, entry) in self.plan.files.iter().enumerate() {
            let fresh = entry.fresh();
            let failed = |error: io::Error| Failure::writing(fresh, &error);
            // Of a process that could not say what it left.
            gone(fresh)?;
            let mut file =
                OpenOptions::new().write(true).create_new(true).mode(0o600).open(fresh).map_err(failed)?;
            step("created")?;
            fill(number, &mut file)?;
            step("filled")?;
            let about =
                entry.target().metadata().map_err(|error| Failure::file(entry.target(), "read", &error))?;
            // Its client has to be able to read it. Where this is refused, the owner was this user already, or is not to be changed.
            let _ = std::os::unix::fs::fchown(&file, Some(about.uid()), Some(about.gid()));
            file.set_permissions(fs::Permissions::from_mode(about.permissions().mode() & 0o777))
                .and_then(|()| file.sync_all())
                .map_err(failed)?;
            step("synced")?;
        }
        Ok(())
    }

    /// From here on the work is finished, by whom it may be.
    pub(super) fn is_ready(&mut self, step: &Step<'_>) -> Outcome<()> {
        self.write(READY)?;
        step("ready")
    }

    /// Changes the files that are not changed yet, each with a backup, and ends the journal.
    pub(super) fn finish(&mut self, step: &Step<'_>) -> Outcome<Changed> {
        let mut changed = Changed::new();
        for entry in &self.plan.files {
            if entry.fresh().symlink_metadata().is_err() {
                continue;
            }
            let target = entry.target();
            if Mark::of(target) != Some(entry.mark) {
                changed.push(target.to_owned());
                entry.clear()?;
                continue;
            }
            back_up(entry)?;
            step("backed up")?;
            fs::rename(entry.fresh(), target).map_err(|error| Failure::writing(target, &error))?;
            step("changed")?;
            entry.clear()?;
        }
        for folder in
            self.plan.files.iter().filter_map(|entry| entry.target().parent()).collect::<BTreeSet<_>>()
        {
            sync_folder(folder);
        }
        step("all changed")?;
        gone(&self.path)?;
        Ok(changed)
    }

    /// Takes away what was made ready, and ends the journal.
    pub(super) fn undo(&mut self) -> Outcome<()> {
        for entry in &self.plan.files {
            entry.clear()?;
        }
        gone(&self.path)
    }

    pub(super) fn count(&self) -> usize {
        self.plan.files.len()
    }
}

/// Says that what was read is not what stands there.
pub(super) fn changed() -> Failure {
    Failure::job("the session was changed while it was read: nothing was written")
        .hint("try again when its client is done, or write a copy with --output")
}

/// Gives a file a second name beside it, the first free one; where there can be no second name, a copy has it.
fn back_up(entry: &Entry) -> Outcome<()> {
    let target = entry.target();
    let mut can_link = true;
    for number in 1..=MOST_BACKUPS {
        let mut name = target.as_os_str().to_owned();
        name.push(format!(".recto-backup-{number}"));
        let backup = PathBuf::from(name);
        if backup.symlink_metadata().is_ok() {
            if is_same(&backup, target) {
                return Ok(());
            }
            continue;
        }
        if can_link {
            match fs::hard_link(target, &backup) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(_) => can_link = false,
            }
        }
        let copy = entry.copy();
        gone(&copy)?;
        let failed = |error: io::Error| Failure::writing(&backup, &error);
        let mut source = File::open(target).map_err(|error| Failure::file(target, "read", &error))?;
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&copy).map_err(failed)?;
        let copied = io::copy(&mut source, &mut file).and_then(|_| file.sync_all());
        copied.map_err(|error| {
            let _ = fs::remove_file(&copy);
            failed(error)
        })?;
        match tempfile::TempPath::try_from_path(copy).map_err(failed)?.persist_noclobber(&backup) {
            Ok(()) => return Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error.error)),
        }
    }
    Err(Failure::job(format!("{} has {MOST_BACKUPS} backups already", target.display()))
        .hint("move them elsewhere"))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| path.symlink_metadata().ok().map(|about| (about.dev(), about.ino()));
    id(one).is_some() && id(one) == id(other)
}

/// Whether an open file is still the one of this name.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(own), Ok(there)) => (own.dev(), own.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Removes a file, if it is there.
fn gone(path: &Path) -> Outcome<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::file(path, "remove", &error)),
        _ => Ok(()),
    }
}

fn synced_folder(path: &Path) {
    path.parent().into_iter().for_each(sync_folder);
}

/// What a folder says of its names is on the disk. Not every file system can be asked for that.
fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
