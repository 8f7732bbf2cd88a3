//! Blocks of content, and content itself.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::SessionError;
use crate::json::{self, Found};

/// One block of content, as it is written: a text block (`{"type":"text","text":...}`, whatever else stands in it), or anything else, which is opaque.
///
/// A block in which `type` or `text` occurs twice is opaque too: readers would not agree on it.
///
/// ```
/// use recto_session::Block;
///
/// let block = Block::from_json(r#"{"type":"text","text":"\u00e9t\u00e9","mark":1.0}"#)?;
/// assert_eq!(block.text().as_deref(), Some("été"));
/// assert_eq!(block.json(), r#"{"type":"text","text":"\u00e9t\u00e9","mark":1.0}"#);
/// assert_eq!(Block::from_text("a\n").json(), r#"{"type":"text","text":"a\n"}"#);
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    raw: Cow<'a, str>,
    /// Where the text stands between its quotes.
    text: Option<Range<usize>>,
}

impl<'a> Block<'a> {
    /// Reads a block from its JSON.
    ///
    /// # Errors
    /// The text is not JSON.
    pub fn from_json(text: &'a str) -> Result<Self, SessionError> {
        let checked = json::checked(text);
        checked.map(Self::read).map_err(|source| SessionError::NotJson { what: "the block", source })
    }

    /// Makes a text block.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let quoted = json::quoted(text);
        Self::literal(quoted.get(1..quoted.len() - 1).unwrap_or_default())
    }

    /// Makes a text block of a string's inside, escaped already.
    pub(crate) fn literal(inside: &str) -> Self {
        const BEFORE: &str = r#"{"type":"text","text":""#;
        let raw = format!(r#"{BEFORE}{inside}"}}"#);
        Self { raw: Cow::Owned(raw), text: Some(BEFORE.len()..BEFORE.len() + inside.len()) }
    }

    /// Reads a block from checked JSON.
    pub(crate) fn read(raw: &'a str) -> Self {
        Self { text: text_range(raw), raw: Cow::Borrowed(raw) }
    }

    /// Returns the block as it is written.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.raw
    }

    /// Returns the text of a text block; `None` of any other. A lone surrogate in it becomes U+FFFD.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'_, str>> {
        self.literal_text().map(json::decode)
    }

    /// Tells whether this is a text block.
    #[must_use]
    pub const fn is_text(&self) -> bool {
        self.text.is_some()
    }

    /// Returns the block's `type`, if that is a string.
    #[must_use]
    pub fn kind(&self) -> Option<Cow<'_, str>> {
        json::value(&self.raw, "type").and_then(json::string)
    }

    /// The text between its quotes, escapes as they are.
    pub(crate) fn literal_text(&self) -> Option<&str> {
        self.raw.get(self.text.clone()?)
    }

    /// The same block with another text; all other fields stay as they are written.
    pub(crate) fn with_literal_text(&self, inside: &str) -> Block<'static> {
        let range = self.text.clone().unwrap_or(0..0);
        let before = self.raw.get(..range.start).unwrap_or_default();
        let after = self.raw.get(range.end..).unwrap_or_default();
        let text = range.start..range.start + inside.len();
        Block { raw: Cow::Owned([before, inside, after].concat()), text: Some(text) }
    }

    /// Makes the block independent of what it was read from.
    #[must_use]
    pub fn into_owned(self) -> Block<'static> {
        Block { raw: Cow::Owned(self.raw.into_owned()), text: self.text }
    }
}

fn text_range(raw: &str) -> Option<Range<usize>> {
    let Found::One(kind) = json::find(raw, "type") else { return None };
    let Found::One(text) = json::find(raw, "text") else { return None };
    (json::string(raw.get(kind)?)? == "text").then_some(())?;
    json::inside(raw.get(text.clone())?)?;
    Some(text.start + 1..text.end - 1)
}
