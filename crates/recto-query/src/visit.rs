//! Records to rows and groups.

use std::{borrow::Cow, ops::ControlFlow};

use recto_outline::Span;

use crate::{
    Answer, Path, QueryError,
    aggregate::{Aggregate, Function, Shown},
    asked::{Asked, Kind},
    cell::{self, Syntax},
    document::Layer,
    group::{Groups, Valued},
    header::Place as GridPlace,
    records::{Record, Records, Wanted},
    sort::{First, Key, SortBy},
    sources::Chosen,
    suggest::did_you_mean,
};

/// Columns shown where the query does not name any.
const MOST_COLUMNS: usize = 64;

impl Asked<'_> {
    /// Asks the records that were chosen.
    pub(crate) fn answer(&self, layer: Layer<'_>, chosen: Chosen) -> Result<Answer, QueryError> {
        let text = layer.text;
        if let Records::Grid { header, .. } = &chosen.records {
            let unknown = self.paths.iter().position(|path| header.place(path) == GridPlace::Nowhere);
            if let Some(index) = unknown {
                return Err(self.unknown(index, text, &chosen.records));
            }
        }
        let mut answer = Answer { path: chosen.path, others: chosen.others, ..Answer::default() };
        answer.notes = chosen.notes;
        answer.notes.extend(self.notes.iter().cloned());
        match &self.kind {
            Kind::Rows { sort } => self.rows(layer, &chosen.records, sort, answer),
            Kind::Groups { keys, aggregates } => {
                self.groups(layer, &chosen.records, keys, aggregates, answer)
            }
        }
    }

    /// Visits the records that pass the filter.
    fn visit<'s>(
        &self,
        text: &'s [u8],
        records: &Records,
        answer: &mut Answer,
        mut sink: impl FnMut(&Record<'_>) -> ControlFlow<()>,
    ) -> Result<(), QueryError> {
        let wanted = Wanted::new(&self.paths);
        let syntax = records.syntax();
        let mut seen = vec![false; self.paths.len()];
        let mut unseen = seen.len();
        let mut values: Vec<Option<Cow<'s, [u8]>>> = Vec::new();
        let filtered = self.filter.columns.len();
        let skipped = records.visit(text, &wanted, |record| {
            answer.records += 1;
            if unseen > 0 {
                for (index, seen) in seen.iter_mut().enumerate() {
                    if !*seen && record.cell(index).is_some() {
                        *seen = true;
                        unseen -= 1;
                    }
                }
            }
            values.clear();
            values.extend((0..filtered).map(|index| cell_value(text, record.cell(index), syntax)));
            if !self.filter.passes(&values) {
                return ControlFlow::Continue(());
            }
            answer.matched += 1;
            sink(record)
        });
        let is_grid = matches!(records, Records::Grid { .. });
        if answer.records > 0
            && unseen > 0
            && !is_grid
            && let Some(index) = seen.iter().position(|seen| !seen)
        {
            return Err(self.unknown(index, text, records));
        }
        if skipped > 0 {
            answer.notes.push(format!("{skipped} lines are no JSON values in whole, and no records"));
        }
        Ok(())
    }

    fn unknown(&self, index: usize, text: &[u8], records: &Records) -> QueryError {
        /// Bytes of names in the message.
        const MOST_BYTES: usize = 600;
        let known = records.known_columns(text);
        let name = self.paths.get(index).map(Path::to_string).unwrap_or_default();
        let (argument, may_be_text) = self.named_by.get(index).copied().unwrap_or(("columns", false));
        let mut columns = String::new();
        let mut listed = 0;
        for column in &known {
            if columns.len() + column.len() > MOST_BYTES {
                break;
            }
            columns.push_str(if listed > 0 { ", " } else { "" });
            columns.push_str(column);
            listed += 1;
        }
        if listed < known.len() {
            columns.push_str(&format!(", and {} more", known.len() - listed));
        }
        let meant = crate::suggest::nearest(&name, known.iter().map(String::as_str));
        let shown =
            meant.or_else(|| known.iter().map(String::as_str).find(|column| column.len() <= MOST_BYTES));
        let example = match shown {
            _ if may_be_text => format!(". A text stands in quotes: \"{name}\""),
            Some(column) if argument == "filter" => format!(". Write e.g. {column} == \"...\""),
            Some(column) => format!(". Write e.g. \"{argument}\": \"{column}\""),
            None => String::new(),
        };
        let nearest = did_you_mean(&name, known.iter().map(String::as_str));
        if matches!(records, Records::Lines { .. }) {
            columns.push_str(" (no table was found: the records are lines)");
        }
        QueryError::UnknownColumn { argument, name, nearest, columns, example }
    }

    fn rows(
        &self,
        layer: Layer<'_>,
        records: &Records,
        sort: &[usize],
        mut answer: Answer,
    ) -> Result<Answer, QueryError> {
        let text = layer.text;
        let syntax = records.syntax();
        let end = self.offset.saturating_add(self.limit);
        let mut page: Vec<(Span, Option<Span>)> = Vec::new();
        if sort.is_empty() {
            let mut number = 0;
            self.visit(text, records, &mut answer, |record| {
                if number >= self.offset && number < end {
                    page.push((record.span, record.key));
                }
                number += 1;
                ControlFlow::Continue(())
            })?;
        } else {
            let falling = self.sort.iter().map(|by| by.is_falling).collect();
            let mut first = First::new(falling, usize::try_from(end).unwrap_or(usize::MAX));
            self.visit(text, records, &mut answer, |record| {
                let keys = sort.iter().map(|index| Key::new(cell_value(text, record.cell(*index), syntax)));
                first.push(keys.collect(), (record.span, record.key));
                ControlFlow::Continue(())
            })?;
            page.extend(first.finish().skip(usize::try_from(self.offset).unwrap_or(usize::MAX)));
        }
        let columns = self.shown_columns(text, records, &page, &mut answer);
        let wanted = Wanted::new(&columns);
        let is_grid = matches!(records, Records::Grid { .. });
        let name = |path: &Path| if is_grid { path.name.clone() } else { path.label() };
        answer.columns = columns.iter().map(name).collect();
        let rows = page.into_iter().map(|(span, key)| {
            let cells = records.cells(text, span, key, &wanted);
            let shown = cells.into_iter().map(|cell| cell.map_or(Shown::Missing, Shown::Source)).collect();
            (shown, Some(span))
        });
        let matched = answer.matched;
        self.written(layer, syntax, rows, matched, answer)
    }

    /// The columns of a page: those asked for, or all that its records have.
    fn shown_columns(
        &self,
        text: &[u8],
        records: &Records,
        page: &[(Span, Option<Span>)],
        answer: &mut Answer,
    ) -> Vec<Path> {
        if !self.columns.is_empty() {
            return self.columns.iter().filter_map(|index| self.paths.get(*index)).cloned().collect();
        }
        let mut known = std::collections::HashSet::new();
        let mut columns = Vec::new();
        for (span, key) in page {
            for path in records.columns_of(text, *span, key.is_some()) {
                if known.insert(path.name.clone()) {
                    columns.push(path);
                }
            }
        }
        if columns.len() > MOST_COLUMNS {
            answer.notes.push(format!(
                "{} of {} columns; name others in columns, or give $ for whole records",
                MOST_COLUMNS,
                columns.len()
            ));
            columns.truncate(MOST_COLUMNS);
        }
        columns
    }

    fn groups(
        &self,
        layer: Layer<'_>,
        records: &Records,
        keys: &[usize],
        aggregates: &[(Aggregate, Option<usize>)],
        mut answer: Answer,
    ) -> Result<Answer, QueryError> {
        let text = layer.text;
        let syntax = records.syntax();
        let functions: Vec<Function> = aggregates.iter().map(|(aggregate, _)| aggregate.function).collect();
        let mut groups = Groups::new(functions, self.caps.max_groups);
        let mut key_values: Vec<Valued<'_>> = Vec::new();
        let mut has_too_many = false;
        self.visit(text, records, &mut answer, |record| {
            let valued = |index: usize| {
                let cell = record.cell(index);
                (cell, cell_value(text, cell, syntax))
            };
            key_values.clear();
            key_values.extend(keys.iter().map(|index| valued(*index)));
            let values = aggregates.iter().map(|(_, path)| path.map(valued));
            has_too_many |= groups.add(&key_values, values).is_err();
            if has_too_many { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let names = keys.iter().filter_map(|index| self.paths.get(*index)).map(Path::label);
        if has_too_many {
            let column = names.collect::<Vec<_>>().join(", ");
            return Err(QueryError::TooManyGroups { column, limit: self.caps.max_groups });
        }
        answer.columns =
            names.chain(aggregates.iter().map(|(aggregate, _)| aggregate.name.clone())).collect();
        let mut groups = groups.finish();
        let left_out: u64 = groups.iter().flat_map(|group| &group.states).map(|state| state.left_out()).sum();
        if left_out > 0 {
            answer.notes.push(format!(
                "{left_out} numbers too large or too fine to add are left out of sums and averages"
            ));
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        let total = groups.len() as u64;
        answer.groups = Some(total);
        let skip = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let take = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let page: Vec<Vec<Shown>> = if self.sort.is_empty() {
            groups.iter().skip(skip).take(take).map(|group| group.row()).collect()
        } else {
            let falling = self.sort.iter().map(|by| by.is_falling).collect();
            let place = |by: &SortBy| answer.columns.iter().position(|name| *name == by.path.name);
            let places: Vec<Option<usize>> = self.sort.iter().map(place).collect();
            let rows: Vec<Vec<Shown>> = groups.iter().map(|group| group.row()).collect();
            let mut first = First::new(falling, skip.saturating_add(take));
            for row in &rows {
                let keys = places.iter().map(|place| {
                    Key::new(match place.and_then(|place| row.get(place)) {
                        Some(Shown::Source(span)) => cell_value(text, Some(*span), syntax),
                        Some(Shown::Computed(text)) => Some(Cow::Borrowed(text.as_bytes())),
                        _ => None,
                    })
                });
                first.push(keys.collect(), row);
            }
            first.finish().skip(skip).cloned().collect()
        };
        let page = page.into_iter().map(|row| (row, None));
        self.written(layer, syntax, page, total, answer)
    }
}

/// The value of a cell.
fn cell_value(text: &[u8], cell: Option<Span>, syntax: Syntax) -> Option<Cow<'_, [u8]>> {
    cell.and_then(|span| cell::value(span.of(text), syntax))
}
