//! The running count equals the count of the joined pieces.

use proptest::prelude::*;
use recto_tokens::{RunningCount, Tokenizer};

use crate::texts;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn total_is_the_count_of_the_joined_pieces(
        text in texts::mixed(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut places: Vec<usize> = places.iter().map(|place| text.floor_char_boundary(place.index(text.len() + 1))).collect();
        places.push(text.len());
        places.sort_unstable();
        for tokenizer in Tokenizer::ALL {
            let mut running = RunningCount::new(tokenizer);
            let mut from = 0;
            for &place in &places {
                let with = running.total_with(&text[from..place]);
                running.push(&text[from..place]);
                from = place;
                prop_assert_eq!(running.total(), tokenizer.counter().count(&text[..place]));
                prop_assert_eq!(running.total(), with);
            }
        }
    }
}

#[test]
fn the_corpus_by_lines_totals_as_the_whole() {
    let Some(files) = texts::corpus() else { return };
    for (name, text) in files.iter().filter(|(_, text)| text.len() < 400_000) {
        let mut running = RunningCount::new(Tokenizer::O200k);
        for line in text.split_inclusive('\n') {
            running.push(line);
        }
        assert_eq!(running.total(), Tokenizer::O200k.counter().count(text), "{name}");
    }
}

#[test]
fn only_a_word_is_kept() {
    let mut running = RunningCount::new(Tokenizer::O200k);
    for _ in 0..1000 {
        running.push(r#"{"status":"Running"},"#);
    }
    let shown = format!("{running:?}");
    assert!(shown.contains("tail_bytes: 3"), "{shown}");
}
