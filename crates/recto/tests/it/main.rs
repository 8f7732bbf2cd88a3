//! Integration tests of the `recto` binary, a file a command.
#![expect(clippy::unwrap_used, reason = "tests")]

mod agents;
mod compress;
mod config;
mod desk;
mod doctor;
mod documentation;
mod eval;
mod expand;
mod full_disk;
mod help;
mod hook;
mod limits;
mod mcp_tools;
mod postgres;
mod query;
mod read_only;
mod refs;
mod run;
mod session_database;
mod session_export;
mod session_laws;
mod session_ls;
mod session_recall;
mod session_repair;
mod session_safety;
mod session_show;
mod session_stats;
mod session_written;
mod sessions;
mod stats;
mod store;
mod tables;
mod usage;
mod verify;
mod words;
