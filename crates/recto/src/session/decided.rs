//! What was decided of a session's results and stands in no file: by its log, what a text is to be replaced by.

use std::collections::{BTreeMap, BTreeSet};

use recto::archive::{Archive, Digest, LogId, Scope, block_on};
use serde::Deserialize;

use super::log::{self, Generation};
use crate::failure::Outcome;

/// The decisions of a session that its log holds with what stands.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    /// By the ids of calls, oldest first.
    of_calls: BTreeMap<String, OfCall>,
}

#[derive(Debug, Default)]
struct OfCall {
    generations: Vec<Generation>,
    /// What stood at some time: the number among its id, that among its texts, the original, what stood.
    stood: BTreeSet<(u32, u32, Digest, Digest)>,
}

/// An event that says what was put in the place of what. This runs before every request: no more of a log is read than that.
#[derive(Deserialize)]
struct Decision {
    data: Generation,
}

/// Texts that stand in the place of others: their numbers, and what stands there.
pub(crate) type Instead = Vec<(u32, Digest)>;

impl Decided {
    /// Reads a session's log; nothing was decided where there is none.
    pub(crate) fn read(archive: &dyn Archive, scope: &Scope, name: &LogId) -> Outcome<Self> {
        let mut decided = Self::default();
        let mut from = 0;
        loop {
            let events = block_on(archive.read(scope, name, from, log::READ_EVENTS))?;
            let Some((last, _)) = events.last() else { return Ok(decided) };
            from = last + 1;
            for (_, bytes) in events {
                // Events of another kind, and of a later version, are passed over.
                if let Ok(event) = serde_json::from_slice::<Decision>(&bytes) {
                    decided.take(event.data);
                }
            }
        }
    }

    fn take(&mut self, generation: Generation) {
        if generation.is_call || !generation.stands_in_log() {
            return;
        }
        let call = self.of_calls.entry(generation.id.clone()).or_default();
        for part in &generation.texts {
            call.stood
                .extend(part.standing.map(|standing| (generation.nth, part.number, part.original, standing)));
        }
        call.generations.push(generation);
    }

    /// Of how many calls anything was decided.
    pub(crate) fn calls(&self) -> usize {
        self.of_calls.len()
    }

    /// Whether anything was decided of a call of this id.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.of_calls.contains_key(id)
    }

    /// What stands in the place of the texts of a result, by the newest decision that was made of these very texts, or of those for which they
    /// stand. Where several results have one id and `nth` says nothing, only what was decided of all of them.
    pub(crate) fn instead(&self, id: &str, nth: u32, texts: &[Digest]) -> Option<Instead> {
        let call = self.of_calls.get(id)?;
        let newest = |nth: u32| {
            let same = call.generations.iter().rev().filter(|generation| generation.nth == nth);
            same.filter_map(|generation| call.fits(generation, texts)).next()
        };
        if let Some(exact) = newest(nth) {
            return Some(exact);
        }
        let others: BTreeSet<u32> = call.generations.iter().map(|generation| generation.nth).collect();
        let mut found = others.into_iter().filter_map(newest);
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }
}

impl OfCall {
    /// What a generation puts in the place of these texts; `None` if it is about others.
    fn fits(&self, generation: &Generation, texts: &[Digest]) -> Option<Instead> {
        let mut instead = Vec::new();
        for part in &generation.texts {
            let (text, standing) = (texts.get(part.number as usize)?, part.standing?);
            let is_known = *text == part.original
                || self.stood.contains(&(generation.nth, part.number, part.original, *text));
            if !is_known {
                return None;
            }
            if *text != standing {
                instead.push((part.number, standing));
            }
        }
        Some(instead)
    }
}
