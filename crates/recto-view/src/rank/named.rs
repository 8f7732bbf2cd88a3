//! Queries that name a column: the most or the least of it (`the cheapest flight`), or what stands out in it (`zone`).

use recto_outline::{Column, Columns, Outline, UnitId};

use super::{Leaves, labels::labels, numbers::is_sequence};

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
/// Columns whose ends or values are shown.
const MOST_COLUMNS: usize = 3;
/// Values shown of a column.
const MOST_VALUES: usize = 4;

/// Which end of a column is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Highest,
    Lowest,
}

/// What a query's columns hold.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The largest or the smallest number, if the query asks for it.
    pub(super) ends: Vec<UnitId>,
    /// Where the columns named have their rarest values, their largest and their smallest numbers.
    pub(super) exceptions: Vec<UnitId>,
}

/// Finds the columns that a query names; `matches` says how well it names a label.
pub(super) fn find(
    outline: &Outline<'_>,
    rows: &Columns,
    leaves: &Leaves,
    query: &str,
    matches: impl Fn(&[u8]) -> u64,
) -> Found {
    let end = end(query);
    let mut named: Vec<(u64, &Column)> = Vec::new();
    for column in outline.columns.all().iter().chain(rows.all()) {
        let is_measured = column.numbers.as_ref().is_some_and(|numbers| !numbers.are_times);
        if column.records < 2 || !(is_measured || (end.is_none() && column.values.len() > 1)) {
            continue;
        }
        // What the column itself is called says more than what it stands in.
        let labels = labels(outline, leaves, column);
        let own = labels.first().map_or(0, |label| matches(label));
        let around: u64 = labels.iter().skip(1).map(|label| matches(label)).sum();
        // Where nothing is named, numbers that merely count on are not meant.
        let is_free = column.numbers.as_ref().is_some_and(|numbers| !is_sequence(numbers));
        let worth = 2 * (4 * own + 3 * around) + u64::from(is_free);
        if end.is_some() || own > 0 {
            named.push((worth, column));
        }
    }
    let best = named.iter().map(|(worth, _)| *worth).max().unwrap_or(0);
    named.retain(|(worth, _)| *worth == best);
    let unit = |at: u32| leaves.holding(outline, at);
    let mut found = Found::default();
    // That all are alike says nothing of any, unless there is but one.
    if best < 2 && named.len() > 1 {
        return found;
    }
    for (_, column) in named.into_iter().take(MOST_COLUMNS) {
        match (end, &column.numbers) {
            (Some(End::Highest), Some(numbers)) => found.ends.extend(unit(numbers.highs[0].at)),
            (Some(End::Lowest), Some(numbers)) => found.ends.extend(unit(numbers.lows[0].at)),
            (_, Some(numbers)) => {
                found
                    .exceptions
                    .extend([numbers.highs[0].at, numbers.lows[0].at].into_iter().filter_map(unit));
            }
            (_, None) => {
                let mut values: Vec<_> =
                    column.values.iter().map(|value| (value.count, value.first[0])).collect();
                values.sort_unstable();
                found.exceptions.extend(values.into_iter().take(MOST_VALUES).filter_map(|(_, at)| unit(at)));
            }
        }
    }
    found
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
