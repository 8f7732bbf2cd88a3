//! The scoreboard: how much of the evidence a shorter text keeps, for recto's views, for simple baselines, and for any other
//! command.
//!
//! A [`Set`] is sources and questions; each question's [`Evidence`] says what has to survive. [`run`] makes every output that a
//! [`Plan`] asks for (methods, budgets, conditions) and scores it; [`SetReport`] adds up, and [`Report`] is what is shown. Sets are
//! read from a folder ([`read_corpus`]) or made
//! with their answers ([`generate`]). [`layouts`] counts what whole JSON files cost as tables and in other layouts. Scores are deterministic; only times are not.

mod baseline;
mod binding;
mod bm25;
mod budget;
mod corpus;
mod error;
mod evidence;
mod generated;
mod layouts;
mod method;
mod peer;
mod pieces;
mod prng;
mod report;
mod scoreboard;
mod source;
mod tally;
mod templates;
mod transcripts;

pub use baseline::Baseline;
pub use binding::is_bound;
pub use budget::{Condition, TokenBudget};
pub use corpus::{Sizes, read_corpus};
pub use error::EvalError;
pub use evidence::{Evidence, FRAME_TOKENS, Kept, Needle, Shown};
pub use generated::{Generation, generate};
pub use layouts::{LayoutReport, Layouts, layouts};
pub use method::{Method, Output};
pub use peer::{PEER_TIMEOUT, Peer};
pub use report::{Report, SetReport, escaped};
pub use scoreboard::{Made, Plan, Scores, Trial, run};
pub use source::{Item, Sample, Set};
pub use tally::{Cost, Lost, Questions, Retention};
pub use templates::{Templates, log_templates, log_templates_of_folder};
pub use transcripts::read_transcripts;
