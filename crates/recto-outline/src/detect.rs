//! What a source is: asks every parser how sure it is.

use crate::{ContentType, FORMATS, parser::Parser};

/// How much of a source detection looks at.
pub(crate) const HEAD_BYTES: usize = 16_384;

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
        if parser.surest() > best.1 {
            let sure = parser.sniff(head, whole);
            if sure > best.1 {
                best = (*parser, sure);
            }
        }
    }
    let is_json = best.0.content_type() == ContentType::Json;
    if is_json && !whole && has_long_lines(source) { parser_of(ContentType::Jsonl) } else { best.0 }
}

/// Says whether a source that begins as JSON does is a line for each value, the first of which goes on behind the head.
fn has_long_lines(source: &[u8]) -> bool {
    /// A longer first line is taken for all there is: large documents are not searched for a line end.
    const LONGEST_LINE_BYTES: usize = 1 << 20;
    let source = source.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source);
    let start = source.get(..LONGEST_LINE_BYTES).unwrap_or(source);
    let line_end = memchr::memchr(b'\n', start).filter(|at| *at >= HEAD_BYTES);
    let Some((first, rest)) = line_end.and_then(|at| source.split_at_checked(at)) else { return false };
    let close = match first.trim_ascii_start().first() {
        Some(b'{') => b'}',
        Some(b'[') => b']',
        _ => return false,
    };
    first.trim_ascii_end().last() == Some(&close)
        && rest.trim_ascii_start().first() == first.trim_ascii_start().first()
}

/// The parser for a content type that the caller names.
pub(crate) fn parser_of(content_type: ContentType) -> &'static dyn Parser {
    FORMATS
        .iter()
        .copied()
        .find(|parser| parser.content_type() == content_type)
        .unwrap_or(&crate::lines::Plain)
}

#[cfg(test)]
mod tests {
    use recto_testkit::{Prng, corpus, generate::Kind, mutate::Mutation};

    use super::*;

    #[test]
    fn no_parser_is_surer_than_it_says() {
        let mut prng = Prng::new(5);
        let mut sources: Vec<Vec<u8>> =
            Kind::ALL.iter().map(|kind| kind.generate(prng.next_u64(), 9_000).bytes).collect();
        sources.extend(corpus::outputs().into_iter().flatten().map(|file| file.read()));
        for mut source in sources {
            source.truncate(HEAD_BYTES);
            for _ in 0..4 {
                for parser in FORMATS {
                    let sure = parser.sniff(&source, true).max(parser.sniff(&source, false));
                    assert!(sure <= parser.surest(), "{}: {sure}", parser.content_type());
                }
                Mutation::random(&mut prng).apply(&mut source);
                source.truncate(HEAD_BYTES);
            }
        }
    }

    #[test]
    fn lines_longer_than_the_head_are_lines() {
        let record =
            |name: &str| format!("{{\"name\":\"{name}\",\"text\":\"{}\"}}\n", "word ".repeat(HEAD_BYTES / 4));
        let two = [record("a"), record("b")].concat();
        assert_eq!(detect(two.as_bytes()), ContentType::Jsonl);
        assert_eq!(detect(format!("\u{FEFF}{two}").as_bytes()), ContentType::Jsonl);
        assert_eq!(detect(record("a").as_bytes()), ContentType::Json);
        let list = format!("[{},\n{}]\n", record("a").trim_end(), record("b").trim_end());
        assert_eq!(detect(list.as_bytes()), ContentType::Json);
    }
}
