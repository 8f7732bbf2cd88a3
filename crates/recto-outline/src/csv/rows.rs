//! Rows of delimited text: lines, but for line ends between quotes.

use crate::lines::Line;

/// A quoted cell is at most this long. A quote that opens a longer one is taken for a character of its cell, so that one
/// stray quote does not swallow the rest of the source.
const MAX_QUOTED_BYTES: usize = 65_536;
/// A quote that is never closed opens a cell only if at most this much stands behind it: a source cut in the middle.
const MAX_CUT_BYTES: usize = 4_096;

/// Iterates over the rows of `source[start..end]`, blank lines included.
///
/// A quote opens a quoted cell only as a cell's first byte, as RFC 4180 and most readers have it.
#[derive(Clone, Debug)]
pub(crate) struct Rows<'s> {
    source: &'s [u8],
    at: usize,
    end: usize,
    delimiter: u8,
    carriage_returns: bool,
    /// Quotes before this offset are characters.
    plain_until: usize,
    /// Where the first quote of the last row is.
    first_quote: Option<usize>,
}

impl<'s> Rows<'s> {
    pub(crate) fn new(source: &'s [u8], start: usize, end: usize, delimiter: u8) -> Self {
        let end = end.min(source.len());
        let region = source.get(start..end).unwrap_or_default();
        let head = region.get(..65_536).unwrap_or(region);
        let carriage_returns = memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some();
        Self { source, at: start, end, delimiter, carriage_returns, plain_until: start, first_quote: None }
    }

    /// Where the next row begins.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What stands between two cells.
    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Where the first quote is in the row that came last.
    pub(super) fn first_quote(&self) -> Option<usize> {
        self.first_quote
    }

    /// As [`Self::after_quoted`], for all the quoted cells that follow each other from `open` on.
    fn after_quoted_run(&mut self, open: usize) -> usize {
        let mut open = open;
        loop {
            let at = self.after_quoted(open);
            let follows = at > open + 1
                && at + 1 < self.end
                && matches!(self.source.get(at..at + 2), Some([delimiter, b'"']) if *delimiter == self.delimiter);
            if !follows {
                return at;
            }
            open = at + 1;
        }
    }

    /// Where scanning goes on after the quote at `open`, the first byte of a cell: after the quote that closes it, or
    /// right after itself if it is but a character.
    fn after_quoted(&mut self, open: usize) -> usize {
        let limit = self.end.min(open + MAX_QUOTED_BYTES);
        let mut at = open + 1;
        loop {
            let found = self.source.get(at..limit).and_then(find_quote);
            let Some(found) = found else {
                if limit == self.end && limit - open <= MAX_CUT_BYTES {
                    return limit;
                }
                self.plain_until = limit;
                return open + 1;
            };
            let close = at + found;
            let behind = self.source.get(close + 1..self.end).and_then(|rest| rest.first().copied());
            match behind {
                Some(b'"') => at = close + 2,
                None | Some(b'\n' | b'\r' | b' ') => return close + 1,
                Some(byte) if byte == self.delimiter => return close + 1,
                // The quote is more likely the opening one of a later cell, if a line ends between the two.
                Some(_) => {
                    let inside = self.source.get(open..close).unwrap_or_default();
                    return if memchr::memchr(b'\n', inside).is_none() { close + 1 } else { open + 1 };
                }
            }
        }
    }
}

/// The first quote of `rest`. Most quoted cells are so short that a search by vectors does not pay.
fn find_quote(rest: &[u8]) -> Option<usize> {
    const NEAR_BYTES: usize = 16;
    let near = rest.get(..NEAR_BYTES).unwrap_or(rest);
    match near.iter().position(|byte| *byte == b'"') {
        None => memchr::memchr(b'"', rest.get(NEAR_BYTES..)?).map(|found| found + NEAR_BYTES),
        found => found,
    }
}

impl Iterator for Rows<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        self.first_quote = None;
        let mut from = start;
        let line = loop {
            let rest = self.source.get(from..self.end).unwrap_or_default();
            let found = if self.carriage_returns {
                memchr::memchr3(b'\n', b'\r', b'"', rest)
            } else {
                memchr::memchr2(b'\n', b'"', rest)
            };
            let Some(found) = found else { break Line { start, end: self.end, next: self.end } };
            let position = from + found;
            if self.source.get(position) == Some(&b'"') {
                self.first_quote.get_or_insert(position);
                let opens = position >= self.plain_until
                    && (position == start || self.source.get(position - 1) == Some(&self.delimiter));
                from = if opens { self.after_quoted_run(position) } else { position + 1 };
                continue;
            }
            let is_pair = position > start
                && self.source.get(position) == Some(&b'\n')
                && self.source.get(position - 1) == Some(&b'\r');
            break Line { start, end: position - usize::from(is_pair), next: position + 1 };
        };
        self.at = line.next;
        Some(line)
    }
}
