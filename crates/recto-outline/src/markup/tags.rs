//! The tag scanner: bytes to a list of tags, comments and the like, in one pass and whatever the bytes are.

use super::names::Class;
use crate::span::offset;

/// What stands between `<` and `>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `<name ...>`
    Open,
    /// `<name .../>`, or an element that never has an end tag.
    Empty,
    /// `</name>`
    Close,
    /// `<!-- ... -->`
    Comment,
    /// `<![CDATA[ ... ]]>`
    CharacterData,
    /// `<? ... ?>`
    Instruction,
    /// `<!DOCTYPE ... >`
    Doctype,
    /// A whole element whose content is neither text nor markup.
    Skipped,
}

/// One tag or the like, and the extent of the element that it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Where the element ends, its end tag included.
    pub(super) until: u32,
    /// The index of the first tag behind the element.
    pub(super) next: u32,
    pub(super) name_bytes: u16,
    pub(super) shape: Shape,
    pub(super) class: Class,
    /// The element has an end tag of its own (which is the tag before `next`).
    pub(super) is_closed: bool,
    /// The element stands beside another of the same name.
    pub(super) is_repeated: bool,
    /// Running text stands directly in the element, beside other elements.
    pub(super) is_mixed: bool,
    /// The element says that something failed.
    pub(super) is_failure: bool,
}

impl Tag {
    fn new(start: usize, end: usize, shape: Shape) -> Self {
        Self {
            start: offset(start),
            end: offset(end),
            until: offset(end),
            next: 0,
            name_bytes: 0,
            shape,
            class: Class::Inline,
            is_closed: false,
            is_repeated: false,
            is_mixed: false,
            is_failure: false,
        }
    }

    /// Where the tag begins.
    pub(super) fn start(&self) -> usize {
        self.start as usize
    }

    /// Where the tag ends.
    pub(super) fn end(&self) -> usize {
        self.end as usize
    }

    /// Where the element ends.
    pub(super) fn until(&self) -> usize {
        self.until as usize
    }

    /// The index of the first tag behind the element.
    pub(super) fn next(&self) -> usize {
        self.next as usize
    }

    /// The length of the whole element.
    pub(super) fn bytes(&self) -> usize {
        (self.until - self.start) as usize
    }

    /// The element's name.
    pub(super) fn name<'s>(&self, source: &'s [u8]) -> &'s [u8] {
        let start = self.start() + if self.shape == Shape::Close { 2 } else { 1 };
        source.get(start..start + usize::from(self.name_bytes)).unwrap_or_default()
    }
}

/// Scans `source[start..end]` for tags.
pub(super) fn scan(source: &[u8], start: usize, end: usize, is_html: bool) -> Vec<Tag> {
    let mut scanner =
        Scanner { source: source.get(..end).unwrap_or(source), is_html, missing: Missing::default() };
    let mut tags = Vec::new();
    let mut at = start;
    while let Some(found) = scanner.source.get(at..).and_then(|rest| memchr::memchr(b'<', rest)) {
        let open = at + found;
        match scanner.tag(open) {
            Found::Tag(tag) => {
                at = tag.end();
                tags.push(tag);
            }
            Found::Text => at = open + 1,
            Found::Nothing => break,
        }
    }
    tags
}

enum Found {
    Tag(Tag),
    /// The `<` is text.
    Text,
    /// No tag ends any more.
    Nothing,
}

/// What was looked for to the end in vain: it is not looked for again, or the scan would not be linear.
#[derive(Debug, Default)]
struct Missing {
    comment_end: bool,
    data_end: bool,
    instruction_end: bool,
    subset_end: bool,
    quotes: [bool; 2],
}

struct Scanner<'s> {
    source: &'s [u8],
    is_html: bool,
    missing: Missing,
}

impl Scanner<'_> {
    fn tag(&mut self, open: usize) -> Found {
        match self.source.get(open + 1) {
            Some(b'/') => self.close_tag(open),
            Some(b'!') => self.declaration(open),
            Some(b'?') => {
                let end = find(self.source, open + 2, b"?>", &mut self.missing.instruction_end);
                match end.or_else(|| self.find_end(open + 2)) {
                    Some(end) => Found::Tag(Tag::new(open, end, Shape::Instruction)),
                    None => Found::Nothing,
                }
            }
            Some(first) if is_name_start(*first) => self.open_tag(open),
            Some(_) => Found::Text,
            None => Found::Nothing,
        }
    }

    /// One past the next `>`.
    fn find_end(&self, at: usize) -> Option<usize> {
        memchr::memchr(b'>', self.source.get(at..)?).map(|found| at + found + 1)
    }

    fn name_bytes(&self, at: usize) -> usize {
        let rest = self.source.get(at..).unwrap_or_default();
        let rest = rest.get(..usize::from(u16::MAX)).unwrap_or(rest);
        rest.iter()
            .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/' | b'<' | b'='))
            .unwrap_or(rest.len())
    }

    fn close_tag(&self, open: usize) -> Found {
        if !self.source.get(open + 2).is_some_and(|first| is_name_start(*first)) {
            return Found::Text;
        }
        let name_bytes = self.name_bytes(open + 2);
        let Some(end) = self.find_end(open + 2 + name_bytes) else { return Found::Nothing };
        let mut tag = Tag::new(open, end, Shape::Close);
        tag.name_bytes = u16::try_from(name_bytes).unwrap_or(u16::MAX);
        if self.is_html {
            tag.class = Class::of(tag.name(self.source));
        }
        Found::Tag(tag)
    }

    fn declaration(&mut self, open: usize) -> Found {
        let rest = self.source.get(open..).unwrap_or_default();
        if rest.starts_with(b"<!--") {
            return match find(self.source, open + 4, b"-->", &mut self.missing.comment_end) {
                Some(end) => Found::Tag(Tag::new(open, end, Shape::Comment)),
                None => Found::Text,
            };
        }
        if rest.starts_with(b"<![CDATA[") {
            return match find(self.source, open + 9, b"]]>", &mut self.missing.data_end) {
                Some(end) => Found::Tag(Tag::new(open, end, Shape::CharacterData)),
                None => Found::Text,
            };
        }
        // A document type may hold declarations in brackets.
        let Some(mut end) = self.find_end(open) else { return Found::Nothing };
        let head = self.source.get(open..end).unwrap_or_default();
        if memchr::memchr(b'[', head).is_some() {
            end = find(self.source, open, b"]>", &mut self.missing.subset_end).unwrap_or(end);
        }
        Found::Tag(Tag::new(open, end, Shape::Doctype))
    }

    fn open_tag(&mut self, open: usize) -> Found {
        let name_bytes = self.name_bytes(open + 1);
        let mut at = open + 1 + name_bytes;
        let mut is_failure = false;
        let end = loop {
            let Some(rest) = self.source.get(at..) else { return Found::Nothing };
            let Some(found) = memchr::memchr3(b'>', b'"', b'\'', rest) else { return Found::Nothing };
            let quote = at + found;
            let byte = rest[found];
            if byte == b'>' {
                break quote + 1;
            }
            at = quote + 1;
            if !self.is_value(quote, open) {
                continue;
            }
            let missing = &mut self.missing.quotes[usize::from(byte == b'\'')];
            if let Some(close) = find(self.source, at, &[byte], missing) {
                is_failure |= self.says_failure(open, quote, close - 1);
                at = close;
            }
        };
        let mut tag = Tag::new(open, end, Shape::Open);
        tag.name_bytes = u16::try_from(name_bytes).unwrap_or(u16::MAX);
        tag.is_failure = is_failure;
        if self.source.get(end - 2) == Some(&b'/') {
            tag.shape = Shape::Empty;
        }
        if self.is_html {
            tag.class = Class::of(tag.name(self.source));
            if tag.class.is_void() {
                tag.shape = Shape::Empty;
            } else if tag.class == Class::Skipped && tag.shape == Shape::Open {
                let end = self.end_of_skipped(&tag);
                tag.end = offset(end);
                tag.until = tag.end;
                tag.shape = Shape::Skipped;
            }
        }
        Found::Tag(tag)
    }

    /// Says whether the quote at `quote` begins an attribute's value: an equals sign stands before it.
    fn is_value(&self, quote: usize, open: usize) -> bool {
        let before = self.source.get(open.max(quote.saturating_sub(8))..quote).unwrap_or_default();
        before.trim_ascii_end().ends_with(b"=")
    }

    /// Says whether the value between `quote` and `close` is the result of a failed test.
    fn says_failure(&self, open: usize, quote: usize, close: usize) -> bool {
        const VALUES: &[&[u8]] = &[b"failed", b"failure", b"fail", b"error"];
        let value = self.source.get(quote + 1..close).unwrap_or_default();
        if !(4..=7).contains(&value.len()) || !VALUES.iter().any(|known| value.eq_ignore_ascii_case(known)) {
            return false;
        }
        let before = self.source.get(open..quote).unwrap_or_default().trim_ascii_end();
        let before = before.strip_suffix(b"=").unwrap_or(before).trim_ascii_end();
        [&b"result"[..], b"outcome", b"status"].iter().any(|name| before.ends_with(name))
    }

    /// Where an element whose content is no markup ends, its end tag included.
    fn end_of_skipped(&self, tag: &Tag) -> usize {
        let name = tag.name(self.source);
        let mut at = tag.end();
        while let Some(found) = self.source.get(at..).and_then(|rest| memchr::memmem::find(rest, b"</")) {
            let start = at + found + 2;
            at = start;
            let is_same = self
                .source
                .get(start..start + name.len())
                .is_some_and(|other| other.eq_ignore_ascii_case(name));
            if is_same && self.name_bytes(start) == name.len() {
                return self.find_end(start).unwrap_or(self.source.len());
            }
        }
        self.source.len()
    }
}

/// One past the next `needle` at or after `at`, unless it is known to be missing.
fn find(source: &[u8], at: usize, needle: &[u8], missing: &mut bool) -> Option<usize> {
    if *missing {
        return None;
    }
    let rest = source.get(at..)?;
    let found = match needle {
        [byte] => memchr::memchr(*byte, rest),
        _ => memchr::memmem::find(rest, needle),
    };
    *missing = found.is_none();
    found.map(|found| at + found + needle.len())
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::{Shape, scan};

    fn shapes(text: &str, is_html: bool) -> Vec<(Shape, &str)> {
        scan(text.as_bytes(), 0, text.len(), is_html)
            .iter()
            .map(|tag| (tag.shape, &text[tag.start()..tag.end()]))
            .collect()
    }

    #[test]
    fn tags_comments_and_data_are_told_apart() {
        assert_eq!(
            shapes(
                "<?xml?><!DOCTYPE a [<!ENTITY b \"c\">]><a x='>'><b/><![CDATA[<d>]]><!--<e>--></a>",
                false
            ),
            [
                (Shape::Instruction, "<?xml?>"),
                (Shape::Doctype, "<!DOCTYPE a [<!ENTITY b \"c\">]>"),
                (Shape::Open, "<a x='>'>"),
                (Shape::Empty, "<b/>"),
                (Shape::CharacterData, "<![CDATA[<d>]]>"),
                (Shape::Comment, "<!--<e>-->"),
                (Shape::Close, "</a>"),
            ]
        );
    }

    #[test]
    fn what_only_looks_like_a_tag_is_text() {
        assert_eq!(
            shapes("1 < 2, a <- b, <!-- open, <b title=don't>x", false),
            [(Shape::Open, "<b title=don't>")]
        );
        assert_eq!(shapes("<a", false), []);
    }

    #[test]
    fn scripts_are_one_piece() {
        assert_eq!(
            shapes("<SCRIPT>if (a</b/) \"</p>\"</Script ><br><p>", true),
            [
                (Shape::Skipped, "<SCRIPT>if (a</b/) \"</p>\"</Script >"),
                (Shape::Empty, "<br>"),
                (Shape::Open, "<p>"),
            ]
        );
    }

    #[test]
    fn results_of_failed_tests_are_seen() {
        let text = r#"<t result="Failed"/><t name="failed"/><t outcome='passed'/>"#;
        let failed: Vec<bool> =
            scan(text.as_bytes(), 0, text.len(), false).iter().map(|tag| tag.is_failure).collect();
        assert_eq!(failed, [true, false, false]);
    }
}
