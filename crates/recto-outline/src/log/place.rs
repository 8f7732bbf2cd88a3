//! What a compiler or a test says of a place in a source.

use crate::log::mark::Mark;

/// A place is looked for no further into a line.
const PLACE_BYTES: usize = 240;

/// `path:12:5: error: message`, `path(12,5): error C1: message` and their like: what a compiler says of a place.
pub(super) fn place(text: &[u8]) -> Mark {
    let window = text.get(..PLACE_BYTES).unwrap_or(text);
    for at in memchr::memchr2_iter(b':', b'(', window) {
        let number = text.get(at + 1..).unwrap_or_default();
        if !number.first().is_some_and(u8::is_ascii_digit) {
            // Blanks before the first place: words, not a path. A drive letter is one.
            if at > 1 && window.get(at + 1) == Some(&b' ') {
                return Mark::Plain;
            }
            continue;
        }
        let path = window.get(..at).unwrap_or_default();
        if at < 2 || !path.iter().any(|byte| matches!(byte, b'.' | b'/' | b'\\')) {
            return Mark::Plain;
        }
        return after_place(number, window[at] == b'(');
    }
    Mark::Plain
}

/// `number` begins with the line number of a place.
fn after_place(number: &[u8], parenthesis: bool) -> Mark {
    let digits = |text: &[u8]| text.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = digits(number);
    let mut column = false;
    let separator = if parenthesis { b',' } else { b':' };
    if number.get(at) == Some(&separator) {
        let more = digits(number.get(at + 1..).unwrap_or_default());
        column = more > 0;
        at += if column { more + 1 } else { 0 };
    }
    let after = number.get(at..).unwrap_or_default();
    let after = if parenthesis { after.strip_prefix(b")").unwrap_or_default() } else { after };
    let Some(words) = after.strip_prefix(b":").or_else(|| after.strip_prefix(b" -")) else {
        // biome: `path:1:2 lint/rule ━━━`
        return if column && after.ends_with("━━━".as_bytes()) {
            Mark::Diagnostic { failure: true }
        } else {
            Mark::Plain
        };
    };
    let spaced = words.first() == Some(&b' ') && words.get(1).is_some_and(|byte| *byte != b' ');
    let words = words.trim_ascii_start();
    if [&b"error"[..], b"fatal error", b"Error", b"ERROR"].iter().any(|word| words.starts_with(word)) {
        return Mark::Diagnostic { failure: true };
    }
    if words.starts_with(b"note: ") {
        return Mark::Note;
    }
    if [&b"warning"[..], b"info", b"Warning"].iter().any(|word| words.starts_with(word)) {
        return Mark::Diagnostic { failure: false };
    }
    if words.starts_with(b"in ") || words.is_empty() {
        return Mark::Frame;
    }
    if parenthesis {
        return Mark::Plain;
    }
    // A search prints its hits' text right behind the column.
    if column {
        return if spaced { Mark::Diagnostic { failure: true } } else { Mark::Plain };
    }
    // pytest's last frame: `path.py:12: AssertionError`
    if words.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_')) {
        Mark::Frame
    } else {
        Mark::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_many_tools() {
        let failure = Mark::Diagnostic { failure: true };
        let warning = Mark::Diagnostic { failure: false };
        for (text, mark) in [
            ("src/a.c:12:5: error: expected ';'", failure),
            ("src/a.c:12: error: expected ';'", failure),
            ("./a.go:12:5: undefined: b", failure),
            ("C:\\a\\B.cs(12,5): error CS1002: ; expected", failure),
            ("a.ts(28,2): error TS2739: no", failure),
            ("src/a.c:12:5: warning: unused", warning),
            ("src/a.c:12:5: note: declared here", Mark::Note),
            ("src/a.py:87: in get", Mark::Frame),
            ("src/a.py:67: InvalidSchema", Mark::Frame),
            ("src/a.rs:12:5:    let hit = 1;", Mark::Plain),
            ("error at 12:30", Mark::Plain),
            ("name: 12", Mark::Plain),
            ("http://localhost:8080/a", Mark::Plain),
        ] {
            assert_eq!(place(text.as_bytes()), mark, "{text}");
        }
    }
}
