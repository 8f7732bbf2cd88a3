//! What texts begin with alike.

/// A shared beginning has at least so many bytes, and is looked for in so many neighbours.
const MIN_BYTES: usize = 24;
const MAX_NEIGHBOURS: usize = 64;

/// What `{"$":[12,""]}` costs more than the text that it stands for, in bytes of other text.
const REFERENCE_BYTES: usize = 26;

pub(super) struct Prefix<'a> {
    pub(super) text: &'a str,
    pub(super) of: Vec<&'a str>,
}

/// Chooses beginnings that are worth writing once, each for texts that stand together when sorted.
pub(super) fn choose(mut texts: Vec<&str>) -> Vec<Prefix<'_>> {
    texts.retain(|text| text.len() >= MIN_BYTES);
    texts.sort_unstable();
    texts.dedup();
    let mut chosen = Vec::new();
    let mut rest = texts.as_slice();
    while let Some((first, others)) = rest.split_first() {
        let mut length = first.len();
        let mut best: Option<(usize, usize, usize)> = None;
        for (count, other) in (2..).zip(others.iter().take(MAX_NEIGHBOURS)) {
            length = shared(first.get(..length).unwrap_or_default(), other);
            if length < MIN_BYTES {
                break;
            }
            let saved = ((count - 1) * length).saturating_sub(count * REFERENCE_BYTES);
            if saved > 0 && best.is_none_or(|(known, ..)| saved > known) {
                best = Some((saved, count, length));
            }
        }
        let count = best.map_or(1, |(_, count, _)| count);
        let (taken, left) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        if let Some((_, _, length)) = best {
            chosen.push(Prefix { text: first.get(..length).unwrap_or_default(), of: taken.to_vec() });
        }
        rest = left;
    }
    chosen
}

/// How many bytes two texts begin with alike, up to the last whole letter.
fn shared(one: &str, other: &str) -> usize {
    let alike = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    (0..=alike).rev().find(|&end| one.is_char_boundary(end)).unwrap_or(0)
}
