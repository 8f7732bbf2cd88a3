use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::{
    Archive, ArchiveError, Description, Digest, Fut, GcReport, Health, Kind, Lease, LogId, LogStat, Ref,
    Retention, Run, RunId, Scope, Stat, Target, VerifyProgress, VerifyReport, Writer,
};

mod chunks;
mod columns;
mod description;
mod events;
mod failure;
mod holder;
mod journal;
mod leases;
mod locks;
mod logs;
mod names;
mod objects;
mod open;
mod originals;
mod place;
mod removal;
mod runs;
mod schema;
mod store;
mod verification;

pub use open::OpenOptions;
use store::Store;

/// Keeps everything in one SQLite file, which many threads and processes may use at once.
///
/// The file is private to its owner (0600, in a folder that is made 0700). Beside it lie SQLite's own `-wal` and `-shm`
/// and, while runs are written, `-runs` with their locks. What a call has stored survives the end of the process, however
/// it ends. No call waits for the disk but those that move the log into the file, about one for each 2 MiB written: what was
/// stored in the last half minute before a power failure may be missing, never part of a call (WAL, `synchronous = NORMAL`).
///
/// A store that an older recto made is brought to the present form when it is first opened for writing, once, by whichever of
/// several processes comes first; for reading it is taken as it is.
///
/// Cloning gives another handle to the same open store.
#[derive(Clone)]
pub struct SqliteArchive {
    store: Arc<Store>,
}

impl SqliteArchive {
    /// Opens the store at `path`, and makes it if it is not there: [`OpenOptions::open`] with the defaults.
    ///
    /// # Errors
    /// As [`OpenOptions::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ArchiveError> {
        OpenOptions::new().open(path)
    }

    /// Tells where the store is, symbolic links in its folder resolved.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Tells whether the store takes writes; if not, they fail with [`ArchiveError::ReadOnly`].
    pub fn is_writable(&self) -> bool {
        self.store.mode().is_writable()
    }
}

impl fmt::Debug for SqliteArchive {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SqliteArchive")
            .field("path", &self.store.path)
            .field("mode", &self.store.mode())
            .finish_non_exhaustive()
    }
}

impl Archive for SqliteArchive {
    fn put_as<'a>(&'a self, scope: &'a Scope, kind: Kind, bytes: &'a [u8]) -> Fut<'a, Digest> {
        Box::pin(async move { originals::put(&self.store, scope, kind, bytes) })
    }

    fn begin<'a>(&'a self, scope: &'a Scope, label: &'a str) -> Fut<'a, Box<dyn Writer>> {
        Box::pin(async move { journal::begin(&self.store, scope, label) })
    }

    fn get<'a>(&'a self, scope: &'a Scope, digest: &'a Digest, range: Range<u64>) -> Fut<'a, Vec<u8>> {
        Box::pin(async move { originals::get(&self.store, scope, digest, &range) })
    }

    fn stat<'a>(&'a self, scope: &'a Scope, digest: &'a Digest) -> Fut<'a, Option<Stat>> {
        Box::pin(async move { originals::stat(&self.store, scope, digest) })
    }

    fn issue<'a>(&'a self, scope: &'a Scope, target: &'a Target) -> Fut<'a, Ref> {
        Box::pin(async move { names::issue(&self.store, scope, target) })
    }

    fn resolve<'a>(&'a self, scope: &'a Scope, name: &'a Ref) -> Fut<'a, Option<Target>> {
        Box::pin(async move { names::resolve(&self.store, scope, name) })
    }

    fn find_refs<'a>(&'a self, scope: &'a Scope, digits_prefix: &'a str, limit: u32) -> Fut<'a, Vec<Ref>> {
        Box::pin(async move { names::find(&self.store, scope, digits_prefix, limit) })
    }

    fn runs<'a>(&'a self, scope: &'a Scope) -> Fut<'a, Vec<Run>> {
        Box::pin(async move { runs::list(&self.store, scope) })
    }

    fn read_run<'a>(&'a self, scope: &'a Scope, run: &'a RunId, range: Range<u64>) -> Fut<'a, Vec<u8>> {
        Box::pin(async move { runs::read(&self.store, scope, run, &range) })
    }

    fn adopt<'a>(&'a self, scope: &'a Scope, run: &'a RunId) -> Fut<'a, Digest> {
        Box::pin(async move { runs::adopt(&self.store, scope, run) })
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
        Box::pin(async move { logs::append(&self.store, scope, log, expected, fence, events, keeps) })
    }

    fn read<'a>(
        &'a self,
        scope: &'a Scope,
        log: &'a LogId,
        from: u64,
        limit: u32,
    ) -> Fut<'a, Vec<(u64, Vec<u8>)>> {
        Box::pin(async move { logs::read(&self.store, scope, log, from, limit) })
    }

    fn logs<'a>(&'a self, scope: &'a Scope, after: Option<&'a LogId>, limit: u32) -> Fut<'a, Vec<LogStat>> {
        Box::pin(async move { logs::list(&self.store, scope, after, limit) })
    }

    fn remove_log<'a>(&'a self, scope: &'a Scope, log: &'a LogId) -> Fut<'a, ()> {
        Box::pin(async move { logs::remove(&self.store, scope, log) })
    }

    fn lease<'a>(&'a self, scope: &'a Scope, name: &'a LogId, seconds: u32) -> Fut<'a, Lease> {
        Box::pin(async move { leases::grant(&self.store, scope, name, seconds) })
    }

    fn renew<'a>(&'a self, scope: &'a Scope, name: &'a LogId, fence: u64, seconds: u32) -> Fut<'a, Lease> {
        Box::pin(async move { leases::renew(&self.store, scope, name, fence, seconds) })
    }

    fn release<'a>(&'a self, scope: &'a Scope, name: &'a LogId, fence: u64) -> Fut<'a, ()> {
        Box::pin(async move { leases::release(&self.store, scope, name, fence) })
    }

    fn gc<'a>(&'a self, rules: &'a Retention, dry_run: bool) -> Fut<'a, GcReport> {
        Box::pin(async move { removal::gc(&self.store, rules, dry_run) })
    }

    fn verify<'a>(&'a self, progress: &'a (dyn Fn(VerifyProgress) + Send + Sync)) -> Fut<'a, VerifyReport> {
        Box::pin(async move { verification::verify(&self.store, progress) })
    }

    fn originals<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Digest>,
        limit: u32,
    ) -> Fut<'a, Vec<Stat>> {
        Box::pin(async move { originals::list(&self.store, scope, after, limit) })
    }

    fn refs<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Ref>,
        limit: u32,
    ) -> Fut<'a, Vec<(Ref, Target)>> {
        Box::pin(async move { names::list(&self.store, scope, after, limit) })
    }

    fn describe(&self) -> Fut<'_, Description> {
        Box::pin(async move { description::describe(&self.store) })
    }

    fn health(&self) -> Fut<'_, Health> {
        Box::pin(async move { description::health(&self.store) })
    }
}
