//! Lines that sum up a run: `3 failed, 240 passed`, `<Counters total="79" passed="67">`, `Successfully installed`.

use recto_outline::{Kind, Outline, Role, UnitId, template};

use super::{Leaves, records::column};

/// Lines that sum up a run.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    /// Those that count several things, best first.
    pub(super) counts: Vec<UnitId>,
    /// Those that say how it ended, or count one thing; the last first.
    pub(super) ends: Vec<UnitId>,
}

/// Units looked at from the start and from the end of a source: a run is summed up at an end of what it printed.
const LOOKED_AT: [usize; 2] = [48, 192];
/// Elements of markup looked at.
const ELEMENTS_LOOKED_AT: usize = 4_096;
/// Lines of each sort.
const MOST: usize = 3;
/// Lines that differ in their numbers only: both ends of a long output may say it.
const MOST_ALIKE: usize = 2;
/// So much of a line.
const LOOKED_AT_BYTES: usize = 320;

/// A shorter field counts no two things.
const LEAST_FIELD_BYTES: usize = 32;

/// Nor is what so many records have a sum.
const MOST_RECORDS: u32 = 4;

/// What runs are counted in.
const COUNTED: [&str; 37] = [
    "passed",
    "failed",
    "failures",
    "failure",
    "failing",
    "passing",
    "skipped",
    "errors",
    "error",
    "warnings",
    "warning",
    "total",
    "tests",
    "ignored",
    "executed",
    "completed",
    "succeeded",
    "pending",
    "added",
    "changed",
    "destroyed",
    "created",
    "updated",
    "removed",
    "deleted",
    "insertions",
    "deletions",
    "issues",
    "add",
    "change",
    "destroy",
    "low",
    "moderate",
    "medium",
    "high",
    "critical",
    "unstable",
];

/// Lengths of these words.
const SHORTEST: usize = 3;
const LONGEST: usize = 10;

/// How a line begins that says how a run ended.
const ENDS: [&str; 13] = [
    "successfully",
    "finished",
    "completed",
    "total",
    "found",
    "summary",
    "result",
    "ran",
    "done",
    "added",
    "installed",
    "in total",
    "a total of",
];

/// Finds them.
pub(super) fn find(outline: &Outline<'_>, leaves: &Leaves) -> Tallies {
    let shown = &leaves.shown;
    let [first, last] = LOOKED_AT;
    let head = shown.iter().take(first.min(shown.len()));
    let tail = shown.iter().skip(first.max(shown.len().saturating_sub(last)));
    let is_line = |id: &&UnitId| {
        let unit = outline.unit(**id);
        // What many records have sums up none of them.
        let is_usual = unit.role == Role::Field
            && (unit.body.len() < LEAST_FIELD_BYTES
                || column(outline, **id).is_some_and(|column| column.records > MOST_RECORDS));
        !is_usual && unit.role != Role::Record && !matches!(unit.kind, Kind::Row | Kind::Element)
    };
    let elements =
        shown.iter().filter(|id| outline.unit(**id).kind == Kind::Element).take(ELEMENTS_LOOKED_AT);
    let mut counts: Vec<(usize, UnitId)> = Vec::new();
    let mut ends = Vec::new();
    for &id in tail.rev().chain(head).filter(is_line).chain(elements) {
        let text = outline.message(id);
        let text = text.get(..LOOKED_AT_BYTES).unwrap_or(text);
        let counted = counted(text);
        if counted > 1 {
            counts.push((counted, id));
        } else if outline.unit(id).kind != Kind::Element
            && outline.unit(id).role != Role::Field
            && (counted > 0 && text.len() < 80 || says_end(text))
        {
            ends.push(id);
        }
    }
    counts.sort_by_key(|(counted, _)| std::cmp::Reverse(*counted));
    // Where many lines are such, or some say the same, they are the rule.
    let few = |found: Vec<UnitId>| {
        let classes: Vec<u64> = found.iter().map(|id| template(outline.message(*id))).collect();
        let is_usual = |class: &u64| classes.iter().filter(|other| *other == class).count() > MOST_ALIKE;
        if found.len() > 4 * MOST {
            return Vec::new();
        }
        found.iter().zip(&classes).filter(|(_, class)| !is_usual(class)).map(|(id, _)| *id).collect()
    };
    let mut found = Tallies { counts: few(counts.into_iter().map(|(_, id)| id).collect()), ends: few(ends) };
    found.counts.truncate(MOST);
    found.ends.truncate(MOST);
    found
}

/// How many different things a line counts: words that stand beside a number, or but a `to` from it.
fn counted(text: &[u8]) -> usize {
    let mut found = 0_u64;
    let words = text.split(|byte| !byte.is_ascii_alphanumeric());
    let (mut last, mut last_is_number) = (&b""[..], false);
    for word in words.filter(|word| !word.is_empty() && *word != b"to") {
        let is_number = word.iter().all(u8::is_ascii_digit);
        let counted = match (last_is_number, is_number) {
            (true, false) => word,
            (false, true) => last,
            _ => b"",
        };
        if SHORTEST <= counted.len() && counted.len() <= LONGEST {
            let place = COUNTED.iter().position(|known| counted.eq_ignore_ascii_case(known.as_bytes()));
            found |= place.map_or(0, |place| 1 << place);
        }
        (last, last_is_number) = (word, is_number);
    }
    found.count_ones() as usize
}

fn says_end(text: &[u8]) -> bool {
    let from = text.iter().position(u8::is_ascii_alphanumeric).unwrap_or(text.len());
    let text = text.get(from..).unwrap_or_default();
    ENDS.iter().any(|end| {
        let starts = text.get(..end.len()).is_some_and(|start| start.eq_ignore_ascii_case(end.as_bytes()));
        let rest = text.get(end.len()..).unwrap_or_default();
        // `result = run()` is a program's line.
        starts
            && !rest.first().is_some_and(u8::is_ascii_alphanumeric)
            && !matches!(rest.trim_ascii_start(), [b'=' | b'(' | b'.' | b'_', ..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_several_things() {
        for (line, things) in [
            ("=== 3 failed, 240 passed, 1 warning in 2.1s ===", 3),
            ("Tests run: 12, Failures: 1, Errors: 0, Skipped: 0", 3),
            ("<Counters total=\"79\" executed=\"67\" passed=\"67\" failed=\"0\"", 4),
            ("Plan: 8 to add, 10 to change, 2 to destroy.", 3),
            ("**793** passed, **1** failed and **14** skipped", 3),
            ("\"low\": 2, \"moderate\": 5, \"high\": 7", 3),
            ("17 changes in 4 seconds", 0),
            ("error: no such file", 0),
            ("", 0),
        ] {
            assert_eq!(counted(line.as_bytes()), things, "{line}");
        }
    }

    #[test]
    fn what_says_how_a_run_ended() {
        for (line, does) in [
            ("Successfully installed six-1.16.0", true),
            ("  Found 5 infos.", true),
            ("Finished: SUCCESS", true),
            ("    result = subprocess.run(", false),
            ("Foundations are laid", false),
            ("total_seconds 4", false),
        ] {
            assert_eq!(says_end(line.as_bytes()), does, "{line}");
        }
    }
}
