//! Ranked search over tools: what a model finds a tool by when it knows what it wants done.

mod index;
mod query;
mod rank;
mod vocabulary;
mod words;

pub use index::SearchIndex;
pub(crate) use query::has_words;
pub use rank::Hit;
