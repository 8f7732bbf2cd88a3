//! Other ways to shorten a result, which the caller brings.

use crate::content::Content;
use crate::event::Event;

/// How large a shortened result is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aim {
    /// At most so many code points of text.
    Chars(u64),
    /// At most so many tokens of text.
    Tokens(u64),
}

/// Shortens a tool's result better than by its two ends: a view of it, mostly.
///
/// The pruner asks once for each result over the threshold. What comes back is used if its text is smaller than before and not over the threshold, if
/// none of its text blocks is empty, and if all other blocks stand in it unchanged and in order; if not, or if nothing comes, the
/// result is shortened to head and tail. A closure of this form is a `Shorten`.
pub trait Shorten {
    /// Returns shorter content for a `tool/result`, or `None` to leave it to head and tail.
    fn shorten(&self, result: &Event, content: &Content<'_>, aim: Aim) -> Option<Content<'static>>;
}

impl<F: Fn(&Event, &Content<'_>, Aim) -> Option<Content<'static>>> Shorten for F {
    fn shorten(&self, result: &Event, content: &Content<'_>, aim: Aim) -> Option<Content<'static>> {
        self(result, content, aim)
    }
}
