//! What a model reads when it looks tools up: one line a tool, or all that a call of one tool needs.
//!
//! Names and texts come from servers that nobody vouches for. Each line of a tool begins with its code or with two spaces; line
//! breaks inside of texts are folded and control characters escaped, so that no text can pass for a line of another tool.

mod describe;
mod hit;
mod look_up;
mod parameters;
mod safe;

pub use describe::describe;
pub use hit::hit_line;
pub use look_up::{DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT, answer_code, answer_words};
