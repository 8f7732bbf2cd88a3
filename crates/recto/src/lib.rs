//! The context layer for LLM agents, as a library: a tool's output goes in, what a model should read comes out, and every byte
//! that was left out can be had back by its ref.
//!
//! This crate joins the rooms below it: [`view`] (what is shown), [`archive`] (what is kept), [`outline`] and [`tokens`]. Its own
//! part is [`compress`]: name a view, make it, store what it leaves out, and bind the name. Nothing here prints or reads the
//! environment; the `recto` binary does.

mod issue;
pub mod pruning;
pub mod shown;
pub mod transcript;
mod weighing;

pub use issue::{CompressError, Issued, compress};
pub use recto_archive as archive;
pub use recto_outline as outline;
pub use recto_session as session;
pub use recto_tokens as tokens;
pub use recto_view::{self as view, while_hashing};
pub use recto_wire as wire;
pub use weighing::{Weighed, weighed};
