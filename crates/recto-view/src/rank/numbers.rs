//! What stands out in order and number: numbers far from the others of their column, gaps in sequences, changes of level, and
//! names that occur twice.

use std::{borrow::Cow, cmp::Reverse};

use memchr::memmem;
use recto_outline::{Column, Columns, ContentType, Numbers, Outline, Placed, UnitId, number};

use super::{Leaves, columns::cells_of, labels::Labels, times};

/// Numbers below which nothing is said of a column.
pub(super) const LEAST_NUMBERS: u32 = 5;
/// A number this many times as far from the median as half of the numbers are is an outlier.
const FAR: i64 = 8;
/// A change of level by so many times the usual distance from the mean is one.
const CHANGE_TIMES: i64 = 4;
/// How far a change is, beside outliers.
const CHANGE: i64 = 1_000;
/// Changes that are looked for to the very number; others are to the next sample.
const MOST_PASSES: usize = 24;
/// Values shown that occur twice where all others are different.
const MOST_REPEATS: usize = 4;
/// Farther is not told apart.
const MOST_FAR: i64 = 1_000;
/// Columns whose largest and smallest numbers are shown though they are no outliers.
const MOST_COLUMNS: usize = 24;

/// Parts of the names of what is compared: the ends of such columns come before those of others.
const MEASURES: [&[u8]; 20] = [
    b"price",
    b"cost",
    b"amount",
    b"total",
    b"duration",
    b"elapsed",
    b"latency",
    b"time",
    b"size",
    b"bytes",
    b"memory",
    b"cpu",
    b"score",
    b"profit",
    b"revenue",
    b"fee",
    b"balance",
    b"usage",
    b"percent",
    b"severity",
];

/// What stands out.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Outliers and gaps, farthest first.
    pub(super) outliers: Vec<UnitId>,
    /// The largest and the smallest of each column.
    pub(super) extremes: Vec<UnitId>,
}

/// Finds outliers, gaps, changes and extremes.
pub(super) fn find(outline: &Outline<'_>, rows: &Columns, leaves: &Leaves) -> Found {
    let mut far: Vec<(i64, u32)> = Vec::new();
    let mut ends: Vec<(bool, u32)> = Vec::new();
    let mut passes = MOST_PASSES;
    let mut has_names = false;
    let mut labels = Labels::new(outline, leaves);
    for column in outline.columns.all().iter().chain(rows.all()) {
        if !has_names {
            let repeats = repeats(column);
            has_names = !repeats.is_empty();
            far.extend(repeats.into_iter().map(|at| (CHANGE, at)));
        }
        far.extend(replaced(column).map(|at| (CHANGE, at)));
        for repeat in column.names.iter().flat_map(|names| &names.repeats).take(MOST_REPEATS) {
            far.extend(repeat.map(|at| (CHANGE, at)));
        }
        let Some(numbers) = column.numbers.as_deref() else { continue };
        if numbers.count < LEAST_NUMBERS || numbers.highs[0].value == numbers.lows[0].value {
            continue;
        }
        if is_sequence(numbers) {
            if let Some(times) = gap(numbers) {
                far.extend([(times, numbers.step_from), (times, numbers.largest_step.at)]);
            }
            continue;
        }
        if numbers.are_times {
            continue;
        }
        if let Some(at) = change(outline, column, numbers, &mut passes) {
            far.push((CHANGE, at));
        }
        let (median, spread) = numbers.centre();
        let mut is_measure = None;
        let distance = |value: i64| (value - median).abs() / spread.max(1);
        for placed in [numbers.highs[0], numbers.lows[0]] {
            let how_far = distance(placed.value);
            // Where half of all numbers are equal, what differs is a rare value rather than an outlier.
            if how_far >= FAR && spread > 0 {
                far.push((how_far.min(MOST_FAR), placed.at));
            } else if ends.len() < 2 * MOST_COLUMNS {
                let is_measure = *is_measure.get_or_insert_with(|| is_measure_of(&labels.of(column)));
                ends.push((!is_measure, placed.at));
            }
        }
    }
    let mut outliers: Vec<UnitId> = Vec::new();
    if outline.content_type == ContentType::Log {
        outliers.extend(times::gap(outline, leaves).into_iter().flatten());
    }
    ends.sort_by_key(|(is_other, _)| *is_other);
    far.sort_by_key(|(how_far, at)| (Reverse(*how_far), *at));
    let unit = |at: u32| leaves.holding(outline, at);
    outliers.extend(far.into_iter().filter_map(|(_, at)| unit(at)));
    Found { outliers, extremes: ends.into_iter().filter_map(|(_, at)| unit(at)).collect() }
}

/// Where one value of a column gives way to another for good: none of the two stands among the others.
fn replaced(column: &Column) -> Option<u32> {
    /// Records on each side.
    const LEAST_SIDE: u32 = 3;
    let [before, after] = column.values[..] else { return None };
    let is_change = before.last < after.first[0] && before.count.min(after.count) >= LEAST_SIDE;
    (is_change && column.numbers.is_none()).then_some(after.first[0])
}

/// Where the values are that occur twice in a column in which nearly all others occur once.
fn repeats(column: &Column) -> Vec<u32> {
    /// Among fewer values one may occur twice by chance.
    const LEAST_VALUES: u32 = 12;
    let again: Vec<_> = column.values.iter().filter(|value| value.count > 1).collect();
    let is_name = column.numbers.is_none() && !column.holds_texts();
    if !is_name
        || column.records < LEAST_VALUES
        || again.len() > 2
        || again.iter().any(|value| value.count > 2)
    {
        return Vec::new();
    }
    again.into_iter().flat_map(|value| value.first).collect()
}

/// Says whether a column is one of what people compare, by its names.
fn is_measure_of(labels: &[Cow<'_, [u8]>]) -> bool {
    labels.iter().any(|label| {
        let lower = label.to_ascii_lowercase();
        MEASURES.iter().any(|measure| memmem::find(&lower, measure).is_some())
    })
}

/// Says whether the numbers of a column come in order: identifiers and times do.
pub(super) fn is_sequence(numbers: &Numbers) -> bool {
    let steps = numbers.count - 1;
    let in_order = numbers.rises.max(numbers.falls);
    u64::from(in_order) * 20 >= u64::from(steps) * 19
}

/// How many times as large as the others the largest step of a rising sequence is, if it is a gap.
fn gap(numbers: &Numbers) -> Option<i64> {
    /// Steps below which no rhythm is known.
    const LEAST_STEPS: u32 = 8;
    if numbers.rises < LEAST_STEPS {
        return None;
    }
    let others = numbers.steps.saturating_sub(numbers.largest_step.value) / i64::from(numbers.rises - 1);
    let times = numbers.largest_step.value / others.max(1);
    (times >= 2 * FAR).then_some(times.min(MOST_FAR))
}

/// Where the numbers of a column change their level for good: nearly all before are on one side of a threshold, nearly all from
/// there on on the other.
fn change(outline: &Outline<'_>, column: &Column, numbers: &Numbers, passes: &mut usize) -> Option<u32> {
    /// Numbers on each side of a change.
    const LEAST_SIDE: usize = 3;
    let sample = numbers.sample();
    let mean = |part: &[Placed]| {
        let sum: i128 = part.iter().map(|placed| i128::from(placed.value)).sum();
        i64::try_from(sum / part.len().max(1) as i128).unwrap_or_default()
    };
    let deviation = |part: &[Placed], mean: i64| {
        let sum: i128 = part.iter().map(|placed| i128::from((placed.value - mean).abs())).sum();
        i64::try_from(sum / part.len().max(1) as i128).unwrap_or(i64::MAX)
    };
    let last = sample.len().checked_sub(LEAST_SIDE)?;
    let mut best: Option<(i64, usize, i64)> = None;
    for split in LEAST_SIDE..=last {
        let (before, after) = sample.split_at(split);
        let (low, high) = (mean(before), mean(after));
        let spread = deviation(before, low).max(deviation(after, high)).max(1);
        let times = (high - low).abs() / spread;
        if times >= CHANGE_TIMES && best.is_none_or(|(most, ..)| times > most) {
            best = Some((times, split, low + (high - low) / 2));
        }
    }
    let (_, split, threshold) = best?;
    let (before, after) = sample.split_at(split);
    let is_above = |placed: &&Placed| placed.value > threshold;
    let (above_before, above_after) =
        (before.iter().filter(is_above).count(), after.iter().filter(is_above).count());
    let rises = above_after * 10 >= after.len() * 9 && above_before * 10 <= before.len();
    let falls = above_after * 10 <= after.len() && above_before * 10 >= before.len() * 9;
    if !(rises || falls) {
        return None;
    }
    let (from, to) = (before.last()?.at, after.first()?.at);
    // Each costs a pass over part of the source.
    let Some(left) = passes.checked_sub(1) else { return Some(to) };
    *passes = left;
    let between = between(outline, column, from, to);
    let crossed = between.iter().find(|placed| (placed.value > threshold) == rises);
    Some(crossed.map_or(to, |placed| placed.at))
}

/// The numbers of a column whose places lie in `[from, to]`, in order.
fn between(outline: &Outline<'_>, column: &Column, from: u32, to: u32) -> Vec<Placed> {
    let source = outline.source;
    let mut found = Vec::new();
    let mut add = |at: u32, text: &[u8]| {
        if let Some(value) = number(text) {
            found.push(Placed { value, at });
        }
    };
    if column.path == u64::MAX {
        for (row, cell) in cells_of(outline, column, from..=to) {
            add(outline.unit(row).body.s, cell.of(source));
        }
        return found;
    }
    /// What stands behind the key, up to the number's end.
    const NEAR_BYTES: usize = 40;
    let (from, to) = (from as usize, (to as usize + NEAR_BYTES).min(source.len()));
    let key = column.key(source);
    for place in memmem::find_iter(source.get(from..to).unwrap_or_default(), key) {
        let behind = from + place + key.len();
        let near = source.get(behind..(behind + NEAR_BYTES).min(source.len())).unwrap_or_default();
        let digits = near.iter().take_while(|byte| matches!(byte, b'"' | b':' | b'=' | b' ')).count();
        let text = near.get(digits..).unwrap_or_default();
        let end =
            text.iter().position(|byte| !matches!(byte, b'-' | b'.' | b'0'..=b'9')).unwrap_or(text.len());
        if digits > 0
            && let Ok(at) = u32::try_from(from + place)
        {
            add(at, text.get(..end).unwrap_or_default());
        }
    }
    found
}
