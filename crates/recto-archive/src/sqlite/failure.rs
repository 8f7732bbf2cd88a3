//! From the engine's errors to those of the archive.

use std::path::Path;
use std::time::Duration;

use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

use super::holder;
use crate::ArchiveError;

/// What can go wrong inside a transaction: the engine's error does not know the path yet.
#[derive(Debug)]
pub(super) enum Failure {
    Engine(rusqlite::Error),
    Compression(std::io::Error),
    Archive(ArchiveError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

impl Failure {
    pub(super) fn at(self, path: &Path, busy_timeout: Duration) -> ArchiveError {
        let error = match self {
            Self::Archive(error) => return error,
            Self::Compression(error) => {
                return ArchiveError::Engine { path: path.to_owned(), source: Box::new(error) };
            }
            Self::Engine(error) => error,
        };
        let path = path.to_owned();
        let source = || error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ArchiveError::Busy {
                holder: holder::of_write_lock(&path).unwrap_or_else(|| "another process".to_owned()),
                path,
                waited_ms: u64::try_from(busy_timeout.as_millis()).unwrap_or(u64::MAX),
            },
            Some(ErrorCode::ReadOnly) => ArchiveError::read_only(&path),
            Some(ErrorCode::DiskFull) => ArchiveError::Full { path },
            // The shared memory beside the database cannot grow.
            Some(ErrorCode::SystemIoFailure)
                if error.sqlite_error().map(|e| e.extended_code) == Some(SQLITE_IOERR_SHMSIZE) =>
            {
                ArchiveError::Full { path }
            }
            Some(ErrorCode::NotADatabase) => {
                ArchiveError::Foreign { path, found: "not a SQLite database".to_owned() }
            }
            Some(ErrorCode::DatabaseCorrupt) => ArchiveError::Corrupt {
                what: source(),
                place: format!("the archive {}", path.display()),
                advice: "verify names what is lost; copy out what can be read and begin a new archive",
            },
            _ => ArchiveError::Engine { path, source: Box::new(error) },
        }
    }
}
