//! Ids of calls that come again: which of them a call or a result is of.

use std::collections::HashMap;

use recto_session::{Key, history::History};

/// How many others of the same id come before each call and each result of a session. One pass.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    calls: Vec<u32>,
    results: Vec<u32>,
}

impl Numbers {
    /// Counts those of a session.
    #[must_use]
    pub fn of(history: &History) -> Self {
        Self {
            calls: counted(history.calls.iter().map(|call| call.id)),
            results: counted(history.results.iter().map(|result| result.call_id)),
        }
    }

    /// How many calls of the same id come before this one (an index of [`History::calls`]).
    #[must_use]
    pub fn of_call(&self, call: u32) -> u32 {
        self.calls.get(call as usize).copied().unwrap_or_default()
    }

    /// How many results of the same call's id come before this one (an index of [`History::results`]).
    #[must_use]
    pub fn of_result(&self, result: u32) -> u32 {
        self.results.get(result as usize).copied().unwrap_or_default()
    }
}

fn counted(ids: impl Iterator<Item = Option<Key>>) -> Vec<u32> {
    let mut seen: HashMap<Option<Key>, u32> = HashMap::new();
    let next = |id| {
        let before = seen.entry(id).or_default();
        *before += 1;
        *before - 1
    };
    ids.map(next).collect()
}
