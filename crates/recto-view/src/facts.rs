//! What is known of all that a view leaves out of a collection: how often each value stands in it, how far its numbers reach.
//!
//! Nothing is counted for a fact: what the parser counted of all records, less what the kept ones hold, is what the others hold.
//! A fact that cannot be known so is not stated.

mod collection;
mod lines;
mod words;

use std::collections::HashSet;

use recto_outline::{Column, Columns, ContentType, Outline, Span, moment, number};

use self::{
    collection::Collection,
    words::{is_plain, is_time, label, plain_value, unquoted},
};
use crate::tiling::Tiling;

/// Collections of which something is said.
const MOST_COLLECTIONS: usize = 3;
/// Columns of a collection of which something is said.
const MOST_COLUMNS: usize = 4;
/// Columns of numbers among them.
const MOST_RANGES: usize = 2;
/// Fewer records are not summed up.
const LEAST_RECORDS: u32 = 4;
/// Of a column of more values than this only the most frequent are named.
const MOST_VALUES: usize = 6;
const FREQUENT_VALUES: usize = 3;
/// What is kept of a collection is read up to this size.
const MOST_KEPT_BYTES: usize = 1 << 20;
/// Parts of the keys whose values people count.
const STATES: [&str; 14] = [
    "status",
    "state",
    "phase",
    "result",
    "outcome",
    "conclusion",
    "severity",
    "level",
    "type",
    "kind",
    "action",
    "reason",
    "success",
    "ok",
];

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// What the gap leaves out, which is all that is left out of the collection.
    Gap,
    /// What this gap and others leave out of the collection.
    Gaps,
    /// The collection as a whole.
    Whole,
}

impl Of {
    fn gaps(count: u32) -> Self {
        if count == 1 { Self::Gap } else { Self::Gaps }
    }
}

/// One statement about what is left out, true of the bytes of all the gaps in a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The number of the gap whose note states it: the first that leaves out records of the collection.
    pub(crate) gap: usize,
    pub(crate) of: Of,
    /// Such as `state 371 ok, 9 failed`.
    pub(crate) words: String,
}

/// A run of the source that is left out, and the number of its gap among all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftOut {
    pub(crate) gap: usize,
    pub(crate) span: Span,
}

/// What a tiling leaves out and announces.
pub(crate) fn left_out(tiling: &Tiling) -> Vec<LeftOut> {
    let gaps = tiling.gaps.iter().enumerate().filter(|(_, gap)| gap.site.is_some());
    gaps.map(|(gap, found)| LeftOut { gap, span: found.span }).collect()
}

/// Says whether there may be facts, whatever is left out.
pub(crate) fn may_be(outline: &Outline<'_>, rows: &Columns) -> bool {
    !rows.all().is_empty() || !outline.columns.all().is_empty() || lines::has_levels(outline)
}

/// The facts about what is left out of an outline's source, the most telling first.
pub(crate) fn find(outline: &Outline<'_>, rows: &Columns, left_out: &[LeftOut]) -> Vec<Fact> {
    let mut facts = Vec::new();
    if outline.content_type == ContentType::Log {
        facts.extend(lines::levels(outline, left_out));
        facts.extend(lines::times(outline, left_out));
    }
    let mut collections = collection::all(outline, left_out);
    collections.sort_by_key(|collection| (std::cmp::Reverse(collection.dropped), collection.container));
    for collection in collections.iter().take(MOST_COLLECTIONS) {
        if collection.dropped >= LEAST_RECORDS && collection.kept_bytes(outline) <= MOST_KEPT_BYTES {
            facts.extend(of_collection(outline, rows, left_out, collection));
        }
    }
    facts
}

fn of_collection(
    outline: &Outline<'_>,
    rows: &Columns,
    left_out: &[LeftOut],
    collection: &Collection,
) -> Vec<Fact> {
    let mut states = Vec::new();
    let mut ranges = Vec::new();
    let mut times = Vec::new();
    let columns = collection.columns(outline, rows);
    let labels: Vec<Option<String>> = columns.iter().map(|counted| label(&counted.label)).collect();
    for (counted, label) in columns.iter().zip(&labels) {
        let Some(label) = label else { continue };
        // Two columns of one name cannot be told apart.
        if labels.iter().filter(|other| other.as_ref() == Some(label)).count() > 1 {
            continue;
        }
        if let Some((values, words)) = counts(outline.source, counted, collection) {
            let is_state = STATES.iter().any(|state| label.to_ascii_lowercase().ends_with(state));
            states.push(((values > MOST_VALUES, !is_state, values), format!("{label} {words}")));
        } else if !is_name(label)
            && let Some(words) = range(outline, left_out, counted.column, collection)
        {
            let is_time = counted.column.numbers.as_ref().is_some_and(|numbers| numbers.are_times);
            let found = if is_time { &mut times } else { &mut ranges };
            found.push(format!("{label} {words}"));
        }
    }
    let total = collection.total(outline);
    states.sort();
    // One column of times is enough: the others mostly follow it.
    ranges.extend(times.into_iter().take(1));
    ranges.truncate(MOST_RANGES);
    let room = MOST_COLUMNS - ranges.len();
    let about_gaps = states.into_iter().map(|(_, words)| words).take(room).chain(ranges);
    let about_gaps = about_gaps.map(|words| (Of::gaps(collection.gaps), words));
    let about_all = total.into_iter().map(|words| (Of::Whole, words));
    about_all.chain(about_gaps).map(|(of, words)| Fact { gap: collection.first_gap, of, words }).collect()
}

/// Says whether the numbers of a column name or place something: how far they reach tells nothing.
fn is_name(label: &str) -> bool {
    const NAMES: [&str; 12] =
        ["id", "no", "number", "line", "row", "col", "column", "port", "pid", "offset", "index", "code"];
    let last = label.rsplit([' ', '_', '-', '.']).next().unwrap_or_default();
    NAMES.iter().any(|name| last.eq_ignore_ascii_case(name)) || label.ends_with("Id") || label.ends_with("ID")
}

/// How often each value stands in what is left out, most frequent first, and how many values there are.
fn counts(
    source: &[u8],
    counted: &collection::Counted<'_>,
    collection: &Collection,
) -> Option<(usize, String)> {
    let column = counted.column;
    if column.values.len() < 2 {
        return None;
    }
    let mut left: Vec<(u32, &[u8])> = Vec::new();
    for (value, kept) in column.values.iter().zip(&counted.kept) {
        let count = value.count.checked_sub(*kept)?;
        if count > 0 {
            left.push((count, value.span.of(source)));
        }
    }
    let values = u32::try_from(left.len()).ok()?;
    if left.iter().map(|(count, _)| count).sum::<u32>() != collection.dropped {
        return None;
    }
    // Values that a note would print alike cannot be told apart: `true` and `"true"`.
    let printed: HashSet<&[u8]> = left.iter().map(|(_, value)| unquoted(value)).collect();
    if printed.len() < left.len() {
        return None;
    }
    left.sort_by_key(|(count, value)| (std::cmp::Reverse(*count), *value));
    if let [(_, only)] = left[..] {
        return Some((1, format!("all {}", plain_value(only)?)));
    }
    // Nearly as many values as records: names rather than states.
    if values * 3 > collection.dropped {
        return None;
    }
    let shown = if left.len() > MOST_VALUES { FREQUENT_VALUES } else { left.len() };
    let mut words: Vec<String> = Vec::new();
    for (count, value) in left.iter().take(shown) {
        let value = plain_value(value)?;
        let is_number = value.starts_with(|first: char| first.is_ascii_digit() || first == '-');
        words.push(format!("{count}{} {value}", if is_number { "\u{d7}" } else { "" }));
    }
    let others: u32 = left.iter().skip(shown).map(|(count, _)| count).sum();
    if others > 0 {
        words.push(format!("{others} in {} others", left.len() - shown));
    }
    Some((left.len(), words.join(", ")))
}

/// How far the numbers reach that are left out, as far as that is known: where the largest of all is left out, it is the largest
/// of those.
fn range(
    outline: &Outline<'_>,
    left_out: &[LeftOut],
    column: &Column,
    collection: &Collection,
) -> Option<String> {
    let numbers = column.numbers.as_deref()?;
    let in_order = numbers.rises.max(numbers.falls);
    if numbers.are_cut || numbers.others > 0 || numbers.count != collection.dropped + collection.kept_count()
    {
        return None;
    }
    // Numbers that count on, and names made of digits, say nothing.
    let count_on = !numbers.are_times && u64::from(in_order) * 10 >= u64::from(numbers.count) * 9;
    if count_on || numbers.lows[0].value == numbers.highs[0].value {
        return None;
    }
    let end = |placed: recto_outline::Placed| {
        let at = placed.at;
        let before = left_out.partition_point(|run| run.span.s <= at).checked_sub(1)?;
        if left_out.get(before)?.span.e <= at || collection.shows(outline, at) {
            return None;
        }
        let text = unquoted(collection.value_at(outline, column, at)?);
        let (value, is_fit) =
            if numbers.are_times { (moment(text), is_time(text)) } else { (number(text), is_plain(text)) };
        (value == Some(placed.value) && is_fit).then(|| String::from_utf8_lossy(text).into_owned())
    };
    match (end(numbers.lows[0]), end(numbers.highs[0])) {
        (Some(low), Some(high)) => Some(format!("{low} to {high}")),
        (Some(low), None) => Some(format!("from {low}")),
        (None, Some(high)) => Some(format!("up to {high}")),
        (None, None) => None,
    }
}
