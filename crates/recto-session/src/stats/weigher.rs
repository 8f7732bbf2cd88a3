use recto_tokens::{Counter, Tokenizer};

use super::is_mostly_base64;
use crate::history::{Observer, Said};

/// Counts the tokens of every text, and remembers which are mostly Base64.
pub struct Weigher {
    counter: &'static dyn Counter,
    base64: Vec<u32>,
}

impl Weigher {
    /// Counts with a tokenizer.
    #[must_use]
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self { counter: tokenizer.counter(), base64: Vec::new() }
    }

    /// The items that are mostly Base64, in their order.
    #[must_use]
    pub fn base64_items(&self) -> &[u32] {
        &self.base64
    }
}

impl Observer for Weigher {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        if is_mostly_base64(said.text) {
            self.base64.push(said.item);
        }
        self.counter.count(said.text)
    }
}
