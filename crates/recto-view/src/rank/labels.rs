//! What a column is called: its key and the keys of the objects around it, or its header.

use std::borrow::Cow;

use recto_outline::{Column, Outline, Role, UnitId, header_names};

use super::{Leaves, records::key};

/// Objects around a field that say what it is.
const MOST_LEVELS: usize = 4;

/// The names of a column, innermost first: `economy`, `prices`. None for one that nothing names.
pub(super) fn labels<'s>(outline: &Outline<'s>, leaves: &Leaves, column: &Column) -> Vec<Cow<'s, [u8]>> {
    let source = outline.source;
    let Some(unit) = leaves.holding(outline, column.first[0]) else { return Vec::new() };
    if column.path == u64::MAX && column.key(source).is_empty() {
        let row = outline.tables.iter().find(|table| outline.unit(unit).parent == table.container);
        let names = row.map(|table| header_names(outline, table)).unwrap_or_default();
        let name = names.into_iter().nth(column.cell as usize).filter(|name| !name.is_empty());
        return name.into_iter().map(|name| Cow::Owned(name.into_owned().into_bytes())).collect();
    }
    let own = column.key(source);
    let mut found = vec![Cow::Borrowed(own)];
    for (id, unit) in self_and_ancestors(outline, unit).map(|id| (id, outline.unit(id))).take(MOST_LEVELS) {
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

fn self_and_ancestors<'o>(outline: &'o Outline<'_>, id: UnitId) -> impl Iterator<Item = UnitId> + 'o {
    std::iter::once(id).chain(outline.ancestors(id)).filter(|id| *id != UnitId::ROOT)
}
