//! Start tags find their end tags, with an explicit stack; what an element is follows from what stands in it.

use super::{
    names::Class,
    tags::{Shape, Tag},
};
use crate::span::offset;

/// An end tag looks for its start tag through this many open elements: more would make broken input quadratic.
const SEARCH_DEPTH: usize = 64;
/// The elements that tell of a failure by their name.
const FAILURES: &[&[u8]] =
    &[b"failure", b"error", b"rerunFailure", b"rerunError", b"flakyFailure", b"flakyError"];

/// An element whose end is not known yet.
struct Open {
    index: usize,
    /// The index of the child element before.
    child: Option<usize>,
    has_text: bool,
    /// A child element tells of a failure by its name.
    has_failure: bool,
    /// A failed element stands somewhere inside.
    holds_failed: bool,
}

struct Pairs<'s, 't> {
    source: &'s [u8],
    tags: &'t mut [Tag],
    open: Vec<Open>,
    is_html: bool,
    /// The outermost element before.
    outer: Option<usize>,
    outer_count: usize,
}

/// Finds each element's extent and kind; returns how many elements stand in no other.
pub(super) fn pair(source: &[u8], tags: &mut [Tag], start: usize, end: usize, is_html: bool) -> usize {
    let mut pairs = Pairs { source, tags, open: Vec::new(), is_html, outer: None, outer_count: 0 };
    let mut text = start;
    for index in 0..pairs.tags.len() {
        let tag = pairs.tags[index];
        pairs.text(text, tag.start());
        text = tag.end();
        pairs.tags[index].next = offset(index + 1);
        match tag.shape {
            Shape::Open => {
                if is_html {
                    pairs.imply_ends(index);
                }
                pairs.begin(index);
                pairs.open.push(Open {
                    index,
                    child: None,
                    has_text: false,
                    has_failure: false,
                    holds_failed: false,
                });
            }
            Shape::Empty => {
                if is_html && !tag.class.is_inline() {
                    pairs.imply_ends(index);
                }
                pairs.begin(index);
                if pairs.tags[index].is_failure {
                    pairs.holds_failed();
                }
            }
            Shape::Close => pairs.end_tag(index),
            Shape::CharacterData => {
                if let Some(top) = pairs.open.last_mut() {
                    top.has_text = true;
                }
            }
            _ => {}
        }
    }
    pairs.text(text, end);
    while !pairs.open.is_empty() {
        let count = pairs.tags.len();
        pairs.close(end, count, false);
    }
    pairs.outer_count
}

impl Pairs<'_, '_> {
    /// Takes the text between two tags.
    fn text(&mut self, start: usize, end: usize) {
        if let Some(top) = self.open.last_mut()
            && !top.has_text
        {
            let text = self.source.get(start..end).unwrap_or_default();
            top.has_text = text.iter().any(|byte| !byte.is_ascii_whitespace());
        }
    }

    /// Puts an element in the one that is open.
    fn begin(&mut self, index: usize) {
        let tag = self.tags[index];
        let name = tag.name(self.source);
        let before = match self.open.last_mut() {
            Some(top) => top.child.replace(index),
            None => {
                self.outer_count += 1;
                self.outer.replace(index)
            }
        };
        if let Some(before) = before
            && self.tags[before].name_bytes == tag.name_bytes
            && self.tags[before].name(self.source) == name
        {
            self.tags[before].is_repeated = true;
            self.tags[index].is_repeated = true;
        }
        if !self.is_html && FAILURES.contains(&name) {
            self.tags[index].is_failure = true;
            // In reports by file every child of a file is an `error`.
            if let Some(top) = self.open.last_mut()
                && self.tags[top.index].name(self.source) != b"file"
            {
                top.has_failure = true;
            }
        }
    }

    fn holds_failed(&mut self) {
        if let Some(top) = self.open.last_mut() {
            top.holds_failed = true;
        }
    }

    /// Closes elements whose end tags HTML lets be left out before the one at `index`.
    fn imply_ends(&mut self, index: usize) {
        let tag = self.tags[index];
        loop {
            let mut depth = None;
            for (above, open) in self.open.iter().rev().take(8).enumerate() {
                let class = self.tags[open.index].class;
                if tag.class.ends(class) && self.may_be_left_open(open.index) {
                    depth = Some(above);
                    break;
                }
                if !class.is_inline() {
                    break;
                }
            }
            let Some(depth) = depth else { return };
            for _ in 0..=depth {
                self.close(tag.start(), index, false);
            }
        }
    }

    /// Of the elements of running text only a paragraph ends by itself.
    fn may_be_left_open(&self, index: usize) -> bool {
        let tag = self.tags[index];
        tag.class != Class::Text || tag.name(self.source).eq_ignore_ascii_case(b"p")
    }

    fn end_tag(&mut self, index: usize) {
        let tag = self.tags[index];
        let name = tag.name(self.source);
        let found = self.open.iter().rev().take(SEARCH_DEPTH).position(|open| {
            let other = self.tags[open.index];
            other.name_bytes == tag.name_bytes
                && if self.is_html {
                    other.name(self.source).eq_ignore_ascii_case(name)
                } else {
                    other.name(self.source) == name
                }
        });
        let Some(found) = found else { return };
        for _ in 0..found {
            self.close(tag.start(), index, false);
        }
        self.close(tag.end(), index + 1, true);
    }

    fn close(&mut self, until: usize, next: usize, is_closed: bool) {
        let Some(open) = self.open.pop() else { return };
        let is_mixed = open.has_text && open.child.is_some();
        let tag = &mut self.tags[open.index];
        tag.until = offset(until);
        tag.next = offset(next);
        tag.is_closed = is_closed;
        tag.is_mixed = is_mixed;
        // The innermost element that failed is the failure; what holds it is only where it stands.
        let is_named = !self.is_html && FAILURES.contains(&tag.name(self.source));
        let failed = (tag.is_failure || open.has_failure) && !open.holds_failed;
        tag.is_failure = failed || is_named;
        if (failed && !is_named) || open.holds_failed {
            self.holds_failed();
        }
    }
}
