//! The projections of the newest branches, so that an event that goes on with one of them is folded alone.

use crate::projection::Projection;

/// How many branches are kept: parallel subagents take turns in a log, but few at a time.
const MOST_TIPS: usize = 16;

/// The newest branches, the one that was appended to last at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Tips {
    tips: Vec<(u64, Projection)>,
    empty: Projection,
}

impl Tips {
    /// That of no event.
    pub(super) fn empty(&self) -> &Projection {
        &self.empty
    }

    pub(super) fn get(&self, seq: u64) -> Option<&Projection> {
        self.tips.iter().rev().find(|(tip, _)| *tip == seq).map(|(_, projection)| projection)
    }

    pub(super) fn find(&mut self, parent: Option<u64>) -> Option<&mut Projection> {
        let parent = parent?;
        self.tips.iter_mut().rev().find(|(tip, _)| *tip == parent).map(|(_, projection)| projection)
    }

    /// Says that the branch that ended with `parent` ends with `seq` now.
    pub(super) fn advance(&mut self, parent: Option<u64>, seq: u64) {
        if let Some(at) = self.tips.iter().rposition(|(tip, _)| Some(*tip) == parent) {
            let (_, projection) = self.tips.remove(at);
            self.tips.push((seq, projection));
        }
    }

    pub(super) fn add(&mut self, seq: u64, projection: Projection) {
        if self.tips.len() == MOST_TIPS {
            self.tips.remove(0);
        }
        self.tips.push((seq, projection));
    }
}
