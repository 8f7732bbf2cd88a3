//! Opening a store: for writing, or for reading wherever it lies.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::{NamedTempFile, TempDir};

use super::failure::Failure;
use super::holder::suffixed;
use super::store::{Access, Store, connect, log_bytes, shorten_log};
use super::{SqliteArchive, place, schema};
use crate::clock::{Clock, SystemClock};
use crate::{ArchiveError, Mode};

/// Says how a store is opened.
///
/// ```
/// use recto_archive::{OpenOptions, SqliteArchive};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("recto.db");
/// let archive = OpenOptions::new().open(&path)?;
/// assert!(archive.is_writable());
/// let reader = OpenOptions::new().read_only(true).open(&path)?;
/// assert!(!reader.is_writable());
/// # Ok::<(), recto_archive::ArchiveError>(())
/// ```
#[derive(Clone)]
pub struct OpenOptions {
    read_only: bool,
    create: bool,
    busy_timeout: Duration,
    clock: Arc<dyn Clock>,
    max_pages: Option<u32>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl OpenOptions {
    /// For reading and writing, made if it is not there, waiting 5 seconds for other writers.
    pub fn new() -> Self {
        Self {
            read_only: false,
            create: true,
            busy_timeout: Duration::from_secs(5),
            clock: Arc::new(SystemClock),
            max_pages: None,
        }
    }

    /// Only reads; the store must be there. It is opened in place if that can be done, else as a temporary copy when
    /// it has writes that are not in its main file yet, else as a file that nobody changes.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Makes the store if it is not there (the default).
    #[must_use]
    pub fn create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Sets how long to wait for other writers.
    #[must_use]
    pub fn busy_timeout(mut self, busy_timeout: Duration) -> Self {
        self.busy_timeout = busy_timeout;
        self
    }

    /// Takes the time from `clock`.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Lets the file have this many pages of 4 KiB at most; what would need more fails with [`ArchiveError::Full`].
    #[must_use]
    pub fn max_pages(mut self, max_pages: u32) -> Self {
        self.max_pages = Some(max_pages);
        self
    }

    /// Opens the store at `path`.
    ///
    /// A store that cannot be written where it lies is opened for reading: see [`SqliteArchive::is_writable`].
    ///
    /// # Errors
    /// [`ArchiveError::Foreign`], [`ArchiveError::NewerSchema`], [`ArchiveError::ReadOnly`] (it is not there and cannot
    /// be made), [`ArchiveError::Io`] (it is not there; it is a symbolic link).
    pub fn open(&self, path: impl AsRef<Path>) -> Result<SqliteArchive, ArchiveError> {
        let path = place::settle(path.as_ref(), self.create && !self.read_only)?;
        if self.read_only {
            return self.open_for_reading(path, Vec::new());
        }
        if !place::is_there(&path)? {
            if !self.create {
                let source = std::io::Error::from(std::io::ErrorKind::NotFound);
                return Err(ArchiveError::io("open", &path, source));
            }
            create(&path, self.busy_timeout)?;
        }
        let notes = place::make_private(&path);
        match self.open_for_writing(&path) {
            Ok(Some((access, connection))) => Ok(self.archive(path, access, connection, notes)),
            Ok(None) => self.open_for_reading(path, notes),
            Err(failure) => Err(failure.at(&path, self.busy_timeout)),
        }
    }

    /// `None`: it lies where it cannot be written.
    fn open_for_writing(&self, path: &Path) -> Result<Option<(Access, Connection)>, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let access = Access { file: path.to_owned(), flags, mode: Mode::ReadWrite, _copy: None };
        let opened = connect(&access, self.busy_timeout).and_then(|connection| {
            let header = schema::header(&connection)?;
            Ok((connection.is_readonly("main")?, connection, header))
        });
        let (mut connection, header) = match opened {
            Ok((false, connection, header)) => (connection, header),
            Ok((true, ..)) => return Ok(None),
            Err(error) if is_out_of_reach(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        check(path, &header)?;
        if header.version < schema::newest() {
            schema::upgrade(&mut connection)?;
            // Whoever was faster may know a newer one.
            check(path, &schema::header(&connection)?)?;
        }
        shorten_log(&connection, path, self.busy_timeout)?;
        Ok(Some((access, connection)))
    }

    fn open_for_reading(&self, path: PathBuf, mut notes: Vec<String>) -> Result<SqliteArchive, ArchiveError> {
        if !place::is_there(&path)? {
            return Err(ArchiveError::io("open", &path, std::io::Error::from(std::io::ErrorKind::NotFound)));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let in_place = Access {
            file: path.clone(),
            flags: flags | OpenFlags::SQLITE_OPEN_NOFOLLOW,
            mode: Mode::ReadOnly,
            _copy: None,
        };
        let explain = |error: rusqlite::Error| Failure::from(error).at(&path, self.busy_timeout);
        let (access, connection) = match self.try_reading(in_place) {
            Ok(opened) => opened,
            Err(error) if !is_out_of_reach(&error) => return Err(explain(error)),
            Err(_) if log_bytes(&path) > 0 => {
                notes.push("a temporary copy is read, as the store lies where its log cannot be".to_owned());
                self.try_reading(copy(&path)?).map_err(explain)?
            }
            Err(_) => {
                let uri = OpenFlags::SQLITE_OPEN_URI;
                let access = Access {
                    file: immutable_uri(&path),
                    flags: flags | uri,
                    mode: Mode::Immutable,
                    _copy: None,
                };
                self.try_reading(access).map_err(explain)?
            }
        };
        let header = schema::header(&connection).map_err(explain)?;
        // An older one has everything but what came later.
        check(&path, &header)?;
        Ok(self.archive(path, access, connection, notes))
    }

    fn try_reading(&self, access: Access) -> Result<(Access, Connection), rusqlite::Error> {
        let connection = connect(&access, self.busy_timeout)?;
        schema::header(&connection)?;
        Ok((access, connection))
    }

    fn archive(&self, path: PathBuf, access: Access, first: Connection, notes: Vec<String>) -> SqliteArchive {
        let clock = Arc::clone(&self.clock);
        let store = Store::new(path, access, first, self.busy_timeout, clock, notes, self.max_pages);
        SqliteArchive { store: Arc::new(store) }
    }
}

/// Makes a store under another name and moves it into place when it is complete, so that nobody ever sees half of one.
fn create(path: &Path, busy_timeout: Duration) -> Result<(), ArchiveError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let new =
        tempfile::Builder::new().prefix(".recto-new-").tempfile_in(folder).map_err(|error| {
            match error.kind() {
                std::io::ErrorKind::PermissionDenied => ArchiveError::read_only(path),
                _ => ArchiveError::io("create", path, error),
            }
        })?;
    lay_out(&new).map_err(|failure| failure.at(path, busy_timeout))?;
    // Here the disk is waited for: after a power failure there must be no name without its file.
    new.as_file().sync_data().map_err(|error| ArchiveError::io("create", path, error))?;
    match new.persist_noclobber(path) {
        Ok(_) => Ok(()),
        // Another process was faster, and its store is as good.
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(ArchiveError::io("create", path, error.error)),
    }
}

fn lay_out(new: &NamedTempFile) -> Result<(), Failure> {
    let mut connection = Connection::open(new.path())?;
    schema::create(&mut connection)?;
    connection.close().map_err(|(_, error)| error.into())
}

fn check(path: &Path, header: &schema::Header) -> Result<(), ArchiveError> {
    if header.application_id != schema::APPLICATION_ID {
        let found = format!("a SQLite database with application_id {:#010x}", header.application_id);
        return Err(ArchiveError::Foreign { path: path.to_owned(), found });
    }
    if header.version > schema::newest() {
        let (found, known) = (header.version, schema::newest());
        return Err(ArchiveError::NewerSchema { path: path.to_owned(), found, known });
    }
    Ok(())
}

/// Tells whether SQLite lacked the rights to open the database, or the log and shared memory beside it.
fn is_out_of_reach(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    )
}

/// Copies the database and its log to where the log can be replayed.
fn copy(path: &Path) -> Result<Access, ArchiveError> {
    let failed = |error| ArchiveError::io("copy", path, error);
    let folder = TempDir::with_prefix("recto-archive-").map_err(failed)?;
    let file = folder.path().join(path.file_name().unwrap_or(OsStr::new("recto.db")));
    let state = || {
        let of = |path: &Path| fs::metadata(path).ok().map(|found| (found.len(), found.modified().ok()));
        (of(path), of(&suffixed(path, "-wal")))
    };
    // A writer elsewhere may move the log into the database between the two copies: then both are copied again.
    for _ in 0..5 {
        let before = state();
        copy_bytes(path, &file).map_err(failed)?;
        copy_bytes(&suffixed(path, "-wal"), &suffixed(&file, "-wal")).map_err(failed)?;
        if state() == before {
            break;
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Access { file, flags, mode: Mode::Snapshot, _copy: Some(folder) })
}

/// Copies without the permissions, which may forbid writing to the copy; the folder is private.
fn copy_bytes(from: &Path, to: &Path) -> std::io::Result<()> {
    std::io::copy(&mut fs::File::open(from)?, &mut fs::File::create(to)?).map(|_| ())
}

/// Spells a path as a URI, with everything escaped that could mean something in one.
fn immutable_uri(path: &Path) -> PathBuf {
    let escaped = path.as_os_str().as_encoded_bytes().iter().fold(String::new(), |mut text, byte| {
        match byte {
            b'/' | b'.' | b'-' | b'_' => text.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => text.push(char::from(*byte)),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
        text
    });
    PathBuf::from(format!("file:{escaped}?immutable=1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_means_only_its_path() {
        let uri = immutable_uri(Path::new("/a b/c?mode=rwc#d%/é.db"));
        assert_eq!(uri.to_str(), Some("file:/a%20b/c%3Fmode%3Drwc%23d%25/%C3%A9.db?immutable=1"));
    }
}
