//! Sessions: events, their fold, the pruner, atoms.
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
mod surface_op;
mod target;

pub use atoms::{Atom, AtomKind, Atoms, ImageFacts, Metrics, Protection, TokenFigures, token_figures};
pub use block::Block;
pub use content::Content;
pub use draft::Draft;
pub use error::SessionError;
pub use event::{Event, Parent};
pub use kind::EventKind;
pub use key::Key;
pub use log::Log;
pub use projection::{Node, Projection};
pub use prune::{
    Aim, Boundary, PRUNE_MARKER, PruneConfig, Pruned, Shorten, Strategy, Unit, measure_content,
    prune_content, prune_session, prune_session_with,
};
pub use surface_op::{ReplacedRange, SurfaceOp};
pub use target::{Act, Lines, Target};
