//! What a query asks for, and the units that hold it.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use recto_outline::{Columns, Kind, Outline, Role, UnitId};

use super::{
    Leaves, named, near,
    records::{bundle, key, leaves_of, record_of, telling_first, with_name},
};

/// Names that are looked for as they may have been meant; each costs a pass over the source.
const MOST_MISTYPED: usize = 4;
/// The weight of identifiers, numbers and names.
const NAME: u64 = 6;
/// A hit scores four times what it holds itself, three times what its record holds, and once what is around that.
const WHOLE_SCORE: u64 = 8;
/// The best hit answers if it has this part of the score that one with all terms would have.
const ANSWERS: u64 = 4;
/// Terms of a query that are looked for: a bit each in half a word.
const MOST_TERMS: usize = 30;
/// A word in every so many units tells nothing, where there are so many at least.
const COMMON: u64 = 2;
const LEAST_TOTAL: u64 = 24;
/// Shorter terms are found as whole words only.
const LEAST_PART_BYTES: usize = 4;
/// Words that ask rather than name.
const ASKING: [&str; 50] = [
    "the", "a", "an", "is", "are", "was", "were", "what", "which", "who", "how", "many", "much", "of", "in",
    "on", "for", "to", "and", "or", "does", "do", "did", "has", "have", "with", "by", "at", "from", "that",
    "this", "it", "its", "be", "when", "where", "why", "any", "all", "there", "me", "my", "we", "us", "if",
    "as", "so", "no", "up", "an",
];

/// A word of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    text: String,
    /// Identifiers, numbers and names weigh more than words.
    weight: u64,
}

/// What a query finds.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The units that answer best, with what they need around them.
    pub(super) best: Vec<UnitId>,
    /// All other hits, best first.
    pub(super) more: Vec<UnitId>,
    /// What stands out in the columns that the query names.
    pub(super) exceptions: Vec<UnitId>,
}

/// Hits that come before everything else.
const BEST_HITS: usize = 6;
/// Hits whose neighbours are brought along.
const HITS_WITH_NEIGHBOURS: usize = 12;
/// Records larger than this are not brought along whole.
const RECORD_BYTES: usize = 1_200;
/// Fields of a record that are looked at for those that the query names, and how many of these come before its other hits.
const FIELDS_LOOKED_AT: usize = 256;
const NAMED_FIELDS: usize = 6;
/// Units brought along behind a heading.
const BEHIND_HEADING: usize = 3;

/// How many units hold a term.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// As a word.
    whole: u64,
    /// As a word or part of one.
    all: u64,
}

/// A unit that holds terms of the query.
#[derive(Clone, Copy, Debug)]
struct Hit {
    position: usize,
    id: UnitId,
    /// Which terms: whole words in the lower half, parts of words in the upper.
    terms: u64,
    /// The container that it is part of, and the one around that.
    around: [UnitId; 2],
}

/// The units that hold what `query` asks for.
pub(super) fn find(outline: &Outline<'_>, rows: &Columns, leaves: &Leaves, query: &str) -> Found {
    let mut terms = terms(query);
    let named = named::find(outline, rows, leaves, query, |label| matching(&terms, label));
    let mut found = Found::default();
    for end in named.ends {
        bundle(outline, end, &mut found.best);
    }
    found.exceptions = named.exceptions;
    let (mut hits, mut counts) = self::hits(outline, leaves, &terms);
    // A name that is nowhere may be mistyped.
    let absent = terms.iter().zip(&counts).filter(|(term, count)| count.all == 0 && term.weight >= NAME);
    let nearly: Vec<Term> = absent
        .take(MOST_MISTYPED)
        .flat_map(|(term, _)| near::words(outline.source, &term.text))
        .map(|text| Term { text, weight: NAME - 1 })
        .collect();
    if !nearly.is_empty() {
        let room = MOST_TERMS.saturating_sub(nearly.len());
        terms.truncate(room);
        terms.extend(nearly);
        terms.truncate(MOST_TERMS);
        (hits, counts) = self::hits(outline, leaves, &terms);
    }
    if hits.is_empty() {
        return found;
    }
    // Rarer terms tell more: weight times an integer logarithm of how many leaves there are for one hit.
    let total = leaves.shown.len() as u64 + 1;
    let worth = |term: &Term, count: u64| {
        // What nearly every record holds, its key say, tells none from another.
        let is_common = term.weight < NAME && total >= LEAST_TOTAL && count * COMMON >= total;
        let rarity = u64::from(((total * 2) / (count + 1)).max(2).ilog2());
        if is_common { 0 } else { term.weight * rarity }
    };
    // A word may be rare although it is part of common ones: `executed` among `executionId`s.
    let worth: Vec<[u64; 2]> = terms
        .iter()
        .zip(&counts)
        .map(|(term, count)| [worth(term, count.whole), worth(term, count.all)])
        .collect();
    let score = |bits: u64| -> u64 {
        let each = worth.iter().enumerate().map(|(term, [whole, part])| {
            match (bits >> term & 1, bits >> (term + 32) & 1) {
                (1, _) => 4 * whole,
                (_, 1) => 2 * part,
                _ => 0,
            }
        });
        each.sum()
    };
    // A field answers if its record holds the other terms: the id here, the time there.
    let mut around: HashMap<UnitId, u64> = HashMap::new();
    for hit in &hits {
        for id in hit.around.iter().filter(|id| **id != UnitId::ROOT) {
            *around.entry(*id).or_default() |= hit.terms;
        }
    }
    let held = |id: UnitId| around.get(&id).copied().unwrap_or_default();
    let mut scored: Vec<(u64, Hit)> = hits
        .into_iter()
        .map(|hit| {
            let near = hit.terms | held(hit.around[0]);
            let far = near | held(hit.around[1]);
            (4 * score(hit.terms) + 3 * score(near) + score(far), hit)
        })
        .collect();
    scored.retain(|(score, _)| *score > 0);
    // Of lines that hold as much of what was asked for, the shortest is most about it.
    let length = |hit: &Hit| {
        let is_line = outline.unit(hit.id).role == Role::Line;
        if is_line { outline.unit(hit.id).body.len() } else { 0 }
    };
    scored.sort_by_key(|(score, hit)| (std::cmp::Reverse(*score), length(hit), hit.position));
    // What holds but little of what was asked for answers something else.
    let all: u64 = worth.iter().map(|[whole, part]| (4 * whole).max(2 * part)).sum();
    let fits = scored.first().is_some_and(|(best, _)| best * ANSWERS >= all * WHOLE_SCORE);
    sorted(outline, leaves, &terms, &scored, fits, &mut found);
    found
}

/// How well terms name a label: the weights of those that it holds, twice where one is all of it.
fn matching(terms: &[Term], label: &[u8]) -> u64 {
    let worth = |term: &Term| {
        let text = term.text.as_bytes();
        let is_held = label.windows(text.len().max(1)).any(|part| part.eq_ignore_ascii_case(text));
        let times = u64::from(is_held) + u64::from(label.eq_ignore_ascii_case(text));
        times * term.weight
    };
    terms.iter().map(worth).sum()
}

/// Every unit that holds a term, in document order, and how many hold each term.
fn hits(outline: &Outline<'_>, leaves: &Leaves, terms: &[Term]) -> (Vec<Hit>, Vec<Count>) {
    let mut hits: Vec<Hit> = Vec::new();
    let mut counts = vec![Count::default(); terms.len()];
    let patterns = terms.iter().map(|term| term.text.as_str());
    let Ok(search) = AhoCorasick::builder().ascii_case_insensitive(true).build(patterns) else {
        return (hits, counts);
    };
    let mut position = 0;
    for found in search.find_overlapping_iter(outline.source) {
        let at = match leaves.at(outline, found.start(), position) {
            Ok(at) => at,
            Err(at) => {
                position = at;
                continue;
            }
        };
        position = at;
        let Some((&id, term)) = leaves.shown.get(at).zip(terms.get(found.pattern().as_usize())) else {
            continue;
        };
        let is_whole = is_word(outline.source, found.start(), found.end());
        if !is_whole && term.text.len() < LEAST_PART_BYTES {
            continue;
        }
        let (whole, part) = (1 << found.pattern().as_usize(), 1 << (found.pattern().as_usize() + 32));
        let bit = if is_whole { whole } else { part };
        let before = match hits.last_mut() {
            Some(last) if last.id == id => {
                let before = last.terms;
                last.terms |= bit;
                before
            }
            _ => {
                hits.push(Hit { position: at, id, terms: bit, around: around(outline, id) });
                0
            }
        };
        if let Some(count) = counts.get_mut(found.pattern().as_usize()) {
            count.whole += u64::from(is_whole && before & whole == 0);
            count.all += u64::from(before & (whole | part) == 0);
        }
    }
    (hits, counts)
}

/// The record or block that a unit is part of, and the next one around it.
fn around(outline: &Outline<'_>, id: UnitId) -> [UnitId; 2] {
    let is_whole = |id: &UnitId| {
        let unit = outline.unit(*id);
        matches!(unit.role, Role::Record | Role::Block) || unit.kind == Kind::Section
    };
    let mut whole = outline.ancestors(id).take(24).filter(is_whole);
    let near = whole.next().unwrap_or(UnitId::ROOT);
    [near, whole.next().unwrap_or(UnitId::ROOT)]
}

/// The hits in their order: record by record, the best records whole, headings with what stands below them; then the lines around.
fn sorted(
    outline: &Outline<'_>,
    leaves: &Leaves,
    terms: &[Term],
    scored: &[(u64, Hit)],
    fits: bool,
    found: &mut Found,
) {
    let least = scored.first().map_or(0, |(best, _)| best / 2);
    // The hits of each record, in their order.
    let mut records: HashMap<UnitId, Vec<UnitId>> = HashMap::new();
    let record = |hit: &Hit| record_of(outline, hit.id).unwrap_or(hit.id);
    for (_, hit) in scored {
        records.entry(record(hit)).or_default().push(hit.id);
    }
    let mut rank = 0;
    for (score, hit) in scored {
        let Some(hits) = records.remove(&record(hit)) else { continue };
        let units =
            if fits && rank < BEST_HITS && *score >= least { &mut found.best } else { &mut found.more };
        // A field that the query names is asked for; its other terms only say of which record.
        let (first, others) =
            hits.split_first().map_or((None, &[][..]), |(first, others)| (Some(*first), others));
        units.extend(first);
        if rank < HITS_WITH_NEIGHBOURS
            && let Some(record) = record_of(outline, hit.id)
        {
            // Every record has such a field, so that it tells no record from another; of this one it is what is asked for.
            let fields = leaves_of(outline, record).take(FIELDS_LOOKED_AT);
            units.extend(fields.filter(|id| is_named(outline, *id, terms)).take(NAMED_FIELDS));
        }
        units.extend(others.iter().filter(|id| is_named(outline, **id, terms)));
        units.extend(others);
        if outline.unit(hit.id).kind == Kind::Heading {
            let section = outline.unit(hit.id).parent;
            if outline.unit(section).kind == Kind::Section && outline.unit(section).body.len() <= RECORD_BYTES
            {
                units.extend(leaves_of(outline, section));
            }
            let behind = leaves.shown.get(hit.position + 1..).unwrap_or_default();
            units.extend(behind.iter().take(BEHIND_HEADING));
        }
        if rank < HITS_WITH_NEIGHBOURS
            && let Some(record) = record_of(outline, hit.id)
            && outline.unit(record).body.len() <= RECORD_BYTES
        {
            units.extend(telling_first(outline, record));
        } else if rank < HITS_WITH_NEIGHBOURS {
            with_name(outline, hit.id, units);
        }
        rank += 1;
    }
    for (_, hit) in scored.iter().take(HITS_WITH_NEIGHBOURS) {
        for near in [hit.position.wrapping_sub(1), hit.position + 1, hit.position + 2] {
            if let Some(&id) = leaves.shown.get(near)
                && outline.unit(id).role != Role::Field
            {
                found.more.push(id);
            }
        }
    }
}

/// Says whether terms name a field rather than what it holds.
fn is_named(outline: &Outline<'_>, id: UnitId, terms: &[Term]) -> bool {
    let key = key(outline.text(id));
    outline.unit(id).role == Role::Field && !key.is_empty() && matching(terms, key) > 0
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
    // Names of several words come as they stand: each pair of words that both name something is looked for as well.
    let words: Vec<&str> =
        query.split(' ').map(|word| word.trim_matches(['?', ',', '"', '`', '\'', '(', ')'])).collect();
    for pair in words.windows(2) {
        let names = |word: &str| word.len() > 1 && !is_asking(word);
        if names(pair[0]) && names(pair[1]) {
            add(&pair.join(" "), 5);
        }
    }
    for word in
        query.split(|character: char| character.is_whitespace() || "\"`'?!()[]{},;<>|".contains(character))
    {
        let word = word.trim_matches(|character: char| ".:=".contains(character));
        if word.is_empty() || is_asking(word) {
            continue;
        }
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let has_sign = word.bytes().any(|byte| b"_-/.:@#".contains(&byte));
        let inner_capital = word.chars().skip(1).any(char::is_uppercase);
        if has_digit || has_sign || inner_capital {
            add(word, NAME);
        } else if word.chars().next().is_some_and(char::is_uppercase) {
            add(word, 3);
        } else if word.len() > 1 {
            add(stem(word), 2);
        }
    }
    terms
}

fn is_asking(word: &str) -> bool {
    ASKING.iter().any(|asking| asking.eq_ignore_ascii_case(word))
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
            [
                ("New York", 8),
                ("orders failed", 5),
                ("order", 2),
                ("fail", 2),
                ("user_42", 6),
                ("New", 3),
                ("York", 3)
            ]
        );
    }
}
