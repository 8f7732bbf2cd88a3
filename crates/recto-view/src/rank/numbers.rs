//! Numbers that stand out: far from the others of their column, or behind a gap in a sequence.

use recto_outline::{Columns, Numbers, Outline, UnitId};

use super::Leaves;

/// Numbers below which nothing is said of a column.
const LEAST_NUMBERS: u32 = 5;
/// A number this many times as far from the median as half of the numbers are is an outlier.
const FAR: i64 = 8;
/// Columns whose largest and smallest numbers are shown though they are no outliers.
const MOST_COLUMNS: usize = 24;

/// What stands out.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Outliers and gaps, farthest first.
    pub(super) outliers: Vec<UnitId>,
    /// The largest and the smallest of each column.
    pub(super) extremes: Vec<UnitId>,
}

/// Finds outliers, gaps and extremes.
pub(super) fn find(outline: &Outline<'_>, rows: &Columns, leaves: &Leaves) -> Found {
    let mut far: Vec<(i64, u32)> = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    for numbers in
        outline.columns.all().iter().chain(rows.all()).filter_map(|column| column.numbers.as_deref())
    {
        if numbers.count < LEAST_NUMBERS || numbers.highs[0].value == numbers.lows[0].value {
            continue;
        }
        if is_sequence(numbers) {
            far.extend(gap(numbers));
            continue;
        }
        let (median, spread) = numbers.centre();
        let distance = |value: i64| (value - median).abs() / spread.max(1);
        for placed in [numbers.highs[0], numbers.lows[0]] {
            let how_far = distance(placed.value);
            // Where half of all numbers are equal, what differs is a rare value rather than an outlier.
            if how_far >= FAR && spread > 0 {
                far.push((how_far.min(1_000), placed.at));
            } else if ends.len() < 2 * MOST_COLUMNS {
                ends.push(placed.at);
            }
        }
    }
    far.sort_by_key(|(how_far, at)| (std::cmp::Reverse(*how_far), *at));
    let unit = |at: u32| leaves.holding(outline, at);
    Found {
        outliers: far.into_iter().filter_map(|(_, at)| unit(at)).collect(),
        extremes: ends.into_iter().filter_map(unit).collect(),
    }
}

/// Says whether the numbers of a column come in order: identifiers and times do.
fn is_sequence(numbers: &Numbers) -> bool {
    let steps = numbers.count - 1;
    let in_order = numbers.rises.max(numbers.falls);
    u64::from(in_order) * 20 >= u64::from(steps) * 19
}

/// The gap in a sequence that rises: a step many times as large as the others.
fn gap(numbers: &Numbers) -> Option<(i64, u32)> {
    /// Steps below which no rhythm is known.
    const LEAST_STEPS: u32 = 8;
    if numbers.rises < LEAST_STEPS {
        return None;
    }
    let others = numbers.steps.saturating_sub(numbers.largest_step.value) / i64::from(numbers.rises - 1);
    let times = numbers.largest_step.value / others.max(1);
    (times >= 2 * FAR).then_some((times.min(1_000), numbers.largest_step.at))
}
