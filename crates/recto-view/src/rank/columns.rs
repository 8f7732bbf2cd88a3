//! Rare values in columns of few values, and the shapes of records: of JSON as its parser counted them, of rows by their cells.

use std::{collections::HashMap, ops::RangeInclusive};

use recto_outline::{Column, Columns, GridCells, Kind, Layout, Outline, Span, UnitId, Value};

use super::Leaves;

/// Records below which nothing is said of a column.
const LEAST_RECORDS: u32 = 4;
/// A column of at most this many values is one of states.
const FEW_VALUES: u32 = 8;

/// What columns tell of their records.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The units that hold a rare value, rarest first.
    pub(super) rare: Vec<UnitId>,
    /// The units whose text is like no or one other in a column of texts, rarest first.
    pub(super) texts: Vec<UnitId>,
    /// The first unit of each set of columns, and of each frequent value of a column of few.
    pub(super) shapes: Vec<UnitId>,
}

/// Finds rare values and shapes.
pub(super) fn find(outline: &Outline<'_>, rows: &Columns, leaves: &Leaves) -> Found {
    let mut rare = Vec::new();
    let mut texts = Vec::new();
    let mut frequent: Vec<u32> = outline.columns.shapes().to_vec();
    for column in outline.columns.all().iter().chain(rows.all()) {
        sort(outline.source, column, &mut rare, &mut frequent);
        rare_texts(outline.source, column, &mut texts, &mut frequent);
    }
    texts.sort_unstable();
    rare_fields(outline.columns.all(), &mut rare);
    rare.sort_unstable();
    frequent.sort_unstable();
    let unit = |at: u32| leaves.holding(outline, at);
    let mut shapes: Vec<UnitId> = frequent.into_iter().filter_map(unit).collect();
    shapes.dedup();
    Found {
        texts: texts.into_iter().filter_map(|(_, at)| unit(at)).collect(),
        rare: rare.into_iter().filter_map(|(_, at)| unit(at)).collect(),
        shapes,
    }
}

/// Sorts a column's values into rare ones, each with its share in millionths, and frequent ones.
fn sort(source: &[u8], column: &Column, rare: &mut Vec<(u64, u32)>, frequent: &mut Vec<u32>) {
    let values = u32::try_from(column.values.len()).unwrap_or(u32::MAX);
    // What is rare among numbers is seen by their distances, unless they stand for a few states.
    // Elements of lists have no key that could say what a rare one means.
    let is_list = column.path != u64::MAX && column.key(source).is_empty();
    if column.records < LEAST_RECORDS - u32::from(values == 2)
        || values < 2
        || is_list
        || (is_measured(source, column) && values > FEW_VALUES)
    {
        return;
    }
    // A value is rare at a tenth of an even share of the records, or at one or two of them.
    let even = column.records / values;
    let top = column.values.iter().map(|value| value.count).max().unwrap_or(0);
    let is_rare = |count: u32| {
        count * 10 <= even.max(top) || (count <= 2 && even >= 4) || (count == 1 && even >= 3)
            // All others are equal.
            || (count == 1 && top + 1 == column.records)
    };
    let mut found: Vec<&Value> = column.values.iter().filter(|value| is_rare(value.count)).collect();
    found.sort_unstable_by_key(|value| (value.count, value.first[0]));
    // Many rare values are the rule.
    found.truncate((column.records / 10).max(4) as usize);
    for value in found {
        let share = u64::from(value.count) * 1_000_000 / u64::from(column.records);
        // That something is missing says less than what it is.
        let share = if value.span.of(source) == b"null" { 2 * share } else { share };
        rare.extend(value.first.iter().take(value.count.min(2) as usize).map(|at| (share, *at)));
    }
    if values <= FEW_VALUES || values * 3 <= column.records {
        frequent
            .extend(column.values.iter().filter(|value| !is_rare(value.count)).map(|value| value.first[0]));
    }
}

/// Says whether a column is one of numbers or times.
fn is_measured(source: &[u8], column: &Column) -> bool {
    let begins_with_digit = |value: &Value| match value.span.of(source) {
        [b'"', digit, ..] | [digit, ..] => digit.is_ascii_digit(),
        [] => false,
    };
    column.numbers.is_some() || column.values.iter().all(begins_with_digit)
}

/// Sorts a column's texts into those that are like no or one other, and the first of each other template. Where most are, the
/// notion says nothing.
fn rare_texts(source: &[u8], column: &Column, rare: &mut Vec<(u32, u32)>, frequent: &mut Vec<u32>) {
    const RARE: u32 = 2;
    let templates = column.text_templates(source);
    let rare_count: u32 = templates.iter().map(|text| text.count).filter(|count| *count <= RARE).sum();
    if column.records < 2 * LEAST_RECORDS || rare_count * 3 > column.records {
        return;
    }
    for text in templates.iter() {
        if text.count <= RARE {
            rare.extend(text.first.iter().take(text.count as usize).map(|at| (text.count, *at)));
        } else {
            frequent.push(text.first[0]);
        }
    }
}

/// Fields that few of the records of their kind have.
fn rare_fields(columns: &[Column], rare: &mut Vec<(u64, u32)>) {
    let mut most: HashMap<u64, u32> = HashMap::new();
    for column in columns {
        let records = most.entry(column.path).or_default();
        *records = column.records.max(*records);
    }
    for column in columns.iter().filter(|column| column.path != u64::MAX) {
        let records = most.get(&column.path).copied().unwrap_or_default();
        if records >= 2 * LEAST_RECORDS && column.records * 10 <= records {
            let share = u64::from(column.records) * 1_000_000 / u64::from(records);
            rare.extend(column.first.iter().take(column.records.min(2) as usize).map(|at| (share, *at)));
        }
    }
}

/// The cells of a column of rows, each with its row: of the rows that begin in `places`.
pub(super) fn cells_of<'o>(
    outline: &'o Outline<'_>,
    column: &'o Column,
    places: RangeInclusive<u32>,
) -> impl Iterator<Item = (UnitId, Span)> + 'o {
    let rows = outline
        .tables
        .iter()
        .flat_map(|table| outline.children(table.container).map(move |row| (table, row)));
    let near = rows.filter(move |(_, row)| places.contains(&outline.unit(*row).body.s));
    near.filter_map(|(table, row)| {
        let mut found = None;
        recto_outline::cells(outline, table, row, &mut |cell, span| {
            if cell == column.cell as usize {
                found = Some((row, span));
            }
        });
        found
    })
}

/// Counts the cells of rows that were not counted when they were parsed.
pub(super) fn rows(outline: &Outline<'_>) -> Columns {
    /// Columns of one grid; further ones are not counted.
    const MOST_COLUMNS: usize = 256;
    let mut columns = Columns::default();
    // The others were counted while they were parsed.
    let grids =
        outline.tables.iter().filter(|grid| !matches!(grid.layout, Layout::Json | Layout::Delimited { .. }));
    for grid in grids.take(64) {
        let base = columns.all().len();
        let cells = GridCells::new(outline.source, grid);
        for row in outline.children(grid.container) {
            if outline.unit(row).kind != Kind::Row {
                continue;
            }
            let body = outline.unit(row).body;
            for (column, span) in cells.of(body).take(MOST_COLUMNS).enumerate() {
                let cell = u32::try_from(column).unwrap_or(u32::MAX);
                columns.add_cell(outline.source, (base + column, cell), span, body.s);
            }
        }
    }
    columns
}
