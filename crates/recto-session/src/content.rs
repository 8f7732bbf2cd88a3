//! The content of a message or a tool's result.

use std::borrow::Cow;

use crate::block::Block;
use crate::error::SessionError;
use crate::json;

/// What a message or a tool's result holds: a list of blocks, or a plain string, which counts as one text block.
///
/// ```
/// use recto_session::Content;
///
/// let content = Content::from_json(r#""plain""#)?;
/// assert_eq!(content.blocks().len(), 1);
/// assert_eq!(content.json(), r#""plain""#);
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content<'a> {
    blocks: Vec<Block<'a>>,
    is_string: bool,
}

impl<'a> Content<'a> {
    /// Reads content from its JSON.
    ///
    /// # Errors
    /// The text is not JSON, or neither a string nor an array.
    pub fn from_json(text: &'a str) -> Result<Self, SessionError> {
        let text =
            json::checked(text).map_err(|source| SessionError::NotJson { what: "the content", source })?;
        Self::read(text).ok_or_else(|| SessionError::field("content", "a string or an array", Some(text)))
    }

    /// Reads content from checked JSON.
    pub(crate) fn read(value: &'a str) -> Option<Self> {
        if let Some(inside) = json::inside(value) {
            return Some(Self { blocks: vec![Block::literal(inside)], is_string: true });
        }
        value.starts_with('[').then(|| {
            let blocks = json::elements(value).into_iter();
            let blocks = blocks.map(|range| Block::read(value.get(range).unwrap_or_default()));
            Self { blocks: blocks.collect(), is_string: false }
        })
    }

    /// Returns the blocks.
    #[must_use]
    pub fn blocks(&self) -> &[Block<'a>] {
        &self.blocks
    }

    /// Tells whether the content is a plain string.
    #[must_use]
    pub const fn is_string(&self) -> bool {
        self.is_string
    }

    /// Returns the content as JSON: a string again, if it was one and is still one text or none.
    #[must_use]
    pub fn json(&self) -> Cow<'_, str> {
        if self.is_string {
            match self.blocks.as_slice() {
                [] => return Cow::Borrowed(r#""""#),
                [only] => {
                    if let Some(inside) = only.literal_text() {
                        return Cow::Owned(format!("\"{inside}\""));
                    }
                }
                _ => {}
            }
        }
        let blocks: Vec<_> = self.blocks.iter().map(Block::json).collect();
        Cow::Owned(format!("[{}]", blocks.join(",")))
    }

    /// Makes the content independent of what it was read from.
    #[must_use]
    pub fn into_owned(self) -> Content<'static> {
        let blocks = self.blocks.into_iter().map(Block::into_owned).collect();
        Content { blocks, is_string: self.is_string }
    }

    /// The same content with other blocks.
    pub(crate) fn with_blocks<'b>(&self, blocks: Vec<Block<'b>>) -> Content<'b> {
        Content { blocks, is_string: self.is_string }
    }
}

impl<'a> From<Vec<Block<'a>>> for Content<'a> {
    fn from(blocks: Vec<Block<'a>>) -> Self {
        Self { blocks, is_string: false }
    }
}
