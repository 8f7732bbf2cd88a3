//! Texts of a column, by their templates.

use std::collections::HashMap;

use super::Hashed;
use crate::{Alike, span::offset, template};

/// The templates of the texts in a column.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    places: HashMap<u64, u32, Hashed>,
    /// The places of the last texts' templates.
    alike: Alike,
    /// By first appearance.
    pub templates: Vec<Text>,
}

/// One template.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// How many texts have it.
    pub count: u32,
    /// Where the record of the first one and the second one is; the same offset twice while there is no second.
    pub first: [u32; 2],
}

/// Texts of more templates are not made from some.
const MOST_TEMPLATES: usize = 512;
/// Only so much of a text is looked at.
const MOST_BYTES: usize = 400;

impl Texts {
    /// Counts a text; says no if there are too many templates for them to mean anything.
    pub(super) fn add(&mut self, text: &[u8], at: u32) -> bool {
        let text = text.get(..MOST_BYTES).unwrap_or(text);
        let Self { places, alike, templates } = self;
        let place = alike.or_make(text, 0, || place(places, templates, text));
        self.count(place, [at; 2], 1)
    }

    /// Counts texts that are equal, of which the first two are at `first`.
    pub(super) fn add_equal(&mut self, text: &[u8], first: [u32; 2], count: u32) -> bool {
        let text = text.get(..MOST_BYTES).unwrap_or(text);
        let place = place(&mut self.places, &self.templates, text);
        self.count(place, first, count)
    }

    fn count(&mut self, place: u32, first: [u32; 2], count: u32) -> bool {
        let next = self.templates.len();
        match self.templates.get_mut(place as usize) {
            Some(known) => {
                if known.count == 1 {
                    known.first[1] = first[0];
                }
                known.count += count;
            }
            None => self.templates.push(Text { count, first }),
        }
        next < MOST_TEMPLATES
    }
}

/// The place of a text's template, which is behind all others where it is new.
fn place(places: &mut HashMap<u64, u32, Hashed>, templates: &[Text], text: &[u8]) -> u32 {
    *places.entry(template(text)).or_insert(offset(templates.len()))
}
