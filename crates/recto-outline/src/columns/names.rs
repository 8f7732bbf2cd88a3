//! Values of a column in which they are all different.

use std::collections::{HashMap, hash_map::Entry};

use super::Hashed;

/// Where each value of a column is in which they are all different, or nearly so.
#[derive(Clone, Debug, Default)]
pub struct Names {
    places: HashMap<u64, u32, Hashed>,
    /// Where the record of a value is that occurs again, and where that is.
    pub repeats: Vec<[u32; 2]>,
}

impl Names {
    /// Adds a value; says no if too many occur again for that to mean anything.
    pub(super) fn add(&mut self, hash: u64, at: u32) -> bool {
        /// Further values are only looked up: what fits into a cache is looked up fast.
        const MOST_PLACES: usize = 1 << 15;
        /// So many may occur again anyway.
        const FEW: usize = 8;
        let is_full = self.places.len() >= MOST_PLACES;
        match self.places.entry(hash) {
            Entry::Occupied(known) => self.repeats.push([*known.get(), at]),
            Entry::Vacant(free) if !is_full => {
                free.insert(at);
            }
            Entry::Vacant(_) => {}
        }
        self.repeats.len() <= FEW + self.places.len() / 50
    }
}
