//! Templates of lines: what is left of a line when its numbers are masked.

use std::collections::HashMap;

use recto_outline::{Hashed, Kind, Outline, Role, UnitId};

use super::Leaves;

/// Templates found in a source of lines.
#[derive(Debug, Default)]
pub(super) struct Templates {
    /// The first line of each template that occurs often, by first appearance.
    pub(super) first: Vec<UnitId>,
    /// The lines of templates that occur once or twice.
    pub(super) rare: Vec<UnitId>,
}

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
        {
            continue;
        }
        lines += 1;
        let entry = seen.entry(masked(outline.message(id)) ^ level(outline, id)).or_insert((0, [id, id]));
        if entry.0 == 1 {
            entry.1[1] = id;
        }
        entry.0 += 1;
    }
    let mut kinds: Vec<_> = seen.into_values().collect();
    kinds.sort_unstable_by_key(|(_, first)| first[0]);
    let rare_lines: u32 = kinds.iter().filter(|(count, _)| *count <= RARE).map(|(count, _)| *count).sum();
    let says_something = u64::from(rare_lines) * 4 <= u64::from(lines);
    for (count, ids) in kinds {
        if count <= RARE && says_something {
            found.rare.extend(ids.iter().take(count as usize));
        } else if count > RARE {
            found.first.push(ids[0]);
        }
    }
    found
}

/// A number for how grave a line says it is.
fn level(outline: &Outline<'_>, id: UnitId) -> u64 {
    outline.level(id).map_or(0, |level| level as u64 + 1)
}

/// Hash of a text with its words that hold a digit masked, blanks folded and terminal codes left out.
pub(super) fn masked(text: &[u8]) -> u64 {
    const PRIME: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = 0xCBF2_9CE4_8422_2325_u64;
    // A word's bytes, turned and joined; a multiplication once a word, not once a byte.
    let mut word = 0_u64;
    let mut seen = 0_u8;
    for &byte in text {
        let class = CLASS[usize::from(byte)];
        if class <= Class::Digit {
            word = word.rotate_left(7) ^ u64::from(byte);
            seen |= class as u8;
        } else {
            if seen != 0 {
                let part = if seen & Class::Digit as u8 == 0 { word } else { 1 };
                state = (state ^ part).wrapping_mul(PRIME).rotate_left(29);
                (word, seen) = (0, 0);
            }
            if class == Class::Other {
                state = (state ^ u64::from(byte)).wrapping_mul(PRIME);
            }
        }
    }
    if seen != 0 {
        state = (state ^ if seen & Class::Digit as u8 == 0 { word } else { 1 }).wrapping_mul(PRIME);
    }
    state ^ (state >> 31)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Class {
    Letter = 1,
    Digit = 2,
    Blank = 4,
    Other = 8,
}

static CLASS: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let value = byte as u8;
        table[byte] = if value.is_ascii_digit() {
            Class::Digit
        } else if value.is_ascii_alphabetic() || value == b'_' || value >= 0x80 {
            Class::Letter
        } else if value == b' ' || value == b'\t' {
            Class::Blank
        } else {
            Class::Other
        };
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn numbers_do_not_count_and_words_do() {
        assert_eq!(masked(b"12:01:07 took 31ms for id a1b2"), masked(b"13:44:59 took 5ms for id ff09"));
        assert_ne!(masked(b"12:01:07 took 31ms"), masked(b"12:01:07 lost 31ms"));
        assert_eq!(masked(b"a  b"), masked(b"a b"));
    }
}
