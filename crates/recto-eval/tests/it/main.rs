//! The scoreboard on tiny sets whose scores are known.
#![expect(clippy::unwrap_used, reason = "tests")]

mod scores;
