//! Several lists of what is worth showing, merged so that each has its share of any budget.

use std::cmp::Reverse;

use recto_outline::{Outline, UnitId};

use super::{Order, Reason, records::bundle};

/// One list.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) reason: Reason,
    /// How much of a budget it may have, beside the others.
    pub(super) weight: u64,
    /// Best first.
    pub(super) units: Vec<UnitId>,
}

/// Bytes that the first of its shape waits for: where next to nothing is shown, what stands out says more than what is usual.
const SHAPES_AFTER: u64 = 150;

/// A list of more units is cut: its others come with the rest.
const MOST_UNITS: usize = 16_384;

/// A list on its way: what comes next, what that costs, and what the list has cost so far.
struct Flow<'l> {
    share: &'l Share,
    next: usize,
    units: Vec<UnitId>,
    cost: u64,
    spent: u64,
}

impl Flow<'_> {
    /// Moves on to the next unit of the list that is not picked, with all that goes with it.
    fn advance(&mut self, outline: &Outline<'_>, order: &Order<'_, '_>) {
        self.units.clear();
        while let Some(&id) = self.share.units.get(self.next).filter(|_| self.next < MOST_UNITS) {
            self.next += 1;
            if !order.has(id) {
                bundle(outline, id, &mut self.units);
                self.units.retain(|unit| !order.has(*unit));
                self.cost = self.units.iter().map(|unit| order.cost(*unit)).sum();
                if !self.units.is_empty() {
                    return;
                }
            }
        }
    }

    /// What the list will have cost for its weight, once it had its next turn.
    fn finish(&self) -> u64 {
        (self.spent + self.cost) * 1_000 / self.share.weight.max(1)
    }
}

/// Takes from the lists in turn, always from the one that will have cost least for its weight then (weighted fair queueing: Demers,
/// Keshav and Shenker, 1989). No budget is needed: any prefix is shared fairly.
pub(super) fn merge<'l>(outline: &Outline<'_>, shares: &'l [Share], order: &mut Order<'_, '_>) {
    let flow = |share: &'l Share| {
        let late = if share.reason == Reason::Shape { SHAPES_AFTER } else { 0 };
        Flow { share, next: 0, units: Vec::new(), cost: 0, spent: late }
    };
    let mut flows: Vec<Flow<'_>> = shares.iter().map(flow).collect();
    for flow in &mut flows {
        flow.advance(outline, order);
    }
    loop {
        let open = flows.iter_mut().filter(|flow| !flow.units.is_empty());
        let Some(due) = open.min_by_key(|flow| (flow.finish(), Reverse(flow.share.weight))) else { return };
        due.spent += due.cost;
        for unit in &due.units {
            order.add(*unit, due.share.reason);
        }
        due.advance(outline, order);
    }
}
