//! Sessions of LLM agents: an append-only log of events, and what a model reads of it.
//!
//! Nothing is ever edited. What a model reads is a **projection**: a pure fold over the events, in which a later event may stand in for a run of
//! nodes. All else here is made of these two.
//!
//! - [`Event`] is one line of a log, kept as it is written, with whatever it holds that is not known here. [`Draft`] is one without a number.
//! - [`Log`] holds events, refuses what would not fold, and knows the branches of a conversation.
//! - [`Projection`] is the fold: [`SurfaceOp`] says what an event replaces or restores. No replacement parts a call from its result.
//! - [`prune_session`] shortens tool results that are too large; [`prune_content`] and [`measure_content`] are its parts, [`PruneConfig`] its
//!   settings, and [`Shorten`] lets a caller show a view instead of two ends. [`Content`] and [`Block`] are what a result holds.
//! - [`Atoms`] are the smallest units that may be replaced, with what is in them ([`Metrics`]) and why some may not be ([`Protection`]).
//!   [`token_figures`] counts tokens beside them.
//!
//! Pure: no files, no clock, no archive. No recursion over input, and no panic on any text.
//!
//! ```
//! use recto_session::{Atoms, Log, PruneConfig, SurfaceOp, prune_session};
//!
//! let mut log = Log::from_jsonl(&[
//!     r#"{"seq":0,"turn":1,"kind":"message/user","data":{"content":"What fails?"}}"#.to_owned(),
//!     r#"{"seq":1,"turn":1,"kind":"tool/call","data":{"callId":"c","name":"test","arguments":{}}}"#.to_owned(),
//!     format!(r#"{{"seq":2,"turn":1,"kind":"tool/result","data":{{"callId":"c","content":"{}"}}}}"#, "ok ".repeat(9000)),
//! ].join("\n"))?;
//!
//! let pruned = prune_session(&mut log, &PruneConfig::default())?;
//! assert_eq!(pruned.rewritten, [2]);
//! assert_eq!(log.events()[4].surface_op(), Some(&SurfaceOp::replace(2, 2)));
//! assert_eq!(log.events()[2].content().unwrap().blocks()[0].text().unwrap().len(), 27_000, "nothing is lost");
//!
//! let atoms = Atoms::of(&log, log.projection());
//! assert_eq!(atoms.get("a0002").unwrap().seqs, [1, 4]);
//! # Ok::<(), recto_session::SessionError>(())
//! ```

mod atoms;
mod block;
mod content;
mod draft;
mod error;
mod event;
pub mod history;
mod json;
mod key;
mod kind;
mod log;
mod pairing;
pub mod policy;
mod projection;
mod prune;
pub mod stats;
mod surface_op;
mod target;

pub use atoms::{Atom, AtomKind, Atoms, ImageFacts, Metrics, Protection, TokenFigures, token_figures};
pub use block::Block;
pub use content::Content;
pub use draft::Draft;
pub use error::SessionError;
pub use event::{Event, Parent};
pub use key::Key;
pub use kind::EventKind;
pub use log::Log;
pub use projection::{Node, Projection};
pub use prune::{
    Aim, Boundary, PRUNE_MARKER, PruneConfig, Pruned, Shorten, Strategy, Unit, measure_content,
    prune_content, prune_session, prune_session_with,
};
pub use surface_op::{ReplacedRange, SurfaceOp};
pub use target::{Act, Lines, Target};
