//! Text from outside, fit to be written down and printed: what a terminal would obey is replaced.

use std::borrow::Cow;

use recto_catalog::is_hidden;

/// Stands for a character that is not shown.
const REPLACED: char = '\u{fffd}';

/// Control characters, and what is not seen but changes how a text looks. What joins letters is let by: emoji and some scripts need it.
fn is_obeyed(c: char) -> bool {
    c.is_control() || (is_hidden(c) && !matches!(c, '\u{200c}' | '\u{200d}'))
}

/// The text without characters that a terminal would obey.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_obeyed) {
        Cow::Owned(text.chars().map(|c| if is_obeyed(c) { REPLACED } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The beginning of the text, plain, of at most so many bytes.
pub(crate) fn capped(text: &str, max_bytes: usize) -> Cow<'_, str> {
    let short = text.get(..text.floor_char_boundary(max_bytes)).unwrap_or_default();
    match plain(short) {
        // What replaces a character may be longer.
        Cow::Owned(mut plain) => {
            plain.truncate(plain.floor_char_boundary(max_bytes));
            Cow::Owned(plain)
        }
        short => short,
    }
}

/// The end of a path, plain, of at most so many characters: files are told by the ends of their paths.
pub(crate) fn path_end(path: &str, max_chars: usize) -> String {
    let chars = path.chars().count();
    if chars <= max_chars {
        return plain(path).into_owned();
    }
    let rest: String = path.chars().skip(chars - max_chars.saturating_sub(1)).collect();
    format!("\u{2026}{}", plain(&rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_replaced() {
        assert_eq!(
            plain("a\u{1b}[2J\r\nb\u{202e}c\u{2066}"),
            "a\u{fffd}[2J\u{fffd}\u{fffd}b\u{fffd}c\u{fffd}"
        );
        assert!(matches!(plain("ol\u{e9} \u{6f22}"), Cow::Borrowed(_)));
    }

    #[test]
    fn texts_are_capped_between_characters() {
        assert_eq!(capped("ol\u{e9}", 3), "ol");
        assert_eq!(capped("\u{1b}\u{1b}\u{1b}", 4), "\u{fffd}");
        assert_eq!(path_end("/a/b/c.rs", 5), "\u{2026}c.rs");
        assert_eq!(path_end("/a\n", 5), "/a\u{fffd}");
    }
}
