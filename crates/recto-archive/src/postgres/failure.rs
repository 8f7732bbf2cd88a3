//! From the server's errors to those of the archive.

use std::error::Error as _;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::error::SqlState;

use crate::ArchiveError;

/// What can go wrong while a server is asked: its error does not know the place yet.
#[derive(Debug)]
pub(super) enum Failure {
    Engine(tokio_postgres::Error),
    /// No connection could be made.
    Connecting(tokio_postgres::Error),
    /// No answer came in time; whether the work was done is not known.
    Silent(Duration),
    /// All connections are in use for longer than that.
    Crowded(Duration),
    Compression(std::io::Error),
    Archive(ArchiveError),
    /// The thread that talks to the server has ended.
    Ended,
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

/// What is to be done about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// The server has undone the work, for the sake of another's.
    Repeat,
    /// The connection is gone; the work may have been done.
    Reconnect,
    /// None: it would fail again.
    None,
}

impl Failure {
    pub(super) fn remedy(&self) -> Remedy {
        let (Self::Engine(error) | Self::Connecting(error)) = self else { return Remedy::None };
        let Some(state) = error.code() else {
            return if is_broken(error) { Remedy::Reconnect } else { Remedy::None };
        };
        match *state {
            SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => Remedy::Repeat,
            SqlState::ADMIN_SHUTDOWN
            | SqlState::CRASH_SHUTDOWN
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
            | SqlState::TOO_MANY_CONNECTIONS => Remedy::Reconnect,
            _ if state.code().starts_with("08") => Remedy::Reconnect,
            _ => Remedy::None,
        }
    }

    /// Tells whether the server was there and will let one in soon.
    pub(super) fn is_starting(&self) -> bool {
        let (Self::Engine(error) | Self::Connecting(error)) = self else { return false };
        matches!(error.code(), Some(&SqlState::CANNOT_CONNECT_NOW | &SqlState::TOO_MANY_CONNECTIONS))
    }

    pub(super) fn at(self, place: &str, busy_timeout: Duration) -> ArchiveError {
        let path = PathBuf::from(place);
        let busy = |waited: Duration, holder: &str| ArchiveError::Busy {
            path: PathBuf::from(place),
            holder: holder.to_owned(),
            waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        };
        let unreachable = |source: Words, hint| ArchiveError::Unreachable {
            place: place.to_owned(),
            hint,
            source: Box::new(source),
        };
        let error = match self {
            Self::Archive(error) => return error,
            Self::Compression(error) => return ArchiveError::Engine { path, source: Box::new(error) },
            Self::Crowded(waited) => return busy(waited, "other calls of this process"),
            Self::Silent(waited) => {
                let words = format!("no answer came within {} ms", waited.as_millis());
                return unreachable(Words(words), "look at the server and the network, and try again");
            }
            Self::Ended => {
                let words = Words("the thread that talks to the server has ended".to_owned());
                return ArchiveError::Engine { path, source: Box::new(words) };
            }
            Self::Connecting(error) if error.code().is_none() => {
                let hint =
                    "look whether the server runs there, and at the address, the user and the password";
                return unreachable(Words::of(&error), hint);
            }
            Self::Engine(error) | Self::Connecting(error) => error,
        };
        let words = Words::of(&error);
        let Some(state) = error.code() else {
            if !is_broken(&error) {
                return ArchiveError::Engine { path, source: Box::new(words) };
            }
            return unreachable(words, "look whether the server runs there, and try again");
        };
        match *state {
            SqlState::LOCK_NOT_AVAILABLE => busy(busy_timeout, "another session of the server"),
            SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => {
                busy(Duration::ZERO, "another session of the server")
            }
            SqlState::QUERY_CANCELED => {
                busy(STATEMENT_TIMEOUT, "a statement of this session, or another's lock,")
            }
            SqlState::READ_ONLY_SQL_TRANSACTION => ArchiveError::ReadOnly {
                path,
                hint: "it is a standby server or was opened for reading; name the primary server",
            },
            SqlState::INSUFFICIENT_PRIVILEGE => ArchiveError::ReadOnly {
                path,
                hint: "its user needs the right to create the schema recto, or all rights on the tables in it",
            },
            SqlState::DISK_FULL | SqlState::OUT_OF_MEMORY => ArchiveError::Full { path },
            SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                unreachable(words, "look at the user and the password")
            }
            SqlState::INVALID_CATALOG_NAME => unreachable(words, "make that database, or name another one"),
            SqlState::TOO_MANY_CONNECTIONS => {
                unreachable(words, "try again, or let the server take more connections")
            }
            SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => ArchiveError::Corrupt {
                what: words.to_string(),
                place: format!("the archive {place}"),
                advice: "verify names what is lost; restore the database from a backup",
            },
            _ if is_of_connection(state) => {
                unreachable(words, "look whether the server runs there, and try again")
            }
            _ => ArchiveError::Engine { path, source: Box::new(words) },
        }
    }
}

/// Tells whether an error that is none of the server's is one of the connection.
fn is_broken(error: &tokio_postgres::Error) -> bool {
    error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>())
}

fn is_of_connection(state: &SqlState) -> bool {
    ["08", "57P"].iter().any(|class| state.code().starts_with(class))
}

/// How long a statement may take: a minute is far more than any of this crate needs, unless its server is in trouble.
pub(super) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(60);

/// An error's words and those of its causes: the client's own errors leave the causes out.
#[derive(Debug)]
struct Words(String);

impl Words {
    fn of(error: &tokio_postgres::Error) -> Self {
        if let Some(error) = error.as_db_error() {
            let detail = error.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
            return Self(format!("{}{detail} [{}]", error.message(), error.code().code()));
        }
        let mut words = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            words = format!("{words}: {cause}");
            source = cause.source();
        }
        Self(words)
    }
}

impl fmt::Display for Words {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Words {}
