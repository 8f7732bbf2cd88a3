//! The longest prefix of a ranking that fits a budget.
//!
//! Each prefix `p` has a cost that does not depend on the budget, and the budget takes the longest prefix whose cost it covers: so a
//! smaller budget never shows what a larger one does not. The cost is exact (a whole draft, measured) at **checkpoints**, which
//! lie where what is shown has grown by a quarter, and between them the last checkpoint's plus an additive bound.
//! What is chosen is measured once more; a bound that was too low (tokens join in unforeseen ways) gives way pick by pick.

use recto_outline::Outline;
use recto_tokens::Counter;

use crate::{draft::Draft, kept::KeptSet, line_ends::LineEnds, note::Voice, rank::Ranking};

/// What a budget counts.
#[derive(Clone, Copy)]
pub(crate) enum Measure<'c> {
    Bytes,
    Tokens(&'c dyn Counter),
}

impl Measure<'_> {
    /// What a note costs, but for the first: in bytes at most, in tokens mostly. Were it what one costs at most in tokens too, much
    /// of a small budget would stay unused; where it is too little, picks give way.
    fn note_cost(self) -> u64 {
        match self {
            Self::Bytes => 30,
            Self::Tokens(_) => 6,
        }
    }

    /// What a note costs at least.
    fn note_floor(self) -> u64 {
        match self {
            Self::Bytes => 8,
            Self::Tokens(_) => 4,
        }
    }

    /// What is shown at the first checkpoint, and the least that is added up to the next one: what the bound misses matters most
    /// where little is shown.
    fn first_checkpoint(self) -> u64 {
        match self {
            Self::Bytes => 32,
            Self::Tokens(_) => 8,
        }
    }

    /// How much dearer a draft's runs, counted one by one, can be than the whole draft, if that costs `limit`: across their bounds
    /// tokens join.
    fn slack(self, limit: u64) -> u64 {
        match self {
            Self::Bytes => 0,
            Self::Tokens(_) => limit / 4 + 64,
        }
    }

    /// What a draft costs, or `None` if that is more than `limit`.
    fn of(self, draft: &Draft, source: &[u8], limit: u64) -> Option<u64> {
        match self {
            Self::Bytes => Some(draft.bytes()).filter(|bytes| *bytes <= limit),
            Self::Tokens(counter) => draft.tokens(source, counter, limit),
        }
    }

    fn of_run(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Bytes => bytes.len() as u64,
            Self::Tokens(counter) => match std::str::from_utf8(bytes) {
                Ok(text) => counter.count(text),
                Err(_) => counter.count(&String::from_utf8_lossy(bytes)),
            },
        }
    }
}

/// What is fitted, and how it is shown.
pub(crate) struct Fitting<'f, 's> {
    pub(crate) outline: &'f Outline<'s>,
    pub(crate) ranking: Ranking<'f, 's>,
    pub(crate) line_ends: LineEnds<'s>,
    /// None in mode `exact`.
    pub(crate) voice: Option<Voice<'f>>,
    /// There may be facts for the notes.
    pub(crate) may_tell: bool,
}

/// The additive costs of the prefixes, as far as they matter for one budget.
struct Costs {
    /// What each prefix from the least one on costs at most beyond the least one; never decreasing.
    bounds: Vec<u64>,
    /// The prefixes to be measured exactly, ascending; the first is the least prefix.
    checkpoints: Vec<usize>,
    least: usize,
    /// What the picks keep, up to where the costs end.
    kept: KeptSet,
}

/// A prefix as the kept set counts it: units are numbered by `u32`, and so are picks.
fn step(prefix: usize) -> u32 {
    u32::try_from(prefix).unwrap_or(u32::MAX - 1)
}

/// Bounds that proved too low in a row before the last checkpoint is taken instead.
const MOST_STEPS_BACK: usize = 32;

impl Fitting<'_, '_> {
    /// The longest prefix whose cost is at most `limit`, and its draft; `None` if not even the least one's is.
    pub(crate) fn longest(&mut self, measure: Measure<'_>, limit: u64) -> Option<(usize, Draft)> {
        if !self.may_fit(measure, limit) {
            return None;
        }
        let costs = self.costs(measure, limit);
        for (number, &checkpoint) in costs.checkpoints.iter().enumerate().rev() {
            let measured = |prefix| self.measured(measure, &costs.kept, prefix, limit);
            let Some((exact, draft)) = measured(checkpoint) else { continue };
            let end = costs.checkpoints.get(number + 1).copied().unwrap_or(costs.least + costs.bounds.len());
            let room = costs.bound(checkpoint).saturating_add(limit - exact);
            let within = costs.bounds.get(checkpoint - costs.least..end - costs.least).unwrap_or_default();
            let longest = checkpoint + within.partition_point(|bound| *bound <= room).saturating_sub(1);
            let found = (checkpoint + 1..=longest)
                .rev()
                .take(MOST_STEPS_BACK)
                .find_map(|prefix| Some((prefix, measured(prefix)?.1)));
            return Some(found.unwrap_or((checkpoint, draft)));
        }
        None
    }

    /// Says whether a prefix may fit: none does where the frame that is never dropped is far too much by itself. Asked before its parts
    /// are counted one by one, if there are more of them than tokens.
    fn may_fit(&self, measure: Measure<'_>, limit: u64) -> bool {
        let least = self.least();
        if matches!(measure, Measure::Bytes) || least as u64 <= limit {
            return true;
        }
        let far = limit.saturating_add(measure.slack(limit));
        measure.of(&self.draft(least), self.outline.source, far).is_some()
    }

    /// The least prefix: nothing, or what mode `exact` never drops.
    pub(crate) fn least(&self) -> usize {
        if self.voice.is_none() { self.ranking.skeleton } else { 0 }
    }

    /// The exact cost of a prefix, and its draft, if the cost is at most `limit`.
    fn measured(
        &self,
        measure: Measure<'_>,
        kept: &KeptSet,
        prefix: usize,
        limit: u64,
    ) -> Option<(u64, Draft)> {
        let draft = self.laid_out(kept, prefix);
        Some((measure.of(&draft, self.outline.source, limit)?, draft))
    }

    /// What the least prefix costs.
    pub(crate) fn least_cost(&self, measure: Measure<'_>) -> u64 {
        measure.of(&self.draft(self.least()), self.outline.source, u64::MAX).unwrap_or(u64::MAX)
    }

    /// The draft of everything, and how many picks that is.
    pub(crate) fn whole(&mut self) -> (usize, Draft) {
        let all = self.ranking.all();
        (all, self.draft(all))
    }

    /// The draft of a prefix that is worked out.
    pub(crate) fn draft(&self, prefix: usize) -> Draft {
        self.laid_out(&self.kept(prefix), prefix)
    }

    /// The longest prefix below `prefix` whose draft holds, and that draft; `None` if not even the least one's does.
    pub(crate) fn step_back(&self, prefix: usize, holds: impl Fn(&Draft) -> bool) -> Option<(usize, Draft)> {
        // What the longest keeps says what all shorter ones do.
        let kept = self.kept(prefix);
        let mut shorter =
            (self.least()..prefix).rev().map(|shorter| (shorter, self.laid_out(&kept, shorter)));
        shorter.find(|(_, draft)| holds(draft))
    }

    fn kept(&self, prefix: usize) -> KeptSet {
        let mut kept = KeptSet::new(self.outline);
        for (index, pick) in self.ranking.picks().iter().take(prefix).enumerate() {
            kept.keep(self.outline, pick.unit, step(index + 1), &mut |_, _| {});
        }
        kept
    }

    fn laid_out(&self, kept: &KeptSet, prefix: usize) -> Draft {
        Draft::new(self.outline, &self.line_ends, kept, step(prefix), self.voice.as_ref())
    }

    fn costs(&mut self, measure: Measure<'_>, limit: u64) -> Costs {
        let outline = self.outline;
        let source = outline.source;
        let least = self.least();
        let mut costs =
            Costs { bounds: Vec::new(), checkpoints: vec![least], least, kept: KeptSet::new(outline) };
        let mut shown = 0;
        let mut bound = 0;
        let mut next_checkpoint = measure.first_checkpoint();
        let stop = limit.saturating_add(measure.slack(limit));
        for prefix in 0.. {
            if prefix > 0 {
                let Some(pick) = self.ranking.pick(prefix - 1) else { break };
                let mut added = 0;
                let gaps = costs.kept.keep(outline, pick.unit, step(prefix), &mut |start, end| {
                    added += measure.of_run(source.get(start as usize..end as usize).unwrap_or_default());
                });
                shown += added;
                bound += added;
                if self.voice.is_some() {
                    // A closed gap saves at least a short note, unless it was so small that it was shown anyway.
                    bound += u64::from(gaps.opened) * measure.note_cost();
                    bound -= (u64::from(gaps.closed) * measure.note_floor()).min(added);
                }
            }
            if prefix < least {
                continue;
            }
            if shown > stop && prefix > least {
                break;
            }
            costs.bounds.push(bound);
            while shown >= next_checkpoint {
                if costs.checkpoints.last() != Some(&prefix) {
                    costs.checkpoints.push(prefix);
                }
                next_checkpoint += (next_checkpoint / 4).max(measure.first_checkpoint());
            }
        }
        costs
    }
}

impl Costs {
    fn bound(&self, prefix: usize) -> u64 {
        self.bounds.get(prefix - self.least).copied().unwrap_or(u64::MAX)
    }
}
