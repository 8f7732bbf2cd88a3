//! Outlines as text to compare with, and the rendering of a subset of their units.

use std::fmt::Write as _;

use recto_outline::{ContentType, Fuel, Outline, Role, UnitId, outline};

/// Outlines `source` as `content_type` and checks the laws of units.
#[track_caller]
pub(crate) fn outline_of(source: &[u8], content_type: ContentType) -> Outline<'_> {
    let outline = outline(source, Some(content_type), &mut Fuel::unlimited()).unwrap();
    if let Err(broken) = outline.check() {
        panic!("{broken}\n{}", listing(&outline));
    }
    outline
}

/// A unit a line, indented by depth: role, kind and text; of containers the first 24 characters.
pub(crate) fn listing(outline: &Outline<'_>) -> String {
    let mut text = String::new();
    for (index, unit) in outline.units.iter().enumerate().skip(1) {
        let id = UnitId(index as u32);
        let depth = outline.ancestors(id).count() - 1;
        let body = String::from_utf8_lossy(outline.text(id));
        let shown = if outline.is_leaf(id) { 60 } else { 24 };
        let head: String = body.chars().take(shown).collect::<String>().replace('\n', "\\n");
        let more = if body.chars().count() > shown { "…" } else { "" };
        let indent = "  ".repeat(depth);
        writeln!(text, "{indent}{:?} {:?} {}{more}", unit.role, unit.kind, head).unwrap();
    }
    text
}

/// Compares the outline of `source` with a listing, whose common indentation is taken off.
#[track_caller]
pub(crate) fn assert_outline(source: &str, content_type: ContentType, expected: &str) {
    let lines: Vec<&str> = expected.lines().filter(|line| !line.trim().is_empty()).collect();
    let indent = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let expected: Vec<&str> = lines.iter().map(|line| &line[indent..]).collect();
    let outline = outline_of(source.as_bytes(), content_type);
    let actual = listing(&outline);
    let actual: Vec<&str> = actual.lines().collect();
    assert_eq!(actual, expected, "\n{}", actual.join("\n"));
}

/// Renders what mode `exact` shows at the least where `keeps` says which units without children are kept: with a unit
/// go all that it stands in, with their frames, and what no subset drops.
pub(crate) fn exact(outline: &Outline<'_>, mut keeps: impl FnMut(UnitId) -> bool) -> Vec<u8> {
    let mut kept = vec![false; outline.units.len()];
    for index in (1..outline.units.len()).rev() {
        let id = UnitId(index as u32);
        let is_frame = |unit: UnitId| unit == UnitId::ROOT || outline.unit(unit).role == Role::Frame;
        let stays = is_frame(id) && outline.ancestors(id).all(is_frame);
        if kept[index] || stays || (outline.is_leaf(id) && keeps(id)) {
            kept[index] = true;
            kept[outline.unit(id).parent.index()] = true;
        }
    }
    for index in 1..outline.units.len() {
        let unit = &outline.units[index];
        kept[index] |= unit.role == Role::Frame && kept[unit.parent.index()];
    }
    let mut out = Vec::new();
    emit(outline, UnitId::ROOT, &kept, &mut out);
    out
}

fn emit(outline: &Outline<'_>, id: UnitId, kept: &[bool], out: &mut Vec<u8>) {
    let unit = outline.unit(id);
    let mut at = unit.body.s as usize;
    let mut follows = false;
    for child in outline.children(id) {
        let child_unit = outline.unit(child);
        let (lead, start) = (child_unit.lead as usize, child_unit.body.s as usize);
        out.extend_from_slice(&outline.source[at..lead]);
        if kept[child.index()] {
            if follows {
                out.extend_from_slice(&outline.source[lead..start]);
            }
            emit(outline, child, kept, out);
            follows = true;
        }
        at = child_unit.body.e as usize;
    }
    out.extend_from_slice(&outline.source[at..unit.body.e as usize]);
}
