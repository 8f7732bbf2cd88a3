//! One open database: its connections and its transactions.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use tempfile::TempDir;

use super::failure::Failure;
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

/// Opens a connection and sets what every one of them needs.
pub(super) fn connect(access: &Access, busy_timeout: Duration) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_with_flags(&access.file, access.flags)?;
    connection.busy_timeout(busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 16777216",
    )?;
    Ok(connection)
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
        self.transact(TransactionBehavior::Deferred, work)
    }

    /// Writes all or nothing. The lock is taken first: a transaction that reads and then asks for it may find that it
    /// cannot have it, however long it waits.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, ArchiveError> {
        self.check_writable()?;
        let _turn = lock(&self.writing);
        self.transact(TransactionBehavior::Immediate, work)
    }

    /// Writes if that needs no waiting, for what may as well be left out.
    pub(super) fn write_if_free(&self, work: impl FnOnce(&Connection) -> Result<(), Failure>) {
        if !self.mode().is_writable() {
            return;
        }
        let Ok(_turn) = self.writing.try_lock() else { return };
        let Ok(mut connection) = self.take() else { return };
        if connection.busy_timeout(Duration::ZERO).is_ok() {
            let _ = within(&mut connection, TransactionBehavior::Immediate, work);
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

    fn transact<T>(
        &self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, ArchiveError> {
        let mut connection = self.take()?;
        let result = within(&mut connection, behavior, work);
        self.give_back(connection);
        result.map_err(|failure| self.explain(failure))
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

fn within<T>(
    connection: &mut Connection,
    behavior: TransactionBehavior,
    work: impl FnOnce(&Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let transaction = connection.transaction_with_behavior(behavior)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What they guard is whole at every moment at which a panic could poison them.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
