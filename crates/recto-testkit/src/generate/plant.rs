use std::{collections::VecDeque, ops::Range};

use super::{Generated, Planted, PlantedKind};
use crate::Prng;

/// When to plant what: the anomalies are spread over the output, each somewhere in its own stretch of it.
pub(super) struct Schedule {
    waiting: VecDeque<(usize, PlantedKind)>,
    min_bytes: usize,
}

impl Schedule {
    pub(super) fn new(prng: &mut Prng, min_bytes: usize, kinds: &[PlantedKind]) -> Self {
        let stretch = min_bytes / (kinds.len() + 1).max(1);
        let waiting = kinds
            .iter()
            .enumerate()
            .map(|(index, &kind)| (stretch * (index + 1) + prng.index(stretch / 2 + 1), kind))
            .collect();
        Self { waiting, min_bytes }
    }

    /// Returns what the next record is to carry, given how many bytes there are so far.
    pub(super) fn due(&mut self, bytes: usize) -> Option<PlantedKind> {
        let &(from, kind) = self.waiting.front()?;
        if bytes < from {
            return None;
        }
        self.waiting.pop_front();
        Some(kind)
    }

    /// Whether the output is long enough and everything is planted.
    pub(super) fn is_finished(&self, bytes: usize) -> bool {
        bytes >= self.min_bytes && self.waiting.is_empty()
    }
}

/// An output of about this many bytes, without growing on the way.
pub(super) fn room_for(min_bytes: usize) -> Vec<u8> {
    Vec::with_capacity(min_bytes + 4_096)
}

impl Generated {
    pub(super) fn with_room(min_bytes: usize) -> Self {
        Self { bytes: room_for(min_bytes), planted: Vec::new() }
    }

    /// Notes a record that ends at the end of the bytes so far.
    pub(super) fn note(&mut self, kind: Option<PlantedKind>, from: usize, telling: Range<usize>) {
        if let Some(kind) = kind {
            self.planted.push(Planted { kind, record: from..self.bytes.len(), telling });
        }
    }
}
