//! Throw-away PostgreSQL: one cluster that the tests of a run share, and a database for each.
//!
//! The cluster is made by whichever process needs it first, in the system's folder for temporary files. It listens on a
//! Unix socket alone and keeps nothing safe from a power failure. A watchdog stops and deletes it a few seconds after the
//! last process that used it has ended, however it ended: processes are counted by a file lock, which the system
//! releases. Linux only, with `flock` and `setpriv` of util-linux; as root the server runs as `postgres` or `nobody`.
//!
//! With [`POSTGRES_URL`] databases are made on a running server instead. Where neither is to be had, a test says so and
//! passes, unless [`REQUIRE_POSTGRES`] is set:
//!
//! ```no_run
//! let Some(database) = recto_testkit::postgres::database() else { return };
//! assert!(database.url().starts_with("postgresql://"));
//! ```

mod cluster;
mod programs;
mod server;

use std::io::Write as _;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

pub use cluster::{Cluster, Stop};
use server::Server;

/// The environment variable with the address of a running server, as `postgresql://user@host/database`: databases are
/// made there, and dropped again, by that user.
pub const POSTGRES_URL: &str = "RECTO_POSTGRES_URL";

/// The environment variable that, set to `1`, turns missing PostgreSQL from a skipped test into a failed one. CI sets it.
pub const REQUIRE_POSTGRES: &str = "RECTO_REQUIRE_POSTGRES";

/// An empty database, dropped with this value.
pub struct Database {
    server: Server,
    name: String,
    /// What has to run as long as the database is used.
    _cluster: Option<Arc<Cluster>>,
}

impl Database {
    /// Gives its address, for a user who may do everything in it.
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// Gives its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs statements in it.
    ///
    /// # Panics
    /// If one fails: the message says what the server said.
    pub fn execute(&self, statements: &str) {
        if let Err(error) = self.server.execute(&self.name, statements) {
            fail(format_args!("{statements}: {error}"));
        }
    }

    /// Gives the first column of the first row, as text.
    ///
    /// # Panics
    /// If the query fails or has no row.
    pub fn value(&self, query: &str) -> String {
        match self.server.value(&self.name, query) {
            Ok(Some(value)) => value,
            Ok(None) => fail(format_args!("{query}: no row")),
            Err(error) => fail(format_args!("{query}: {error}")),
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        // A cluster is thrown away as a whole; on somebody's server one that cannot be dropped is better named.
        if let Err(error) = self.server.execute(server::MAINTENANCE, &drop)
            && self._cluster.is_none()
        {
            say(format_args!("the database {} is left: {error}", self.name));
        }
    }
}

/// Makes an empty database; `None`, with a word on stderr, where no PostgreSQL is to be had.
///
/// # Panics
/// If there is none and [`REQUIRE_POSTGRES`] is `1`, or if the server refuses.
#[track_caller]
pub fn database() -> Option<Database> {
    if let Some(url) = environment(POSTGRES_URL) {
        let server = Server::at(&url).unwrap_or_else(|error| fail(format_args!("{POSTGRES_URL}: {error}")));
        return Some(make(server, None));
    }
    static SHARED: OnceLock<Result<Arc<Cluster>, String>> = OnceLock::new();
    let cluster = available(SHARED.get_or_init(|| Cluster::shared().map(Arc::new)).clone())?;
    Some(cluster.database())
}

/// Starts a cluster of one's own, to stop and start as a test needs it; `None`, with a word on stderr, where that cannot
/// be done.
///
/// # Panics
/// If it cannot and [`REQUIRE_POSTGRES`] is `1`.
#[track_caller]
pub fn cluster() -> Option<Arc<Cluster>> {
    available(Cluster::private().map(Arc::new))
}

impl Cluster {
    /// Makes an empty database in this cluster.
    ///
    /// # Panics
    /// If the server refuses.
    #[track_caller]
    pub fn database(self: &Arc<Self>) -> Database {
        make(self.server(), Some(Arc::clone(self)))
    }
}

#[track_caller]
fn make(server: Server, cluster: Option<Arc<Cluster>>) -> Database {
    static MADE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = MADE.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("recto_test_{}_{number}", std::process::id());
    // One of that name may be left by a process that was killed.
    for statement in [
        format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
        format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"),
    ] {
        if let Err(error) = server.execute(server::MAINTENANCE, &statement) {
            fail(format_args!("{statement}: {error}"));
        }
    }
    Database { server, name, _cluster: cluster }
}

#[track_caller]
fn available<T>(found: Result<T, String>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(why) if environment(REQUIRE_POSTGRES).is_some_and(|value| value == "1") => {
            fail(format_args!("no PostgreSQL ({why}), and {REQUIRE_POSTGRES}=1 asks for it"))
        }
        Err(why) => {
            say(format_args!("skipped: no PostgreSQL ({why}); needed at {}", Location::caller()));
            None
        }
    }
}

/// Straight to the stream: the test harness swallows what the print macros write in a test that passes.
fn say(words: std::fmt::Arguments<'_>) {
    let _ = std::io::stderr().write_all(format!("{words}\n").as_bytes());
}

#[expect(clippy::disallowed_methods, reason = "test support reads its own two variables")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[track_caller]
#[expect(clippy::panic, reason = "a test can do nothing else without its database")]
fn fail(words: std::fmt::Arguments<'_>) -> ! {
    panic!("{words}")
}
