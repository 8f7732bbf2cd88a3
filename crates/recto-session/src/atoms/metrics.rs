//! How much is in an atom.

use super::image::{ImageFacts, payload};
use super::text::{Text, each_text};
use crate::event::Event;
use crate::json;

/// What is in an atom, or in several: facts, not tokens.
///
/// `content_chars` counts the code points of text, thinking, names and arguments of tool calls, commands and what they printed, and summaries; no ids, and
/// nothing of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Code points.
    pub content_chars: u64,
    /// The images, numbered from 0.
    pub images: Vec<ImageFacts>,
}

impl Metrics {
    /// Adds others; their images are numbered on.
    pub fn add(&mut self, other: &Self) {
        self.content_chars += other.content_chars;
        for image in &other.images {
            self.push(image.clone());
        }
    }

    /// Writes the metrics down: `{"contentChars":5,"imageCount":1,"images":[{"index":0,...}]}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let images: Vec<_> = self.images.iter().map(ImageFacts::to_json).collect();
        format!(
            r#"{{"contentChars":{},"imageCount":{},"images":[{}]}}"#,
            self.content_chars,
            images.len(),
            images.join(",")
        )
    }

    fn push(&mut self, mut image: ImageFacts) {
        image.index = self.images.len();
        self.images.push(image);
    }

    /// Adds a node: an event, or one part of it.
    pub(super) fn add_event(&mut self, event: &Event, part: u32) {
        each_text(event, part, &mut |text| {
            self.content_chars += match text {
                Text::Literal(inside) => json::count_points(inside),
                Text::Plain(text) => text.chars().count(),
            } as u64;
        });
        if let Some(content) = event.content() {
            for (mime_type, base64) in content.blocks().iter().filter_map(payload) {
                self.push(ImageFacts::of(mime_type.as_deref(), &base64));
            }
        }
    }
}
