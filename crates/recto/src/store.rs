//! The archive that a command works with.

use std::path::PathBuf;

use recto::archive::{ArchiveError, OpenOptions, Scope, SqliteArchive};

use crate::settings::Settings;

/// Everything that this binary stores belongs to the person who runs it.
pub(crate) fn scope() -> Scope {
    Scope::local()
}

/// Opens the archive for writing, making it if need be.
pub(crate) fn open(settings: &Settings) -> Result<SqliteArchive, ArchiveError> {
    SqliteArchive::open(path(settings))
}

/// Opens the archive for reading, and never makes one.
pub(crate) fn open_existing(settings: &Settings) -> Result<SqliteArchive, ArchiveError> {
    OpenOptions::new().create(false).open(path(settings))
}

/// The archive's path.
pub(crate) fn path(settings: &Settings) -> PathBuf {
    settings.store.value.clone()
}
