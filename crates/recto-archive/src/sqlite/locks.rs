//! Who is alive: a run's writer holds a lock that the system releases when the process ends, however it ends.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::holder::suffixed;
use super::place;
use crate::{ArchiveError, RunId};

/// Held by a run's writer as long as it lives.
pub(super) struct WriterLock {
    path: PathBuf,
    _file: File,
}

impl WriterLock {
    /// Makes and takes the lock of a run that nobody knows yet.
    pub(super) fn make(store: &Path, run: &RunId) -> Result<Self, ArchiveError> {
        let folder = folder(store);
        place::make_private_folder(&folder).map_err(|error| refused("create", &folder, error))?;
        let path = writer_path(store, run);
        let file = private_file(&path).map_err(|error| refused("create", &path, error))?;
        file.try_lock().map_err(|error| ArchiveError::io("lock", &path, error.into()))?;
        Ok(Self { path, _file: file })
    }

    /// Removes the lock of a run that is finished.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Held by whoever adopts or removes an abandoned run.
pub(super) struct AdopterLock {
    writer: PathBuf,
    adopter: PathBuf,
    _writer_file: File,
    _adopter_file: File,
}

impl AdopterLock {
    /// Waits for other adopters, then takes the writer's lock; `None` if the writer lives.
    pub(super) fn take(store: &Path, run: &RunId) -> Result<Option<Self>, ArchiveError> {
        let folder = folder(store);
        place::make_private_folder(&folder).map_err(|error| refused("create", &folder, error))?;
        let (writer, adopter) = (writer_path(store, run), folder.join(format!("{run}.adopter")));
        let adopter_file = private_file(&adopter).map_err(|error| refused("create", &adopter, error))?;
        adopter_file.lock().map_err(|error| ArchiveError::io("lock", &adopter, error))?;
        let writer_file = private_file(&writer).map_err(|error| refused("create", &writer, error))?;
        match writer_file.try_lock() {
            Ok(()) => {
                Ok(Some(Self { writer, adopter, _writer_file: writer_file, _adopter_file: adopter_file }))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(ArchiveError::io("lock", &writer, error)),
        }
    }

    /// Removes the locks of a run that is finished.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.writer);
        let _ = fs::remove_file(&self.adopter);
    }
}

/// Tells whether somebody holds a run's lock. Looking shares the lock, so lookers never mistake each other for writers.
pub(super) fn is_live(store: &Path, run: &RunId) -> bool {
    let Ok(file) = File::open(writer_path(store, run)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

pub(super) fn writer_path(store: &Path, run: &RunId) -> PathBuf {
    folder(store).join(format!("{run}.lock"))
}

fn folder(store: &Path) -> PathBuf {
    suffixed(store, "-runs")
}

fn refused(action: &'static str, path: &Path, error: std::io::Error) -> ArchiveError {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => ArchiveError::read_only(path),
        _ => ArchiveError::io(action, path, error),
    }
}

fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
