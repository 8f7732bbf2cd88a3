use std::ops::{ControlFlow, Range};

use crate::{Found, RecallError, Search, lines::Lines};

/// What was asked of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// A part of it; offsets count from the run's start.
    Part(Range<u64>),
    /// The lines of it that match.
    Matches(Search),
}

/// Some bytes of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where the next page begins in the answer, unless this is the last.
    pub next: Option<u64>,
}

impl Answer {
    /// Hands all of the answer to `sink`, piece by piece, until it wants no more. For a search, says how many lines match.
    ///
    /// # Errors
    /// When the run cannot be read; some pieces may have been handed over by then.
    pub fn stream(
        &self,
        found: &Found<'_>,
        sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<Option<u64>, RecallError> {
        match self {
            Self::Part(part) => found.stream(part.clone(), sink).map(|()| None),
            Self::Matches(search) => search.run(Lines::of(found), sink).map(Some),
        }
    }

    /// The answer from `cursor` on: all of it, or at most `page_bytes`.
    ///
    /// A page that is not the last ends with a line, if it holds one, and never inside a character. Pages joined are the answer.
    /// For a search, says how many lines match as far as was searched.
    ///
    /// # Errors
    /// [`RecallError::CursorOutside`], or when the run cannot be read.
    pub fn page(
        &self,
        found: &Found<'_>,
        cursor: u64,
        page_bytes: Option<u64>,
    ) -> Result<(Page, Option<u64>), RecallError> {
        let limit = page_bytes.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let mut taker = Taker { skip: 0, limit, seen_bytes: 0, bytes: Vec::new() };
        let matches = match self {
            Self::Part(part) => {
                // A part need not be read from its beginning.
                let start = part.start.saturating_add(cursor).min(part.end);
                // One byte more tells whether there is another page.
                let wanted = page_bytes.map_or(u64::MAX, |limit| limit.saturating_add(1));
                let end = start.saturating_add(wanted).min(part.end);
                taker.seen_bytes = start - part.start;
                found.stream(start..end, &mut |piece| taker.take(piece))?;
                None
            }
            Self::Matches(_) => {
                taker.skip = cursor;
                self.stream(found, &mut |piece| taker.take(piece))?
            }
        };
        if cursor > 0 && taker.bytes.is_empty() {
            return Err(RecallError::CursorOutside { cursor, have: taker.seen_bytes });
        }
        Ok((taker.page(cursor), matches))
    }
}

/// Takes the bytes of one page and one more.
struct Taker {
    skip: u64,
    limit: usize,
    seen_bytes: u64,
    bytes: Vec<u8>,
}

impl Taker {
    fn take(&mut self, piece: &[u8]) -> ControlFlow<()> {
        self.seen_bytes += piece.len() as u64;
        let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(piece.len());
        self.skip -= skipped as u64;
        let room = self.limit.saturating_add(1) - self.bytes.len();
        self.bytes.extend(piece.iter().skip(skipped).take(room));
        let is_full = self.bytes.len() > self.limit;
        if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn page(mut self, cursor: u64) -> Page {
        if self.bytes.len() <= self.limit {
            return Page { bytes: self.bytes, next: None };
        }
        let length = page_end(self.bytes.get(..self.limit).unwrap_or_default());
        self.bytes.truncate(length);
        Page { bytes: self.bytes, next: Some(cursor + length as u64) }
    }
}

/// Where a full page ends: after its last line, else before a character that goes on beyond it, else where it is full.
fn page_end(page: &[u8]) -> usize {
    if let Some(at) = memchr::memrchr(b'\n', page) {
        return at + 1;
    }
    let begins_character = |byte: u8| byte >= 0xC0;
    let tail = page.iter().rev().take(3).position(|byte| begins_character(*byte) || byte.is_ascii());
    let Some(start) = tail.map(|from_end| page.len() - 1 - from_end) else { return page.len() };
    match std::str::from_utf8(page.get(start..).unwrap_or_default()) {
        Err(error) if error.error_len().is_none() && start > 0 => start,
        _ => page.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_end_with_lines_or_characters() {
        assert_eq!(page_end(b"one\ntwo\nthr"), 8);
        assert_eq!(page_end(b"no line here"), 12);
        assert_eq!(page_end(&"a\u{e9}".as_bytes()[..2]), 1);
        assert_eq!(page_end("a\u{e9}".as_bytes()), 3);
        assert_eq!(page_end(&"a\u{1f600}".as_bytes()[..4]), 1);
        assert_eq!(page_end(&[0x80; 9]), 9, "no text at all");
        assert_eq!(page_end(&"\u{1f600}".as_bytes()[..2]), 2, "a page is never empty");
    }

    #[test]
    fn pieces_of_any_size_make_the_same_pages() {
        let text = "alpha\nbeta\ngamma\ndelta \u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\n".as_bytes();
        for piece_bytes in 1..12 {
            for limit in 1..40 {
                let (mut cursor, mut joined) = (0, Vec::new());
                loop {
                    let mut taker = Taker { skip: cursor, limit, seen_bytes: 0, bytes: Vec::new() };
                    for piece in text.chunks(piece_bytes) {
                        if taker.take(piece).is_break() {
                            break;
                        }
                    }
                    let page = taker.page(cursor);
                    assert!(page.bytes.len() <= limit && !page.bytes.is_empty());
                    joined.extend_from_slice(&page.bytes);
                    match page.next {
                        Some(next) => cursor = next,
                        None => break,
                    }
                }
                assert_eq!(joined, text, "{piece_bytes} {limit}");
            }
        }
    }
}
