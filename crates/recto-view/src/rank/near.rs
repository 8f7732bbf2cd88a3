//! Words of a source that a query's word may have been meant to be.

use std::collections::HashMap;

/// Sources longer than this are not searched for words that are nearly right.
const MOST_BYTES: usize = 8 << 20;
/// A shorter word is nearly too many others.
const LEAST_BYTES: usize = 5;
/// Longer words are not compared.
const LONGEST_BYTES: usize = 64;
/// From so many bytes on a word may have two faults.
const TWO_FAULTS_BYTES: usize = 12;
/// Words that are given for one.
const MOST_WORDS: usize = 4;

/// The words of `source` that are `word` but for one fault (a letter more, less or other, or two swapped), or two in a long word;
/// the nearest first.
pub(super) fn words(source: &[u8], word: &str) -> Vec<String> {
    if source.len() > MOST_BYTES || word.len() < LEAST_BYTES || word.len() > LONGEST_BYTES || !word.is_ascii()
    {
        return Vec::new();
    }
    let wanted = word.to_ascii_lowercase().into_bytes();
    let most = if wanted.len() >= TWO_FAULTS_BYTES { 2 } else { 1 };
    let signature = letters(&wanted);
    let mut found: HashMap<Vec<u8>, usize> = HashMap::new();
    for candidate in source.split(|byte| !is_word(*byte)) {
        let is_near = candidate.len().abs_diff(wanted.len()) <= most
            && (letters(candidate) ^ signature).count_ones() <= 2 * u32::try_from(most).unwrap_or(2);
        if !is_near {
            continue;
        }
        let lower = candidate.to_ascii_lowercase();
        if found.len() < 64 && !found.contains_key(&lower) {
            let faults = faults(&wanted, &lower);
            if faults <= most {
                found.insert(lower, faults);
            }
        }
    }
    let mut found: Vec<(usize, Vec<u8>)> = found.into_iter().map(|(word, faults)| (faults, word)).collect();
    found.sort_unstable();
    let nearest = found.first().map_or(0, |(faults, _)| *faults);
    found
        .into_iter()
        .take_while(|(faults, _)| *faults == nearest)
        .take(MOST_WORDS)
        .filter_map(|(_, word)| String::from_utf8(word).ok())
        .collect()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Which letters and digits a word has, as bits, without their case: words with few faults differ in few.
fn letters(word: &[u8]) -> u64 {
    word.iter().fold(0, |bits, byte| bits | 1 << (byte.to_ascii_lowercase() & 63))
}

/// How many letters more, less, other or swapped two words have (optimal string alignment distance).
fn faults(one: &[u8], other: &[u8]) -> usize {
    let width = other.len() + 1;
    let mut rows: [Vec<usize>; 3] = [vec![0; width], (0..width).collect(), vec![0; width]];
    for (index, byte) in one.iter().enumerate() {
        let [before, last, row] = &mut rows;
        row[0] = index + 1;
        for (at, other_byte) in other.iter().enumerate() {
            let change = last[at] + usize::from(byte != other_byte);
            let mut least = change.min(last[at + 1] + 1).min(row[at] + 1);
            if index > 0
                && at > 0
                && one.get(index - 1) == Some(other_byte)
                && other.get(at - 1) == Some(byte)
            {
                least = least.min(before[at - 1] + 1);
            }
            row[at + 1] = least;
        }
        rows.rotate_left(1);
    }
    rows[1].last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_found_and_another_word_is_not() {
        let source = b"status of billing-api-0527e9 and billing-cron-05e478, ready";
        assert_eq!(words(source, "biling-api-0527e9"), ["billing-api-0527e9"]);
        assert_eq!(words(source, "billing-aip-0527e9"), ["billing-api-0527e9"]);
        assert_eq!(words(source, "readdy"), ["ready"]);
        assert!(words(source, "search-api-0527e9").is_empty() && words(source, "reed").is_empty());
    }

    #[test]
    fn faults_are_counted() {
        for (one, other, count) in
            [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abc", "xbz", 2), ("", "ab", 2)]
        {
            assert_eq!(faults(one.as_bytes(), other.as_bytes()), count, "{one} {other}");
        }
    }
}
