//! The archive of originals: every byte that a reader was not shown is kept here, exact, and named.
//!
//! - [`Archive`] is the one trait; [`MemoryArchive`] and [`SqliteArchive`] keep it.
//! - An **original** is bytes named by their SHA-256 ([`Digest`]). [`Archive::put`] stores one,
//!   [`Archive::begin`] gives a [`Writer`] for bytes that arrive in pieces and must survive a kill.
//! - A **ref** ([`Ref`]) is the short name that a model reads. Anybody computes it beforehand; [`Archive::issue`] binds
//!   it to a [`Target`] for ever and lengthens it where it is taken.
//! - A **scope** ([`Scope`]) is the principal: nobody sees what another one put.
//! - A **log** ([`LogId`]) is a list of events that only grows: [`Archive::append`] adds to it where its caller believes its end to
//!   be, or nothing. A **lease** ([`Lease`]) makes one of many its only writer for a while.
//! - [`Retention`] removes what was not used for long and leaves word of it; [`Archive::verify`] finds damage.
//!
//! The crate knows no formats: what the bytes are, and what a view shows of them, is the caller's.
//!
//! ```
//! use recto_archive::{Archive, Ref, Scope, SqliteArchive, Target, block_on};
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("recto").join("recto.db");
//! let archive = SqliteArchive::open(&path)?;
//! let scope = Scope::local();
//!
//! let mut run = block_on(archive.begin(&scope, "cargo test"))?;
//! run.write(b"running 212 tests\n")?;
//! run.flush()?; // from here on a kill loses nothing of it
//! let original = run.finish()?;
//!
//! let name = block_on(archive.issue(&scope, &Target::Original(original)))?;
//! assert_eq!(name, Ref::for_original(&original));
//! assert_eq!(block_on(archive.get(&scope, &original, 8..11))?, b"212");
//! # Ok::<(), recto_archive::ArchiveError>(())
//! ```

mod archive;
mod binding;
mod block_on;
pub mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
mod digest;
mod error;
mod lease;
mod logs;
mod memory;
mod reference;
mod retention;
mod scope;
#[cfg(feature = "serde")]
mod serde_text;
mod sqlite;
mod verify;

pub use archive::{
    Archive, CHUNK_BYTES, Description, Fut, Health, Kind, Mode, Run, RunId, RunState, Stat, Writer,
};
pub use block_on::block_on;
pub use digest::Digest;
pub use error::ArchiveError;
pub use lease::{Lease, MAX_LEASE_SECONDS};
pub use logs::{LogId, LogStat, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, MAX_EVENT_BYTES};
pub use memory::MemoryArchive;
pub use reference::{Ref, Target};
pub use retention::{GRACE, GcReport, Removed, Retention};
pub use scope::Scope;
pub use sqlite::{OpenOptions, SqliteArchive};
pub use verify::{Damage, VerifyProgress, VerifyReport};
