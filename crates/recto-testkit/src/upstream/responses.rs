//! The OpenAI Responses API: what it refuses, what a body says, how an answer is written.

mod answer;
mod history;
mod rules;

pub(super) use answer::{events, whole};
pub(super) use history::{offered_tools, tool_results, turn};
pub use rules::complaints;

/// The namespace of calls that name none.
const DEFAULT_NAMESPACE: &str = "functions";
