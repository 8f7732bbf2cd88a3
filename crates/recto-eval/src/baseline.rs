//! What anybody could do without recto: whole lines, chosen simply.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::{bm25, pieces::Pieces, prng::Prng};

/// A simple way to choose lines. All fill the budget as far as whole lines allow, and never exceed it; lines that are longer than
/// the budget are cut at characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Baseline {
    /// From the beginning.
    Head,
    /// From the end.
    Tail,
    /// Half from the beginning, half from the end.
    HeadTail,
    /// By chance, from a seed.
    Random,
    /// `grep -iE 'error|fail|fatal|panic|exception|warn'`, from the beginning; nothing else.
    Grep,
    /// By BM25 against the query, then half from the beginning and half from the end.
    Bm25,
}

impl Baseline {
    /// All of them, in the order of a report.
    pub const ALL: [Self; 6] = [Self::Head, Self::Tail, Self::HeadTail, Self::Random, Self::Grep, Self::Bm25];

    /// The name, as typed and as reported.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Tail => "tail",
            Self::HeadTail => "head+tail",
            Self::Random => "random",
            Self::Grep => "grep",
            Self::Bm25 => "bm25",
        }
    }

    /// Says whether a query changes what is chosen.
    #[must_use]
    pub fn uses_query(self) -> bool {
        self == Self::Bm25
    }

    /// The pieces that can be chosen, the best first. Does not depend on a budget, so larger ones show more of the same.
    pub(crate) fn order(self, pieces: &Pieces<'_>, query: Option<&str>, seed: u64, name: &str) -> Vec<usize> {
        let all = 0..pieces.len();
        match self {
            Self::Head => all.collect(),
            Self::Tail => all.rev().collect(),
            Self::HeadTail => from_both_ends(pieces),
            Self::Random => {
                let mut order: Vec<usize> = all.collect();
                Prng::named(seed, name).shuffle(&mut order);
                order
            }
            Self::Grep => all.filter(|index| ERROR.is_match(pieces.piece(*index).as_bytes())).collect(),
            Self::Bm25 => {
                let mut order = query.map(|query| bm25::best(pieces, query)).unwrap_or_default();
                let mut is_chosen = vec![false; pieces.len()];
                for index in &order {
                    if let Some(chosen) = is_chosen.get_mut(*index) {
                        *chosen = true;
                    }
                }
                let rest = from_both_ends(pieces).into_iter();
                order.extend(rest.filter(|index| is_chosen.get(*index) == Some(&false)));
                order
            }
        }
    }
}

static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a constant pattern, compiled by a test")]
    RegexBuilder::new("error|fail|fatal|panic|exception|warn")
        .case_insensitive(true)
        .unicode(false)
        .build()
        .expect("the pattern is sound")
});

/// The next piece is taken from the side that has fewer tokens so far.
fn from_both_ends(pieces: &Pieces<'_>) -> Vec<usize> {
    let (mut head, mut tail) = (0, pieces.len());
    let (mut head_tokens, mut tail_tokens) = (0_u64, 0_u64);
    let mut order = Vec::with_capacity(tail);
    while head < tail {
        if head_tokens <= tail_tokens {
            head_tokens += pieces.tokens(head);
            order.push(head);
            head += 1;
        } else {
            tail -= 1;
            tail_tokens += pieces.tokens(tail);
            order.push(tail);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(baseline: Baseline, text: &str, query: Option<&str>, budget: u64) -> String {
        let pieces = Pieces::lines(text);
        pieces.fill(&baseline.order(&pieces, query, 1, "x"), budget)
    }

    #[test]
    fn each_chooses_as_its_name_says() {
        let text: String = (0..100)
            .map(|n| if n == 40 { "a Warning here\n".to_owned() } else { format!("row {n}\n") })
            .collect();
        let head = shown(Baseline::Head, &text, None, 40);
        assert!(text.starts_with(&head) && head.contains("row 8\n"), "{head}");
        let tail = shown(Baseline::Tail, &text, None, 40);
        assert!(text.ends_with(&tail) && tail.contains("row 92\n"), "{tail}");
        let both = shown(Baseline::HeadTail, &text, None, 40);
        assert!(both.contains("row 4\nrow 95\n"), "{both}");
        assert_eq!(shown(Baseline::Grep, &text, None, 40), "a Warning here\n");
        let named = shown(Baseline::Bm25, &text, Some("row 57"), 12);
        assert!(named.contains("row 57\n"), "{named}");
        assert_eq!(shown(Baseline::Bm25, &text, None, 40), both);
        let random = shown(Baseline::Random, &text, None, 40);
        assert!(random != head && random.lines().all(|line| text.contains(line)), "{random}");
        assert_eq!(random, shown(Baseline::Random, &text, None, 40));
    }
}
