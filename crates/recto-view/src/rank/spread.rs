//! The rest, spread evenly: any prefix of the order covers the source about evenly, in runs long enough to need few notes.

use recto_outline::{Outline, UnitId};

/// Neighbours are taken together until they have this many bytes: a note for every other line would cost more than it shows.
const RUN_BYTES: usize = 512;

/// Gives units in runs of neighbours: the runs in bit-reversed order (van der Corput), the units of a run in document order.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    units: Vec<UnitId>,
    /// Where the runs begin among the units, and where the last one ends.
    bounds: Vec<u32>,
    bits: u32,
    /// The next run in the order, before its bits are reversed.
    number: u64,
    /// What is left of the run at hand.
    at: usize,
    end: usize,
}

impl Spread {
    pub(super) fn new(outline: &Outline<'_>, units: Vec<UnitId>) -> Self {
        let mut bounds = vec![0];
        let mut bytes = 0;
        for (index, id) in (1_u32..).zip(&units) {
            bytes += outline.unit(*id).body.len().min(RUN_BYTES / 4);
            if bytes >= RUN_BYTES {
                bounds.push(index);
                bytes = 0;
            }
        }
        let all = u32::try_from(units.len()).unwrap_or(u32::MAX);
        if bounds.last() != Some(&all) {
            bounds.push(all);
        }
        let runs = u32::try_from(bounds.len() - 1).unwrap_or(u32::MAX);
        Self { units, bounds, bits: runs.next_power_of_two().trailing_zeros(), number: 0, at: 0, end: 0 }
    }
}

impl Iterator for Spread {
    type Item = UnitId;

    fn next(&mut self) -> Option<UnitId> {
        while self.at == self.end {
            if self.number == 1 << self.bits {
                return None;
            }
            let reversed =
                if self.bits == 0 { 0 } else { self.number.reverse_bits() >> (u64::BITS - self.bits) };
            self.number += 1;
            // Numbers up to the next power of two stand for no run.
            let run = usize::try_from(reversed).ok().and_then(|run| self.bounds.get(run..run + 2));
            if let Some([start, end]) = run {
                (self.at, self.end) = (*start as usize, *end as usize);
            }
        }
        self.at += 1;
        self.units.get(self.at - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use recto_outline::{Fuel, outline};

    use super::*;

    #[test]
    fn every_unit_comes_once_and_early_ones_lie_far_apart() {
        for lines in [0_u32, 1, 2, 7, 8, 9, 100] {
            let text: String = (0..lines).map(|line| format!("{line:0>199}\n")).collect();
            let outline = outline(text.as_bytes(), None, &mut Fuel::unlimited()).unwrap();
            let units: Vec<UnitId> = (1..=lines).map(UnitId).collect();
            let order: Vec<UnitId> = Spread::new(&outline, units.clone()).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, units);
            if lines == 100 {
                // Four lines a run, 25 runs of 32: the second one is the middle of 32.
                let starts: Vec<u32> = order.iter().step_by(4).take(4).map(|id| id.0 - 1).collect();
                assert_eq!(starts, [0, 64, 32, 96]);
            }
        }
    }
}
