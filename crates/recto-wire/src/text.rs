//! Texts and the JSON strings that hold them.

use std::{borrow::Cow, sync::LazyLock};

use memchr::memmem::Finder;
use recto_outline::decode_json_string;

/// Writes a text as a JSON string, quotes included, with no more escapes than JSON needs.
#[must_use]
pub fn quote(text: &str) -> Vec<u8> {
    // A string cannot fail to be written into memory.
    serde_json::to_vec(text).unwrap_or_default()
}

/// Reads the text of a JSON string that stands with its quotes.
///
/// `None` for what is no string, and for strings that are no text: bytes that are not UTF-8, and halves of characters (lone surrogates).
/// Such a string is kept as it stands, since no text says the same.
///
/// ```
/// use recto_wire::unquote;
/// assert_eq!(unquote(br#""a\u00e9\n""#).unwrap(), "a\u{e9}\n");
/// assert_eq!(unquote(br#""\ud800""#), None);
/// assert_eq!(unquote(b"12"), None);
/// ```
#[must_use]
pub fn unquote(raw: &[u8]) -> Option<Cow<'_, str>> {
    let inside = raw.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if has_half_character(inside) {
        return None;
    }
    match decode_json_string(inside) {
        Cow::Borrowed(text) => std::str::from_utf8(text).ok().map(Cow::Borrowed),
        Cow::Owned(text) => String::from_utf8(text).ok().map(Cow::Owned),
    }
}

/// Whether a JSON string is a text, without writing it down: [`unquote`] then gives one.
pub(crate) fn is_text(raw: &[u8]) -> bool {
    let inside = raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\""));
    inside.is_some_and(|inside| std::str::from_utf8(inside).is_ok() && !has_half_character(inside))
}

/// Whether an escape stands for half a character, without the other half beside it.
fn has_half_character(inside: &[u8]) -> bool {
    // Made once: making it takes longer than most strings do.
    static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));
    let mut at = 0;
    while let Some(found) = inside.get(at..).and_then(|rest| FINDER.find(rest)) {
        let before = inside.get(at..at + found).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 1 {
            at += found + 2;
            continue;
        }
        at += found + 6;
        match code(inside, at - 4) {
            Some(0xD800..=0xDBFF) => {
                let other = inside.get(at..at + 2) == Some(b"\\u");
                if !other || !matches!(code(inside, at + 2), Some(0xDC00..=0xDFFF)) {
                    return true;
                }
                at += 6;
            }
            Some(0xDC00..=0xDFFF) => return true,
            _ => {}
        }
    }
    false
}

fn code(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |code, digit| Some(code * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_come_back(text in any::<String>()) {
            let quoted = quote(&text);
            prop_assert_eq!(unquote(&quoted).unwrap(), &*text);
            prop_assert!(is_text(&quoted));
        }

        #[test]
        fn a_string_is_read_as_other_readers_do(raw in r#""([a\u{e9}]|\\n|\\\\|\\"|\\ud83d|\\ude00|\\u00e9|\\/){0,12}""#) {
            let expected = serde_json::from_str::<String>(&raw).ok();
            prop_assert_eq!(is_text(raw.as_bytes()), expected.is_some());
            prop_assert_eq!(unquote(raw.as_bytes()).map(Cow::into_owned), expected);
        }
    }
}
