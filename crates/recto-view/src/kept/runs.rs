//! Neighbours that are left out together: what a note counts of them, counted once for all views.

use recto_outline::{Kind, Outline, Role, Unit};

/// Units of a run.
pub(crate) const RUN_UNITS: u32 = 64;
const LENGTH: usize = RUN_UNITS as usize;

/// What there is to say of as many units in a row: siblings without children and without anything between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// How many of them are blank lines.
    pub(crate) blanks: u32,
    /// What the first of the others is; a blank line where there is none.
    pub(crate) kind: Kind,
    pub(crate) role: Role,
    /// Whether all others are.
    pub(crate) alike: bool,
    /// Whether any of them stands for several.
    pub(crate) joined: bool,
    /// Where the last one ends.
    pub(crate) end: u32,
}

/// The runs of an outline, by the number of their first unit divided by their length; none where the units there are no run.
pub(super) fn runs(outline: &Outline<'_>) -> Vec<Option<Run>> {
    let (blocks, _) = outline.units.as_chunks::<LENGTH>();
    (0_u32..).step_by(LENGTH).zip(blocks).map(|(first, units)| run(first, units)).collect()
}

fn run(first: u32, units: &[Unit; LENGTH]) -> Option<Run> {
    let (head, last) = (units.first()?, units.last()?);
    let mut end = head.lead;
    let mut run =
        Run { blanks: 0, kind: Kind::Blank, role: head.role, alike: true, joined: false, end: last.body.e };
    for (after, unit) in (first + 1..).zip(units) {
        if unit.end != after || unit.parent != head.parent || unit.lead != end {
            return None;
        }
        end = unit.body.e;
        if unit.kind == Kind::Blank {
            run.blanks += 1;
            continue;
        }
        if run.kind == Kind::Blank {
            (run.kind, run.role) = (unit.kind, unit.role);
        }
        run.alike &= unit.kind == run.kind && unit.role == run.role;
        run.joined |= unit.kind == Kind::Joined;
    }
    Some(run)
}

#[cfg(test)]
mod tests {
    use recto_outline::{ContentType, Fuel, UnitId, outline};

    use super::*;
    use crate::{
        kept::KeptSet,
        tiling::{Gap, tile},
    };

    fn rows(each: impl Fn(u32) -> String) -> String {
        (0..400).map(each).collect()
    }

    #[test]
    fn a_run_says_what_its_units_do() {
        let text = rows(|row| if row % 10 == 3 { "\n".to_owned() } else { format!("{row},a,b\n") });
        let outline = outline(text.as_bytes(), Some(ContentType::Csv), &mut Fuel::unlimited()).unwrap();
        let runs = runs(&outline);
        // The root and a first row that is a frame are no part of one.
        assert_eq!((runs.len(), runs[0]), (outline.units.len() / LENGTH, None));
        for (number, run) in runs.iter().enumerate().skip(1) {
            let units = &outline.units[number * LENGTH..(number + 1) * LENGTH];
            let run = run.unwrap();
            let blanks = units.iter().filter(|unit| unit.kind == Kind::Blank).count();
            assert_eq!((run.blanks as usize, run.kind, run.role), (blanks, Kind::Row, Role::Record));
            assert_eq!((run.alike, run.joined, run.end), (true, false, units[LENGTH - 1].body.e));
        }
    }

    #[test]
    fn gaps_count_runs_as_they_count_units() {
        let text = rows(|row| match row % 16 {
            5 => "\n".to_owned(),
            _ if row > 200 && row % 50 == 0 => format!("ERROR: {row} failed\n"),
            _ => format!("step {row} is done\n"),
        });
        let outline = outline(text.as_bytes(), Some(ContentType::Log), &mut Fuel::unlimited()).unwrap();
        // No blank line is kept: between two notes it would go after all.
        for kept_every in [63, 64, 68, 72, 136, 1_000] {
            let mut kept = KeptSet::new(&outline);
            let mut expected = Vec::new();
            let mut count = None;
            for (id, unit) in outline.each() {
                assert_eq!(unit.parent, UnitId::ROOT, "lines stand in nothing else here");
                if id.0 % kept_every == 0 {
                    kept.keep(&outline, id, 1, &mut |_, _| {});
                    expected.extend(count.take());
                } else {
                    let (lines, blanks) = count.get_or_insert((0, 0));
                    *(if unit.kind == Kind::Blank { blanks } else { lines }) += 1;
                }
            }
            expected.extend(count);
            let gaps = tile(&outline, &kept, 1, true).gaps;
            let counts: Vec<u32> = gaps.iter().filter_map(|gap: &Gap| gap.site?.count).collect();
            let expected: Vec<u32> =
                expected.iter().map(|(lines, blanks)| if *lines > 0 { *lines } else { *blanks }).collect();
            assert_eq!(counts, expected, "{kept_every}");
        }
    }
}
