//! Which units are kept, and since which step of the ranking.

mod runs;

use std::cell::OnceCell;

use recto_outline::{NoteSyntax, Outline, Role, UnitId};
pub(crate) use runs::{RUN_UNITS, Run};

/// The kept units of an outline, each with the length of the shortest prefix of the ranking that keeps it: one walk over the ranking
/// serves every prefix. Closed upwards: a kept unit's parents are kept. A unit without children is kept with all its bytes,
/// one with children with its frame and its frame children: a table's header, a section's heading.
#[derive(Clone, Debug)]
pub(crate) struct KeptSet {
    /// One more than the length of the shortest prefix that keeps a unit; 0 for none. The zeros of a large outline cost nothing until
    /// they are read, and most are not.
    since: Vec<u32>,
    /// The least of each run of units.
    run_since: Vec<u32>,
    /// What there is to say of each run, once a view asks for it.
    runs: OnceCell<Vec<Option<Run>>>,
}

/// How keeping one more unit changes the gaps between kept siblings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gaps {
    /// Gaps that are new.
    pub(crate) opened: u32,
    /// Gaps that are gone.
    pub(crate) closed: u32,
}

const NEVER: u32 = u32::MAX;

impl KeptSet {
    /// Keeps the root's frame and nothing else.
    pub(crate) fn new(outline: &Outline<'_>) -> Self {
        let mut since = vec![0; outline.units.len()];
        if let Some(root) = since.first_mut() {
            *root = 1;
        }
        let mut run_since = vec![NEVER; outline.units.len().div_ceil(RUN_UNITS as usize)];
        if let Some(first) = run_since.first_mut() {
            *first = 0;
        }
        Self { since, run_since, runs: OnceCell::new() }
    }

    /// The units from `first` on that are a run, none of which the first `prefix` picks keep.
    pub(crate) fn run_left_out(&self, outline: &Outline<'_>, first: UnitId, prefix: u32) -> Option<&Run> {
        if !first.0.is_multiple_of(RUN_UNITS) {
            return None;
        }
        let number = (first.0 / RUN_UNITS) as usize;
        self.run_since.get(number).filter(|since| **since > prefix)?;
        self.runs.get_or_init(|| runs::runs(outline)).get(number)?.as_ref()
    }

    /// Says whether the ranking's first `prefix` picks keep a unit.
    pub(crate) fn has(&self, id: UnitId, prefix: u32) -> bool {
        self.since.get(id.index()).is_some_and(|since| since.wrapping_sub(1) <= prefix)
    }

    fn is_kept(&self, id: UnitId) -> bool {
        self.has(id, NEVER - 1)
    }

    /// Keeps a unit and its parents as step `prefix` of the ranking. `shown` is called with each newly shown run, outermost
    /// first, so that a caller may count its bytes or tokens.
    pub(crate) fn keep(
        &mut self,
        outline: &Outline<'_>,
        id: UnitId,
        prefix: u32,
        shown: &mut dyn FnMut(u32, u32),
    ) -> Gaps {
        let mut gaps = Gaps::default();
        if self.is_kept(id) {
            return gaps;
        }
        // Mostly the parent is kept already, and there is no path to walk.
        let mut at = outline.unit(id).parent;
        if !self.is_kept(at) {
            let mut path = Vec::new();
            while !self.is_kept(at) {
                path.push(at);
                at = outline.unit(at).parent;
            }
            for unit in path.into_iter().rev() {
                self.keep_one(outline, unit, prefix, &mut gaps, shown);
            }
        }
        self.keep_one(outline, id, prefix, &mut gaps, shown);
        gaps
    }

    fn keep_one(
        &mut self,
        outline: &Outline<'_>,
        id: UnitId,
        prefix: u32,
        gaps: &mut Gaps,
        shown: &mut dyn FnMut(u32, u32),
    ) {
        let unit = outline.unit(id);
        let mut show = |start: u32, end: u32| {
            if end > start {
                shown(start, end);
            }
        };
        let gap_before = outline.previous_sibling(id).is_some_and(|other| !self.is_kept(other));
        let gap_after = outline.next_sibling(id).is_some_and(|other| !self.is_kept(other));
        // The gaps of an object share one note, which is counted where the object opens.
        if outline.unit(unit.parent).notes != NoteSyntax::JsonMember {
            match (gap_before, gap_after) {
                (true, true) => gaps.opened += 1,
                (false, false) => gaps.closed += 1,
                _ => {}
            }
        }
        if let Some(since) = self.since.get_mut(id.index()) {
            *since = prefix + 1;
        }
        if let Some(since) = self.run_since.get_mut((id.0 / RUN_UNITS) as usize) {
            *since = prefix.min(*since);
        }
        if outline.is_leaf(id) {
            show(unit.lead, unit.body.e);
            return;
        }
        let mut at = unit.lead;
        let mut heads = Vec::new();
        for child in outline.children(id) {
            let child_unit = outline.unit(child);
            show(at, child_unit.lead);
            at = child_unit.body.e;
            if child_unit.role == Role::Frame && outline.is_leaf(child) {
                heads.push(child);
            }
        }
        show(at, unit.body.e);
        gaps.opened += 1;
        for head in heads {
            self.keep_one(outline, head, prefix, gaps, shown);
        }
    }
}
