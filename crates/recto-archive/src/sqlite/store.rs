//! One open database: its connections and its transactions.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use tempfile::TempDir;

use super::failure::Failure;
use super::holder::suffixed;
use crate::clock::Clock;
use crate::{ArchiveError, Mode};

/// Connections that are kept open while nobody uses them.
const IDLE_CONNECTIONS: usize = 4;

/// How to reach the file: the path that SQLite is given differs from the store's for copies and immutable files.
pub(super) struct Access {
    pub(super) file: PathBuf,
    pub(super) flags: OpenFlags,
    pub(super) mode: Mode,
    /// Where the copy is, for as long as the store is open.
    pub(super) _copy: Option<TempDir>,
}

pub(super) struct Store {
    pub(super) path: PathBuf,
    pub(super) access: Access,
    pub(super) busy_timeout: Duration,
    pub(super) clock: Arc<dyn Clock>,
    /// What was noticed and done when the store was opened.
    pub(super) notes: Vec<String>,
    /// Most pages of the file, set on each connection that writes.
    max_pages: Option<u32>,
    idle: Mutex<Vec<Connection>>,
    /// Threads wait for each other here, as SQLite's own waiting is by sleeping.
    writing: Mutex<()>,
}

/// When the disk is waited for: before and after the log is moved into the file, which a commit does once the log has 1,000 pages
/// (4 MB), and when a log begins behind which an earlier one lies.
const WAITING: &str = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000";

/// Whoever opens a store whose log is longer moves it into the file. A longer one would be moved less often, but read from end to
/// end by each process that comes alone.
const LOG_BYTES: u64 = 2 << 20;

/// Opens a connection and sets what every one of them needs.
pub(super) fn connect(access: &Access, busy_timeout: Duration) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_with_flags(&access.file, access.flags)?;
    connection.busy_timeout(busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(WAITING)?;
    connection.execute_batch(&format!(
        "PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = {}",
        8 * LOG_BYTES
    ))?;
    // Most processes come, put one thing, and go: each would wait for the disk several times to move its few pages.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// How long the log of the database at `path` is: what others may have to read from it.
pub(super) fn log_bytes(path: &Path) -> u64 {
    std::fs::metadata(suffixed(path, "-wal")).map_or(0, |found| found.len())
}

/// Moves a long log into the file, unless others use it right now.
///
/// The commits of processes that put one thing each and go do not: each finds a log that nobody has begun anew, and adds to it.
pub(super) fn shorten_log(
    connection: &Connection,
    path: &Path,
    busy_timeout: Duration,
) -> rusqlite::Result<()> {
    if log_bytes(path) > LOG_BYTES {
        connection.busy_timeout(Duration::ZERO)?;
        // It may as well be left to the next: a failure here is one of theirs.
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        connection.busy_timeout(busy_timeout)?;
    }
    Ok(())
}

impl Store {
    pub(super) fn new(
        path: PathBuf,
        access: Access,
        first: Connection,
        busy_timeout: Duration,
        clock: Arc<dyn Clock>,
        notes: Vec<String>,
        max_pages: Option<u32>,
    ) -> Self {
        let store = Self {
            path,
            access,
            busy_timeout,
            clock,
            notes,
            max_pages,
            idle: Mutex::default(),
            writing: Mutex::default(),
        };
        // One that has not the limit must not be used: there are more where it came from.
        if max_pages.is_none() {
            store.give_back(first);
        }
        store
    }

    pub(super) fn now(&self) -> u64 {
        self.clock.now_unix_ms()
    }

    pub(super) fn mode(&self) -> Mode {
        self.access.mode
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn check_writable(&self) -> Result<(), ArchiveError> {
        if self.mode().is_writable() { Ok(()) } else { Err(ArchiveError::read_only(&self.path)) }
    }

    /// Reads one state of the store.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, ArchiveError> {
        let connection = self.take()?;
        let result = begin(&connection, TransactionBehavior::Deferred).and_then(|begun| finish(begun, work));
        self.give_back(connection);
        result.map_err(|failure| self.explain(failure))
    }

    /// Writes all or nothing. The lock is taken first: a transaction that reads and then asks for it may find that it
    /// cannot have it, however long it waits.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, ArchiveError> {
        self.check_writable()?;
        let _turn = lock(&self.writing);
        let connection = self.take()?;
        let begins_log = log_bytes(&self.path) == 0;
        let begun = if begins_log {
            begin_log(&connection, &self.path)
        } else {
            begin(&connection, TransactionBehavior::Immediate)
        };
        let result = begun.and_then(|begun| finish(begun, work));
        if !begins_log || connection.execute_batch(WAITING).is_ok() {
            self.give_back(connection);
        }
        result.map_err(|failure| self.explain(failure))
    }

    /// Writes if that needs no waiting, for what may as well be left out.
    pub(super) fn write_if_free(&self, work: impl FnOnce(&Connection) -> Result<(), Failure>) {
        if !self.mode().is_writable() {
            return;
        }
        let Ok(_turn) = self.writing.try_lock() else { return };
        let Ok(connection) = self.take() else { return };
        if connection.busy_timeout(Duration::ZERO).is_ok() {
            let _ = begin(&connection, TransactionBehavior::Immediate).and_then(|begun| finish(begun, work));
        }
        if connection.busy_timeout(self.busy_timeout).is_ok() {
            self.give_back(connection);
        }
    }

    /// Runs what has to run outside any transaction.
    pub(super) fn maintain<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, ArchiveError> {
        let _turn = lock(&self.writing);
        let connection = self.take()?;
        let result = work(&connection).map_err(|failure| self.explain(failure));
        self.give_back(connection);
        result
    }

    fn explain(&self, failure: Failure) -> ArchiveError {
        failure.at(&self.path, self.busy_timeout)
    }

    fn take(&self) -> Result<Connection, ArchiveError> {
        let idle = lock(&self.idle).pop();
        match idle {
            Some(connection) => Ok(connection),
            None => self.connect().map_err(|error| self.explain(error.into())),
        }
    }

    fn connect(&self) -> Result<Connection, rusqlite::Error> {
        let connection = connect(&self.access, self.busy_timeout)?;
        if let Some(max_pages) = self.max_pages {
            connection.pragma_update_and_check(None, "max_page_count", max_pages, |_| Ok(()))?;
        }
        Ok(connection)
    }

    fn give_back(&self, connection: Connection) {
        let mut idle = lock(&self.idle);
        if idle.len() < IDLE_CONNECTIONS && connection.is_autocommit() {
            idle.push(connection);
        }
    }
}

fn begin(connection: &Connection, behavior: TransactionBehavior) -> Result<Transaction<'_>, Failure> {
    // No connection is ever given to two at once.
    Ok(Transaction::new_unchecked(connection, behavior)?)
}

fn finish<T>(
    transaction: Transaction<'_>,
    work: impl FnOnce(&Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

/// Begins to write into a log that is empty, which needs no waiting for the disk.
///
/// SQLite waits when it begins a log, so that after a power failure its beginning and what an earlier one left behind it are never
/// taken for one. Where nothing lies behind it, nothing can be. Moving the log into the file does need the waiting, so that is
/// left to later writes.
fn begin_log<'c>(connection: &'c Connection, path: &Path) -> Result<Transaction<'c>, Failure> {
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0")?;
    let begun = begin(connection, TransactionBehavior::Immediate)?;
    if log_bytes(path) == 0 {
        return Ok(begun);
    }
    // Others have written before the lock was had.
    begun.rollback()?;
    connection.execute_batch(WAITING)?;
    begin(connection, TransactionBehavior::Immediate)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What they guard is whole at every moment at which a panic could poison them.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteArchive;

    fn waits(connection: &Connection) -> bool {
        let level: u8 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        let pages: u32 = connection.pragma_query_value(None, "wal_autocheckpoint", |row| row.get(0)).unwrap();
        assert_eq!((level, pages), if level == 0 { (0, 0) } else { (1, 1000) });
        level == 1
    }

    #[test]
    fn only_the_first_write_of_a_new_log_does_not_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recto.db");
        let archive = SqliteArchive::open(&path).unwrap();
        let store = &archive.store;
        let mut waited = Vec::new();
        for _ in 0..2 {
            store
                .write(|connection| {
                    waited.push(waits(connection));
                    connection.execute("UPDATE objects SET bytes = 0", [])?;
                    Ok(connection.execute("INSERT INTO objects VALUES (NULL, 0, NULL, 0, 0, 0)", [])?)
                })
                .unwrap();
        }
        assert_eq!(waited, [false, true]);
        assert!(store.read(|connection| Ok(waits(connection))).unwrap());
        // Another who saw the log empty, and was slower.
        let connection = connect(&store.access, store.busy_timeout).unwrap();
        let begun = begin_log(&connection, &path).unwrap();
        assert!(waits(&begun));
    }

    #[test]
    fn a_write_that_fails_leaves_no_connection_that_does_not_wait() {
        let folder = tempfile::tempdir().unwrap();
        let archive = SqliteArchive::open(folder.path().join("recto.db")).unwrap();
        let failed = archive.store.write::<()>(|_| Err(ArchiveError::NoName { why: "none" }.into()));
        assert!(failed.is_err());
        assert!(archive.store.read(|connection| Ok(waits(connection))).unwrap());
    }
}
