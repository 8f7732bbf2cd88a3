//! The beginnings of a session's texts, taken while it is read, and what recto left in them.

use std::collections::{HashMap, HashSet};

use recto::{
    session::{
        PRUNE_MARKER,
        history::{Observer, Said, Speaker},
    },
    tokens::{Counter, Tokenizer},
};

/// Bytes of a text that are kept.
const MOST_BYTES: usize = 400;

/// Takes the beginning of each text and counts its tokens.
pub(crate) struct Previews {
    counter: &'static dyn Counter,
    beginnings: HashMap<u32, Box<str>>,
    marks: HashMap<u32, Mark>,
    /// Texts that have more than their beginning.
    cut: HashSet<u32>,
}

/// What was done to a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It is a view, or a note of recto's; the ref gives the original.
    View(String),
    /// Its middle was cut out.
    Pruned,
}

impl Previews {
    pub(crate) fn new(tokenizer: Tokenizer) -> Self {
        Self {
            counter: tokenizer.counter(),
            beginnings: HashMap::new(),
            marks: HashMap::new(),
            cut: HashSet::new(),
        }
    }

    /// The beginning of an item's text.
    pub(crate) fn beginning(&self, item: u32) -> &str {
        self.beginnings.get(&item).map_or("", |text| text)
    }

    /// Whether it is not all of the text.
    pub(crate) fn is_cut(&self, item: u32) -> bool {
        self.cut.contains(&item)
    }

    pub(crate) fn mark(&self, item: u32) -> Option<&Mark> {
        self.marks.get(&item)
    }
}

impl Observer for Previews {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        let trimmed = said.text.trim_start();
        if !trimmed.is_empty() {
            let beginning = trimmed.get(..trimmed.floor_char_boundary(MOST_BYTES)).unwrap_or_default();
            // Blanks before it are left out too.
            if beginning.len() < said.text.len() {
                self.cut.insert(said.item);
            }
            self.beginnings.insert(said.item, beginning.into());
        } else if !said.text.is_empty() {
            self.cut.insert(said.item);
        }
        if matches!(said.speaker, Speaker::Tool | Speaker::Call)
            && let Some(mark) = mark(said.text)
        {
            self.marks.insert(said.item, mark);
        }
        self.counter.count(said.text)
    }
}

/// What recto, or its pruner, says in a text of how it became smaller.
fn mark(text: &str) -> Option<Mark> {
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"recto") {
        rest = rest.get(at + "recto".len()..).unwrap_or_default();
        let call = rest.strip_prefix("_expand ").or_else(|| rest.strip_prefix(" expand "));
        let digits = call.and_then(|call| call.strip_prefix("r:"));
        let count = digits.map_or(0, |digits| digits.bytes().take_while(u8::is_ascii_digit).count());
        if let (Some(digits), 15..) = (digits, count) {
            return Some(Mark::View(format!("r:{}", digits.get(..count).unwrap_or_default())));
        }
    }
    text.contains(PRUNE_MARKER.trim()).then_some(Mark::Pruned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_are_found_where_a_note_says_them() {
        let view = Some(Mark::View("r:123456789012345".to_owned()));
        assert_eq!(mark("a\n[recto: 12 lines, recto expand r:123456789012345]"), view);
        assert_eq!(mark("recto recto_expand r:123456789012345#2 x"), view);
        assert_eq!(mark("recto expand r:1234 and recto"), None);
        assert_eq!(mark(&format!("head{PRUNE_MARKER}tail")), Some(Mark::Pruned));
        assert_eq!(mark("nothing"), None);
    }
}
