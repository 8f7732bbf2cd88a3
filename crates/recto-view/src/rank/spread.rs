//! The rest, spread evenly: any prefix of the order covers the source about evenly, in runs long enough to need few notes.

use recto_outline::{Outline, UnitId};

/// Neighbours are taken together until they have this many bytes: a note for every other line would cost more than it shows.
const RUN_BYTES: usize = 512;

/// Calls `take` with every unit: the runs in bit-reversed order (van der Corput), the units of a run in document order.
pub(super) fn each(outline: &Outline<'_>, units: &[UnitId], take: &mut dyn FnMut(UnitId)) {
    let mut runs = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (index, id) in units.iter().enumerate() {
        bytes += outline.unit(*id).body.len().min(RUN_BYTES / 4);
        if bytes >= RUN_BYTES {
            runs.push((start, index + 1));
            (start, bytes) = (index + 1, 0);
        }
    }
    if start < units.len() {
        runs.push((start, units.len()));
    }
    let count = u32::try_from(runs.len()).unwrap_or(u32::MAX);
    if count == 0 {
        return;
    }
    let bits = count.next_power_of_two().trailing_zeros();
    for number in 0..1_u64 << bits {
        let reversed = if bits == 0 { 0 } else { number.reverse_bits() >> (64 - bits) };
        let run = usize::try_from(reversed).ok().and_then(|at| runs.get(at));
        if let Some((start, end)) = run {
            units.get(*start..*end).unwrap_or_default().iter().for_each(|id| take(*id));
        }
    }
}
