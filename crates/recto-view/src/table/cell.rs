//! Which strings drop their quotes in a cell.

use recto_outline::is_json_scalar;

/// What stands before a record that is written as it is, because it is none of the table's.
pub(super) const RAW: u8 = b'=';

/// Begins the text of a note; no row begins so.
const ELLIPSIS: &[u8] = "\u{2026}".as_bytes();

/// Says whether the inside of a string can stand as a cell without quotes: read back, it is taken for nothing else.
pub(super) fn is_bare(inside: &[u8]) -> bool {
    is_bare_text(inside) && !looks_like_literal(inside)
}

/// As [`is_bare`] where the header says that all cells of the column are texts.
pub(super) fn is_bare_text(inside: &[u8]) -> bool {
    let (Some(first), Some(last)) = (inside.first(), inside.last()) else { return false };
    !matches!(first, b'"' | b'{' | b'[' | b'}' | b']' | b' ')
        && *first != RAW
        && *last != b' '
        && !inside.starts_with(ELLIPSIS)
        && memchr::memchr(b'"', inside).is_none()
        && !ends_line(inside)
}

/// Says whether a text holds what some readers end lines at: U+0085, U+2028, U+2029.
fn ends_line(text: &[u8]) -> bool {
    memchr::memchr2_iter(0xC2, 0xE2, text)
        .any(|at| matches!(text.get(at..), Some([0xC2, 0x85, ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..])))
}

/// Says whether a text without quotes reads as a number or as `true`, `false`, `null` and their like.
pub(super) fn looks_like_literal(text: &[u8]) -> bool {
    let begins = text.first().is_some_and(|first| {
        first.is_ascii_digit() || matches!(first, b'-' | b't' | b'f' | b'n' | b'N' | b'I')
    });
    begins && is_json_scalar(text)
}

/// Says whether a key or the value of a constant can stand in a header without quotes.
pub(super) fn is_bare_name(inside: &[u8]) -> bool {
    is_bare_text(inside) && inside.iter().all(|byte| is_plain(*byte) && *byte != b':')
}

/// Says whether the text of a constant can: as a name, and it may hold colons.
pub(super) fn is_bare_constant(inside: &[u8]) -> bool {
    is_bare(inside) && inside.iter().all(|byte| is_plain(*byte))
}

/// Says whether a byte means nothing in a header.
pub(super) fn is_plain(byte: u8) -> bool {
    !matches!(byte, 0..0x20 | b'"' | b'\\' | b',' | b'=' | b'{' | b'}' | b'[' | b']' | b'*')
}

/// The inside of a string that stands in quotes.
pub(super) fn inside(quoted: &[u8]) -> Option<&[u8]> {
    quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_stay_where_the_bare_text_would_be_something_else() {
        for text in [
            "",
            " a",
            "a ",
            "1",
            "-0.5e3",
            "true",
            "null",
            "NaN",
            "{",
            "[1]",
            "]",
            "}",
            "=",
            "\u{2026} 3 rows #1",
            r#"a\"b"#,
        ] {
            assert!(!is_bare(text.as_bytes()), "{text:?}");
        }
        for text in ["a", "a b", "1.2.3", "2024-01-02", "trueish", "- 1", "a,b", r"a\tb", "\u{e9}", "a=b"] {
            assert!(is_bare(text.as_bytes()), "{text:?}");
        }
        assert!(is_bare_text(b"12") && is_bare_constant(b"http://x") && !is_bare_name(b"a:b"));
    }
}
