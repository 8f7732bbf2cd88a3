//! Running text: prose, transcripts, retrieved chunks, markup.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod chat;
mod laws;
mod markdown_oracle;
mod markup;
mod prose;
mod rag;
pub(crate) mod view;
mod well_formed;
