//! Untrusted texts, written so that they stay where they are put.

use std::borrow::Cow;

use crate::{letters::is_hidden, signature::is_plain};

/// Folds white space to single spaces and escapes what is not to be seen; cuts after `max_chars`, between words where possible.
pub(super) fn line(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if chars > 0 {
            line.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars >= max_chars {
                return cut(line);
            }
            chars += 1;
            if is_hidden(c) {
                line.extend(c.escape_unicode());
            } else {
                line.push(c);
            }
        }
    }
    line
}

/// Writes what somebody asked in quotes, on one line.
pub(super) fn quoted(text: &str, max_chars: usize) -> String {
    format!("\"{}\"", line(text, max_chars).replace('"', "'"))
}

/// Ends a text that goes on with `…`, after a whole word if one ends near.
fn cut(mut line: String) -> String {
    let space = line.rfind(' ').filter(|&space| space > line.len() / 2);
    line.truncate(space.unwrap_or(line.len()));
    let end = line.trim_end_matches([' ', ',', ';', ':', '(']).len();
    line.truncate(end);
    line.push('…');
    line
}

/// Returns a name as a map writes it: as it is, where it is plain, else as a JSON string.
pub(super) fn name(name: &str) -> Cow<'_, str> {
    match beginning(name, MAX_NAME_CHARS) {
        Cow::Borrowed(whole) if is_plain(whole) => Cow::Borrowed(whole),
        name => Cow::Owned(crate::signature::quoted(&name)),
    }
}

/// Returns the first characters of a text, with `…` where it goes on.
pub(super) fn beginning(text: &str, max_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// How much of a name is written.
const MAX_NAME_CHARS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_on_their_line() {
        assert_eq!(line("a\n\nb\u{7}c\r\td", 100), "a b c d");
        assert_eq!(line("a\u{202e}b", 100), "a\\u{202e}b");
        assert_eq!(line("one two three four", 12), "one two…");
        assert_eq!(line("", 5), "");
        assert_eq!(name("user_id"), "user_id");
        assert_eq!(name("a\nb\"c)"), "\"a\\nb\\\"c)\"");
        assert_eq!(name(""), "\"\"");
        assert!(name(&"x".repeat(1_000)).chars().count() < 210);
    }
}
