//! Catalogues: tool definitions compiled into what a model reads of them, and its calls resolved back to the real tools.
//!
//! A **catalogue** is compiled once from the tools of any number of servers, purely and deterministically. What is sent is smaller
//! than the definitions by a **level**: the same tools with short schemas (1), one tool for each namespace (2), or two tools and a
//! map of one line a tool (3). Whatever the level, a call of the model is resolved to a tool and its arguments, checked against the
//! tool's own schema: never to another tool than the one that the code has always stood for.
//!
//! - [`ToolList`] reads tools from the shapes that servers and providers write; a [`Tool`] is one of them, unchanged.
//! - `directory` gives each tool its **code**, for ever, and finds a tool by it.
//! - [`compile`] makes a [`Catalog`] of them: `level` holds what is sent at each, `budget` chooses for each tool within a budget, and a
//!   [`Ledger`] is what was sent, for the next catalogue to build on.
//! - [`Drift`] tells how definitions have changed.
//! - [`Policy`] is what was measured of models, as data.
//! - `adapters` write a catalogue as each provider takes it: [`for_anthropic`], [`for_openai`], [`for_openai_responses`],
//!   [`for_gemini`], [`for_mcp`].
//! - [`resolve`] makes a model's call into an [`Outcome`]: the real call, repaired where that is safe ([`Repair`]), or what to write
//!   instead. [`Validator`] holds arguments against one tool's schema.
//! - [`SearchIndex`] finds tools by words that say what is wanted; [`answer_words`] and [`answer_code`] say in few words what a
//!   look-up found, [`describe`] all that a call of one tool needs.
//! - [`flatten_schema`] and [`signature_line`] are what a model reads of a schema; `map` writes many signatures with what they share
//!   written once. [`encode_tools`] does that for whole definitions, and [`decode_tools`] gives back every byte.

mod adapters;
mod answer;
mod budget;
mod catalog;
mod compile;
mod directory;
mod drift;
mod error;
mod factoring;
mod ledger;
mod letters;
mod level;
mod map;
mod names;
mod options;
mod policy;
mod recommend;
mod resolve;
mod schema;
mod search;
mod sentence;
mod signature;
mod stats;
mod tool;
mod tool_list;

pub use adapters::{
    Adapted, AnthropicOptions, AnthropicTools, CacheLifetime, for_anthropic, for_gemini, for_mcp, for_openai,
    for_openai_responses,
};
pub use answer::{DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT, answer_code, answer_words, describe, hit_line};
pub use budget::{Budget, BudgetLine};
pub use catalog::Catalog;
pub use compile::{compile, compile_with};
pub use directory::{Directory, Entry, Removed};
pub use drift::{Change, Drift, ToolDrift, ToolName};
pub use error::CatalogError;
pub use factoring::{MAX_DECODED_BYTES, decode_tools, encode_tools};
pub use ledger::{Detail, Ledger, LedgerEntry, WireTool};
pub use letters::is_hidden;
pub use level::Note;
pub use map::MapStyle;
pub use options::{AliasOf, CodeStyle, Level, NamespaceOf, Objective, Options};
pub use policy::{CodeRow, MapChoice, NativeSearchRow, Policy, RefusedRow, StyleRow, select_map_style};
pub use recommend::{MAP_FROM_TOOLS, Recommendation, recommend_level};
pub use resolve::{
    Answer, InexactJson, MAX_ARGUMENT_BYTES, MapTools, NamespaceTools, Operation, Outcome, Question, Repair,
    Surface, Validator, read_exactly, resolve,
};
pub use schema::{flatten_schema, gemini_schema};
pub use search::{Hit, SearchIndex};
pub use sentence::{MAX_SENTENCE_BYTES, first_sentence};
pub use signature::signature_line;
pub use stats::Stats;
pub use tool::{MAX_DEPTH, Shape, Tool};
pub use tool_list::{MAX_TOOLS, ToolList};
