use proptest::prelude::*;

use super::*;
use crate::vocabulary::{CL100K_BASE, O200K_BASE, Vocabulary};

/// Characters of every kind the patterns tell apart, so that any two can meet at a cut.
const KINDS: [&str; 46] = [
    "a", "z", "s", "t", "ll", "re", "A", "Z", "S", "0", "9", "123", " ", "  ", "\t", "\n", "\r", "\r\n",
    "\u{b}", "/", "'", "\"", ",", "}", "-", "_", "\0", "\u{7f}", "é", "É", "ß", "ǅ", "ʰ", "\u{301}", "½",
    "٣", "\u{a0}", "\u{85}", "\u{3000}", "、", "。", "漢", "カ", "한", "😀", "\u{200d}",
];

fn text_of_kinds(max_parts: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&KINDS[..]), 0..max_parts).prop_map(|parts| parts.concat())
}

fn assert_cuts_are_exact(vocabulary: &Vocabulary, text: &str) {
    let whole = vocabulary.count(text);
    for place in (0..=text.len()).filter(|&place| is_exact_cut(text, place)) {
        let parts = vocabulary.count(&text[..place]) + vocabulary.count(&text[place..]);
        assert_eq!(parts, whole, "cutting {text:?} at {place}");
    }
}

#[test]
fn cuts_between_any_four_kinds_are_exact() {
    for second in KINDS {
        for third in KINDS {
            for around in ["a", " ", "\n", "'", "/", "1", "B", ".", "漢", "\u{301}"] {
                let text = format!("{around}{second}{third}{around}s");
                assert_cuts_are_exact(&O200K_BASE, &text);
                assert_cuts_are_exact(&CL100K_BASE, &text);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn cuts_are_exact(text in text_of_kinds(24)) {
        assert_cuts_are_exact(&O200K_BASE, &text);
        assert_cuts_are_exact(&CL100K_BASE, &text);
    }

    #[test]
    fn splitting_loses_nothing(text in text_of_kinds(40), min_bytes in 0_usize..80) {
        let (head, tail) = split_from(&text, min_bytes);
        prop_assert_eq!(format!("{head}{tail}"), text);
    }
}

#[test]
fn real_text_has_a_cut_in_every_stretch() {
    let record = r#"{"id":"7f3a9c","msg":"it's done","at":"2024-05-01T10:00:00Z"}"#;
    for start in 0..record.len() - 12 {
        assert!(split_from(&record[start..], 1).0.len() <= 12, "no cut in {:?}", &record[start..]);
    }
}

#[test]
fn no_cut_where_the_next_character_may_belong_to_the_word() {
    for (text, place) in [
        ("don't", 3),
        ("\n/", 1),
        ("\n ", 1),
        ("ab", 1),
        ("12", 1),
        ("a\u{301}", 1),
        ("漢字", 3),
        ("é ", 1),
        ("a", 0),
        ("a", 1),
    ] {
        assert!(!is_exact_cut(text, place), "{text:?} at {place}");
    }
}
