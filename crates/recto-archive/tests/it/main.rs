//! The archive's public face: the suite over each store, and what only a file on a disk can suffer.

mod child;
mod memory;
mod properties;
mod sqlite;
