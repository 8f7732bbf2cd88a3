//! Templates of lines: what is left of a line when its numbers are masked.

use std::collections::HashMap;

use recto_outline::{Alike, Hashed, Kind, Outline, Role, UnitId, template};

use super::Leaves;

/// Templates found in a source of lines.
#[derive(Debug, Default)]
pub(super) struct Templates {
    /// The lines of templates that occur once or twice. Here and below, those that cost least come first.
    pub(super) rare: Vec<UnitId>,
    /// The first line of each template.
    pub(super) all: Vec<UnitId>,
}

/// One template.
struct Sort {
    count: u32,
    /// The first two lines.
    first: [UnitId; 2],
    /// Where the first of them stands among all lines.
    position: u32,
}

/// Lines of more templates are not made from some.
const MOST_TEMPLATES: usize = 16_384;
/// Occurrences up to which a template is rare.
const RARE: u32 = 2;
/// Neighbours that are more together are ordered in parts.
const MOST_RUN_BYTES: usize = 512;
/// What is left out before a run is announced.
const NOTE_BYTES: usize = 24;

/// Sorts the lines by their templates. Where most lines are like no other, the notion says nothing, and nothing is rare.
pub(super) fn find(outline: &Outline<'_>, leaves: &Leaves) -> Templates {
    let mut found = Templates::default();
    let mut places: HashMap<u64, u32, Hashed> = HashMap::default();
    let mut alike = Alike::default();
    // By first appearance.
    let mut sorts: Vec<Sort> = Vec::new();
    let mut lines = 0_u32;
    for (position, &id) in (0..).zip(&leaves.shown) {
        let unit = outline.unit(id);
        if unit.role != Role::Line
            || !matches!(unit.kind, Kind::Plain | Kind::Hit | Kind::Failure | Kind::Summary)
            || points(outline.text(id))
        {
            continue;
        }
        lines += 1;
        let (message, level) = (outline.message(id), level(outline, id));
        let next = u32::try_from(sorts.len()).unwrap_or(u32::MAX);
        let place =
            alike.or_make(message, level, || *places.entry(template(message) ^ level).or_insert(next));
        match sorts.get_mut(place as usize) {
            Some(sort) => {
                if sort.count == 1 {
                    sort.first[1] = id;
                }
                sort.count += 1;
            }
            None => sorts.push(Sort { count: 1, first: [id, id], position }),
        }
        if sorts.len() > MOST_TEMPLATES {
            return found;
        }
    }
    let rare_lines: u32 = sorts.iter().map(|sort| sort.count).filter(|count| *count <= RARE).sum();
    let says_something = u64::from(rare_lines) * 4 <= u64::from(lines);
    for sort in by_cost(outline, &sorts) {
        found.all.push(sort.first[0]);
        if sort.count <= RARE && says_something {
            found.rare.extend(sort.first.iter().take(sort.count as usize));
        }
    }
    found
}

/// Templates in the order of what showing one costs: the bytes of its line and its part of a note. First lines that are neighbours
/// go together, since they share one note.
fn by_cost<'t>(outline: &Outline<'_>, sorts: &'t [Sort]) -> impl Iterator<Item = &'t Sort> {
    let bytes = |sort: &Sort| outline.unit(sort.first[0]).body.len();
    let mut runs: Vec<(usize, &[Sort])> = Vec::new();
    let mut rest = sorts;
    while let Some(first) = rest.first() {
        let mut run_bytes = bytes(first);
        let neighbours = rest.iter().zip(rest.iter().skip(1)).take_while(|(one, next)| {
            run_bytes += bytes(next);
            next.position == one.position + 1 && run_bytes <= MOST_RUN_BYTES
        });
        let (run, others) = rest.split_at(1 + neighbours.count());
        rest = others;
        let run_bytes: usize = run.iter().map(bytes).sum();
        runs.push(((run_bytes + NOTE_BYTES) / run.len(), run));
    }
    runs.sort_by_key(|(cost, _)| *cost);
    runs.into_iter().flat_map(|(_, run)| run)
}

/// Says whether a line only points at the one above it: `    ^^^^^`.
fn points(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end(), [.., b'^' | b'~', b'^' | b'~'])
}

/// A number for how grave a line says it is.
fn level(outline: &Outline<'_>, id: UnitId) -> u64 {
    outline.level(id).map_or(0, |level| level as u64 + 1)
}
