use std::ops::Range;

/// Seeded pseudo-random numbers: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014).
///
/// The same seed gives the same sequence on every machine and in every version: generated inputs, and the snapshots made
/// of them, depend on it. Not for secrets.
///
/// ```
/// use recto_testkit::Prng;
///
/// let (mut one, mut other) = (Prng::new(42), Prng::new(42));
/// assert_eq!(one.next_u64(), other.next_u64());
/// assert!(one.below(10) < 10);
/// ```
#[derive(Clone, Debug)]
pub struct Prng {
    state: u64,
}

impl Prng {
    /// Starts a sequence from a seed; every seed, 0 included, is a good one.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, and 0 for a limit of 0.
    ///
    /// Multiplies and shifts instead of dividing; the bias, under `limit / 2^64`, does not matter to tests.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(limit)) >> 64) as u64
    }

    /// Returns an index below `length`, and 0 for a length of 0.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Returns a number in a half-open range, and its start if the range is empty.
    pub fn within(&mut self, range: Range<u64>) -> u64 {
        range.start + self.below(range.end.saturating_sub(range.start))
    }

    /// Returns true once in `one_in` draws, on average; never for 0.
    pub fn chance(&mut self, one_in: u64) -> bool {
        one_in > 0 && self.below(one_in) == 0
    }

    /// Picks one of the items.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &'a [&'a T]) -> &'a T {
        items[self.index(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Prng;

    /// The first outputs for seed 1234567 that the reference implementation prints.
    #[test]
    fn follows_the_reference_sequence() {
        let mut prng = Prng::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| prng.next_u64()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn reaches_every_number_below_a_limit_and_none_above() {
        let mut prng = Prng::new(0);
        let mut seen = [0_u32; 7];
        for _ in 0..7_000 {
            seen[prng.index(7)] += 1;
        }
        assert!(seen.iter().all(|&count| (800..1_200).contains(&count)), "{seen:?}");
        assert_eq!(prng.below(0), 0);
        assert_eq!(prng.within(9..9), 9);
        assert!(!prng.chance(0));
    }
}
