//! The testkit tested from outside, against parsers that are not ours.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking, its helper functions too")]

#[cfg(feature = "upstream")]
mod agents;
mod corpus;
mod generate;
mod mutate;
#[cfg(feature = "postgres")]
mod postgres;
mod strategies;
#[cfg(feature = "upstream")]
mod upstream;
