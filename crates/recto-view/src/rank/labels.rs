//! What a column is called: its key and the keys of the objects around it, or its header.

use std::borrow::Cow;

use recto_outline::{Column, Outline, Role, UnitId, header_names};

use super::{Leaves, records::key};

/// Objects around a field that say what it is.
const MOST_LEVELS: usize = 4;

/// Names columns; the header of a table is read once for all of its columns, which come one after the other.
pub(super) struct Labels<'o, 's> {
    outline: &'o Outline<'s>,
    leaves: &'o Leaves,
    /// The container of the table read last, and the names that its header says.
    header: Option<(UnitId, Vec<Cow<'s, str>>)>,
}

impl<'o, 's> Labels<'o, 's> {
    pub(super) fn new(outline: &'o Outline<'s>, leaves: &'o Leaves) -> Self {
        Self { outline, leaves, header: None }
    }

    /// The names of a column, innermost first: `economy`, `prices`. None for one that nothing names.
    pub(super) fn of(&mut self, column: &Column) -> Vec<Cow<'s, [u8]>> {
        let outline = self.outline;
        let Some(unit) = self.leaves.holding(outline, column.first[0]) else { return Vec::new() };
        let own = column.key(outline.source);
        if column.path == u64::MAX && own.is_empty() {
            return self.in_header(unit, column.cell as usize).into_iter().collect();
        }
        let mut found = vec![Cow::Borrowed(own)];
        for (id, unit) in self_and_ancestors(outline, unit).map(|id| (id, outline.unit(id))).take(MOST_LEVELS)
        {
            let key = key(outline.text(id));
            if !key.is_empty() && key != own {
                found.push(Cow::Borrowed(key));
            }
            if unit.role == Role::Record {
                break;
            }
        }
        found
    }

    /// What the header of the table that holds `row` calls a cell.
    fn in_header(&mut self, row: UnitId, cell: usize) -> Option<Cow<'s, [u8]>> {
        let outline = self.outline;
        let container = outline.unit(row).parent;
        if self.header.as_ref().is_none_or(|(known, _)| *known != container) {
            let table = outline.tables.iter().find(|table| table.container == container)?;
            self.header = Some((container, header_names(outline, table)));
        }
        let name = self.header.as_ref()?.1.get(cell).filter(|name| !name.is_empty())?;
        Some(match name {
            Cow::Borrowed(name) => Cow::Borrowed(name.as_bytes()),
            Cow::Owned(name) => Cow::Owned(name.clone().into_bytes()),
        })
    }
}

fn self_and_ancestors<'o>(outline: &'o Outline<'_>, id: UnitId) -> impl Iterator<Item = UnitId> + 'o {
    std::iter::once(id).chain(outline.ancestors(id)).filter(|id| *id != UnitId::ROOT)
}
