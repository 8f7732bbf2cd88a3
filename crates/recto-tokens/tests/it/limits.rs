//! Counting up to a limit.

use proptest::prelude::*;
use recto_tokens::Tokenizer;

use crate::texts;

fn assert_agrees(tokenizer: Tokenizer, text: &str, limit: u64) {
    let counter = tokenizer.counter();
    let count = counter.count(text);
    let expected = (count <= limit).then_some(count);
    assert_eq!(
        counter.count_up_to(text, limit),
        expected,
        "{tokenizer}, limit {limit}, {} bytes",
        text.len()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_limit_agrees_with_the_count(text in texts::mixed()) {
        for tokenizer in Tokenizer::ALL {
            for limit in 0..=tokenizer.counter().count(&text) + 2 {
                assert_agrees(tokenizer, &text, limit);
            }
        }
    }
}

#[test]
fn limits_beside_the_count_agree_on_hostile_texts() {
    for tokenizer in Tokenizer::ALL {
        for (_, text) in texts::hostile(6000) {
            let count = tokenizer.counter().count(&text);
            for limit in [0, 1, count / 2, count - 1, count, count + 1, u64::MAX] {
                assert_agrees(tokenizer, &text, limit);
            }
        }
    }
}

#[test]
fn limits_beside_the_count_agree_on_the_corpus() {
    let Some(files) = texts::corpus() else { return };
    for (_, text) in files.iter().filter(|(_, text)| text.len() < 150_000) {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::ClaudeEstimate] {
            let count = tokenizer.counter().count(text);
            for limit in [count.saturating_sub(1), count, count / 3] {
                assert_agrees(tokenizer, text, limit);
            }
        }
    }
}

#[test]
fn the_empty_text_fits_in_nothing() {
    for tokenizer in Tokenizer::ALL {
        assert_eq!(tokenizer.counter().count_up_to("", 0), Some(0));
        assert_eq!(tokenizer.counter().count_up_to("a", 0), None);
    }
}
