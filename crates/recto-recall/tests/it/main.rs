//! Integration tests: what is left out of views, read back from archives and files.
#![expect(clippy::unwrap_used, reason = "tests")]

mod errors;
mod parts;
