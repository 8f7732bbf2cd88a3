//! Events that stand in for nodes, and commits that are taken back.

use std::collections::BTreeSet;

use super::{Node, Projection, TakenOut};
use crate::error::SessionError;
use crate::event::Event;
use crate::kind::EventKind;
use crate::pairing::{CallKey, Half, Place, half_of, parted};
use crate::surface_op::ReplacedRange;

/// One range as places, both included.
pub(super) struct Run {
    first: Place,
    last: Place,
    part: u32,
    block: Option<Box<str>>,
}

impl Projection {
    pub(super) fn replace(&mut self, event: &Event, ranges: &[ReplacedRange]) -> Result<(), SessionError> {
        let seq = event.seq();
        let runs = self.checked_runs(event, ranges)?;
        let half = half_of(event);
        let is_commit = *event.kind() == EventKind::Commit;
        for run in runs {
            let places: Vec<_> = self.nodes.range(run.first..=run.last).map(|(place, _)| *place).collect();
            let nodes = places.into_iter().filter_map(|place| Some((place, self.remove(place)?))).collect();
            if is_commit {
                self.committed.entry(seq).or_default().push(TakenOut { place: run.first, nodes });
            }
            self.insert(run.first, Node { seq, part: run.part, block: run.block, half: half.clone() });
        }
        self.generation += 1;
        Ok(())
    }

    /// The runs that an event replaces, if it may.
    pub(super) fn checked_runs(
        &self,
        event: &Event,
        ranges: &[ReplacedRange],
    ) -> Result<Vec<Run>, SessionError> {
        let seq = event.seq();
        if !event.kind().may_replace() {
            return Err(SessionError::NeverShown { seq, kind: event.kind().to_string() });
        }
        let runs = self.runs(seq, ranges)?;
        self.check_pairs(seq, &runs, half_of(event).as_ref())?;
        Ok(runs)
    }

    /// The ranges as runs of places, in order and apart from one another.
    fn runs(&self, seq: u64, ranges: &[ReplacedRange]) -> Result<Vec<Run>, SessionError> {
        let mut runs = Vec::with_capacity(ranges.len());
        for (range, part) in ranges.iter().zip(0..) {
            let first = self.place(seq, range.start, range.start_block.as_deref())?;
            let last = self.place(seq, range.end, range.end_block.as_deref())?;
            if first > last {
                return Err(SessionError::Reversed { seq, start: range.start, end: range.end });
            }
            runs.push(Run { first, last, part, block: range.block.clone() });
        }
        runs.sort_unstable_by_key(|run| run.first);
        for (run, next) in runs.iter().zip(runs.iter().skip(1)) {
            if next.first <= run.last {
                let named = self.nodes.get(&next.first).map_or(seq, Node::seq);
                return Err(SessionError::Overlap { seq, named });
            }
        }
        Ok(runs)
    }

    /// Where an event stands, by its number and, if it stands in several places, by the name of a block.
    fn place(&self, seq: u64, named: u64, block: Option<&str>) -> Result<Place, SessionError> {
        let mut places = self.places.range((named, 0)..=(named, u32::MAX)).map(|(_, place)| *place);
        if let Some(block) = block {
            let is_block =
                |place: &Place| self.nodes.get(place).is_some_and(|node| node.block() == Some(block));
            return places.find(is_block).ok_or(SessionError::NotInProjection { seq, named });
        }
        let first = places.next().ok_or(SessionError::NotInProjection { seq, named })?;
        match places.count() {
            0 => Ok(first),
            others => Err(SessionError::Ambiguous { seq, named, places: others + 1 }),
        }
    }

    fn check_pairs(
        &self,
        seq: u64,
        runs: &[Run],
        inserted: Option<&(Half, CallKey)>,
    ) -> Result<(), SessionError> {
        let removed = runs.iter().flat_map(|run| self.nodes.range(run.first..=run.last));
        let mut touched: BTreeSet<&CallKey> =
            removed.filter_map(|(_, node)| node.half.as_ref().map(|(_, key)| key)).collect();
        touched.extend(inserted.map(|(_, key)| key));
        let is_removed = |place: Place| {
            let at = runs.partition_point(|run| run.first <= place);
            at.checked_sub(1).and_then(|at| runs.get(at)).is_some_and(|run| place <= run.last)
        };
        let stands_at: Vec<_> = runs.iter().map(|run| run.first).collect();
        for key in touched {
            let own = inserted.filter(|(_, own)| own == key);
            let own = own.map(|(half, _)| (stands_at.as_slice(), *half));
            if let Some((place, half)) = parted(&self.halves(key), is_removed, own) {
                let is_own = own.is_some() && stands_at.contains(&place);
                let node = if is_own { seq } else { self.nodes.get(&place).map_or(seq, Node::seq) };
                let (half, other) = match half {
                    Half::Call => ("the call", "result"),
                    Half::Result => ("the result", "call"),
                };
                return Err(SessionError::CutsPair { seq, half, other, node, call_id: key.to_string() });
            }
        }
        Ok(())
    }

    /// Puts back what a commit took out.
    pub(super) fn restore(&mut self, seq: u64, commit: u64) -> Result<(), SessionError> {
        self.check_restore(seq, commit)?;
        for taken in self.committed.remove(&commit).unwrap_or_default() {
            self.remove(taken.place);
            for (place, node) in taken.nodes {
                self.insert(place, node);
            }
        }
        self.generation += 1;
        Ok(())
    }

    pub(super) fn check_restore(&self, seq: u64, commit: u64) -> Result<(), SessionError> {
        let refuse = |reason| Err(SessionError::NotRestorable { seq, commit, reason });
        let Some(blocks) = self.committed.get(&commit) else {
            return refuse(
                "no compaction/commit of this seq is in force on this branch; name one that replaced a range and is not undone",
            );
        };
        let stands = |taken: &TakenOut| self.nodes.get(&taken.place).is_some_and(|node| node.seq == commit);
        if !blocks.iter().all(stands) {
            return refuse("a block of it is replaced itself; undo the later commit first");
        }
        Ok(())
    }
}
