//! The exact count of a text that grows.

use std::fmt;

use crate::counter::{self, ScaledCounter};
use crate::cut;
use crate::tokenizer::Tokenizer;

/// Counts a text that is written piece by piece, without counting from the start again.
///
/// [`RunningCount::total`] is always what counting the joined pieces at once would give. It keeps only the end of
/// the text that a further piece could still change: a word, or all of it while no word has surely ended.
///
/// ```
/// use recto_tokens::{RunningCount, Tokenizer};
///
/// let mut running = RunningCount::new(Tokenizer::O200k);
/// running.push("hel");
/// running.push("lo wor");
/// assert_eq!(running.total_with("ld"), 2);
/// running.push("ld");
/// assert_eq!(running.total(), Tokenizer::O200k.counter().count("hello world"));
/// ```
#[derive(Clone)]
pub struct RunningCount {
    counter: &'static ScaledCounter,
    settled_base_tokens: u64,
    tail: String,
}

impl RunningCount {
    /// Starts with the empty text.
    #[must_use]
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self { counter: counter::of(tokenizer), settled_base_tokens: 0, tail: String::new() }
    }

    /// Appends a piece. Time is that of the piece and of the tail it may join.
    pub fn push(&mut self, piece: &str) {
        let joint = self.tail.len();
        self.tail.push_str(piece);
        if let Some(place) = cut::last_from(&self.tail, joint) {
            let settled = self.tail.drain(..place);
            self.settled_base_tokens += self.counter.base_count(settled.as_str());
        }
    }

    /// Returns the tokens of all pieces so far, joined. Counts the tail anew at each call.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counter.scaled(self.settled_base_tokens + self.counter.base_count(&self.tail))
    }

    /// Returns what [`RunningCount::total`] would be after `next`, without appending it.
    #[must_use]
    pub fn total_with(&self, next: &str) -> u64 {
        let mut after = self.clone();
        after.push(next);
        after.total()
    }
}

impl fmt::Debug for RunningCount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RunningCount")
            .field("settled_base_tokens", &self.settled_base_tokens)
            .field("tail_bytes", &self.tail.len())
            .finish_non_exhaustive()
    }
}
