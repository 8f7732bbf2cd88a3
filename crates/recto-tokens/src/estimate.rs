//! The factors of the named estimates, and the rule of thumb for display.

/// Claude tokens per thousand o200k tokens. How it was got is in the crate's documentation.
pub(crate) const CLAUDE_PER_MILLE: u64 = 1300;

/// Gemini tokens per thousand o200k tokens. How it was got is in the crate's documentation.
pub(crate) const GEMINI_PER_MILLE: u64 = 1280;

/// The factor of a tokenizer that is its own base.
pub(crate) const EXACT_PER_MILLE: u64 = 1000;

const PER_MILLE: u128 = 1000;

/// Scales a count, rounding up, so that an estimate is never below its base.
pub(crate) fn scaled(base_tokens: u64, per_mille: u64) -> u64 {
    let product = u128::from(base_tokens) * u128::from(per_mille);
    u64::try_from(product.div_ceil(PER_MILLE)).unwrap_or(u64::MAX)
}

/// Returns the largest base count whose scaled value is within `limit_tokens`.
pub(crate) fn base_limit(limit_tokens: u64, per_mille: u64) -> u64 {
    let room = u128::from(limit_tokens) * PER_MILLE;
    u64::try_from(room / u128::from(per_mille.max(1))).unwrap_or(u64::MAX)
}

/// Guesses the tokens of a text from its size: a quarter of its bytes, rounded up.
///
/// For display only (write it with a `~`): JSON and logs hold more tokens than this, prose in English fewer.
///
/// ```
/// assert_eq!(recto_tokens::estimate_from_bytes(4001), 1001);
/// ```
#[must_use]
pub const fn estimate_from_bytes(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn base_limit_is_the_last_that_fits(limit_tokens: u64, per_mille in 1000_u64..3000) {
            let base = base_limit(limit_tokens, per_mille);
            prop_assert!(scaled(base, per_mille) <= limit_tokens);
            prop_assert!(base == u64::MAX || scaled(base + 1, per_mille) > limit_tokens);
        }

        #[test]
        fn an_estimate_is_never_below_its_base(base in 0..u64::MAX / 4) {
            for per_mille in [EXACT_PER_MILLE, CLAUDE_PER_MILLE, GEMINI_PER_MILLE] {
                prop_assert!(scaled(base, per_mille) >= base);
            }
            prop_assert_eq!(scaled(base, EXACT_PER_MILLE), base);
        }
    }
}
