//! Okapi BM25 over lines (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009), with its usual constants.

use std::collections::BTreeMap;

use crate::pieces::Pieces;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Pieces that hold a word of the query, the best first; equal ones in the order of the source.
pub(crate) fn best(pieces: &Pieces<'_>, query: &str) -> Vec<usize> {
    let sought: BTreeMap<String, usize> = {
        let mut words: Vec<String> = words(query).map(str::to_lowercase).collect();
        words.sort_unstable();
        words.dedup();
        words.into_iter().enumerate().map(|(index, word)| (word, index)).collect()
    };
    if sought.is_empty() {
        return Vec::new();
    }
    let mut held_by = vec![0_u32; sought.len()];
    let mut hits: Vec<(usize, f64, Vec<u32>)> = Vec::new();
    let mut all_words = 0.0;
    let mut lowered = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        let mut length = 0.0;
        let mut counts: Option<Vec<u32>> = None;
        for word in words(piece) {
            length += 1.0;
            lowered.clear();
            lowered.extend(word.chars().flat_map(char::to_lowercase));
            if let Some(at) = sought.get(lowered.as_str()) {
                let counts = counts.get_or_insert_with(|| vec![0; sought.len()]);
                if let Some(count) = counts.get_mut(*at) {
                    *count += 1;
                }
            }
        }
        all_words += length;
        if let Some(counts) = counts {
            for (held, count) in held_by.iter_mut().zip(&counts) {
                *held += u32::from(*count > 0);
            }
            hits.push((index, length, counts));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "fewer pieces than 2^52")]
    let pieces = pieces.len() as f64;
    let mean = all_words / pieces.max(1.0);
    let weights: Vec<f64> = held_by
        .iter()
        .map(|held| {
            let held = f64::from(*held);
            (1.0 + (pieces - held + 0.5) / (held + 0.5)).ln()
        })
        .collect();
    let mut scored: Vec<(f64, usize)> = hits
        .iter()
        .map(|(index, length, counts)| {
            let damping = K1 * (1.0 - B + B * length / mean.max(1.0));
            let score = counts.iter().zip(&weights).map(|(count, weight)| {
                let count = f64::from(*count);
                weight * count * (K1 + 1.0) / (count + damping)
            });
            (score.sum(), *index)
        })
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    scored.into_iter().map(|(_, index)| index).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_and_short_lines_come_first() {
        let text =
            "the pod api runs\nthe pod web-7 has been restarted again and again\nthe pod db runs\nweb-7\n";
        let pieces = Pieces::lines(text);
        assert_eq!(best(&pieces, "web-7"), [3, 1]);
        assert_eq!(best(&pieces, "POD db"), [2, 0, 1]);
        assert!(best(&pieces, "absent").is_empty());
        assert!(best(&pieces, " - ").is_empty());
    }
}
