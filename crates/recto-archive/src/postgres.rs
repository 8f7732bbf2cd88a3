use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::{
    Archive, ArchiveError, Description, Digest, Fut, GcReport, Health, Kind, Lease, LogId, LogStat, Ref,
    Retention, Run, RunId, Scope, Stat, Target, VerifyProgress, VerifyReport, Writer,
};

mod address;
mod columns;
mod description;
mod failure;
mod held;
mod journal;
mod leases;
mod logs;
mod names;
mod objects;
mod options;
mod originals;
mod pool;
mod removal;
mod runs;
mod schema;
mod session;
mod store;
mod verification;

pub use options::PostgresOptions;
use store::Store;

/// Keeps everything in a PostgreSQL database, in the schema `recto`, which many processes on many machines may use at once.
///
/// One background thread has the connections; calls are sent to it, so that any thread may wait for their answers, by
/// [`block_on`](crate::block_on) or in any async runtime. Compressing and checking is done where the answer is waited for.
/// A [`Writer`] and the opening block their thread. What a call has stored is as safe as the server's own commits.
///
/// A server that restarts is waited for, and work is done again if doing it twice makes no difference. A run is live as
/// long as its process has a connection on which it holds an advisory lock; when the process ends the server releases it,
/// on another machine within a minute. So a pooler between must keep sessions apart (PgBouncer: `pool_mode = session`).
///
/// Connections are not encrypted: an address on another machine has to say `sslmode=disable`, or is refused.
///
/// Cloning gives another handle to the same connections.
///
/// ```no_run
/// use recto_archive::{Archive, PostgresArchive, PostgresOptions, Scope, block_on};
/// let archive = PostgresArchive::open("postgresql:///team", &PostgresOptions::new())?;
/// let digest = block_on(archive.put(&Scope::local(), b"hello"))?;
/// # Ok::<(), recto_archive::ArchiveError>(())
/// ```
#[derive(Clone)]
pub struct PostgresArchive {
    store: Arc<Store>,
}

impl PostgresArchive {
    /// Opens the archive in the database at `url`, and makes it if it is not there: [`PostgresOptions::open`].
    ///
    /// # Errors
    /// As [`PostgresOptions::open`].
    pub fn open(url: &str, options: &PostgresOptions) -> Result<Self, ArchiveError> {
        options.open(url)
    }

    /// Tells where the database is: its address without the password.
    pub fn place(&self) -> &str {
        &self.store.place
    }

    /// Tells whether the archive takes writes; if not, they fail with [`ArchiveError::ReadOnly`].
    pub fn is_writable(&self) -> bool {
        self.store.mode.is_writable()
    }
}

impl fmt::Debug for PostgresArchive {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PostgresArchive")
            .field("place", &self.store.place)
            .field("mode", &self.store.mode)
            .finish_non_exhaustive()
    }
}

impl Archive for PostgresArchive {
    fn put_as<'a>(&'a self, scope: &'a Scope, kind: Kind, bytes: &'a [u8]) -> Fut<'a, Digest> {
        Box::pin(originals::put(&self.store, scope, kind, bytes))
    }

    fn begin<'a>(&'a self, scope: &'a Scope, label: &'a str) -> Fut<'a, Box<dyn Writer>> {
        Box::pin(journal::begin(&self.store, scope, label))
    }

    fn get<'a>(&'a self, scope: &'a Scope, digest: &'a Digest, range: Range<u64>) -> Fut<'a, Vec<u8>> {
        Box::pin(originals::get(&self.store, scope, digest, range))
    }

    fn stat<'a>(&'a self, scope: &'a Scope, digest: &'a Digest) -> Fut<'a, Option<Stat>> {
        Box::pin(originals::stat(&self.store, scope, digest))
    }

    fn issue<'a>(&'a self, scope: &'a Scope, target: &'a Target) -> Fut<'a, Ref> {
        Box::pin(names::issue(&self.store, scope, target))
    }

    fn resolve<'a>(&'a self, scope: &'a Scope, name: &'a Ref) -> Fut<'a, Option<Target>> {
        Box::pin(names::resolve(&self.store, scope, name))
    }

    fn find_refs<'a>(&'a self, scope: &'a Scope, digits_prefix: &'a str, limit: u32) -> Fut<'a, Vec<Ref>> {
        Box::pin(names::find(&self.store, scope, digits_prefix, limit))
    }

    fn runs<'a>(&'a self, scope: &'a Scope) -> Fut<'a, Vec<Run>> {
        Box::pin(runs::list(&self.store, scope))
    }

    fn read_run<'a>(&'a self, scope: &'a Scope, run: &'a RunId, range: Range<u64>) -> Fut<'a, Vec<u8>> {
        Box::pin(runs::read(&self.store, scope, run, range))
    }

    fn adopt<'a>(&'a self, scope: &'a Scope, run: &'a RunId) -> Fut<'a, Digest> {
        Box::pin(runs::adopt(&self.store, scope, run))
    }

    fn append<'a>(
        &'a self,
        scope: &'a Scope,
        log: &'a LogId,
        expected: u64,
        fence: Option<u64>,
        events: &'a [&'a [u8]],
        keeps: &'a [Digest],
    ) -> Fut<'a, u64> {
        Box::pin(logs::append(&self.store, scope, log, expected, fence, events, keeps))
    }

    fn read<'a>(
        &'a self,
        scope: &'a Scope,
        log: &'a LogId,
        from: u64,
        limit: u32,
    ) -> Fut<'a, Vec<(u64, Vec<u8>)>> {
        Box::pin(logs::read(&self.store, scope, log, from, limit))
    }

    fn logs<'a>(&'a self, scope: &'a Scope, after: Option<&'a LogId>, limit: u32) -> Fut<'a, Vec<LogStat>> {
        Box::pin(logs::list(&self.store, scope, after, limit))
    }

    fn remove_log<'a>(&'a self, scope: &'a Scope, log: &'a LogId) -> Fut<'a, ()> {
        Box::pin(logs::remove(&self.store, scope, log))
    }

    fn lease<'a>(&'a self, scope: &'a Scope, name: &'a LogId, seconds: u32) -> Fut<'a, Lease> {
        Box::pin(leases::grant(&self.store, scope, name, seconds))
    }

    fn renew<'a>(&'a self, scope: &'a Scope, name: &'a LogId, fence: u64, seconds: u32) -> Fut<'a, Lease> {
        Box::pin(leases::renew(&self.store, scope, name, fence, seconds))
    }

    fn release<'a>(&'a self, scope: &'a Scope, name: &'a LogId, fence: u64) -> Fut<'a, ()> {
        Box::pin(leases::release(&self.store, scope, name, fence))
    }

    fn gc<'a>(&'a self, rules: &'a Retention, dry_run: bool) -> Fut<'a, GcReport> {
        Box::pin(removal::gc(&self.store, rules, dry_run))
    }

    fn verify<'a>(&'a self, progress: &'a (dyn Fn(VerifyProgress) + Send + Sync)) -> Fut<'a, VerifyReport> {
        Box::pin(verification::verify(&self.store, progress))
    }

    fn originals<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Digest>,
        limit: u32,
    ) -> Fut<'a, Vec<Stat>> {
        Box::pin(originals::list(&self.store, scope, after, limit))
    }

    fn refs<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Ref>,
        limit: u32,
    ) -> Fut<'a, Vec<(Ref, Target)>> {
        Box::pin(names::list(&self.store, scope, after, limit))
    }

    fn describe(&self) -> Fut<'_, Description> {
        Box::pin(description::describe(&self.store))
    }

    fn health(&self) -> Fut<'_, Health> {
        Box::pin(description::health(&self.store))
    }
}
