//! What a query asks for, and the units that hold it.

use aho_corasick::AhoCorasick;
use recto_outline::{Outline, Role, UnitId};

use super::Leaves;

/// Terms of a query that are looked for.
const MOST_TERMS: usize = 24;
/// Words that ask rather than name.
const ASKING: [&str; 40] = [
    "the", "a", "an", "is", "are", "was", "were", "what", "which", "who", "how", "many", "much", "of", "in",
    "on", "for", "to", "and", "or", "does", "do", "did", "has", "have", "with", "by", "at", "from", "that",
    "this", "it", "its", "be", "when", "where", "why", "any", "all", "there",
];

/// A word of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    text: String,
    /// Identifiers, numbers and names weigh more than words.
    weight: u64,
}

/// The units that hold what `query` asks for, best first, each hit's neighbours after all hits.
pub(super) fn find(outline: &Outline<'_>, leaves: &Leaves, query: &str) -> Vec<UnitId> {
    let terms = terms(query);
    if terms.is_empty() {
        return Vec::new();
    }
    let patterns: Vec<&str> = terms.iter().map(|term| term.text.as_str()).collect();
    let Ok(search) = AhoCorasick::builder().ascii_case_insensitive(true).build(&patterns) else {
        return Vec::new();
    };
    // Which terms each leaf holds, as bits: whole words in the lower half, parts of words in the upper.
    let mut held: Vec<(usize, u64)> = Vec::new();
    let mut counts = vec![0_u64; terms.len()];
    let mut position = 0;
    for hit in search.find_overlapping_iter(outline.source) {
        let at = match leaves.at(outline, hit.start(), position) {
            Ok(at) => at,
            Err(at) => {
                position = at;
                continue;
            }
        };
        position = at;
        let bit = 1
            << (hit.pattern().as_usize()
                + if is_word(outline.source, hit.start(), hit.end()) { 0 } else { 32 });
        match held.last_mut() {
            Some((last, bits)) if *last == at => *bits |= bit,
            _ => held.push((at, bit)),
        }
        if let Some(count) = counts.get_mut(hit.pattern().as_usize()) {
            *count += 1;
        }
    }
    // Rarer terms tell more: weight times an integer logarithm of how many leaves there are for one hit.
    let total = leaves.shown.len() as u64 + 1;
    let worth: Vec<u64> = terms
        .iter()
        .zip(&counts)
        .map(|(term, count)| term.weight * u64::from(((total * 2) / (count + 1)).max(2).ilog2()))
        .collect();
    let mut scored: Vec<(u64, usize)> = held
        .iter()
        .map(|(at, bits)| {
            let score = worth.iter().enumerate().map(|(term, worth)| {
                if bits >> term & 1 == 1 {
                    4 * worth
                } else if bits >> (term + 32) & 1 == 1 {
                    2 * worth
                } else {
                    0
                }
            });
            (score.sum(), *at)
        })
        .collect();
    scored.sort_unstable_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    with_neighbours(outline, leaves, &scored)
}

/// The hits, each with the rest of its record; then the lines around the best ones.
fn with_neighbours(outline: &Outline<'_>, leaves: &Leaves, scored: &[(u64, usize)]) -> Vec<UnitId> {
    /// Records larger than this are not brought along whole.
    const RECORD_BYTES: usize = 1_200;
    let mut units = Vec::new();
    for (rank, (_, at)) in scored.iter().enumerate() {
        let Some(&id) = leaves.shown.get(*at) else { continue };
        units.push(id);
        let unit = outline.unit(id);
        if rank < 40 && unit.role == Role::Field && outline.unit(unit.parent).body.len() <= RECORD_BYTES {
            units.extend(outline.children(unit.parent).filter(|child| outline.is_leaf(*child)));
        }
    }
    for (_, at) in scored.iter().take(12) {
        for near in [at.wrapping_sub(1), at + 1, at + 2] {
            if let Some(&id) = leaves.shown.get(near)
                && outline.unit(id).role != Role::Field
            {
                units.push(id);
            }
        }
    }
    units
}

/// Says whether `[start, end)` stands between what are no letters or digits; a plural's or a verb's ending counts as its word.
fn is_word(source: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| source.get(at));
    let after = source.get(end..).unwrap_or_default();
    let rest = after.iter().take(4).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let ending = after.get(..rest).unwrap_or_default();
    !before.is_some_and(u8::is_ascii_alphanumeric)
        && (matches!(ending, b"" | b"s" | b"es" | b"ed" | b"ing")
            && !after.first().is_some_and(u8::is_ascii_digit))
}

/// The words of a query: identifiers and numbers whole, other words without their endings.
fn terms(query: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut add = |text: &str, weight: u64| {
        let is_known = terms.iter().any(|known| known.text.eq_ignore_ascii_case(text));
        if !text.is_empty() && !is_known && terms.len() < MOST_TERMS {
            terms.push(Term { text: text.to_owned(), weight });
        }
    };
    for quoted in query.split(['"', '`', '\u{201c}', '\u{201d}']).skip(1).step_by(2) {
        let quoted = quoted.trim();
        if (2..=120).contains(&quoted.len()) {
            add(quoted, 8);
        }
    }
    for word in
        query.split(|character: char| character.is_whitespace() || "\"`'?!()[]{},;<>|".contains(character))
    {
        let word = word.trim_matches(|character: char| ".:=".contains(character));
        if word.is_empty() || ASKING.iter().any(|asking| asking.eq_ignore_ascii_case(word)) {
            continue;
        }
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let has_sign = word.bytes().any(|byte| b"_-/.:@#".contains(&byte));
        let inner_capital = word.chars().skip(1).any(char::is_uppercase);
        if has_digit || has_sign || inner_capital {
            add(word, 6);
        } else if word.chars().next().is_some_and(char::is_uppercase) {
            add(word, 3);
        } else if word.len() > 2 {
            add(stem(word), 2);
        }
    }
    terms
}

/// A word without the ending of a plural or a verb.
fn stem(word: &str) -> &str {
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.len() >= 4
        {
            return stem;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_come_whole_and_asking_words_do_not_count() {
        let terms = terms("Which orders failed for user_42 in `New York`?");
        let texts: Vec<_> = terms.iter().map(|term| (term.text.as_str(), term.weight)).collect();
        assert_eq!(
            texts,
            [("New York", 8), ("order", 2), ("fail", 2), ("user_42", 6), ("New", 3), ("York", 3)]
        );
    }
}
