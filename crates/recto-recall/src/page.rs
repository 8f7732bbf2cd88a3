use std::ops::ControlFlow;

use recto_tokens::Tokenizer;

/// Bytes of the longest text that one token stands for.
const TOKEN_BYTES: u64 = 128;

/// Some bytes of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where the next page begins in the answer, unless this is the last.
    pub next: Option<u64>,
}

/// How long a page may be.
///
/// ```
/// use recto_recall::{Found, PageLimit, Part};
/// use recto_tokens::Tokenizer;
///
/// let found = Found::by_bytes(b"one two\nthree four\nfive\n".to_vec());
/// let answer = Part::all().over(&found)?;
/// let (page, _) = answer.page(&found, 0, &PageLimit::tokens(6, Tokenizer::O200k))?;
/// assert_eq!(page.bytes, b"one two\nthree four\n");
/// # Ok::<(), recto_recall::RecallError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageLimit {
    bytes: Option<u64>,
    tokens: Option<(u64, Tokenizer)>,
}

impl PageLimit {
    /// Takes all that is left for one page.
    #[must_use]
    pub const fn none() -> Self {
        Self { bytes: None, tokens: None }
    }

    /// Takes at most so many bytes.
    #[must_use]
    pub const fn bytes(max_bytes: u64) -> Self {
        Self { bytes: Some(max_bytes), tokens: None }
    }

    /// Takes at most so many tokens, but one character at least. They are counted, and the vocabulary loaded, only if the page's
    /// bytes may be more; bytes that are no text count as replacement characters.
    #[must_use]
    pub const fn tokens(max_tokens: u64, tokenizer: Tokenizer) -> Self {
        Self { bytes: None, tokens: Some((max_tokens, tokenizer)) }
    }

    /// Tells whether a text is within the limit, without counting its tokens where they cannot be too many.
    ///
    /// ```
    /// use recto_recall::PageLimit;
    /// use recto_tokens::Tokenizer;
    ///
    /// let limit = PageLimit::tokens(3, Tokenizer::O200k);
    /// assert!(limit.covers("one two three") && !limit.covers("one two three four"));
    /// ```
    #[must_use]
    pub fn covers(&self, text: &str) -> bool {
        let is_short = self.bytes.is_none_or(|bytes| text.len() as u64 <= bytes);
        is_short
            && self.tokens.is_none_or(|(tokens, tokenizer)| tokens_cover(text.as_bytes(), tokens, tokenizer))
    }

    /// The bytes that may be of use to a page.
    pub(crate) fn reach_bytes(&self) -> Option<u64> {
        let of_tokens = self.tokens.map(|(tokens, _)| tokens.max(1).saturating_mul(TOKEN_BYTES));
        self.bytes.into_iter().chain(of_tokens).min()
    }
}

/// Takes the bytes of one page and one more.
pub(crate) struct Taker {
    limit: PageLimit,
    reach: usize,
    pub(crate) skip: u64,
    pub(crate) seen_bytes: u64,
    bytes: Vec<u8>,
}

impl Taker {
    pub(crate) fn new(limit: PageLimit) -> Self {
        let reach =
            limit.reach_bytes().map_or(usize::MAX, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        Self { limit, reach, skip: 0, seen_bytes: 0, bytes: Vec::new() }
    }

    pub(crate) fn take(&mut self, piece: &[u8]) -> ControlFlow<()> {
        self.seen_bytes += piece.len() as u64;
        let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(piece.len());
        self.skip -= skipped as u64;
        let room = self.reach.saturating_add(1) - self.bytes.len();
        self.bytes.extend(piece.iter().skip(skipped).take(room));
        if self.bytes.len() > self.reach { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn page(mut self, cursor: u64) -> Page {
        let of_tokens = self.limit.tokens.and_then(|(tokens, tokenizer)| {
            let within = self.bytes.get(..self.reach).unwrap_or(&self.bytes);
            prefix_within(within, tokens, tokenizer)
        });
        let length = match of_tokens {
            Some(length) => length,
            None if self.bytes.len() <= self.reach => return Page { bytes: self.bytes, next: None },
            None => page_end(self.bytes.get(..self.reach).unwrap_or_default()),
        };
        self.bytes.truncate(length);
        Page { bytes: self.bytes, next: Some(cursor + length as u64) }
    }
}

/// How much of `bytes` the tokens cover, cut after a line if they cover one, else between characters; nothing if they cover all.
fn prefix_within(bytes: &[u8], tokens: u64, tokenizer: Tokenizer) -> Option<usize> {
    let fits = |end: usize| {
        let text = bytes.get(..end).unwrap_or_default();
        tokens_cover(text, tokens, tokenizer)
    };
    if fits(bytes.len()) {
        return None;
    }
    let line_ends: Vec<usize> = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1).collect();
    if let Some(end) = last_that_fits(&line_ends, fits) {
        return Some(end);
    }
    let first_line = bytes.get(..line_ends.first().copied().unwrap_or(bytes.len())).unwrap_or(bytes);
    let boundaries = character_ends(first_line);
    let least = boundaries.first().copied().unwrap_or(first_line.len());
    Some(last_that_fits(&boundaries, fits).unwrap_or(least))
}

/// Where characters end, and pieces of bytes that are none.
fn character_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            at += character.len_utf8();
            ends.push(at);
        }
        if !chunk.invalid().is_empty() {
            at += chunk.invalid().len();
            ends.push(at);
        }
    }
    ends
}

/// Whether the tokens of a text are so few whatever they are: a token has a byte at least, and no estimate doubles a count.
fn cannot_exceed(text: &[u8], tokens: u64, tokenizer: Tokenizer) -> bool {
    let factor = if tokenizer.is_exact() { 1 } else { 2 };
    (text.len() as u64).saturating_mul(factor) <= tokens && std::str::from_utf8(text).is_ok()
}

fn tokens_cover(text: &[u8], tokens: u64, tokenizer: Tokenizer) -> bool {
    cannot_exceed(text, tokens, tokenizer)
        || tokenizer.counter().count_up_to(&String::from_utf8_lossy(text), tokens).is_some()
}

/// The last of the places that fits, as far as fitting ends once and for all; it does fit in any case.
fn last_that_fits(places: &[usize], fits: impl Fn(usize) -> bool) -> Option<usize> {
    let count = places.partition_point(|place| fits(*place));
    places.get(count.checked_sub(1)?).copied()
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
mod tests;
