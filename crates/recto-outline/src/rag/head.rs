//! The first line of a retrieved chunk: a number, a delimiter, a label or a tag that names its source.

/// The form in which chunks are told apart. One answer keeps to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `<document index="1">` to `</document>`
    Tag(&'static [u8]),
    /// `--- chunk 3 (score 0.83) ---`
    Rule,
    /// `Result 3: ...`, `Document [3](...)`, `### Source 3`
    Numbered,
    /// `[3] source: ...`
    Bracket,
    /// `Source: ...`, then `Content: ...`
    Label(&'static [u8]),
}

/// The names of elements that hold a chunk.
pub(super) const TAGS: &[&[u8]] = &[
    b"document",
    b"doc",
    b"chunk",
    b"passage",
    b"search_result",
    b"result",
    b"snippet",
    b"context",
    b"source",
    b"item",
];

/// Words for a chunk, as they stand before its number.
const WORDS: &[&[u8]] = &[
    b"chunk",
    b"document",
    b"doc",
    b"result",
    b"passage",
    b"source",
    b"context",
    b"snippet",
    b"excerpt",
    b"reference",
    b"citation",
];

/// The labels of a chunk's own lines. Those that begin the text are the last.
pub(super) const LABELS: &[&[u8]] = &[
    b"source",
    b"title",
    b"url",
    b"document",
    b"file",
    b"filename",
    b"path",
    b"link",
    b"id",
    b"chunk",
    b"score",
    b"page",
    b"author",
    b"date",
    b"published",
    b"metadata",
    b"distance",
    b"similarity",
    b"relevance",
    b"section",
    b"tags",
    b"type",
    b"content",
    b"text",
    b"snippet",
    b"page_content",
    b"excerpt",
    b"passage",
    b"body",
];
/// How many of the labels above begin the text.
const TEXT_LABELS: usize = 7;

/// A line `Label: ...` at a chunk's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// Which of [`LABELS`].
    pub(super) index: usize,
    /// Where the value begins in the line.
    pub(super) value: usize,
}

impl Label {
    /// Says whether the chunk's text begins after this label.
    pub(super) fn begins_text(self) -> bool {
        self.index + TEXT_LABELS >= LABELS.len()
    }
}

/// Reads `line` as `Label: value`; a list marker or emphasis may stand before the label.
pub(super) fn label(line: &[u8]) -> Option<Label> {
    let start = line.iter().take(6).position(u8::is_ascii_alphabetic)?;
    if !line.get(..start)?.iter().all(|byte| matches!(byte, b' ' | b'*' | b'-' | b'_' | b'#' | b'\t')) {
        return None;
    }
    let rest = line.get(start..)?;
    let word = rest.iter().take(20).take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
    // Most lines have no colon there.
    let (name, after) = rest.split_at_checked(word)?;
    let colon = after.iter().take(4).position(|byte| matches!(byte, b':' | b'='))?;
    if !after.get(..colon)?.iter().all(|byte| matches!(byte, b'*' | b' ' | b'_')) {
        return None;
    }
    let index = LABELS.iter().position(|known| name.eq_ignore_ascii_case(known))?;
    let tail = after.get(colon + 1..)?;
    let gap = tail.iter().take_while(|byte| matches!(byte, b' ' | b'*' | b'\t')).count();
    // `url=http` without a blank is code.
    if gap == 0 && !tail.is_empty() && after.get(colon) == Some(&b'=') {
        return None;
    }
    Some(Label { index, value: start + word + colon + 1 + gap })
}

/// Says whether `line` is the first of a chunk, in the given form.
pub(super) fn is_head(line: &[u8], form: Form) -> bool {
    match form {
        Form::Tag(name) => open_tag(line) == Some(name),
        Form::Rule => is_rule(line),
        Form::Numbered => numbered(line),
        Form::Bracket => bracket(line).is_some(),
        Form::Label(known) => label(line).and_then(|label| LABELS.get(label.index).copied()) == Some(known),
    }
}

/// The name of the chunk element that `line` opens.
pub(super) fn open_tag(line: &[u8]) -> Option<&'static [u8]> {
    let rest = line.trim_ascii_start().strip_prefix(b"<")?;
    let word = rest.iter().take(20).take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
    if !matches!(rest.get(word), Some(b' ' | b'>')) {
        return None;
    }
    let name = rest.get(..word)?;
    TAGS.iter().copied().find(|known| *known == name)
}

/// Says whether `line` closes the chunk element `name`.
pub(super) fn is_close_tag(line: &[u8], name: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.strip_suffix(b">").and_then(|line| line.strip_suffix(name)).is_some_and(|line| line.ends_with(b"</"))
}

fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let Some(first) = line.first() else { return false };
    let marks = line.iter().take_while(|byte| *byte == first).count();
    if !matches!(first, b'-' | b'=' | b'*' | b'#' | b'~')
        || marks < 2
        || (*first == b'#' && !line.ends_with(b"##"))
    {
        return false;
    }
    let words = line.get(marks..).unwrap_or_default().trim_ascii_start();
    let words = words.strip_prefix(b"[").unwrap_or(words);
    after_word(words).is_some_and(|rest| rest.iter().take(12).any(u8::is_ascii_digit))
}

/// What stands after a word for a chunk at the beginning of `text`.
fn after_word(text: &[u8]) -> Option<&[u8]> {
    // None of them is longer.
    let letters = |text: &[u8]| text.iter().take(12).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, rest) = text.split_at_checked(letters(text))?;
    if word.eq_ignore_ascii_case(b"search") {
        let rest = rest.strip_prefix(b" ")?;
        let (word, rest) = rest.split_at_checked(letters(rest))?;
        return word.eq_ignore_ascii_case(b"result").then_some(rest);
    }
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)).then_some(rest)
}

fn numbered(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| matches!(byte, b'#' | b'*' | b' ' | b'[')).count();
    if marks > 8 {
        return false;
    }
    let Some(rest) = after_word(line.get(marks..).unwrap_or_default()) else { return false };
    let gap = rest.iter().take_while(|byte| matches!(byte, b' ' | b'[' | b'#' | b'(' | b':')).count();
    let rest = rest.get(gap..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = rest.get(digits..).unwrap_or_default();
    (1..=5).contains(&gap)
        && (1..=4).contains(&digits)
        && matches!(
            after.trim_ascii_start().first(),
            None | Some(b':' | b']' | b')' | b'(' | b'-' | b'*' | b'/' | b'[' | b'|')
        )
}

/// The number of a line `[3] ...`.
pub(super) fn bracket(line: &[u8]) -> Option<usize> {
    let rest = line.strip_prefix(b"[")?;
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let number = rest.get(..digits)?.iter().fold(0, |number, digit| number * 10 + usize::from(digit - b'0'));
    // `[3]: ` defines a link.
    let is_end = rest.get(digits) == Some(&b']') && matches!(rest.get(digits + 1), None | Some(b' '));
    (digits > 0 && is_end).then_some(number)
}

/// Says whether a head line names a source or a score: `[1] Smith, 1999` in a list of references does not.
pub(super) fn names_source(line: &[u8]) -> bool {
    let line = line.get(..300).unwrap_or(line);
    const MARKS: &[&[u8]] = &[
        b"source",
        b"score",
        b"http://",
        b"https://",
        b"file:",
        b"doc:",
        b"document",
        b"chunk",
        b"page ",
        b".md",
        b".pdf",
        b".txt",
        b".html",
        b".py",
        b".rs",
        b".ts",
        b".json",
        b"title:",
        b"similarity",
        b"relevance",
        b"distance",
        b"url:",
        b"path:",
    ];
    let lower = line.to_ascii_lowercase();
    MARKS.iter().any(|mark| crate::words::find(&lower, mark).is_some())
}

#[cfg(test)]
mod tests {
    use super::{Form, bracket, is_close_tag, is_head, label, names_source, open_tag};

    #[test]
    fn heads_are_found_in_every_form() {
        for (line, form) in [
            ("--- chunk 3 (score 0.83) ---", Form::Rule),
            ("=== Document 1: guide.md ===", Form::Rule),
            ("### Source 2", Form::Numbered),
            ("Result 3: How to", Form::Numbered),
            ("Document [4](Title: Guide) text", Form::Numbered),
            ("**[Chunk 12]**", Form::Numbered),
            ("[7] source: guide.md", Form::Bracket),
            ("Source: guide.md", Form::Label(b"source")),
            ("<document index=\"1\">", Form::Tag(b"document")),
        ] {
            assert!(is_head(line.as_bytes(), form), "{line}");
        }
    }

    #[test]
    fn what_only_looks_like_a_head_is_none() {
        for (line, form) in [
            ("-----", Form::Rule),
            ("--- a/source.c", Form::Rule),
            ("Results: 3", Form::Numbered),
            ("Result of 3 runs", Form::Numbered),
            ("[a] text", Form::Bracket),
            ("Sources: many", Form::Label(b"source")),
            ("<documentation>", Form::Tag(b"document")),
        ] {
            assert!(!is_head(line.as_bytes(), form), "{line}");
        }
    }

    #[test]
    fn labels_and_tags() {
        assert_eq!(label(b"**Source:** x").map(|label| label.value), Some(12));
        assert!(label(b"Content: x").is_some_and(super::Label::begins_text));
        assert!(label(b"Score: 0.8").is_some_and(|label| !label.begins_text()));
        assert_eq!(label(b"url=http://x"), None);
        assert_eq!(open_tag(b"  <chunk id=\"3\">"), Some(&b"chunk"[..]));
        assert!(is_close_tag(b"text</document>", b"document"));
        assert_eq!(bracket(b"[12] x"), Some(12));
        assert!(names_source(b"[1] docs/guide.MD (0.9)"));
        assert!(!names_source(b"[1] Smith, A. On things. 1999."));
    }
}
