//! Rare values in columns of few values, and the shapes of records: of JSON as its parser counted them, of rows by their cells.

use recto_outline::{Column, Columns, Kind, Layout, Outline, Span, UnitId};

use super::Leaves;

/// Records below which nothing is said of a column.
const LEAST_RECORDS: u32 = 8;

/// What columns tell of their records.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The units that hold a rare value, rarest first.
    pub(super) rare: Vec<UnitId>,
    /// The first unit of each set of columns, and of each frequent value of a column of few.
    pub(super) shapes: Vec<UnitId>,
}

/// Finds rare values and shapes.
pub(super) fn find(outline: &Outline<'_>, leaves: &Leaves) -> Found {
    let mut rare = Vec::new();
    let mut frequent: Vec<u32> = outline.columns.shapes().to_vec();
    let rows = rows(outline);
    for column in outline.columns.all().iter().chain(rows.all()) {
        sort(column, &mut rare, &mut frequent);
    }
    rare.sort_unstable();
    frequent.sort_unstable();
    let unit = |at: u32| {
        leaves.at(outline, at as usize, 0).ok().and_then(|position| leaves.shown.get(position)).copied()
    };
    let mut shapes: Vec<UnitId> = frequent.into_iter().filter_map(unit).collect();
    shapes.dedup();
    Found { rare: rare.into_iter().filter_map(|(_, at)| unit(at)).collect(), shapes }
}

/// Sorts a column's values into rare ones, each with its share in millionths, and frequent ones.
fn sort(column: &Column, rare: &mut Vec<(u64, u32)>, frequent: &mut Vec<u32>) {
    if column.records < LEAST_RECORDS || column.values.len() < 2 {
        return;
    }
    // A value is rare at a tenth of an even share of the records, or at one or two of them.
    let even = column.records / u32::try_from(column.values.len()).unwrap_or(u32::MAX);
    for value in &column.values {
        if value.count * 10 <= even || (value.count <= 2 && even >= 4) {
            let share = u64::from(value.count) * 1_000_000 / u64::from(column.records);
            rare.extend(value.first.iter().take(value.count.min(2) as usize).map(|at| (share, *at)));
        } else if column.values.len() <= 8 {
            frequent.push(value.first[0]);
        }
    }
}

/// Counts the cells of rows.
fn rows(outline: &Outline<'_>) -> Columns {
    /// Columns of one grid; further ones are not counted.
    const MOST_COLUMNS: usize = 256;
    let mut columns = Columns::default();
    // The others were counted while they were parsed.
    let grids =
        outline.tables.iter().filter(|grid| !matches!(grid.layout, Layout::Json | Layout::Delimited { .. }));
    for (number, grid) in grids.take(64).enumerate() {
        for row in outline.children(grid.container) {
            if outline.unit(row).kind != Kind::Row {
                continue;
            }
            let at = outline.unit(row).body.s;
            recto_outline::cells(outline, grid, row, &mut |column: usize, span: Span| {
                if column < MOST_COLUMNS {
                    columns.add_cell(number * MOST_COLUMNS + column, span.of(outline.source), at);
                }
            });
        }
    }
    columns
}
