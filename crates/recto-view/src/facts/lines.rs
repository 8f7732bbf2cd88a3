//! What is known of the lines of a log that are left out.

use recto_outline::{ContentType, Kind, Outline, Role, Unit, UnitId};

use super::{Fact, LeftOut, Of};
use crate::rank::times::Stamp;

/// Says whether any line has a level.
pub(super) fn has_levels(outline: &Outline<'_>) -> bool {
    outline.content_type == ContentType::Log && outline.each().any(|(id, _)| outline.level(id).is_some())
}

/// How many of the lines left out say that they are warnings or errors.
pub(super) fn levels(outline: &Outline<'_>, left_out: &[LeftOut]) -> Option<Fact> {
    let (mut warnings, mut failures) = (0_u32, 0_u32);
    let mut first = None;
    let mut gaps_with_lines = 0;
    for LeftOut { gap, span } in left_out {
        let start = outline.units.partition_point(|unit| unit.body.s < span.s);
        let units = outline.units.get(start..).unwrap_or_default();
        let ids = (u32::try_from(start).ok()?..).map(UnitId).zip(units);
        let mut has_lines = false;
        for (id, unit) in ids.take_while(|(_, unit)| unit.body.s < span.e) {
            // What was joined cannot be counted.
            if unit.kind == Kind::Joined {
                return None;
            }
            if unit.role != Role::Line || unit.body.e > span.e {
                continue;
            }
            has_lines = true;
            match outline.level(id) {
                Some(recto_outline::Level::Warning) => warnings += 1,
                Some(recto_outline::Level::Failure) => failures += 1,
                _ => {}
            }
        }
        if has_lines {
            first.get_or_insert(*gap);
            gaps_with_lines += 1;
        }
    }
    let counted = [(failures, "error"), (warnings, "warning")].into_iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> =
        counted.map(|(count, noun)| format!("{count} {noun}{}", if count == 1 { "" } else { "s" })).collect();
    (!words.is_empty()).then_some(())?;
    Some(Fact { gap: first?, of: Of::gaps(gaps_with_lines), words: words.join(", ") })
}

/// The first and the last time that stands at the beginning of a line left out.
pub(super) fn times(outline: &Outline<'_>, left_out: &[LeftOut]) -> Option<Fact> {
    /// Lines without a time that are passed over at each end.
    const MOST_LINES: usize = 64;
    let stamp = |(id, _): (UnitId, &Unit)| Stamp::of(outline.text(id));
    // Of what was joined only the beginning is known.
    let is_line = |(_, unit): &(UnitId, &Unit)| unit.kind != Kind::Joined;
    let lines = || left_out.iter().flat_map(|run| lines_of(outline, run));
    let first = lines().take(MOST_LINES).take_while(is_line).find_map(stamp)?.text;
    let last = lines().rev().take(MOST_LINES).take_while(is_line).find_map(stamp)?.text;
    let with_lines: Vec<&LeftOut> =
        left_out.iter().filter(|run| lines_of(outline, run).next().is_some()).collect();
    let [first, last] = [first, last].map(|text| std::str::from_utf8(text).ok());
    let (first, last) = first.zip(last).filter(|(first, last)| first != last)?;
    // The day is not said twice.
    let day = first.len().checked_sub(8).and_then(|end| first.get(..end)).filter(|day| !day.is_empty());
    let last = day.and_then(|day| last.strip_prefix(day)).unwrap_or(last);
    let words = format!("first at {first}, last at {last}");
    let of = Of::gaps(u32::try_from(with_lines.len()).unwrap_or(u32::MAX));
    Some(Fact { gap: with_lines.first()?.gap, of, words })
}

/// The lines that stand whole in what is left out, and what was joined.
fn lines_of<'o>(
    outline: &'o Outline<'_>,
    run: &LeftOut,
) -> impl DoubleEndedIterator<Item = (UnitId, &'o Unit)> + use<'o> {
    let span = run.span;
    let start = outline.units.partition_point(|unit| unit.body.s < span.s);
    let end = outline.units.partition_point(|unit| unit.body.s < span.e);
    let units = outline.units.get(start..end).unwrap_or_default();
    let from = u32::try_from(start).unwrap_or(u32::MAX);
    let ids =
        (0_u32..u32::try_from(units.len()).unwrap_or(0)).map(move |index| UnitId(from.saturating_add(index)));
    ids.zip(units).filter(move |(_, unit)| {
        unit.kind == Kind::Joined || (unit.role == Role::Line && unit.body.e <= span.e)
    })
}
