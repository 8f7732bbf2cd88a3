//! Counts equal those of a second implementation.

use proptest::prelude::*;
use recto_tokens::Tokenizer;

use crate::texts;

#[expect(clippy::unwrap_used, reason = "the oracle has both vocabularies built in")]
fn oracle(tokenizer: Tokenizer) -> toktok::Tokenizer {
    toktok::Tokenizer::builtin(tokenizer.name()).unwrap()
}

const EXACT: [Tokenizer; 2] = [Tokenizer::O200k, Tokenizer::Cl100k];

#[test]
fn known_counts() {
    for (text, o200k, cl100k) in [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("r:123456789012345", 7, 7),
        ("    indented", 3, 3),
        ("tiktoken is great!", 6, 6),
        ("漢字かな交じり文", 7, 9),
    ] {
        assert_eq!(Tokenizer::O200k.counter().count(text), o200k, "{text:?}");
        assert_eq!(Tokenizer::Cl100k.counter().count(text), cl100k, "{text:?}");
    }
}

#[test]
fn special_tokens_in_a_text_are_plain_text() {
    for tokenizer in EXACT {
        for special in ["<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<|im_start|>"] {
            let count = tokenizer.counter().count(special);
            assert!(count > 2, "{special} is {count} tokens of {tokenizer}");
            assert_eq!(count, oracle(tokenizer).count(special.as_bytes()) as u64);
        }
    }
}

#[test]
fn the_corpus_counts_as_the_oracle_says() {
    let Some(files) = texts::corpus() else { return };
    for tokenizer in EXACT {
        let oracle = oracle(tokenizer);
        for (name, text) in &files {
            assert_eq!(
                tokenizer.counter().count(text),
                oracle.count(text.as_bytes()) as u64,
                "{tokenizer} of {name}"
            );
        }
    }
}

#[test]
fn hostile_texts_count_as_the_oracle_says() {
    for tokenizer in EXACT {
        let oracle = oracle(tokenizer);
        for (name, text) in texts::hostile(200_000) {
            assert_eq!(
                tokenizer.counter().count(&text),
                oracle.count(text.as_bytes()) as u64,
                "{tokenizer} of {name}"
            );
        }
    }
}

#[test]
fn counts_are_the_same_on_every_thread() {
    let text = "some words, and 12345 numbers\n".repeat(50);
    let here = Tokenizer::O200k.counter().count(&text);
    std::thread::scope(|scope| {
        let counting: Vec<_> =
            (0..4).map(|_| scope.spawn(|| Tokenizer::O200k.counter().count(&text))).collect();
        for thread in counting {
            assert_eq!(thread.join().unwrap(), here);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_texts_count_as_the_oracle_says(texts in prop::collection::vec(texts::mixed(), 4)) {
        for tokenizer in EXACT {
            let oracle = oracle_once(tokenizer);
            for text in &texts {
                prop_assert_eq!(tokenizer.counter().count(text), oracle.count(text.as_bytes()) as u64, "{:?}", text);
            }
        }
    }

    #[test]
    fn estimates_are_the_factor_rounded_up(text in texts::mixed()) {
        let base = Tokenizer::O200k.counter().count(&text);
        prop_assert_eq!(Tokenizer::ClaudeEstimate.counter().count(&text), (base * 1300).div_ceil(1000));
        prop_assert_eq!(Tokenizer::GeminiEstimate.counter().count(&text), (base * 1280).div_ceil(1000));
    }

    #[test]
    fn a_token_has_at_least_one_byte_and_at_most_128(text in texts::mixed()) {
        for tokenizer in EXACT {
            let count = tokenizer.counter().count(&text);
            prop_assert!(count <= text.len() as u64);
            prop_assert!(count * 128 >= text.len() as u64);
        }
    }
}

fn oracle_once(tokenizer: Tokenizer) -> &'static toktok::Tokenizer {
    use std::sync::LazyLock;
    static O200K: LazyLock<toktok::Tokenizer> = LazyLock::new(|| oracle(Tokenizer::O200k));
    static CL100K: LazyLock<toktok::Tokenizer> = LazyLock::new(|| oracle(Tokenizer::Cl100k));
    if tokenizer == Tokenizer::O200k { &O200K } else { &CL100K }
}
