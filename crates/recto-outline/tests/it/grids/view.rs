//! Outlines as text to compare with, and the rendering of a subset of their units.

use std::fmt::Write as _;

use recto_outline::{ContentType, Fuel, Outline, Role, UnitId, outline};

/// Outlines `source` as `content_type` and checks the laws of units.
#[track_caller]
pub(super) fn outline_of(source: &[u8], content_type: ContentType) -> Outline<'_> {
    let outline = outline(source, Some(content_type), &mut Fuel::unlimited()).unwrap();
    if let Err(broken) = outline.check() {
        panic!("{broken}\n{}", listing(&outline));
    }
    outline
}

/// A unit a line, indented by depth: role, kind, byte range, the first 60 bytes.
pub(super) fn listing(outline: &Outline<'_>) -> String {
    let mut text = String::new();
    for (index, unit) in outline.units.iter().enumerate().skip(1) {
        let depth = outline.ancestors(UnitId(index as u32)).count() - 1;
        let body = String::from_utf8_lossy(unit.body.of(outline.source));
        let head: String = body.chars().take(60).collect();
        writeln!(
            text,
            "{}{:?} {:?} {}+{}..{} {}",
            "  ".repeat(depth),
            unit.role,
            unit.kind,
            unit.lead,
            unit.body.s,
            unit.body.e,
            head.escape_debug()
        )
        .unwrap();
    }
    text
}

/// Compares an outline with its expected listing, whose common indentation is taken off.
#[track_caller]
pub(super) fn assert_listing(outline: &Outline<'_>, expected: &str) {
    let lines: Vec<&str> = expected.lines().filter(|line| !line.trim().is_empty()).collect();
    let indent = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let expected: Vec<&str> = lines.iter().map(|line| &line[indent..]).collect();
    let actual = listing(outline);
    let actual: Vec<&str> = actual.lines().collect();
    assert_eq!(actual, expected, "\n{}", actual.join("\n"));
}

/// Renders what mode `exact` shows where `keeps` says which leaves are kept: with a unit go all it stands in, and the
/// frames of those.
pub(super) fn exact(outline: &Outline<'_>, keeps: impl Fn(UnitId) -> bool) -> Vec<u8> {
    let mut kept = vec![false; outline.units.len()];
    kept[0] = true;
    for (index, unit) in outline.units.iter().enumerate() {
        let id = UnitId(index as u32);
        let always = unit.role == Role::Frame
            && outline
                .ancestors(id)
                .all(|parent| parent == UnitId::ROOT || outline.unit(parent).role == Role::Frame);
        if (outline.is_leaf(id) && keeps(id)) || always {
            kept[index] = true;
            for parent in outline.ancestors(id) {
                kept[parent.index()] = true;
            }
        }
    }
    for (index, unit) in outline.units.iter().enumerate() {
        kept[index] |= unit.role == Role::Frame && kept[unit.parent.index()];
    }
    let mut out = Vec::new();
    emit(outline, UnitId::ROOT, &kept, false, &mut out);
    out
}

fn emit(outline: &Outline<'_>, id: UnitId, kept: &[bool], has_lead: bool, out: &mut Vec<u8>) {
    let unit = outline.unit(id);
    let source = outline.source;
    if has_lead {
        out.extend_from_slice(&source[unit.lead as usize..unit.body.s as usize]);
    }
    let mut at = unit.body.s as usize;
    let mut any = false;
    for child in outline.children(id) {
        let child_unit = outline.unit(child);
        out.extend_from_slice(&source[at..child_unit.lead as usize]);
        if kept[child.index()] {
            emit(outline, child, kept, any, out);
            any = true;
        }
        at = child_unit.body.e as usize;
    }
    out.extend_from_slice(&source[at..unit.body.e as usize]);
}
