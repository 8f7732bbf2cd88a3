//! The crate from outside: real sessions' results, and any JSON in their place.
#![expect(clippy::unwrap_used, reason = "tests")]

mod notes;
mod results;
mod sessions;
