//! Exact counts of very long words in linear time and little memory.
//!
//! Merging a word takes the library n log n steps and some 20 bytes of memory a byte: ten megabytes of spaces are
//! seconds. A word of one kind of character is therefore encoded window by window. That is exact, not an estimate:
//! a row of tokens is the encoding of the text it stands for if and only if each two neighbours, encoded together,
//! give these two tokens again (the property that `bpe`, GitHub's crate, builds its encoder on). Inside a window it
//! holds already; where two windows meet it is checked, and another place is tried if it fails.

use tiktoken::CoreBpe;

const WINDOW_BYTES: usize = 8 * 1024;

/// On both sides of a joint the word must be of one kind for so far: more than two tokens can reach.
const MARGIN_BYTES: usize = 1024;

/// The last tokens of a window may be cut short by its end, so a joint lies a few tokens before it.
const DROPPED_TOKENS: std::ops::Range<usize> = 2..18;

/// Counts the tokens of `text`, quickly if most of it is one long word of one kind.
pub(crate) fn count(pairs: &CoreBpe, text: &str) -> u64 {
    let mut counted = 0;
    let mut last = None;
    let mut rest = text;
    let mut window = pairs.encode(head(rest));
    while let Some(joint) = find_joint(pairs, rest, &window) {
        counted += joint.kept_tokens;
        last = Some(joint.last);
        rest = joint.rest;
        window = joint.window;
    }
    if window_end(rest) < rest.len() {
        let Some(last) = last else { return pairs.count(text) as u64 };
        window = pairs.encode(rest);
        if !window.first().is_some_and(|&first| stay_apart(pairs, last, first)) {
            return pairs.count(text) as u64;
        }
    }
    (counted + window.len()) as u64
}

/// A place inside a word where the encoding of the whole surely has a boundary between tokens.
struct Joint<'a> {
    kept_tokens: usize,
    last: u32,
    rest: &'a str,
    window: Vec<u32>,
}

fn find_joint<'a>(pairs: &CoreBpe, text: &'a str, window: &[u32]) -> Option<Joint<'a>> {
    let end = window_end(text);
    if end == text.len() || !is_within_one_word(text, end) {
        return None;
    }
    DROPPED_TOKENS.take_while(|&dropped| dropped < window.len()).find_map(|dropped| {
        let (kept, after) = window.split_at_checked(window.len() - dropped)?;
        let place = end.checked_sub(pairs.decode(after).len())?;
        let last = *kept.last()?;
        let rest = text.get(place..).filter(|_| place + MARGIN_BYTES >= end)?;
        // Long words are mostly repetitions, and equal windows have equal tokens.
        let next = if head(rest) == head(text) { window.to_vec() } else { pairs.encode(head(rest)) };
        let first = *next.first()?;
        stay_apart(pairs, last, first).then_some(Joint { kept_tokens: kept.len(), last, rest, window: next })
    })
}

fn stay_apart(pairs: &CoreBpe, last: u32, first: u32) -> bool {
    pairs.decode_to_string(&[last, first]).is_ok_and(|both| pairs.encode(&both) == [last, first])
}

fn head(text: &str) -> &str {
    text.get(..window_end(text)).unwrap_or(text)
}

fn window_end(text: &str) -> usize {
    if text.len() <= 2 * WINDOW_BYTES { text.len() } else { text.floor_char_boundary(WINDOW_BYTES) }
}

/// Kinds of characters of which any run, cut anywhere, is still one word on either side of the cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Ideograph,
    Punctuation,
    Space,
    LineFeed,
}

impl Kind {
    fn of(letter: char) -> Option<Self> {
        match letter {
            'a'..='z' => Some(Self::Lower),
            'A'..='Z' => Some(Self::Upper),
            '一'..='鿌' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '가'..='힣' => Some(Self::Ideograph),
            ' ' => Some(Self::Space),
            '\n' => Some(Self::LineFeed),
            // A slash may belong to line ends, an apostrophe to a contraction.
            '/' | '\'' => None,
            mark if mark.is_ascii_punctuation() => Some(Self::Punctuation),
            _ => None,
        }
    }
}

/// Tells whether all of `text` around byte `place` is one word, wherever near `place` it is cut.
fn is_within_one_word(text: &str, place: usize) -> bool {
    let from = text.floor_char_boundary(place.saturating_sub(2 * MARGIN_BYTES));
    let to = text.floor_char_boundary(place.saturating_add(MARGIN_BYTES));
    let Some((around, before)) = text.get(from..to).zip(text.get(..from)) else { return false };
    let Some(kind) = around.chars().next().and_then(Kind::of) else { return false };
    if !around.chars().all(|letter| Kind::of(letter) == Some(kind)) {
        return false;
    }
    // What stands before a run of white space decides whether it is one word with it.
    let opener = before.chars().rev().find(|&letter| Kind::of(letter) != Some(kind));
    match kind {
        Kind::Space => opener.is_none_or(|letter| !letter.is_whitespace()),
        Kind::LineFeed => opener.is_none_or(|letter| letter.is_ascii_alphanumeric()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vocabulary::{CL100K_BASE, O200K_BASE};

    /// Texts around a run of one kind that is longer than several windows.
    fn long_word() -> impl Strategy<Value = String> {
        let edge =
            || prop::sample::select(&["", "a", " ", "\n", ".", "'s", "/", "A", "7", "漢", "x\n", ". "][..]);
        let unit = prop_oneof![
            prop::sample::select(&[" ", "\n", "a", "ab", "Z", "=", "-=", "漢", "カナ", "한"][..])
                .prop_map(String::from),
            "[a-z]{1,40}",
            "[A-Z]{1,40}",
            "[!-&(-.:-@]{1,20}",
            "[漢字一二三あいう가나]{1,20}",
        ];
        (edge(), edge(), unit, 20_000..60_000_usize, edge(), edge()).prop_map(
            |(first, second, unit, bytes, third, fourth)| {
                format!("{first}{second}{}{third}{fourth}", unit.repeat(bytes / unit.len()))
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn windows_count_as_the_library_does(text in long_word()) {
            for vocabulary in [&O200K_BASE, &CL100K_BASE] {
                let pairs = vocabulary.loaded();
                prop_assert_eq!(count(pairs, &text), pairs.count(&text) as u64, "{:?}…", &text.chars().take(20).collect::<String>());
            }
        }
    }

    #[test]
    fn long_words_of_one_kind_are_cut_into_windows() {
        for unit in ["a", "ab", " ", "\n", "=", "漢字", "QX"] {
            let text = unit.repeat(40_000);
            let pairs = O200K_BASE.loaded();
            assert!(find_joint(pairs, &text, &pairs.encode(head(&text))).is_some(), "{unit:?}");
        }
    }

    #[test]
    fn white_space_that_may_join_what_is_before_it_is_not_cut() {
        for (head, unit) in [("\n", " "), (".", "\n"), (" \t", " "), ("/", "\n")] {
            let text = format!("{head}{}", unit.repeat(40_000));
            assert!(!is_within_one_word(&text, WINDOW_BYTES), "{head:?}");
        }
    }
}
