//! A query, read: what it needs of each record, checked as far as no record is needed.

use crate::{
    Caps, Format, Path, Query, QueryError, aggregate::Aggregate, filter::Filter, sort::SortBy,
    suggest::did_you_mean,
};

/// Rows of an answer where the query does not say how many.
const USUAL_ROWS: u64 = 50;

/// A query, read.
pub(crate) struct Asked<'q> {
    pub(crate) filter: Filter,
    /// The paths that rows, orders and groups need; those of the filter first.
    pub(crate) paths: Vec<Path>,
    /// The argument that names each path, and whether it may be a text without its quotes.
    pub(crate) named_by: Vec<(&'static str, bool)>,
    pub(crate) columns: Vec<usize>,
    pub(crate) kind: Kind,
    pub(crate) sort: Vec<SortBy>,
    pub(crate) limit: u64,
    pub(crate) offset: u64,
    pub(crate) format: Format,
    pub(crate) caps: &'q Caps,
    /// What the query asks for and does not get.
    pub(crate) notes: Vec<String>,
}

/// Whether rows or groups are asked for.
pub(crate) enum Kind {
    Rows { sort: Vec<usize> },
    Groups { keys: Vec<usize>, aggregates: Vec<(Aggregate, Option<usize>)> },
}

impl<'q> Asked<'q> {
    /// Reads a query.
    pub(crate) fn new(query: &Query, caps: &'q Caps) -> Result<Self, QueryError> {
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
}
