//! Opening an archive in a database.

use std::sync::Arc;
use std::time::Duration;

use super::PostgresArchive;
use super::address::Address;
use super::pool::{Access, Repeat};
use super::schema;
use super::store::Store;
use crate::clock::{Clock, SystemClock};
use crate::{ArchiveError, Mode};

/// Says how an archive in a PostgreSQL database is opened.
///
/// ```
/// use std::time::Duration;
/// use recto_archive::PostgresOptions;
/// let options = PostgresOptions::new().connect_timeout(Duration::from_secs(2)).max_connections(4);
/// let error = options.open("postgresql://me:secret@db.example/team").unwrap_err().to_string();
/// assert!(error.contains("sslmode=disable") && !error.contains("secret"));
/// ```
#[derive(Clone)]
pub struct PostgresOptions {
    read_only: bool,
    password: Option<String>,
    connect_timeout: Duration,
    busy_timeout: Duration,
    max_connections: usize,
    clock: Arc<dyn Clock>,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl PostgresOptions {
    /// For reading and writing, with 8 connections at most, waiting 5 seconds for a server that restarts and for others.
    pub fn new() -> Self {
        Self {
            read_only: false,
            password: None,
            connect_timeout: Duration::from_secs(5),
            busy_timeout: Duration::from_secs(5),
            max_connections: 8,
            clock: Arc::new(SystemClock),
        }
    }

    /// Only reads; the archive must be there.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Sets the password that is used if the address has none: what `PGPASSWORD` holds, for a program that reads it.
    #[must_use]
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// Sets how long one connection may take to be made, and how long a server that was there is waited for while it
    /// restarts.
    #[must_use]
    pub fn connect_timeout(mut self, connect_timeout: Duration) -> Self {
        self.connect_timeout = connect_timeout;
        self
    }

    /// Sets how long to wait for what other sessions of the server have locked; then [`ArchiveError::Busy`] says so.
    #[must_use]
    pub fn busy_timeout(mut self, busy_timeout: Duration) -> Self {
        self.busy_timeout = busy_timeout;
        self
    }

    /// Lets this archive have so many connections at once, at least one; one more holds the locks of the runs that are
    /// being written.
    #[must_use]
    pub fn max_connections(mut self, max_connections: usize) -> Self {
        self.max_connections = max_connections.max(1);
        self
    }

    /// Takes the times that are written down, and by which retention goes, from `clock`.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Opens the archive in the database at `url`, and makes it (the schema `recto`) if it is not there.
    ///
    /// The URL is `postgresql://user@host:port/database`, or with `postgres:`; `?host=/folder` names the folder of a Unix
    /// socket. No environment is read. A server that only takes reads (a standby) is opened for reading: see
    /// [`PostgresArchive::is_writable`].
    ///
    /// # Errors
    /// [`ArchiveError::InvalidAddress`], which is also the answer to another machine's address without
    /// `sslmode=disable`; [`ArchiveError::Unreachable`], [`ArchiveError::NewerSchema`], [`ArchiveError::Foreign`],
    /// [`ArchiveError::ReadOnly`].
    pub fn open(&self, url: &str) -> Result<PostgresArchive, ArchiveError> {
        let Address { config, place } = Address::parse(url, self.password.as_deref())?;
        let access = Access {
            config,
            connect_timeout: self.connect_timeout,
            busy_timeout: self.busy_timeout,
            max_connections: self.max_connections,
            read_only: self.read_only,
        };
        let mut store = Store::start(place.clone(), access, Arc::clone(&self.clock))?;
        let opened = store.ask_pool(async move |pool| {
            // One that is not there at all is not waited for.
            match pool.access.connect().await {
                Ok(session) => pool.give_back(session),
                Err(failure) if failure.is_starting() => {}
                Err(failure) => return Err(failure),
            }
            pool.run(Repeat::Yes, async |session| schema::open(session, &place).await).await
        });
        if store.wait(opened)? {
            store.mode = Mode::ReadOnly;
        }
        Ok(PostgresArchive { store: Arc::new(store) })
    }
}
