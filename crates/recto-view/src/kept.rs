//! Which units are kept.

use recto_outline::{Outline, UnitId};

/// How much of a unit is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Nothing.
    #[default]
    No,
    /// Its own frame; each child is asked for itself.
    Frame,
    /// All of it.
    Whole,
}

/// The kept units of an outline: closed upwards, so that a kept unit's parents are kept too.
#[derive(Clone, Debug)]
pub(crate) struct KeptSet {
    state: Vec<Kept>,
}

/// How keeping one more unit changes the gaps between kept siblings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gaps {
    /// Gaps that are new.
    pub(crate) opened: u32,
    /// Gaps that are gone.
    pub(crate) closed: u32,
}

impl KeptSet {
    /// Keeps the root's frame and nothing else.
    pub(crate) fn new(outline: &Outline<'_>) -> Self {
        let mut state = vec![Kept::No; outline.units.len()];
        if let Some(root) = state.first_mut() {
            *root = Kept::Frame;
        }
        Self { state }
    }

    pub(crate) fn get(&self, id: UnitId) -> Kept {
        self.state.get(id.index()).copied().unwrap_or_default()
    }

    /// Keeps a unit (with all it holds if `whole`) and the frames of its parents. `shown` is called with each newly shown run,
    /// outermost first, so that a caller may count its tokens.
    pub(crate) fn keep(
        &mut self,
        outline: &Outline<'_>,
        id: UnitId,
        whole: bool,
        shown: &mut dyn FnMut(u32, u32),
    ) -> Gaps {
        let mut gaps = Gaps::default();
        match self.get(id) {
            Kept::Whole => return gaps,
            Kept::Frame if !whole => return gaps,
            Kept::Frame | Kept::No => {}
        }
        // Mostly the parent is kept already, and there is no path to walk.
        let parent = outline.unit(id).parent;
        if id != UnitId::ROOT && self.get(parent) != Kept::Frame {
            let mut path = Vec::new();
            let mut at = parent;
            loop {
                match self.get(at) {
                    // A parent that is whole holds the unit already.
                    Kept::Whole => return gaps,
                    Kept::Frame => break,
                    Kept::No => path.push(at),
                }
                at = outline.unit(at).parent;
            }
            for unit in path.into_iter().rev() {
                self.keep_one(outline, unit, false, &mut gaps, shown);
            }
        }
        self.keep_one(outline, id, whole || outline.is_leaf(id), &mut gaps, shown);
        gaps
    }

    fn keep_one(
        &mut self,
        outline: &Outline<'_>,
        id: UnitId,
        whole: bool,
        gaps: &mut Gaps,
        shown: &mut dyn FnMut(u32, u32),
    ) {
        let before = self.get(id);
        let unit = outline.unit(id);
        let mut show = |start: u32, end: u32| {
            if end > start {
                shown(start, end);
            }
        };
        if before == Kept::No {
            show(unit.lead, unit.body.s);
            let open_before = outline.previous_sibling(id).is_some_and(|other| self.get(other) == Kept::No);
            let open_after = outline.next_sibling(id).is_some_and(|other| self.get(other) == Kept::No);
            match (open_before, open_after) {
                (true, true) => gaps.opened += 1,
                (false, false) => gaps.closed += 1,
                _ => {}
            }
        }
        if whole && before == Kept::No {
            show(unit.body.s, unit.body.e);
        } else if whole {
            // The frame is shown already, and perhaps some children: the rest is what is new. Their gaps close.
            let mut at_gap = false;
            for child in outline.children(id) {
                if self.get(child) == Kept::No {
                    show(outline.unit(child).lead, outline.unit(child).body.e);
                    gaps.closed += u32::from(!at_gap);
                    at_gap = true;
                } else {
                    at_gap = false;
                }
            }
        } else if before == Kept::No {
            let mut at = unit.body.s;
            let mut any = false;
            for child in outline.children(id) {
                let child_unit = outline.unit(child);
                show(at, child_unit.lead);
                at = child_unit.body.e;
                any = true;
            }
            show(at, unit.body.e);
            gaps.opened += u32::from(any);
        }
        if let Some(state) = self.state.get_mut(id.index()) {
            *state = if whole { Kept::Whole } else { Kept::Frame };
        }
    }
}
