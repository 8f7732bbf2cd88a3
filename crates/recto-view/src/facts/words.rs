//! What of a source may stand in the words of a note.

/// Longer names and values are not repeated in notes.
const LONGEST_BYTES: usize = 28;

/// The name of a column, if a note may hold it.
pub(super) fn label(name: &str) -> Option<String> {
    let name = name.trim();
    is_plain(name.as_bytes()).then(|| name.to_owned())
}

/// A value without its quotes, if a note may hold it.
pub(super) fn plain_value(value: &[u8]) -> Option<&str> {
    let value = std::str::from_utf8(unquoted(value)).ok()?;
    is_plain(value.as_bytes()).then_some(value)
}

/// A value without quotes and without the blanks in them.
pub(super) fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value).trim_ascii()
}

/// Says whether a text is short, ends no comment, string or bracket of any format, and cannot look like a ref or a part of a note.
pub(super) fn is_plain(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let is_safe = |character: char| {
        character.is_alphanumeric() || matches!(character, ' ' | '_' | '-' | '.' | '+' | '%')
    };
    (1..=LONGEST_BYTES).contains(&text.len())
        && text.chars().all(is_safe)
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !text.contains("--")
        && !text.contains("  ")
}

/// Says whether a text is a time and nothing else, and so is as harmless as one that is plain.
pub(super) fn is_time(text: &[u8]) -> bool {
    let is_part =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.' | b'+' | b'T' | b'Z' | b' ');
    text.len() <= LONGEST_BYTES + 8
        && text.iter().all(is_part)
        && text.first().is_some_and(u8::is_ascii_digit)
        && text.last().is_some_and(|last| last.is_ascii_digit() || *last == b'Z')
        && !text.windows(2).any(|pair| matches!(pair, b"--" | b": " | b"  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_harmless_everywhere_is_repeated() {
        for plain in ["ok", "ImagePullBackOff", "not ready", "-1.5", "100%", "v1.29", "\u{e9}t\u{e9}"] {
            assert!(is_plain(plain.as_bytes()), "{plain}");
        }
        for other in [
            "", "a\"b", "a\\n", "-->", "a--b", "*/", "r:1", "[x]", "#3", "a,b", " a", "a\nb", "(x)",
            "\u{2026}",
        ] {
            assert!(!is_plain(other.as_bytes()), "{other}");
        }
        assert_eq!(plain_value(b"\"Running\""), Some("Running"));
        assert_eq!(plain_value(b"\xff"), None);
    }
}
