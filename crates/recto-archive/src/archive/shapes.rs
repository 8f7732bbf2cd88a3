use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::{ArchiveError, Digest};

/// What stored bytes are to the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Bytes that somebody wants back: a tool's result, a command's output.
    Original,
    /// A view's span map, needed to say what its elisions are. Bytes that are put as both are an original.
    Map,
}

/// Describes an original or map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Its name.
    pub digest: Digest,
    /// What it is.
    pub kind: Kind,
    /// Its length.
    pub bytes: u64,
    /// When this scope last put it, to within 5 minutes.
    pub put_unix_ms: u64,
    /// When this scope last used it (put, issued, read), to within an hour.
    pub used_unix_ms: u64,
}

/// Names a run: an original that is being written, or was when its writer died.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// Gives the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn from_store(name: String) -> Self {
        Self(name)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl FromStr for RunId {
    type Err = ArchiveError;

    /// Accepts 1 to 64 lower-case letters, digits and hyphens.
    fn from_str(text: &str) -> Result<Self, ArchiveError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if (1..=64).contains(&text.len()) && text.bytes().all(plain) {
            return Ok(Self(text.to_owned()));
        }
        Err(ArchiveError::NotFound { what: format!("run {:?}", text.chars().take(64).collect::<String>()) })
    }
}

/// Tells whether a run's writer is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunState {
    /// Its writer, or somebody who adopts it, holds its lock.
    Live,
    /// Nobody writes it any more.
    Abandoned,
}

/// Describes a run that is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// What it is: the command line, mostly.
    pub label: String,
    /// When it was begun.
    pub started_unix_ms: u64,
    /// How many of its bytes are safe.
    pub bytes: u64,
    /// Whether its writer is alive.
    pub state: RunState,
}

/// How a store could be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// For reading and writing.
    ReadWrite,
    /// For reading; what other processes write is seen.
    ReadOnly,
    /// For reading a temporary copy, as the original could not be opened where it is; later writes are not seen.
    Snapshot,
    /// For reading a file that nobody is expected to change, as on a read-only file system.
    Immutable,
}

impl Mode {
    /// Tells whether the store takes writes.
    pub fn is_writable(self) -> bool {
        self == Self::ReadWrite
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::ReadWrite => "read-write",
            Self::ReadOnly => "read-only",
            Self::Snapshot => "read-only (temporary copy)",
            Self::Immutable => "read-only (immutable)",
        })
    }
}

/// Says where a store is, how large, and by what it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Description {
    /// As in "SQLite 3.50.2".
    pub engine: String,
    /// Version of the stored form.
    pub schema: u32,
    /// Where it is, if it is a file.
    pub path: Option<PathBuf>,
    /// How it is open.
    pub mode: Mode,
    /// Originals and maps of all scopes, equal bytes counted once.
    pub originals: u64,
    /// Their length.
    pub source_bytes: u64,
    /// What they take, compressed.
    pub stored_bytes: u64,
    /// Logs of all scopes.
    pub logs: u64,
    /// Events in them.
    pub events: u64,
    /// Length of the events.
    pub event_bytes: u64,
    /// Room in memory or on the disk, indexes and free pages included.
    pub occupied_bytes: u64,
}

/// Says what whoever runs a store should know about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Health {
    /// Sentences for a person, each about one thing; none when all is well.
    pub notes: Vec<String>,
}
