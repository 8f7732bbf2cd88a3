//! An outline to a view: what an agent's model reads of a tool's output, within a budget, byte-exact.
//!
//! [`view`] ranks the units of a [`recto_outline::Outline`] once, without a budget, and keeps the longest prefix of that
//! ranking that the [`Policy`]'s budget allows. The [`View`] says which byte ranges are kept and which are left out
//! ([`SpanMap`]); it carries no text. [`render`] makes the text from the caller's own source, [`expand`] gives back what an
//! elision left out, [`verify`] checks a map against a source. Nothing here does I/O or reads a clock.

mod contract;
mod draft;
mod error;
mod facts;
mod fit;
mod hashing;
mod kept;
mod line_ends;
mod literals;
mod note;
mod policy;
mod rank;
mod render;
mod sources;
mod table;
mod tiling;
mod view;

pub use contract::{Chunk, CompressionResult, Elision, ProvenanceMap, SpanMap, Stats, VERSION, WireSpan};
pub use error::ViewError;
pub use hashing::while_hashing;
pub use note::{MARK, look_alikes, size_text};
pub use policy::{Budget, DEFAULT_RATIO_PPM, ENGINE, Mode, Policy, Recall, ResultClass, WHOLE_BELOW_BYTES};
pub use rank::Reason;
pub use render::{chunks, expand, expand_result, render, verify};
pub use sources::Source;
pub use table::{TableColumn, TableError, TableLayout, TablePlace, TableShape, decode};
pub use view::{Explained, View, view};
