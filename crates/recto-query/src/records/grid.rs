//! Records that are rows or lines.

use std::ops::ControlFlow;

use recto_outline::{GridCells, Span};

use super::{MOST_CELLS, Record, TEXT};
use crate::{Path, header::Place};

/// The lines in `span`, without their ends: `\n`, `\r\n`, and `\r` where no other occurs.
pub(super) fn lines(text: &[u8], span: Span) -> impl Iterator<Item = Span> + use<'_> {
    let region = span.of(text);
    let head = region.get(..65_536).unwrap_or(region);
    let end = if memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some() {
        b'\r'
    } else {
        b'\n'
    };
    let mut at = span.s as usize;
    let stop = at + region.len();
    std::iter::from_fn(move || {
        if at >= stop {
            return None;
        }
        let rest = text.get(at..stop)?;
        let width = memchr::memchr(end, rest).unwrap_or(rest.len());
        let line = rest.get(..width)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let found = Span::new(at, at + line.len());
        at += width + 1;
        Some(found)
    })
}

/// Visits rows: `places` says of each path which cell it names.
pub(super) fn visit<S>(rows: impl Iterator<Item = Span>, cells: &GridCells<'_>, places: &[Place], mut sink: S)
where
    S: FnMut(&Record<'_>) -> ControlFlow<()>,
{
    let last = places.iter().filter_map(|place| place.cell()).max();
    let count = last.map_or(0, |last| (last + 1).min(MOST_CELLS));
    let mut row_cells: Vec<Span> = Vec::with_capacity(count);
    let mut found = vec![None; 2 * places.len()];
    for row in rows {
        row_cells.clear();
        if count > 0 {
            row_cells.extend(cells.of(row).take(count));
        }
        for (place, cell) in places.iter().zip(found.iter_mut().step_by(2)) {
            *cell = match place {
                Place::Row => Some(row),
                Place::Nowhere => None,
                Place::Cell(at) => row_cells.get(*at).copied(),
            };
        }
        if sink(&Record { span: row, key: None, cells: &found }).is_break() {
            break;
        }
    }
}

/// Visits lines, whose one column is their text.
pub(super) fn visit_lines<S>(lines: impl Iterator<Item = Span>, paths: &[Path], mut sink: S)
where
    S: FnMut(&Record<'_>) -> ControlFlow<()>,
{
    let mut found = vec![None; 2 * paths.len()];
    for line in lines {
        for (path, cell) in paths.iter().zip(found.iter_mut().step_by(2)) {
            *cell = (path.segments.is_empty() || path.name == TEXT).then_some(line);
        }
        if sink(&Record { span: line, key: None, cells: &found }).is_break() {
            break;
        }
    }
}
