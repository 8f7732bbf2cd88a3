//! Running text: prose, transcripts, retrieved chunks, markup.

mod chat;
mod laws;
mod markdown_oracle;
mod markup;
mod prose;
mod rag;
mod view;
mod well_formed;
