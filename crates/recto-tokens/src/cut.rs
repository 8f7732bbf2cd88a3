//! Places where a text may be cut so that its parts have as many tokens as the whole.
//!
//! Both vocabularies first split a text into words by a pattern and never join tokens across words. A cut at a
//! place where the pattern always ends a word is therefore exact, provided that the word before it ends there
//! whatever follows (no lookahead, no longer match) and that the pattern looks at nothing before a word's start.
//! Three such places are used; each is a claim about the patterns, and the tests hold them against the library:
//!
//! - after an ASCII letter before any other ASCII character but an apostrophe (which may begin `'ll`), and
//!   likewise after an ASCII digit: a word of letters ends at what is no letter, a word of digits at a non-digit;
//! - before a mark of CJK punctuation after a letter or digit, and before ASCII punctuation after a CJK letter;
//! - after a line feed before anything but white space and `/`: line ends close a word, but more white space may
//!   belong to it, and `o200k_base` takes slashes after line ends into it.

/// Splits `text` at the first exact cut at or after `min_bytes`; the second part is empty if there is none.
pub(crate) fn split_from(text: &str, min_bytes: usize) -> (&str, &str) {
    (min_bytes.max(1)..text.len())
        .find(|&place| is_exact_cut(text, place))
        .and_then(|place| text.split_at_checked(place))
        .unwrap_or((text, ""))
}

/// Finds the last exact cut at or after byte `from`.
pub(crate) fn last_from(text: &str, from: usize) -> Option<usize> {
    (from.max(1)..text.len()).rev().find(|&place| is_exact_cut(text, place))
}

/// Tells whether cutting `text` at byte `place` leaves the number of tokens as it is, whatever the text is.
fn is_exact_cut(text: &str, place: usize) -> bool {
    let bytes = text.as_bytes();
    let (Some(&before), Some(&after)) =
        (place.checked_sub(1).and_then(|last| bytes.get(last)), bytes.get(place))
    else {
        return false;
    };
    match (before.is_ascii(), after.is_ascii()) {
        (true, true) => is_exact_cut_in_ascii(before, after),
        (true, false) => char_at(text, place).is_some_and(|next| {
            if before == b'\n' {
                !next.is_whitespace()
            } else {
                before.is_ascii_alphanumeric() && is_cjk_mark(next)
            }
        }),
        (false, true) => {
            ends_word_of_letters(after)
                && !after.is_ascii_digit()
                && char_before(text, place).is_some_and(is_cjk_letter)
        }
        (false, false) => {
            char_at(text, place).is_some_and(is_cjk_mark)
                && char_before(text, place).is_some_and(is_cjk_letter)
        }
    }
}

fn is_exact_cut_in_ascii(before: u8, after: u8) -> bool {
    match before {
        b'\n' => !char::from(after).is_whitespace() && after != b'/',
        b'0'..=b'9' => !after.is_ascii_digit() && after != b'\'',
        b'a'..=b'z' | b'A'..=b'Z' => ends_word_of_letters(after),
        _ => false,
    }
}

fn ends_word_of_letters(after: u8) -> bool {
    !after.is_ascii_alphabetic() && after != b'\''
}

fn char_at(text: &str, place: usize) -> Option<char> {
    text.get(place..)?.chars().next()
}

fn char_before(text: &str, place: usize) -> Option<char> {
    text.get(..place)?.chars().next_back()
}

/// Ideographs, kana and Hangul syllables: letters without case in every version of Unicode.
fn is_cjk_letter(letter: char) -> bool {
    matches!(letter, '一'..='鿌' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '가'..='힣')
}

fn is_cjk_mark(mark: char) -> bool {
    matches!(mark, '、' | '。' | '「' | '」' | '！' | '（' | '）' | '，' | '．' | '：' | '；' | '？')
}

#[cfg(test)]
mod tests;
