//! Rare values in columns of few values: of JSON records by the paths of their leaves, of rows by their cells.

use std::collections::HashMap;

use recto_outline::{ContentType, Kind, Layout, Outline, Role, Span, UnitId, hash, json_leaves, json_member_path, json_path};

use super::{Leaves, hashing::Plain};

/// A column with more distinct values than this has no rare ones.
const MOST_VALUES: usize = 24;
/// Records below which nothing is said of a column.
const LEAST_RECORDS: u32 = 8;
/// A value longer than this is no name of a state.
const LONGEST_VALUE: usize = 64;

/// What columns tell of their records.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// The units that hold a rare value, rarest first.
    pub(super) rare: Vec<UnitId>,
    /// The first unit of each set of columns, and of each frequent value of a column of few.
    pub(super) shapes: Vec<UnitId>,
}

#[derive(Debug, Default)]
struct Column {
    /// The path of the parents, the own key, and the two together.
    path: u64,
    key: Span,
    name: u64,
    records: u32,
    /// The column that came after this one last: records mostly repeat their columns' order.
    next: usize,
    /// Hash, count and first units of each value; empty once there were too many.
    values: Vec<Value>,
    is_open: bool,
}

impl Column {
    fn count(&mut self, value: &[u8], unit: UnitId) {
        self.records += 1;
        if !self.is_open {
            return;
        }
        let hash = hash(value);
        if let Some(known) = self.values.iter_mut().find(|known| known.hash == hash) {
            if known.count == 1 {
                known.first[1] = unit;
            }
            known.count += 1;
        } else if self.values.len() == MOST_VALUES || value.len() > LONGEST_VALUE {
            self.is_open = false;
            self.values = Vec::new();
        } else {
            self.values.push(Value { hash, count: 1, first: [unit, unit] });
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Value {
    hash: u64,
    count: u32,
    first: [UnitId; 2],
}

/// Finds rare values and shapes.
pub(super) fn find(outline: &Outline<'_>, leaves: &Leaves) -> Columns {
    let mut table = Counts::default();
    match outline.content_type {
        ContentType::Json | ContentType::Jsonl | ContentType::Log | ContentType::Unknown => json(outline, leaves, &mut table),
        _ => {}
    }
    rows(outline, &mut table);
    table.finish()
}

#[derive(Debug, Default)]
struct Counts {
    columns: Vec<Column>,
    places: HashMap<u64, usize, Plain>,
    last: usize,
    shapes: HashMap<u64, UnitId, Plain>,
    first_of_shape: Vec<UnitId>,
}

impl Counts {
    /// Counts a value of the column that `path` and `key` name; gives the column's whole name.
    fn add(&mut self, source: &[u8], (path, key): (u64, Span), value: &[u8], unit: UnitId) -> u64 {
        let guess = self.columns.get(self.last).map_or(0, |last| last.next);
        // The same path and key as after this column the last time: no need to hash the key.
        let place = match self.columns.get(guess) {
            Some(known) if known.path == path && known.key.of(source) == key.of(source) => guess,
            _ => self.place(source, path, key),
        };
        self.last = place;
        let Some(column) = self.columns.get_mut(place) else { return 0 };
        column.count(value, unit);
        column.name
    }

    fn place(&mut self, source: &[u8], path: u64, key: Span) -> usize {
        let name = json_path(path, key.of(source));
        let place = *self.places.entry(name).or_insert(self.columns.len());
        if place == self.columns.len() {
            self.columns.push(Column { path, key, name, is_open: true, ..Column::default() });
        }
        if let Some(last) = self.columns.get_mut(self.last) {
            last.next = place;
        }
        place
    }

    fn shape(&mut self, shape: u64, unit: UnitId) {
        if self.shapes.len() < 4096 && self.shapes.insert(shape, unit).is_none() {
            self.first_of_shape.push(unit);
        }
    }

    fn finish(self) -> Columns {
        let mut rare = Vec::new();
        let mut frequent = self.first_of_shape;
        for column in self.columns {
            if column.records < LEAST_RECORDS || column.values.len() < 2 {
                continue;
            }
            // A value is rare at a tenth of an even share of the records, or at one or two of them.
            let values = u32::try_from(column.values.len()).unwrap_or(u32::MAX);
            let even = column.records / values;
            for value in &column.values {
                if value.count * 10 <= even || (value.count <= 2 && even >= 4) {
                    let share = u64::from(value.count) * 1_000_000 / u64::from(column.records);
                    rare.extend(value.first.iter().take(value.count.min(2) as usize).map(|unit| (share, *unit)));
                } else if column.values.len() <= 8 {
                    frequent.push(value.first[0]);
                }
            }
        }
        rare.sort_unstable();
        frequent.sort_unstable();
        frequent.dedup();
        Columns { rare: rare.into_iter().map(|(_, unit)| unit).collect(), shapes: frequent }
    }
}

/// The leaves of JSON records: a record kept as one unit is read through, a field of a larger one stands for itself.
fn json(outline: &Outline<'_>, leaves: &Leaves, table: &mut Counts) {
    let source = outline.source;
    // The path of the unit's parent, for fields that are units.
    let mut paths: HashMap<UnitId, u64, Plain> = HashMap::default();
    for &id in &leaves.shown {
        let unit = outline.unit(id);
        if !matches!(unit.kind, Kind::Scalar | Kind::Object | Kind::Array) {
            continue;
        }
        let is_record = unit.role == Role::Record;
        let path = parent_path(outline, unit.parent, &mut paths);
        let mut shape = 0_u64;
        json_leaves(source, unit.body, path, |leaf| {
            shape = shape.wrapping_add(table.add(source, (leaf.path, leaf.key), leaf.value.of(source), id));
        });
        if is_record && unit.kind == Kind::Object {
            table.shape(shape, id);
        }
    }
}

/// The path of keys that leads to the children of `id`.
fn parent_path(outline: &Outline<'_>, id: UnitId, paths: &mut HashMap<UnitId, u64, Plain>) -> u64 {
    let mut chain = Vec::new();
    let mut at = id;
    let mut path = loop {
        if let Some(path) = paths.get(&at) {
            break *path;
        }
        chain.push(at);
        if at == UnitId::ROOT {
            break 0;
        }
        at = outline.unit(at).parent;
    };
    for unit in chain.into_iter().rev() {
        path = json_member_path(outline.source, outline.unit(unit).body, path);
        paths.insert(unit, path);
    }
    path
}

/// The cells of rows.
fn rows(outline: &Outline<'_>, table: &mut Counts) {
    for (number, grid) in outline.tables.iter().enumerate().filter(|(_, grid)| grid.layout != Layout::Json) {
        for row in outline.children(grid.container) {
            if outline.unit(row).kind != Kind::Row {
                continue;
            }
            recto_outline::cells(outline, grid, row, &mut |column: usize, span: Span| {
                table.add(outline.source, ((number as u64) << 32 | column as u64, Span::default()), span.of(outline.source), row);
            });
        }
    }
}
