//! `key=value` pairs of a log's lines, as columns of records.

use crate::{Builder, Span, json_path, lines::Line, span::offset};

/// Pairs of a line that are read.
const MOST_PAIRS: usize = 32;

/// Counts the pairs of a line.
pub(super) fn count(builder: &mut Builder<'_>, line: Line) {
    let source = builder.source();
    // A path that no member of an object has.
    let path = json_path(0, b"key=value");
    for (key, value) in pairs(line.of(source)).take(MOST_PAIRS) {
        let place = |span: Span| Span { s: span.s + offset(line.start), e: span.e + offset(line.start) };
        builder.columns().add(source, (path, place(key)), place(value), offset(line.start));
    }
}

/// The keys and values of a line, by their places in it.
pub(super) fn pairs(text: &[u8]) -> impl Iterator<Item = (Span, Span)> {
    memchr::memchr_iter(b'=', text).filter_map(|equals| {
        let before = text.get(..equals)?;
        let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let key_bytes = before.iter().rev().take(40).take_while(|byte| is_key(byte)).count();
        let start = equals - key_bytes;
        let stands_alone =
            start == 0 || matches!(text.get(start - 1), Some(b' ' | b'\t' | b',' | b'[' | b'('));
        if key_bytes == 0 || !stands_alone || !text.get(start)?.is_ascii_alphabetic() {
            return None;
        }
        let behind = text.get(equals + 1..)?;
        let value_bytes = match behind.strip_prefix(b"\"") {
            Some(quoted) => memchr::memchr(b'"', quoted)? + 2,
            None => behind
                .iter()
                .position(|byte| matches!(byte, b' ' | b'\t' | b',' | b']' | b')' | b';'))
                .unwrap_or(behind.len()),
        };
        (value_bytes > 0).then(|| (Span::new(start, equals), Span::new(equals + 1, equals + 1 + value_bytes)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_line() {
        let line = br#"08:00 INFO read msg="two words" node=a-1, status=500 a==b x=(y)"#;
        let found: Vec<_> = pairs(line).map(|(key, value)| (key.of(line), value.of(line))).collect();
        let expected: [(&[u8], &[u8]); 4] =
            [(b"msg", br#""two words""#), (b"node", b"a-1"), (b"status", b"500"), (b"a", b"=b")];
        assert_eq!(found[..4], expected);
    }
}
