use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::{
    Archive, ArchiveError, Description, Digest, Fut, GcReport, Health, Kind, Ref, Retention, Run, RunId,
    Scope, Stat, Target, VerifyProgress, VerifyReport, Writer,
};

mod chunks;
mod columns;
mod description;
mod failure;
mod holder;
mod journal;
mod locks;
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
