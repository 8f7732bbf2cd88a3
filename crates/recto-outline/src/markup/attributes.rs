//! Attributes of elements, as columns of records.

use crate::{Builder, Span, json_path};

/// Attributes read of one tag.
const MOST_ATTRIBUTES: usize = 48;

/// Counts the attributes of the tag `[start, end)`, whose name has `name_bytes` bytes: elements of one name are records of one kind.
pub(super) fn count(builder: &mut Builder<'_>, start: usize, end: usize, name_bytes: usize) {
    let source = builder.source();
    let name = source.get(start + 1..start + 1 + name_bytes).unwrap_or_default();
    let path = json_path(0, name);
    let at = crate::span::offset(start);
    let mut from = start + 1 + name_bytes;
    for _ in 0..MOST_ATTRIBUTES {
        let Some((key, value, next)) = attribute(source, from, end) else { return };
        builder.columns().add(source, (path, key), value, at);
        from = next;
    }
}

/// The next attribute at or after `from`: its key, its value without quotes, and where it ends.
fn attribute(source: &[u8], from: usize, end: usize) -> Option<(Span, Span, usize)> {
    let text = source.get(from..end)?;
    let equals = from + memchr::memchr(b'=', text)?;
    let before = source.get(from..equals)?.trim_ascii_end();
    let key_bytes = before.iter().rev().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let key_end = from + before.len();
    let behind = source.get(equals + 1..end)?;
    let blanks = behind.len() - behind.trim_ascii_start().len();
    let open = equals + 1 + blanks;
    let quote = *source.get(open).filter(|quote| matches!(**quote, b'"' | b'\'') && open < end)?;
    let close = open + 1 + memchr::memchr(quote, source.get(open + 1..end)?)?;
    Some((Span::new(key_end - key_bytes, key_end), Span::new(open + 1, close), close + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_of_a_tag() {
        let tag = br#"<violation beginline="12"  rule = 'A "b"' empty="" broken= no>"#;
        let mut found = Vec::new();
        let mut from = 10;
        while let Some((key, value, next)) = attribute(tag, from, tag.len()) {
            found.push((key.of(tag), value.of(tag)));
            from = next;
        }
        assert_eq!(found, [(&b"beginline"[..], &b"12"[..]), (b"rule", br#"A "b""#), (b"empty", b"")]);
    }
}
