//! What a line of Markdown is by itself, whatever stands around it.

/// A tab counts as blanks up to the next multiple of this.
const TAB_COLUMNS: usize = 4;

/// The fence of a code block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    byte: u8,
    length: usize,
}

impl Fence {
    /// Says whether `text`, without its indentation, closes the block that this fence opened.
    pub(crate) fn is_closed_by(self, text: &[u8]) -> bool {
        let text = text.trim_ascii_end();
        text.len() >= self.length && text.iter().all(|byte| *byte == self.byte)
    }
}

/// What a line looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `## Title`, with its level.
    Heading(u8),
    /// The opening of a fenced code block.
    Fence(Fence),
    /// A line of `=` or `-`: an underline, if a line of text stands above it. Of `-`, it is a break otherwise.
    Underline(u8),
    /// `***` and its like.
    Break,
    /// `> quoted`
    Quote,
    /// A list item: its marker's length with the blanks after it, and whether it may follow a text line directly.
    Item { marker: usize, interrupts: bool },
    /// `[label]: target`
    Definition,
    /// A line of tags only.
    Tags,
    /// The beginning of an HTML comment.
    Comment,
    /// Anything else.
    Text,
}

/// The indentation of a line: its columns, and its bytes.
pub(crate) fn indentation(line: &[u8]) -> (usize, usize) {
    let mut columns = 0;
    for (index, byte) in line.iter().enumerate() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += TAB_COLUMNS - columns % TAB_COLUMNS,
            _ => return (columns, index),
        }
    }
    (columns, line.len())
}

/// What `text` is: a line without its indentation and its end, not blank.
pub(crate) fn shape(text: &[u8]) -> Shape {
    match text.first() {
        Some(b'#') => heading(text),
        Some(b'`' | b'~') => fence(text),
        Some(b'=') => underline(text, b'=').map_or(Shape::Text, Shape::Underline),
        Some(b'-') => match underline(text, b'-') {
            Some(level) => Shape::Underline(level),
            None => break_or_bullet(text),
        },
        Some(b'*' | b'_' | b'+') => break_or_bullet(text),
        Some(b'0'..=b'9') => ordered(text),
        Some(b'>') => Shape::Quote,
        Some(b'[') => definition(text),
        Some(b'<') => tags(text),
        _ => Shape::Text,
    }
}

fn heading(text: &[u8]) -> Shape {
    let level = text.iter().take_while(|byte| **byte == b'#').count();
    match (level, text.get(level)) {
        (1..=6, None | Some(b' ' | b'\t')) => Shape::Heading(u8::try_from(level).unwrap_or(6)),
        _ => Shape::Text,
    }
}

fn fence(text: &[u8]) -> Shape {
    let byte = text.first().copied().unwrap_or(b'`');
    let length = text.iter().take_while(|other| **other == byte).count();
    let words = text.get(length..).unwrap_or_default();
    if length < 3 || (byte == b'`' && memchr::memchr(b'`', words).is_some()) {
        return Shape::Text;
    }
    Shape::Fence(Fence { byte, length })
}

fn underline(text: &[u8], byte: u8) -> Option<u8> {
    let text = text.trim_ascii_end();
    if !text.iter().all(|other| *other == byte) {
        return None;
    }
    match (byte, text.len()) {
        (b'=', _) => Some(1),
        // A lone dash is an empty list item.
        (_, 2..) => Some(2),
        _ => None,
    }
}

fn break_or_bullet(text: &[u8]) -> Shape {
    let byte = text.first().copied().unwrap_or(b'-');
    if byte != b'+' {
        let marks = text.iter().filter(|other| **other == byte).count();
        if marks >= 3 && text.iter().all(|other| *other == byte || matches!(other, b' ' | b'\t')) {
            return Shape::Break;
        }
    }
    if byte == b'_' {
        return Shape::Text;
    }
    item(text, 1, true)
}

fn ordered(text: &[u8]) -> Shape {
    let digits = text.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    match text.get(digits) {
        Some(b'.' | b')') if digits <= 9 => item(text, digits + 1, text.starts_with(b"1") && digits == 1),
        _ => Shape::Text,
    }
}

fn item(text: &[u8], width: usize, interrupts: bool) -> Shape {
    let rest = text.get(width..).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if blanks == rest.len() {
        return Shape::Item { marker: text.len(), interrupts: false };
    }
    match blanks {
        0 => Shape::Text,
        // Five blanks or more: the content is indented code, one blank behind the marker.
        1..=4 => Shape::Item { marker: width + blanks, interrupts },
        _ => Shape::Item { marker: width + 1, interrupts },
    }
}

fn definition(text: &[u8]) -> Shape {
    let head = text.get(..1_000).unwrap_or(text);
    match memchr::memchr(b']', head) {
        Some(close) if close > 1 && head.get(close + 1) == Some(&b':') => {
            let target = head.get(close + 2..).unwrap_or_default().trim_ascii();
            if target.is_empty() { Shape::Text } else { Shape::Definition }
        }
        _ => Shape::Text,
    }
}

/// A line of tags only, or the beginning of a comment.
fn tags(text: &[u8]) -> Shape {
    if text.starts_with(b"<!--") {
        return Shape::Comment;
    }
    if !text.trim_ascii_end().ends_with(b">")
        || !text.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/')
    {
        return Shape::Text;
    }
    let has_blank = memchr::memchr(b' ', text).is_some();
    let mut outside = false;
    let mut inside = false;
    for byte in text {
        match byte {
            b'<' => inside = true,
            b'>' => inside = false,
            // An address in angle brackets is text.
            b'@' if inside => return Shape::Text,
            b':' if inside && !has_blank => return Shape::Text,
            _ => outside |= !inside && !byte.is_ascii_whitespace(),
        }
    }
    if outside { Shape::Text } else { Shape::Tags }
}

/// Says whether `line` is the delimiter row of a pipe table.
pub(crate) fn is_delimiter_row(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let mut dashes = false;
    let mut pipes = false;
    for byte in line {
        match byte {
            b'-' => dashes = true,
            b'|' => pipes = true,
            b':' | b' ' | b'\t' => {}
            _ => return false,
        }
    }
    dashes && pipes
}

/// Says whether `line` begins as `Key: value`, as the heads of mails and the answers of tools do.
pub(crate) fn is_key_value(line: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', line.get(..32).unwrap_or(line)) else { return false };
    let (key, rest) = line.split_at(colon);
    key.first().is_some_and(u8::is_ascii_alphabetic)
        && key.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b' '))
        && key.iter().filter(|byte| **byte == b' ').count() <= 2
        && matches!(rest.get(1), None | Some(b' ' | b'\t'))
}

/// Says whether `line` is a heading of a manual page: a few words in capitals, not indented.
pub(crate) fn is_capitals(line: &[u8]) -> bool {
    (3..=60).contains(&line.len())
        && line.first().is_some_and(u8::is_ascii_uppercase)
        && line.iter().all(|byte| {
            byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'/')
        })
        && line.iter().filter(|byte| byte.is_ascii_uppercase()).count() >= 3
}

#[cfg(test)]
mod tests {
    use super::{Shape, indentation, is_delimiter_row, is_key_value, shape};

    #[test]
    fn lines_have_the_shapes_that_markdown_gives_them() {
        let item = |marker, interrupts| Shape::Item { marker, interrupts };
        let cases: &[(&str, Shape)] = &[
            ("# Title", Shape::Heading(1)),
            ("###### Deep #", Shape::Heading(6)),
            ("#hashtag", Shape::Text),
            ("####### seven", Shape::Text),
            ("===", Shape::Underline(1)),
            ("---", Shape::Underline(2)),
            ("- - -", Shape::Break),
            ("***", Shape::Break),
            ("**bold** text", Shape::Text),
            ("- item", item(2, true)),
            ("-      code", item(2, true)),
            ("-item", Shape::Text),
            ("-", item(1, false)),
            ("1. one", item(3, true)),
            ("12) twelve", item(4, false)),
            ("1997 was long ago", Shape::Text),
            ("> quote", Shape::Quote),
            ("[label]: https://example.org", Shape::Definition),
            ("[link](https://example.org): text", Shape::Text),
            ("<details><summary>", Shape::Tags),
            ("<summary>show</summary>", Shape::Text),
            ("<https://example.org>", Shape::Text),
            ("<!-- note -->", Shape::Comment),
        ];
        for (text, expected) in cases {
            assert_eq!(shape(text.as_bytes()), *expected, "{text}");
        }
        assert!(matches!(shape(b"```rust"), Shape::Fence(_)));
        assert_eq!(shape(b"```inline``` code"), Shape::Text);
        assert_eq!(indentation(b" \t x"), (5, 3));
    }

    #[test]
    fn a_fence_is_closed_by_its_own_kind_at_least_as_long() {
        let Shape::Fence(fence) = shape(b"````md") else { panic!("a fence") };
        assert!(!fence.is_closed_by(b"```"));
        assert!(!fence.is_closed_by(b"~~~~"));
        assert!(!fence.is_closed_by(b"````md"));
        assert!(fence.is_closed_by(b"`````  "));
    }

    #[test]
    fn delimiter_rows_and_keys() {
        assert!(is_delimiter_row(b"|:---|---:|"));
        assert!(!is_delimiter_row(b"------"));
        assert!(is_key_value(b"Message-ID: <1@example.org>"));
        assert!(!is_key_value(b"See https://example.org"));
    }
}
