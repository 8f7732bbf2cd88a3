//! From a question to an answer.

use std::{borrow::Cow, ops::ControlFlow};

use recto_outline::{ContentType, Encoding, Span};

use crate::{
    Answer, Caps, Format, Path, Query, QueryError,
    aggregate::{Aggregate, Function, Shown},
    cell::{self, Syntax},
    document::{Layer, MOST_LAYERS},
    filter::Filter,
    group::{Groups, Valued},
    header::Place as GridPlace,
    records::{Record, Records, Wanted},
    render::Writer,
    sort::{First, Key, SortBy},
    sources::{self, Chosen, Place},
    suggest::did_you_mean,
};

/// Rows of an answer where the query does not say how many.
const USUAL_ROWS: u64 = 50;
/// Columns shown where the query does not name any.
const MOST_COLUMNS: usize = 64;

/// Asks `source`.
///
/// `content_type` says what the source is where the caller knows it; else it is found out. The law of values, in every format: a value is
/// its text (a JSON string without quotes and escapes, a quoted cell of a CSV without quotes), null is the same as missing, and so is an
/// empty cell. A text that is a number in JSON's grammar compares as one, exactly. Of members of the same name the last counts.
///
/// Time grows with the source; sorting keeps at most twice `offset + limit` rows. Beside texts that wrappers quote, which are decoded
/// once, memory does not grow with the source but for tables in text (24 bytes for each 32) and groups.
///
/// # Errors
/// [`QueryError`], with the columns or places that there are instead.
///
/// ```
/// use recto_query::{Caps, Query, query};
/// let source = br#"[{"name": "api", "restarts": 7}, {"name": "web", "restarts": 0}, {"name": "db", "restarts": 12}]"#;
/// let asked = Query::from_json(br#"{"filter": "restarts > 5", "sort": "-restarts"}"#)?;
/// let answer = query(source, None, &asked, &Caps::default())?;
/// assert_eq!(answer.text, "rows 1-2 of 2 that match (3 records)\nname\trestarts\ndb\t12\napi\t7\n");
/// # Ok::<(), recto_query::QueryError>(())
/// ```
pub fn query(
    source: &[u8],
    content_type: Option<ContentType>,
    query: &Query,
    caps: &Caps,
) -> Result<Answer, QueryError> {
    if source.len() >= u32::MAX as usize {
        return Err(recto_outline::OutlineError::TooLarge { bytes: source.len() as u64 }.into());
    }
    let reason = match Encoding::of(source) {
        _ if source.trim_ascii().is_empty() => "the source is empty",
        Encoding::Binary => "the source is binary",
        Encoding::Utf16 => "the source is UTF-16: convert it to UTF-8 first",
        _ => "",
    };
    if !reason.is_empty() {
        return Err(QueryError::NoRecords { reason: reason.to_owned() });
    }
    let asked = Asked::new(query, caps)?;
    let path = query.path.as_deref().filter(|path| !path.trim().is_empty());
    let path = path.map(|path| Path::parse(path, "path")).transpose()?;
    descend(Layer::source(source), content_type, &Path::root(), path.as_ref(), &asked)
}

/// Finds the records, in strings if need be: at most [`MOST_LAYERS`] deep.
fn descend(
    layer: Layer<'_>,
    content_type: Option<ContentType>,
    above: &Path,
    path: Option<&Path>,
    asked: &Asked<'_>,
) -> Result<Answer, QueryError> {
    let may_unwrap = layer.depth() < MOST_LAYERS;
    match sources::find(layer.text, content_type, path, may_unwrap)? {
        Place::Here(chosen) => asked.answer(layer, with_path(*chosen, above)),
        Place::Inside { string, path, rest } => {
            let wrapping = layer.unwrap(string);
            descend(wrapping.layer(), None, &above.join(&path), Some(&rest), asked)
        }
    }
}

/// Says where the records are, seen from the source.
fn with_path(mut chosen: Chosen, above: &Path) -> Chosen {
    if above.segments.is_empty() {
        return chosen;
    }
    let prefixed = |path: &str| match path {
        "" | "$" => above.to_string(),
        path if path.starts_with('[') => format!("{above}{path}"),
        path => format!("{above}.{path}"),
    };
    for other in &mut chosen.others {
        other.path = prefixed(&other.path);
    }
    chosen.path = prefixed(&chosen.path);
    chosen
}

/// A query, read.
struct Asked<'q> {
    filter: Filter,
    /// The paths that rows, orders and groups need; those of the filter first.
    paths: Vec<Path>,
    /// The argument that names each path, and whether it may be a text without its quotes.
    named_by: Vec<(&'static str, bool)>,
    columns: Vec<usize>,
    kind: Kind,
    sort: Vec<SortBy>,
    limit: u64,
    offset: u64,
    format: Format,
    caps: &'q Caps,
    /// What the query asks for and does not get.
    notes: Vec<String>,
}

enum Kind {
    Rows { sort: Vec<usize> },
    Groups { keys: Vec<usize>, aggregates: Vec<(Aggregate, Option<usize>)> },
}

impl<'q> Asked<'q> {
    fn new(query: &Query, caps: &'q Caps) -> Result<Self, QueryError> {
        let filter = Filter::parse(query.filter.as_deref().unwrap_or_default())?;
        let limit = query.limit.unwrap_or(USUAL_ROWS);
        let mut asked = Self {
            paths: filter.columns.iter().map(|mention| mention.path.clone()).collect(),
            named_by: filter.columns.iter().map(|mention| ("filter", mention.may_be_text)).collect(),
            filter,
            columns: Vec::new(),
            kind: Kind::Rows { sort: Vec::new() },
            sort: Vec::new(),
            limit: limit.min(caps.max_rows),
            offset: query.offset.unwrap_or(0),
            format: query.format,
            caps,
            notes: Vec::new(),
        };
        if limit > caps.max_rows {
            asked.notes.push(format!("limit {limit} is more than an answer may have: {}", caps.max_rows));
        }
        let parsed: Vec<Option<Aggregate>> = query
            .columns
            .iter()
            .map(|column| Aggregate::parse(column, "columns"))
            .collect::<Result<_, _>>()?;
        // `count` alone may be a column's name.
        let is_grouped = !query.group.is_empty() || parsed.iter().flatten().any(Aggregate::is_certain);
        let mut aggregates = Vec::new();
        let mut plain = Vec::new();
        for (column, aggregate) in query.columns.iter().zip(parsed) {
            match aggregate.filter(|_| is_grouped) {
                Some(aggregate) => aggregates.push(aggregate),
                None => plain.push(Path::parse(column, "columns")?),
            }
        }
        if is_grouped {
            asked.group(query, &plain, aggregates)?;
            return Ok(asked);
        }
        asked.columns = plain.into_iter().map(|path| asked.intern(path, "columns")).collect();
        for column in &query.sort {
            let by = SortBy::parse(column)?;
            let index = asked.intern(by.path.clone(), "sort");
            asked.sort.push(by);
            if let Kind::Rows { sort } = &mut asked.kind {
                sort.push(index);
            }
        }
        Ok(asked)
    }

    fn group(&mut self, query: &Query, plain: &[Path], aggregates: Vec<Aggregate>) -> Result<(), QueryError> {
        let keys: Vec<Path> =
            query.group.iter().map(|column| Path::parse(column, "group")).collect::<Result<_, _>>()?;
        if let Some(other) = plain.iter().find(|path| !keys.contains(path)) {
            let message = format!(
                "columns: {other} is neither grouped by nor worked out: add it to group, or write sum({other}), min({other}), \
                 max({other}), avg({other}) or count({other})"
            );
            return Err(QueryError::Argument { message });
        }
        let mut all = vec![Aggregate::count()];
        for aggregate in aggregates {
            if all.iter().all(|known| known.name != aggregate.name) {
                all.push(aggregate);
            }
        }
        let mut names: Vec<String> = keys.iter().map(Path::label).collect();
        names.extend(all.iter().map(|aggregate| aggregate.name.clone()));
        for column in &query.sort {
            let (text, is_falling) = SortBy::split(column);
            let name = match Aggregate::parse(text, "sort")? {
                Some(aggregate) => aggregate.name,
                None => Path::parse(text, "sort")?.label(),
            };
            if !names.contains(&name) {
                return Err(QueryError::UnknownColumn {
                    argument: "sort",
                    nearest: did_you_mean(&name, names.iter().map(String::as_str)),
                    name,
                    columns: names.join(", "),
                    example: " (groups are sorted by what they show)".to_owned(),
                });
            }
            self.sort.push(SortBy { path: Path::named(&name), is_falling });
        }
        let keys = keys.into_iter().map(|path| self.intern(path, "group")).collect();
        let aggregates = all
            .into_iter()
            .map(|aggregate| {
                let path = aggregate.path.clone().map(|path| self.intern(path, "columns"));
                (aggregate, path)
            })
            .collect();
        self.kind = Kind::Groups { keys, aggregates };
        Ok(())
    }

    /// The number of a path.
    fn intern(&mut self, path: Path, argument: &'static str) -> usize {
        match self.paths.iter().position(|known| *known == path) {
            Some(known) => known,
            None => {
                self.paths.push(path);
                self.named_by.push((argument, false));
                self.paths.len() - 1
            }
        }
    }

    fn answer(&self, layer: Layer<'_>, chosen: Chosen) -> Result<Answer, QueryError> {
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
        let mut rows: Vec<Vec<Shown>> = groups.iter().map(|group| group.row()).collect();
        if !self.sort.is_empty() {
            let falling: Vec<bool> = self.sort.iter().map(|by| by.is_falling).collect();
            let places: Vec<Option<usize>> = self
                .sort
                .iter()
                .map(|by| answer.columns.iter().position(|name| *name == by.path.name))
                .collect();
            let mut first = First::new(falling, rows.len());
            for row in &rows {
                let keys = places.iter().map(|place| {
                    let value = match place.and_then(|place| row.get(place)) {
                        Some(Shown::Source(span)) => cell_value(text, Some(*span), syntax),
                        Some(Shown::Computed(text)) => Some(Cow::Borrowed(text.as_bytes())),
                        _ => None,
                    };
                    Key::new(value)
                });
                first.push(keys.collect(), row.clone());
            }
            rows = first.finish().collect();
        }
        let skip = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let take = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let page = rows.into_iter().skip(skip).take(take).map(|row| (row, None));
        self.written(layer, syntax, page, total, answer)
    }

    /// Writes rows as far as there is room; `total` is how many there are to page through.
    fn written(
        &self,
        layer: Layer<'_>,
        syntax: Syntax,
        rows: impl Iterator<Item = (Vec<Shown>, Option<Span>)>,
        total: u64,
        mut answer: Answer,
    ) -> Result<Answer, QueryError> {
        /// Room for the line that counts, and for the last one.
        const COUNTS_BYTES: usize = 160;
        let most = self.caps.max_bytes.max(1_024);
        let names = std::mem::take(&mut answer.columns);
        let kept = kept_columns(&names, most / 4);
        if kept < names.len() {
            answer.notes.push(format!("{} more columns have no room: ask for fewer", names.len() - kept));
        }
        answer.columns = names.into_iter().take(kept).collect();
        if self.offset >= total && self.offset > 0 {
            answer.notes.push(format!("offset {} is behind the last row", self.offset));
        }
        let notes = bracketed(&answer, most / 3);
        let columns = answer.columns.clone();
        let writer = Writer { layer, syntax, format: self.format, names: &columns };
        let mut body = writer
            .header()
            .filter(|header| !header.is_empty())
            .map(|header| header + "\n")
            .unwrap_or_default();
        let room = most.saturating_sub(notes.len() + COUNTS_BYTES);
        for (mut cells, record) in rows {
            cells.truncate(kept);
            let left = room.saturating_sub(body.len() + 1);
            let row = writer.row(&cells, self.caps.max_cell_bytes.max(1));
            let row = match (row.len() <= left, answer.rows) {
                (true, _) => row,
                (false, 0) => writer.fitted_row(&cells, record, self.caps.max_cell_bytes.max(1), left),
                (false, _) => break,
            };
            body.push_str(&row);
            body.push('\n');
            answer.rows += 1;
        }
        if answer.rows == 0 {
            body.clear();
        }
        let end = self.offset.saturating_add(answer.rows);
        answer.next_offset = (end < total && (answer.rows > 0 || self.limit == 0)).then_some(end);
        let first = if answer.rows > 0 { self.offset + 1 } else { 0 };
        let last = if answer.rows > 0 { end } else { 0 };
        let counts = match answer.groups {
            Some(groups) => format!(
                "groups {first}-{last} of {groups}, over the {} that match ({} records)",
                answer.matched, answer.records
            ),
            None => format!("rows {first}-{last} of {total} that match ({} records)", answer.records),
        };
        let more = answer
            .next_offset
            .map(|next| format!("[{} more: offset {next}]\n", total - next))
            .unwrap_or_default();
        answer.text = format!("{counts}\n{notes}{body}{more}");
        Ok(answer)
    }
}

/// The value of a cell.
fn cell_value(text: &[u8], cell: Option<Span>, syntax: Syntax) -> Option<Cow<'_, [u8]>> {
    cell.and_then(|span| cell::value(span.of(text), syntax))
}

/// How many columns' names have room; at least one.
fn kept_columns(names: &[String], most_bytes: usize) -> usize {
    let mut bytes = 0;
    let fitting = names.iter().take_while(|name| {
        bytes += name.len() + 1;
        bytes <= most_bytes
    });
    fitting.count().max(1).min(names.len())
}

/// The notes of an answer, a line each.
fn bracketed(answer: &Answer, most_bytes: usize) -> String {
    let mut notes = Vec::new();
    if !answer.path.is_empty() && (answer.path != "$" || !answer.others.is_empty()) {
        let others: Vec<String> =
            answer.others.iter().map(|other| format!("{} ({})", other.path, other.records)).collect();
        let others =
            if others.is_empty() { String::new() } else { format!("; other paths: {}", others.join(", ")) };
        notes.push(format!("records of path {}{others}", answer.path));
    }
    notes.extend(answer.notes.iter().cloned());
    let most = most_bytes / notes.len().max(1);
    let mut lines = String::new();
    for note in notes {
        let note = note.replace(char::is_control, " ");
        let kept = note.floor_char_boundary(most.saturating_sub(8));
        let mark = if kept < note.len() { "\u{2026}" } else { "" };
        lines.push_str(&format!("[{}{mark}]\n", note.get(..kept).unwrap_or_default()));
    }
    lines
}
