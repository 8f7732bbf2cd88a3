//! What a source is: asks every parser how sure it is.

use crate::{ContentType, FORMATS, parser::Parser};

/// How much of a source detection looks at.
pub(crate) const HEAD_BYTES: usize = 32_768;

/// Says what `source` is, by the parser that is surest; `Unknown` where none is.
///
/// ```
/// use recto_outline::{ContentType, detect};
/// assert_eq!(detect(br#"{"a": 1}"#), ContentType::Json);
/// assert_eq!(detect(b"nothing in particular"), ContentType::Unknown);
/// ```
#[must_use]
pub fn detect(source: &[u8]) -> ContentType {
    parser_for(source).content_type()
}

/// The parser that is surest of `source`; earlier ones win ties.
pub(crate) fn parser_for(source: &[u8]) -> &'static dyn Parser {
    let whole = source.len() <= HEAD_BYTES;
    let head = if whole { source } else { source.get(..HEAD_BYTES).unwrap_or(source) };
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let mut best: (&'static dyn Parser, u8) = (&crate::lines::Plain, 0);
    for parser in FORMATS {
        let sure = parser.sniff(head, whole);
        if sure > best.1 {
            best = (*parser, sure);
        }
    }
    best.0
}

/// The parser for a content type that the caller names.
pub(crate) fn parser_of(content_type: ContentType) -> &'static dyn Parser {
    FORMATS
        .iter()
        .copied()
        .find(|parser| parser.content_type() == content_type)
        .unwrap_or(&crate::lines::Plain)
}
