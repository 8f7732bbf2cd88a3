//! The names of a grid's columns: unique, and one for each cell, named or not.

use std::borrow::Cow;

use crate::{Path, records::MOST_CELLS};

/// The names of a grid's columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    names: Vec<String>,
}

/// What a path names in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The row itself.
    Row,
    /// The cell of this number.
    Cell(usize),
    /// Nothing.
    Nowhere,
}

impl Place {
    /// The number of the cell.
    pub(crate) fn cell(self) -> Option<usize> {
        match self {
            Self::Cell(at) => Some(at),
            Self::Row | Self::Nowhere => None,
        }
    }
}

impl Header {
    /// Names columns as the source does. The second column of a name is `name.2`; one without a name, the third say, is `c3`.
    pub(crate) fn new(names: impl Iterator<Item = String>) -> Self {
        let mut known = std::collections::HashSet::new();
        let mut times = std::collections::HashMap::<String, usize>::new();
        let mut unique = Vec::new();
        for (at, name) in names.take(MOST_CELLS).enumerate() {
            let name = name.trim().to_owned();
            let mut candidate = if name.is_empty() { format!("c{}", at + 1) } else { name.clone() };
            let count = times.entry(candidate.clone()).or_insert(1);
            while known.contains(&candidate) {
                *count += 1;
                candidate = format!("{name}.{count}");
            }
            known.insert(candidate.clone());
            unique.push(candidate);
        }
        Self { names: unique }
    }

    /// How many columns have names.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The names of the first `count` columns.
    pub(crate) fn names(&self, count: usize) -> impl Iterator<Item = Cow<'_, str>> {
        (0..count).map(|at| match self.names.get(at) {
            Some(name) => Cow::Borrowed(name.as_str()),
            None => Cow::Owned(format!("c{}", at + 1)),
        })
    }

    /// What paths name: columns by their names; `c3` is the third where no column has that name.
    pub(crate) fn places(&self, paths: &[Path]) -> Vec<Place> {
        paths.iter().map(|path| self.place(path)).collect()
    }

    /// See [`Self::places`].
    pub(crate) fn place(&self, path: &Path) -> Place {
        if path.segments.is_empty() {
            return Place::Row;
        }
        let shown = path.to_string();
        let named = self.names.iter().position(|name| *name == path.name || *name == shown);
        let numbered = || {
            let number: usize = path.name.strip_prefix('c')?.parse().ok()?;
            (1..=MOST_CELLS).contains(&number).then(|| number - 1)
        };
        named.or_else(numbered).map_or(Place::Nowhere, Place::Cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_name_of_its_own() {
        let names = ["a", "", "a", "a.2", "a", "c2"].map(str::to_owned);
        let header = Header::new(names.into_iter());
        let shown: Vec<String> = header.names(8).map(Cow::into_owned).collect();
        assert_eq!(shown, ["a", "c2", "a.2", "a.2.2", "a.3", "c2.2", "c7", "c8"]);
        assert_eq!(header.place(&Path::named("a.3")), Place::Cell(4));
        assert_eq!(header.place(&Path::named("c8")), Place::Cell(7));
        assert_eq!(header.place(&Path::named("c0")), Place::Nowhere);
        assert_eq!(header.place(&Path::root()), Place::Row);
    }
}
