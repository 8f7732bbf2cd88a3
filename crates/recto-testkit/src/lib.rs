//! Test support for the recto crates: real inputs, made inputs and broken inputs.
//!
//! A dev-dependency only. Unlike the crates it serves, it may read files and the environment, and it panics with a
//! plain message where a test could do nothing else.
//!
//! - [`corpus`] finds the real tool outputs beside the repository and the questions asked of them; where they are
//!   absent a test is skipped visibly, or fails if [`corpus::REQUIRE_CORPUS`] is set.
//! - [`generate`] makes inputs of every kind from a seed, from a kilobyte to hundreds of megabytes, with a few planted
//!   anomalies whose byte ranges are known.
//! - [`mutate`] breaks bytes the ways that files are broken in practice.
//! - [`strategies`] offers the two above, and small hand-shaped texts, to [`proptest`].
//! - `upstream` (with the feature of that name) is a scripted model that speaks the providers' APIs, strict as they
//!   are; `agents` runs real agents against it.
//! - `postgres` (with the feature of that name) is a throw-away PostgreSQL that the tests of a run share.
//! - [`Prng`] is the one source of chance: the same seed gives the same bytes on every machine.
//!
//! ```
//! use recto_testkit::generate::{Kind, PlantedKind};
//!
//! let records = Kind::JsonFlat.generate(7, 4_096);
//! assert!(records.bytes.len() >= 4_096);
//! let rare = records.planted.iter().find(|p| p.kind == PlantedKind::RareValue).unwrap();
//! assert!(records.bytes[rare.record.clone()].starts_with(b"{"));
//! ```

#[cfg(feature = "upstream")]
pub mod agents;
pub mod corpus;
pub mod generate;
pub mod mutate;
#[cfg(feature = "postgres")]
pub mod postgres;
mod prng;
pub mod strategies;
#[cfg(feature = "upstream")]
pub mod upstream;

pub use prng::Prng;
