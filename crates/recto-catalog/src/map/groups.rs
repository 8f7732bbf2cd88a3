//! Parameters that occur together, chosen to be written once.
//!
//! Greedy: of all groups that can be grown from one parameter by adding the one that saves most, the best is taken, its members
//! leave the lines that have them all, and the next is chosen. What a group saves only falls as others are taken, so a group is grown
//! again only when it comes first.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// From how many parameters groups are grown: the heaviest.
const MAX_SEEDS: usize = 64;

/// How many parameters a group may have.
const MAX_MEMBERS: usize = 40;

/// What it costs to name a group in a line and to write it down, in sixteenths of a token, and the least that it has to save.
const NAMED: u64 = 32;
const WRITTEN: u64 = 64;
const LEAST: u64 = 96;

/// Chooses groups of members of the sets. `costs` are the members', in sixteenths of a token.
pub(super) fn choose(sets: &[BTreeSet<u32>], costs: &[u64], max_groups: usize) -> Vec<Vec<u32>> {
    let mut weights: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for set in sets.iter().filter(|set| set.len() > 1) {
        *weights.entry(set.iter().copied().collect()).or_default() += 1;
    }
    let mut chooser = Chooser {
        sets: weights.into_iter().map(|(members, times)| Set { members, times }).collect(),
        holders: vec![Vec::new(); costs.len()],
        costs,
    };
    for (place, set) in chooser.sets.iter().enumerate() {
        for member in &set.members {
            if let Some(holders) = chooser.holders.get_mut(*member as usize) {
                holders.push(place);
            }
        }
    }
    let mut seeds: Vec<(u64, u32)> = (0..)
        .zip(costs)
        .map(|(seed, cost)| (chooser.times(seed).saturating_mul(*cost), seed))
        .filter(|(_, seed)| chooser.times(*seed) > 1)
        .collect();
    seeds.sort_by_key(|(weight, seed)| (std::cmp::Reverse(*weight), *seed));
    seeds.truncate(MAX_SEEDS);
    let mut heap: BinaryHeap<_> = seeds
        .iter()
        .filter_map(|(_, seed)| {
            let (gain, group) = chooser.grow(*seed)?;
            Some((gain, std::cmp::Reverse(*seed), group, 0))
        })
        .collect();
    let mut chosen = Vec::new();
    while let Some((_, seed, group, grown_at)) = heap.pop() {
        if chosen.len() == max_groups {
            break;
        }
        if grown_at < chosen.len() {
            heap.extend(chooser.grow(seed.0).map(|(gain, group)| (gain, seed, group, chosen.len())));
            continue;
        }
        chooser.take(&group);
        chosen.push(group);
        // Its seed may belong to another group where this one is not.
        heap.extend(chooser.grow(seed.0).map(|(gain, group)| (gain, seed, group, chosen.len())));
    }
    chosen
}

struct Set {
    /// In order.
    members: Vec<u32>,
    times: u64,
}

struct Chooser<'a> {
    sets: Vec<Set>,
    /// The sets that a member was in at the beginning.
    holders: Vec<Vec<usize>>,
    costs: &'a [u64],
}

impl Chooser<'_> {
    fn holders(&self, member: u32) -> impl Iterator<Item = (usize, &Set)> {
        let places = self.holders.get(member as usize).map_or(&[][..], Vec::as_slice);
        let sets = places.iter().filter_map(|place| Some((*place, self.sets.get(*place)?)));
        sets.filter(move |(_, set)| set.members.binary_search(&member).is_ok())
    }

    fn times(&self, member: u32) -> u64 {
        self.holders(member).map(|(_, set)| set.times).sum()
    }

    fn cost(&self, member: u32) -> u64 {
        self.costs.get(member as usize).copied().unwrap_or(0)
    }

    /// Returns the best group with this member, and what it saves.
    fn grow(&self, seed: u32) -> Option<(u64, Vec<u32>)> {
        let mut inside: Vec<&Set> = self.holders(seed).map(|(_, set)| set).collect();
        let mut group = vec![seed];
        let mut cost = self.cost(seed);
        let mut best: Option<(u64, Vec<u32>)> = None;
        let mut counts = vec![0_u64; self.costs.len()];
        while group.len() < MAX_MEMBERS && inside.len() + group.len() > 2 {
            let mut counted: Vec<u32> = Vec::new();
            for set in &inside {
                for member in &set.members {
                    if let Some(count) = counts.get_mut(*member as usize) {
                        if *count == 0 {
                            counted.push(*member);
                        }
                        *count += set.times;
                    }
                }
            }
            let count = |member: u32| counts.get(member as usize).copied().unwrap_or(0);
            let gain = |member: u32, times: u64| saving(times, cost.saturating_add(self.cost(member)));
            let next = counted
                .iter()
                .filter(|member| !group.contains(member))
                .map(|member| (*member, count(*member)))
                .filter(|(_, times)| *times > 1)
                .max_by_key(|(member, times)| (gain(*member, *times), *times, std::cmp::Reverse(*member)));
            for member in counted {
                if let Some(count) = counts.get_mut(member as usize) {
                    *count = 0;
                }
            }
            let Some((member, times)) = next else { break };
            cost = cost.saturating_add(self.cost(member));
            group.push(member);
            inside.retain(|set| set.members.binary_search(&member).is_ok());
            let saved = u64::try_from(saving(times, cost)).unwrap_or(0);
            if saved >= LEAST && best.as_ref().is_none_or(|(known, _)| saved > *known) {
                best = Some((saved, group.clone()));
            }
        }
        best
    }

    /// Takes a group out of the sets that hold all of it.
    fn take(&mut self, group: &[u32]) {
        for set in &mut self.sets {
            if group.iter().all(|member| set.members.binary_search(member).is_ok()) {
                set.members.retain(|member| !group.contains(member));
            }
        }
    }
}

/// What a group saves that is named so many times and whose members cost so much.
fn saving(times: u64, cost: u64) -> i64 {
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX / 4);
    signed(times).saturating_mul(signed(cost) - signed(NAMED)) - signed(cost) - signed(WRITTEN)
}
