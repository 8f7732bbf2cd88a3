use std::io;
use std::path::{Path, PathBuf};

use crate::{Digest, Ref, RunId};

/// Says what kept the archive from answering, where, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Another writer held the store for longer than the busy timeout.
    #[error("the archive {} is busy: {holder} held its write lock for more than {waited_ms} ms; try again", path.display())]
    Busy {
        /// The store: a file, or a database's address without its password. So in the other variants.
        path: PathBuf,
        /// Who holds it, as far as the system tells.
        holder: String,
        /// How long was waited.
        waited_ms: u64,
    },
    /// The store can be read but not written.
    #[error("the archive {} is read-only; {hint}", path.display())]
    ReadOnly {
        /// The store.
        path: PathBuf,
        /// What to do.
        hint: &'static str,
    },
    /// No room is left on the disk, or the store has reached its size limit.
    #[error("no room left for the archive {}; free some disk space, or remove old originals by a retention rule", path.display())]
    Full {
        /// The store.
        path: PathBuf,
    },
    /// Stored bytes are not what they were.
    #[error("corrupt: {what} in {place}; {advice}")]
    Corrupt {
        /// What is wrong.
        what: String,
        /// The store, the original and the bytes in it.
        place: String,
        /// What to do.
        advice: &'static str,
    },
    /// This scope has no such thing: it never had, or it belongs to somebody else.
    #[error("no {what} in this archive")]
    NotFound {
        /// As in "original ba7816...".
        what: String,
    },
    /// Retention removed it.
    #[error("{what} is no longer kept: {why}")]
    Gone {
        /// As in "original ba7816...".
        what: String,
        /// As in "removed on 2026-11-30 by rule max-age 30d".
        why: String,
    },
    /// The file is not a recto archive.
    #[error("{} is not a recto archive ({found}); name another file, it was left untouched", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it seems to be.
        found: String,
    },
    /// A newer recto wrote the store.
    #[error("the archive {} has schema {found}, this recto knows {known}; use a newer recto", path.display())]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The newest one that is known here.
        known: u32,
    },
    /// The text is not a ref.
    #[error("{text:?} is not a ref: {why}")]
    InvalidRef {
        /// The beginning of the text.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The text is the beginning of several refs.
    #[error("{prefix:?} begins several refs ({}): give more digits", list(candidates))]
    AmbiguousRef {
        /// The text.
        prefix: String,
        /// Some of the refs that begin so.
        candidates: Vec<Ref>,
    },
    /// The text is not a digest.
    #[error("{text:?} is not a SHA-256 digest: 64 hexadecimal digits are needed")]
    InvalidDigest {
        /// The beginning of the text.
        text: String,
    },
    /// The text cannot name a principal.
    #[error("not a scope's name: {why}")]
    InvalidScope {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The target cannot be named, or all its names are bound to other targets.
    #[error("no ref can be issued: {why}")]
    NoName {
        /// What is wrong.
        why: &'static str,
    },
    /// The run is being written, or adopted, by somebody else.
    #[error("run {run} is still live: its writer holds {lock}; wait for it to end")]
    RunLive {
        /// The run.
        run: RunId,
        /// The lock that is held.
        lock: String,
    },
    /// The run was finished or removed under its writer.
    #[error("run {run} was finished or removed by somebody else; begin another one")]
    RunLost {
        /// The run.
        run: RunId,
    },
    /// The text is not the address of a database that may be used.
    #[error("not the address of a PostgreSQL database: {why}")]
    InvalidAddress {
        /// What is wrong with it, and what to write; never its password.
        why: String,
    },
    /// The database's server does not answer, or lets nobody in.
    #[error("the archive {place} cannot be reached: {source}; {hint}")]
    Unreachable {
        /// The database's address, without its password.
        place: String,
        /// What to do.
        hint: &'static str,
        /// What the server or the system said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// As in "create".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's own error.
        source: io::Error,
    },
    /// The database engine failed in a way that none of the above describes.
    #[error("the archive {} failed: {source}", path.display())]
    Engine {
        /// The store.
        path: PathBuf,
        /// The engine's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl ArchiveError {
    pub(crate) fn no_original(digest: &Digest) -> Self {
        Self::NotFound { what: format!("original {digest}") }
    }

    pub(crate) fn no_run(run: &RunId) -> Self {
        Self::NotFound { what: format!("run {run}") }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path: path.to_owned() },
            io::ErrorKind::ReadOnlyFilesystem => Self::read_only(path),
            _ => Self::Io { action, path: path.to_owned(), source },
        }
    }

    pub(crate) fn read_only(path: &Path) -> Self {
        Self::ReadOnly {
            path: path.to_owned(),
            hint: "make its file and folder writable, or name a store elsewhere",
        }
    }
}

fn list(names: &[Ref]) -> String {
    names.iter().map(Ref::to_string).collect::<Vec<_>>().join(", ")
}
