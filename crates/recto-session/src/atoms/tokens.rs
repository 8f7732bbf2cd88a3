//! Tokens of atoms, beside their metrics and never mixed with them.

use recto_tokens::{Counter, Tokenizer, image_tokens};

use super::image::{ImageFacts, payload};
use super::text::{Text, each_text};
use crate::event::Event;
use crate::json;

/// Tokens of some nodes by a named tokenizer: text, Base64 and images apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenFigures {
    /// Which tokenizer counted.
    pub tokenizer: Tokenizer,
    /// Tokens of all text, each piece counted by itself.
    pub text_tokens: u64,
    /// Tokens that the images' Base64 would have as text: what a meter says that takes it for text.
    pub base64_text_tokens: u64,
    /// Tokens that the provider bills for the images whose size is known.
    pub image_tokens: u64,
    /// How many images have no known size.
    pub images_without_size: u64,
}

impl TokenFigures {
    pub(super) const fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, text_tokens: 0, base64_text_tokens: 0, image_tokens: 0, images_without_size: 0 }
    }

    pub(super) fn add(&mut self, event: &Event, part: u32, counter: &dyn Counter) {
        each_text(event, part, &mut |text| {
            self.text_tokens += match text {
                Text::Literal(inside) => counter.count(&json::decode(inside)),
                Text::Plain(text) => counter.count(text),
            };
        });
        let content = event.content();
        let blocks = content.iter().flat_map(|content| content.blocks());
        for (mime_type, base64) in blocks.filter_map(payload) {
            self.base64_text_tokens += counter.count(&base64);
            match ImageFacts::of(mime_type.as_deref(), &base64).size {
                Some((width, height)) => self.image_tokens += image_tokens(self.tokenizer, width, height),
                None => self.images_without_size += 1,
            }
        }
    }
}
