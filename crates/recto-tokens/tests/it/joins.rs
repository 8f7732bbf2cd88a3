//! How the count of a whole relates to the sum over its parts.

use recto_tokens::{Counter, Tokenizer};

use crate::texts;

/// Joins of parts of real texts: how many there were, and how the whole differed from the sum.
#[derive(Debug, Default)]
struct Joins {
    tried: u64,
    fewer: u64,
    more: u64,
    largest_excess: u64,
    whole: u64,
    sum: u64,
}

impl Joins {
    fn try_join(&mut self, counter: &dyn Counter, first: &str, second: &str) {
        let sum = counter.count(first) + counter.count(second);
        let whole = counter.count(&format!("{first}{second}"));
        self.tried += 1;
        self.fewer += u64::from(whole < sum);
        self.more += u64::from(whole > sum);
        self.largest_excess = self.largest_excess.max(whole.saturating_sub(sum));
        self.whole += whole;
        self.sum += sum;
    }
}

/// The documentation's figures for joins come from this test (`--no-capture` shows them).
#[test]
#[expect(clippy::disallowed_macros, reason = "the figures are for the documentation")]
fn a_whole_seldom_exceeds_the_sum_of_its_parts_and_never_by_much() {
    let Some(files) = texts::corpus() else { return };
    let counter = Tokenizer::O200k.counter();
    let mut at_lines = Joins::default();
    let mut foreign_lines = Joins::default();
    let mut anywhere = Joins::default();
    for (_, text) in &files {
        let stretch = &text[..text.floor_char_boundary(60_000)];
        let lines: Vec<&str> =
            stretch.split_inclusive('\n').filter(|line| line.len() < 400).take(300).collect();
        for (place, pair) in lines.windows(2).enumerate() {
            at_lines.try_join(counter, pair[0], pair[1]);
            foreign_lines.try_join(counter, pair[0], lines[(place * 7 + 3) % lines.len()]);
        }
        for place in (37..stretch.len()).step_by(stretch.len() / 200 + 41) {
            let (from, middle, to) = (
                stretch.floor_char_boundary(place.saturating_sub(120)),
                stretch.floor_char_boundary(place),
                stretch.floor_char_boundary((place + 120).min(stretch.len())),
            );
            anywhere.try_join(counter, &stretch[from..middle], &stretch[middle..to]);
        }
    }
    println!("next line: {at_lines:?}\nother line: {foreign_lines:?}\nanywhere: {anywhere:?}");
    for (joins, more_per_mille, largest_excess) in
        [(at_lines, 1, 1), (foreign_lines, 1, 1), (anywhere, 10, 3)]
    {
        assert!(joins.tried > 10_000, "{joins:?}");
        assert!(joins.more * 1000 <= joins.tried * more_per_mille, "{joins:?}");
        assert!(joins.largest_excess <= largest_excess, "{joins:?}");
        assert!(joins.whole < joins.sum, "{joins:?}");
    }
}

/// A sum over parts is no proof that a budget holds: the end of a view is counted as a whole.
#[test]
fn a_whole_can_exceed_the_sum_of_its_parts() {
    let counter = Tokenizer::O200k.counter();
    for (first, second, whole) in
        [("\"Coordinate", "d", 4), ("##", "[group]", 4), ("\"s", "hard\":", 4), ("'\"", "\\n\"'", 4)]
    {
        assert_eq!(counter.count(&format!("{first}{second}")), whole, "{first}{second}");
        assert!(counter.count(first) + counter.count(second) < whole, "{first}{second}");
    }
}
