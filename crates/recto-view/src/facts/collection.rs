//! The records of one container: which a view keeps, and what is counted of them.

use std::{borrow::Cow, collections::HashMap};

use recto_outline::{
    Column, Columns, Kind, Layout, Outline, Role, Span, Table, UnitId, cells, header_names, json_leaves,
    json_member_path, json_path,
};

use super::LeftOut;

/// Containers looked at.
const MOST_CONTAINERS: usize = 64;

/// The records of a container, some of which are left out.
#[derive(Debug)]
pub(super) struct Collection {
    pub(super) container: UnitId,
    /// The first gap that leaves out records of it.
    pub(super) first_gap: usize,
    /// How many gaps do.
    pub(super) gaps: u32,
    /// How many records are left out whole.
    pub(super) dropped: u32,
    /// The records of which something is shown.
    kept: Vec<UnitId>,
}

/// A column of a collection, and how often the kept records hold each of its values.
#[derive(Debug)]
pub(super) struct Counted<'c> {
    pub(super) column: &'c Column,
    pub(super) label: Cow<'c, str>,
    pub(super) kept: Vec<u32>,
}

/// The collections that records are left out of.
pub(super) fn all(outline: &Outline<'_>, left_out: &[LeftOut]) -> Vec<Collection> {
    let mut containers: Vec<UnitId> = Vec::new();
    for run in left_out {
        let Some(container) = container(outline, run.span) else { continue };
        if containers.last() != Some(&container) && !containers.contains(&container) {
            containers.push(container);
        }
        // Each costs a walk over its records.
        if containers.len() == MOST_CONTAINERS {
            break;
        }
    }
    containers.into_iter().filter_map(|container| Collection::of(outline, left_out, container)).collect()
}

/// The container whose records stand in a run that is left out.
fn container(outline: &Outline<'_>, run: Span) -> Option<UnitId> {
    let first = outline.units.partition_point(|unit| unit.body.s < run.s);
    let mut units = outline.units.get(first..)?.iter().skip_while(|unit| unit.body.e > run.e);
    let unit = units.find(|unit| unit.kind != Kind::Blank).filter(|unit| unit.body.s < run.e)?;
    is_record(unit.kind, unit.role).then_some(unit.parent)
}

fn is_record(kind: Kind, role: Role) -> bool {
    kind == Kind::Row || (kind == Kind::Object && role == Role::Record)
}

impl Collection {
    fn of(outline: &Outline<'_>, left_out: &[LeftOut], container: UnitId) -> Option<Self> {
        let mut found = Self { container, first_gap: 0, gaps: 0, dropped: 0, kept: Vec::new() };
        let mut last_gap = None;
        let mut runs = left_out.iter().peekable();
        for child in outline.children(container) {
            let unit = outline.unit(child);
            // How many records a joined unit holds is not known.
            if unit.kind == Kind::Joined {
                return None;
            }
            if !is_record(unit.kind, unit.role) {
                continue;
            }
            while runs.next_if(|run| run.span.e < unit.body.e).is_some() {}
            match runs.peek() {
                Some(run) if run.span.s <= unit.body.s => {
                    if last_gap.replace(run.gap) != Some(run.gap) {
                        found.gaps += 1;
                        if found.gaps == 1 {
                            found.first_gap = run.gap;
                        }
                    }
                    found.dropped += 1;
                }
                _ => found.kept.push(child),
            }
        }
        (found.dropped > 0).then_some(found)
    }

    /// What a number beside the list says that is larger than the list: mostly that it is a page of a longer one.
    pub(super) fn total(&self, outline: &Outline<'_>) -> Option<String> {
        const KEYS: [&str; 7] =
            ["total", "count", "total_count", "totalCount", "totalResults", "totalItems", "total_results"];
        /// Members looked at.
        const MOST_MEMBERS: usize = 64;
        let array = outline.unit(self.container);
        let (is_list, parent) = (array.kind == Kind::Array, outline.unit(array.parent));
        if !is_list || parent.kind != Kind::Object {
            return None;
        }
        let here = u32::try_from(outline.children(self.container).count()).ok()?;
        outline.children(array.parent).take(MOST_MEMBERS).find_map(|member| {
            let text = std::str::from_utf8(outline.text(member)).ok()?;
            let (key, value) = text.strip_prefix('"')?.split_once('"')?;
            let value = value.trim_start().strip_prefix(':')?.trim();
            let says: u32 = value.parse().ok()?;
            (KEYS.contains(&key) && says > here).then(|| format!("{key} says {says}, the list holds {here}"))
        })
    }

    /// How many records something is shown of.
    pub(super) fn kept_count(&self) -> u32 {
        u32::try_from(self.kept.len()).unwrap_or(u32::MAX)
    }

    /// Says whether something is shown of the record at `at`.
    pub(super) fn shows(&self, outline: &Outline<'_>, at: u32) -> bool {
        let after = self.kept.partition_point(|record| outline.unit(*record).body.s <= at);
        let before = after.checked_sub(1).and_then(|last| self.kept.get(last));
        before.is_some_and(|record| at < outline.unit(*record).body.e)
    }

    /// Length of the records of which something is shown.
    pub(super) fn kept_bytes(&self, outline: &Outline<'_>) -> usize {
        self.kept.iter().map(|id| outline.unit(*id).body.len()).sum()
    }

    /// The columns that every record has, and only these records.
    pub(super) fn columns<'c>(&self, outline: &'c Outline<'_>, rows: &'c Columns) -> Vec<Counted<'c>> {
        match self.table(outline) {
            Some(table) => self.of_rows(outline, rows, table),
            None => self.of_objects(outline),
        }
    }

    fn table<'o>(&self, outline: &'o Outline<'_>) -> Option<&'o Table> {
        outline.tables.iter().find(|table| table.container == self.container && table.layout != Layout::Json)
    }

    /// All records, and only these, have a value in it.
    fn has_all(&self, outline: &Outline<'_>, column: &Column) -> bool {
        let container = outline.unit(self.container).body;
        let starts_here = container.s <= column.first[0] && column.first[0] < container.e;
        starts_here && column.records == self.dropped + self.kept_count()
    }

    fn of_rows<'c>(&self, outline: &'c Outline<'_>, rows: &'c Columns, table: &Table) -> Vec<Counted<'c>> {
        let names = header_names(outline, table);
        let columns = rows.all().iter().chain(outline.columns.all());
        let mut found: Vec<Option<Counted<'c>>> = Vec::new();
        for column in columns.filter(|column| column.path == u64::MAX && self.has_all(outline, column)) {
            let cell = column.cell as usize;
            let Some(label) = names.get(cell).cloned() else { continue };
            if found.len() <= cell {
                found.resize_with(cell + 1, || None);
            }
            if let Some(place) = found.get_mut(cell) {
                *place = Some(Counted { column, label, kept: vec![0; column.values.len()] });
            }
        }
        for row in &self.kept {
            cells(outline, table, *row, &mut |cell, span| {
                if let Some(Some(counted)) = found.get_mut(cell) {
                    counted.add(span.of(outline.source));
                }
            });
        }
        found.into_iter().flatten().collect()
    }

    fn of_objects<'c>(&self, outline: &'c Outline<'_>) -> Vec<Counted<'c>> {
        // Records of other containers on the same path would be counted with these.
        let parents: Vec<UnitId> = std::iter::once(self.container)
            .chain(outline.ancestors(self.container))
            .filter(|id| *id != UnitId::ROOT)
            .collect();
        let is_repeated = |id: &UnitId| {
            let unit = outline.unit(*id);
            unit.kind == Kind::Array || unit.role == Role::Record
        };
        if parents.iter().skip(1).any(is_repeated) {
            return Vec::new();
        }
        let lists = parents.iter().filter(|id| outline.unit(**id).kind == Kind::Array).count();
        let source = outline.source;
        let path =
            parents.iter().rev().fold(0, |path, id| json_member_path(source, outline.unit(*id).body, path));
        let mut found: Vec<Counted<'c>> = outline
            .columns
            .all()
            .iter()
            .filter(|column| column.path != u64::MAX && self.has_all(outline, column))
            .filter(|column| !column.values.is_empty() || column.numbers.is_some())
            // What stands in lists in a record, or twice in one, is not one value of each.
            .filter(|column| usize::from(column.lists) == lists && !column.is_repeated)
            .map(|column| Counted {
                column,
                label: String::from_utf8_lossy(column.key(source)),
                kept: vec![0; column.values.len()],
            })
            .collect();
        let places: HashMap<u64, usize> =
            found.iter().enumerate().map(|(index, counted)| (counted.column.name(), index)).collect();
        for record in &self.kept {
            json_leaves(source, outline.unit(*record).body, path, |leaf| {
                let name = json_path(leaf.path, leaf.key.of(source));
                if let Some(counted) = places.get(&name).and_then(|index| found.get_mut(*index)) {
                    counted.add(leaf.value.of(source));
                }
            });
        }
        found
    }

    /// The number or the quoted text of a column in the record or member that begins at `at`.
    pub(super) fn value_at<'s>(&self, outline: &Outline<'s>, column: &Column, at: u32) -> Option<&'s [u8]> {
        let source = outline.source;
        if let Some(table) = self.table(outline) {
            let index = outline.units.partition_point(|unit| unit.body.s < at);
            let row = UnitId(u32::try_from(index).ok()?);
            (outline.units.get(index)?.kind == Kind::Row).then_some(())?;
            let mut found = None;
            cells(outline, table, row, &mut |cell, span| {
                if cell == column.cell as usize {
                    found = Some(span.of(source));
                }
            });
            return found;
        }
        let behind = source.get(at as usize + column.key(source).len() + 2..)?;
        let value = behind.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        if value.first() == Some(&b'"') {
            let end = 2 + memchr::memchr(b'"', value.get(1..)?)?;
            return value.get(..end);
        }
        let end = value.iter().position(|byte| !matches!(byte, b'-' | b'.' | b'0'..=b'9'))?;
        value.get(..end)
    }
}

impl Counted<'_> {
    fn add(&mut self, value: &[u8]) {
        if let Some(count) = self.column.position(value).and_then(|place| self.kept.get_mut(place)) {
            *count += 1;
        }
    }
}
