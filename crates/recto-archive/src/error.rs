use std::io;
use std::path::{Path, PathBuf};

use crate::{Digest, LogId, Ref, RunId};

/// Says what kept the archive from answering, where, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Another writer held the store for longer than the busy timeout.
    #[error("the archive {} is busy: {holder} held its write lock for more than {waited_ms} ms; try again", path.display())]
    Busy {
        /// The store.
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
    /// The text cannot name a log or a lease.
    #[error("{text:?} cannot name a log or a lease: {why}")]
    InvalidLog {
        /// The beginning of the text.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Too much or too little was given.
    #[error("{what}: {found}, where {least} to {most} are taken")]
    OutOfBounds {
        /// As in "bytes of event 3 to append to log a".
        what: String,
        /// What was given.
        found: u64,
        /// The least that is taken.
        least: u64,
        /// The most that is taken.
        most: u64,
    },
    /// The log does not end where the append expected: others have appended, or less was ever there. Nothing was appended.
    #[error("log {log} has {found} events, not {expected}: read it to its end and append there")]
    Conflict {
        /// The log.
        log: LogId,
        /// The sequence number at which the append was to begin.
        expected: u64,
        /// The sequence number at which it could have begun.
        found: u64,
    },
    /// The fence is not that of the newest lease. Nothing was appended.
    #[error(
        "fence {fence} does not hold log {log}: its newest lease has fence {newest}; take the lease anew and read the log before appending"
    )]
    StaleFence {
        /// The log.
        log: LogId,
        /// The fence that was passed.
        fence: u64,
        /// The newest one that was granted; 0 if none ever was.
        newest: u64,
    },
    /// Somebody holds the lease.
    #[error(
        "the lease of {name} is held until {until_unix_ms} (Unix milliseconds, by the archive's clock): try again then"
    )]
    LeaseHeld {
        /// The lease.
        name: LogId,
        /// When it runs out, unless it is renewed.
        until_unix_ms: u64,
    },
    /// The lease was released, or granted to somebody else after it had run out.
    #[error(
        "the lease of {name} with fence {fence} is lost: it was released, or has run out and was granted to somebody else; take it anew"
    )]
    LeaseLost {
        /// The lease.
        name: LogId,
        /// The fence that was passed.
        fence: u64,
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

    pub(crate) fn no_log(log: &LogId) -> Self {
        Self::NotFound { what: format!("log {log}") }
    }

    pub(crate) fn log_gone(log: &LogId, why: &str) -> Self {
        Self::Gone { what: format!("log {log}"), why: why.to_owned() }
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
