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

/// What keeping one more unit adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Added {
    /// The newly shown runs' bytes.
    pub(crate) bytes: u64,
    /// Change in the number of gaps between kept siblings.
    pub(crate) gaps: i64,
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
    ) -> Added {
        let mut added = Added::default();
        // A parent that is whole holds the unit already.
        let mut path = Vec::new();
        let mut at = id;
        loop {
            match self.get(at) {
                Kept::Whole => return added,
                Kept::Frame if at != id => break,
                Kept::Frame | Kept::No => path.push(at),
            }
            if at == UnitId::ROOT {
                break;
            }
            at = outline.unit(at).parent;
        }
        for unit_id in path.into_iter().rev() {
            let whole = whole && unit_id == id || outline.is_leaf(unit_id);
            self.keep_one(outline, unit_id, whole, &mut added, shown);
        }
        added
    }

    fn keep_one(
        &mut self,
        outline: &Outline<'_>,
        id: UnitId,
        whole: bool,
        added: &mut Added,
        shown: &mut dyn FnMut(u32, u32),
    ) {
        let before = self.get(id);
        let unit = outline.unit(id);
        let mut show = |start: u32, end: u32| {
            if end > start {
                added.bytes += u64::from(end - start);
                shown(start, end);
            }
        };
        if before == Kept::No {
            show(unit.lead, unit.body.s);
            let open_before = outline.previous_sibling(id).is_some_and(|other| self.get(other) == Kept::No);
            let open_after = outline.next_sibling(id).is_some_and(|other| self.get(other) == Kept::No);
            added.gaps += i64::from(open_before) + i64::from(open_after) - 1;
        }
        if whole && before == Kept::No {
            show(unit.body.s, unit.body.e);
        } else if whole {
            // The frame is shown already, and perhaps some children: the rest is what is new. Their gaps close.
            let mut at_gap = false;
            for child in outline.children(id) {
                if self.get(child) == Kept::No {
                    show(outline.unit(child).lead, outline.unit(child).body.e);
                    added.gaps -= i64::from(!at_gap);
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
            added.gaps += i64::from(any);
        }
        if let Some(state) = self.state.get_mut(id.index()) {
            *state = if whole { Kept::Whole } else { Kept::Frame };
        }
    }
}
