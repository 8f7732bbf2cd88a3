//! Templates of lines: what is left of a line when its numbers are masked.

use std::collections::HashMap;

use recto_outline::{Alike, Hashed, Kind, Outline, Role, UnitId, template};

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
    let mut places: HashMap<u64, u32, Hashed> = HashMap::default();
    let mut alike = Alike::default();
    // By first appearance: how many lines each has, and the first two.
    let mut kinds: Vec<(u32, [UnitId; 2])> = Vec::new();
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
        let (message, level) = (outline.message(id), level(outline, id));
        let next = u32::try_from(kinds.len()).unwrap_or(u32::MAX);
        let place =
            alike.or_make(message, level, || *places.entry(template(message) ^ level).or_insert(next));
        match kinds.get_mut(place as usize) {
            Some((count, first)) => {
                if *count == 1 {
                    first[1] = id;
                }
                *count += 1;
            }
            None => kinds.push((1, [id, id])),
        }
        if kinds.len() > MOST_TEMPLATES {
            return found;
        }
    }
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
