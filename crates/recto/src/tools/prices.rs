//! What definitions cost over a session whose prefix is cached, and how many look-ups eat up what a map saves.

use serde::Serialize;

/// Prices of a token relative to one of plain input, in hundredths. Anthropic's and, within a few percent, the others': a cached
/// prefix is written for 1.25, read for 0.1, and a token of output costs 5.
const WRITTEN: u64 = 125;
const READ: u64 = 10;
const OUTPUT: u64 = 500;

/// What a look-up takes: the model's call and the answer, in tokens.
const ASKED_TOKENS: u64 = 30;
const ANSWERED_TOKENS: u64 = 250;

/// The rest of the context that a further turn reads again, in tokens.
pub(crate) const CONTEXT_TOKENS: u64 = 30_000;

/// How a level pays in a session of so many turns.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BreakEven {
    pub(crate) turns: u64,
    /// What the definitions cost as they are, in tokens of plain input.
    pub(crate) as_is: u64,
    /// What the level's cost.
    pub(crate) level: u64,
    /// How many look-ups cost as much as is saved. Room in the window is saved whatever they cost.
    pub(crate) look_ups: u64,
}

/// What a prefix of so many tokens costs over a session: written once, then read in each turn.
fn prefix(tokens: u64, turns: u64) -> u64 {
    tokens * (WRITTEN + READ * turns.saturating_sub(1)) / 100
}

/// What one look-up costs: a turn more, which reads the context and what is sent of the tools, and its question and answer.
fn look_up(sent_tokens: u64) -> u64 {
    ((CONTEXT_TOKENS + sent_tokens) * READ + ASKED_TOKENS * OUTPUT + ANSWERED_TOKENS * WRITTEN) / 100
}

/// How a level that sends `sent` tokens instead of `original` pays in sessions of 5, 20 and 100 turns.
pub(crate) fn break_even(original: u64, sent: u64) -> Vec<BreakEven> {
    [5, 20, 100]
        .map(|turns| {
            let (as_is, level) = (prefix(original, turns), prefix(sent, turns));
            BreakEven { turns, as_is, level, look_ups: as_is.saturating_sub(level) / look_up(sent).max(1) }
        })
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_costs() {
        // 1,000 tokens: written for 1,250, read four times for 100 each.
        assert_eq!(prefix(1_000, 5), 1_650);
        assert_eq!(prefix(1_000, 0), 1_250);
        let of = break_even(50_000, 2_000);
        assert_eq!((of[0].as_is, of[0].level), (82_500, 3_300));
        // A turn reads 32,000 tokens for 3,200; 30 of output cost 150, 250 written ones 312.
        assert_eq!(look_up(2_000), 3_662);
        assert_eq!(of[0].look_ups, 79_200 / 3_662);
        assert_eq!(break_even(100, 200)[0].look_ups, 0);
    }
}
