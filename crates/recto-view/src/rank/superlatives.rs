//! Queries for the most or the least of something: `the cheapest flight`, `which test took longest`.

use recto_outline::{Columns, Outline, UnitId};

use super::{
    Leaves,
    labels::labels,
    numbers::{LEAST_NUMBERS, is_sequence},
};

/// Words that ask for the largest number of a column.
const MOST: [&str; 22] = [
    "most",
    "highest",
    "largest",
    "biggest",
    "greatest",
    "maximum",
    "max",
    "longest",
    "slowest",
    "heaviest",
    "top",
    "latest",
    "newest",
    "oldest",
    "busiest",
    "worst",
    "best",
    "tallest",
    "strongest",
    "fastest",
    "richest",
    "peak",
];
/// Words that ask for the smallest.
const LEAST: [&str; 16] = [
    "least",
    "lowest",
    "smallest",
    "cheapest",
    "minimum",
    "min",
    "shortest",
    "fewest",
    "earliest",
    "lightest",
    "quickest",
    "nearest",
    "weakest",
    "slightest",
    "youngest",
    "closest",
];
/// Columns whose ends are shown.
const MOST_COLUMNS: usize = 3;

/// Which end of a column is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Highest,
    Lowest,
}

/// The units that hold the largest or smallest number of what the query names; none if it asks for no such thing. `matches` says
/// how well the query names a label.
pub(super) fn find(
    outline: &Outline<'_>,
    rows: &Columns,
    leaves: &Leaves,
    query: &str,
    matches: impl Fn(&[u8]) -> u64,
) -> Vec<UnitId> {
    let Some(end) = end(query) else { return Vec::new() };
    let columns = outline.columns.all().iter().chain(rows.all());
    let numbers = columns.filter_map(|column| Some((column, column.numbers.as_deref()?)));
    let mut found: Vec<(u64, u32)> = numbers
        .filter(|(_, numbers)| numbers.count >= LEAST_NUMBERS.min(2) && !numbers.are_times)
        .map(|(column, numbers)| {
            // What the column itself is called says more than what it stands in.
            let worth = labels(outline, leaves, column)
                .iter()
                .enumerate()
                .map(|(level, label)| if level == 0 { 4 * matches(label) } else { 3 * matches(label) })
                .sum::<u64>();
            let placed = if end == End::Highest { numbers.highs[0] } else { numbers.lows[0] };
            // Where nothing is named, numbers that merely count on are not meant.
            (2 * worth + u64::from(!is_sequence(numbers)), placed.at)
        })
        .collect();
    let best = found.iter().map(|(worth, _)| *worth).max().unwrap_or(0);
    let alike = found.iter().filter(|(worth, _)| *worth == best).count();
    // That all are alike says nothing of any, unless there is but one.
    if best < 2 && alike > 1 {
        return Vec::new();
    }
    found.retain(|(worth, _)| *worth == best);
    found.truncate(MOST_COLUMNS);
    found.into_iter().filter_map(|(_, at)| leaves.holding(outline, at)).collect()
}

fn end(query: &str) -> Option<End> {
    query.split(|character: char| !character.is_alphanumeric()).find_map(|word| {
        let is_one_of = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
        match () {
            () if is_one_of(&MOST) => Some(End::Highest),
            () if is_one_of(&LEAST) => Some(End::Lowest),
            () => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ask_for_an_end() {
        assert_eq!(end("Which order has the greatest total_profit?"), Some(End::Highest));
        assert_eq!(end("the cheapest one"), Some(End::Lowest));
        assert_eq!(end("which orders failed at most-loved stores"), Some(End::Highest));
        assert_eq!(end("which orders failed"), None);
    }
}
