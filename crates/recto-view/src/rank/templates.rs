//! Templates of lines: what is left of a line when its numbers are masked.

use std::collections::HashMap;

use recto_outline::{Hashed, Kind, Outline, Role, UnitId, template};

use super::Leaves;

/// Templates found in a source of lines.
#[derive(Debug, Default)]
pub(super) struct Templates {
    /// The first line of each template that occurs often, by first appearance.
    pub(super) first: Vec<UnitId>,
    /// The lines of templates that occur once or twice.
    pub(super) rare: Vec<UnitId>,
    /// The first line of each template.
    pub(super) all: Vec<UnitId>,
}

/// Lines of more templates are not made from some.
const MOST_TEMPLATES: usize = 16_384;
/// Occurrences up to which a template is rare.
const RARE: u32 = 2;

/// Sorts the lines by their templates. Where most lines are like no other, the notion says nothing, and nothing is rare.
pub(super) fn find(outline: &Outline<'_>, leaves: &Leaves) -> Templates {
    let mut found = Templates::default();
    let mut seen: HashMap<u64, (u32, [UnitId; 2]), Hashed> = HashMap::default();
    let mut lines = 0_u32;
    for &id in &leaves.shown {
        let unit = outline.unit(id);
        if unit.role != Role::Line
            || !matches!(unit.kind, Kind::Plain | Kind::Hit | Kind::Failure | Kind::Summary)
            || points(outline.text(id))
        {
            continue;
        }
        lines += 1;
        let entry = seen.entry(template(outline.message(id)) ^ level(outline, id)).or_insert((0, [id, id]));
        if entry.0 == 1 {
            entry.1[1] = id;
        }
        entry.0 += 1;
        if seen.len() > MOST_TEMPLATES {
            return found;
        }
    }
    let mut kinds: Vec<_> = seen.into_values().collect();
    kinds.sort_unstable_by_key(|(_, first)| first[0]);
    let rare_lines: u32 = kinds.iter().filter(|(count, _)| *count <= RARE).map(|(count, _)| *count).sum();
    let says_something = u64::from(rare_lines) * 4 <= u64::from(lines);
    found.all = kinds.iter().map(|(_, first)| first[0]).collect();
    for (count, ids) in kinds {
        if count <= RARE && says_something {
            found.rare.extend(ids.iter().take(count as usize));
        } else if count > RARE {
            found.first.push(ids[0]);
        }
    }
    found
}

/// Says whether a line only points at the one above it: `    ^^^^^`.
fn points(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end(), [.., b'^' | b'~', b'^' | b'~'])
}

/// A number for how grave a line says it is.
fn level(outline: &Outline<'_>, id: UnitId) -> u64 {
    outline.level(id).map_or(0, |level| level as u64 + 1)
}
