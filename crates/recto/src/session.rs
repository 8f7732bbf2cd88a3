//! Sessions of agents on this machine: where they are, and how they are read.

pub(crate) mod contents;
pub(crate) mod decided;
pub(crate) mod events;
pub(crate) mod find;
pub(crate) mod ids;
pub(crate) mod journal;
pub(crate) mod log;
pub(crate) mod open;
pub(crate) mod originals;
pub(crate) mod policies;
pub(crate) mod previews;
pub(crate) mod problems;
pub(crate) mod repair;
pub(crate) mod save;
pub(crate) mod stats;
pub(crate) mod watch;
pub(crate) mod without;
pub(crate) mod words;
