use std::collections::HashMap;

use serde::Serialize;

use super::Amount;
use crate::{
    history::{History, ResultEntry},
    key::Key,
    target::{Act, Lines},
};

/// Results that the model had been given before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Repeats {
    /// Reads of files, the first of each file too.
    pub reads: Amount,
    /// Reads that show lines of a file that an earlier read showed.
    pub read_again: Amount,
    /// Results of a call that was made before, the same tool with the same arguments.
    pub same_call: Amount,
    /// Results that are the same text as an earlier one.
    pub same_text: Amount,
}

impl Repeats {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.reads.add(other.reads);
        self.read_again.add(other.read_again);
        self.same_call.add(other.same_call);
        self.same_text.add(other.same_text);
    }
}

/// Lines of a file that were shown: not in order, and as many as reads.
type Shown = Vec<Lines>;

/// Earlier reads of one file that are looked at.
const MOST_READS: usize = 64;

pub(super) fn of(history: &History) -> Repeats {
    let mut repeats = Repeats::default();
    let mut calls: HashMap<Key, ()> = HashMap::new();
    let mut texts: HashMap<Key, ()> = HashMap::new();
    let mut reads: HashMap<Key, Shown> = HashMap::new();
    for entry in &history.results {
        let is_on_path = history.node_of(entry.item).is_some_and(|node| node.is_on_path);
        if !is_on_path || entry.chars == 0 {
            continue;
        }
        let amount = amount(entry);
        if texts.insert(entry.same, ()).is_some() {
            repeats.same_text.add(amount);
        }
        let Some(call) = entry.call.and_then(|call| history.calls.get(call as usize)) else { continue };
        if calls.insert(call.same, ()).is_some() {
            repeats.same_call.add(amount);
        }
        let Some(target) = call.target.filter(|target| target.act == Act::Read && !entry.is_error) else {
            continue;
        };
        repeats.reads.add(amount);
        let shown = target.lines.cut_to(u64::from(entry.lines));
        let before = reads.entry(target.path).or_default();
        if before.iter().any(|lines| lines.common(shown).is_some()) {
            repeats.read_again.add(amount);
        }
        if before.len() < MOST_READS {
            before.push(shown);
        }
    }
    repeats
}

fn amount(entry: &ResultEntry) -> Amount {
    Amount { texts: 1, chars: u64::from(entry.chars), tokens: u64::from(entry.tokens) }
}
