//! Queries that name a column: the most or the least of it (`the cheapest flight`), or what stands out in it (`zone`).

use recto_outline::{Column, Columns, Numbers, Outline, UnitId};

use super::{Leaves, labels::Labels, numbers::is_sequence};

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
    let mut measured: Vec<(u64, &Numbers)> = Vec::new();
    let mut named: Vec<(u64, &Column)> = Vec::new();
    let mut names = Labels::new(outline, leaves);
    for column in outline.columns.all().iter().chain(rows.all()).filter(|column| column.records > 1) {
        let numbers = column.numbers.as_deref().filter(|numbers| !numbers.are_times);
        if numbers.is_none() && column.values.len() < 2 {
            continue;
        }
        // What the column itself is called says more than what it stands in.
        let labels = names.of(column);
        let own = labels.first().map_or(0, |label| matches(label));
        let around: u64 = labels.iter().skip(1).map(|label| matches(label)).sum();
        let worth = 4 * own + 3 * around;
        match (end, numbers) {
            // Where nothing is named, numbers that merely count on are not meant.
            (Some(_), Some(numbers)) => {
                measured.push((2 * worth + u64::from(!is_sequence(numbers)), numbers))
            }
            _ if own > 0 => named.push((worth, column)),
            _ => {}
        }
    }
    let unit = |at: u32| leaves.holding(outline, at);
    let mut found = Found::default();
    if let Some(end) = end {
        let best = best_of(&mut measured);
        // That all are alike says nothing of any, unless there is but one.
        if best >= 2 || measured.len() == 1 {
            let ends = measured.into_iter().map(|(_, numbers)| match end {
                End::Highest => numbers.highs[0].at,
                End::Lowest => numbers.lows[0].at,
            });
            found.ends.extend(ends.take(MOST_COLUMNS).filter_map(unit));
        }
    }
    best_of(&mut named);
    for (_, column) in named.into_iter().take(MOST_COLUMNS) {
        let places = match &column.numbers {
            Some(numbers) => vec![numbers.highs[0].at, numbers.lows[0].at],
            None => {
                let mut values: Vec<_> =
                    column.values.iter().map(|value| (value.count, value.first[0])).collect();
                values.sort_unstable();
                values.into_iter().take(MOST_VALUES).map(|(_, at)| at).collect()
            }
        };
        found.exceptions.extend(places.into_iter().filter_map(unit));
    }
    found
}

/// Keeps those of the greatest worth, and tells it.
fn best_of<T>(found: &mut Vec<(u64, T)>) -> u64 {
    let best = found.iter().map(|(worth, _)| *worth).max().unwrap_or(0);
    found.retain(|(worth, _)| *worth == best);
    best
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
