//! The one source of chance.

use std::ops::Range;

/// Seeded pseudo-random numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). The same seed gives the same numbers on every
/// machine, so scores can be compared.
#[derive(Clone, Debug)]
pub(crate) struct Prng {
    state: u64,
}

impl Prng {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A sequence that depends on a name as well, so that one file's numbers do not move when another is added.
    pub(crate) fn named(seed: u64, name: &str) -> Self {
        Self::new(seed ^ hash(name.as_bytes()))
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 for a limit of 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(limit)) >> 64) as u64
    }

    /// An index below `length`; 0 for a length of 0.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A number in a half-open range; its start if the range is empty.
    pub(crate) fn within(&mut self, range: Range<u64>) -> u64 {
        range.start + self.below(range.end.saturating_sub(range.start))
    }

    /// True once in `one_in` draws, on average.
    pub(crate) fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    /// One of the items; the default if there is none.
    pub(crate) fn pick<T: Copy + Default>(&mut self, items: &[T]) -> T {
        items.get(self.index(items.len())).copied().unwrap_or_default()
    }

    /// Puts the items in an order of chance (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

/// FNV-1a, 64 bits.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Prng::named(1, "a").shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn sequences_depend_on_seed_and_name_only() {
        assert_eq!(Prng::named(7, "x").next_u64(), Prng::named(7, "x").next_u64());
        assert_ne!(Prng::named(7, "x").next_u64(), Prng::named(7, "y").next_u64());
        assert_ne!(Prng::named(7, "x").next_u64(), Prng::named(8, "x").next_u64());
    }
}
