//! Records counted by the values of columns.

use std::{borrow::Cow, collections::HashMap};

use recto_outline::Span;

use crate::aggregate::{Function, Shown, State};

/// The groups so far, in order of first appearance.
#[derive(Debug)]
pub(crate) struct Groups<'s> {
    functions: Vec<Function>,
    limit: usize,
    /// Where the group of a key is; looked up, never iterated over.
    places: HashMap<Vec<u8>, usize>,
    groups: Vec<Group<'s>>,
    key: Vec<u8>,
}

/// Records of the same values.
#[derive(Debug)]
pub(crate) struct Group<'s> {
    /// The cells of its first record.
    pub(crate) cells: Vec<Option<Span>>,
    pub(crate) count: u64,
    pub(crate) states: Vec<State<'s>>,
}

/// There are more groups than the limit.
#[derive(Debug)]
pub(crate) struct TooMany;

/// A cell and its value.
pub(crate) type Valued<'s> = (Option<Span>, Option<Cow<'s, [u8]>>);

impl<'s> Groups<'s> {
    pub(crate) fn new(functions: Vec<Function>, limit: usize) -> Self {
        Self { functions, limit, places: HashMap::new(), groups: Vec::new(), key: Vec::new() }
    }

    /// Counts a record: its values to group by, and for each function its value (none counts the record).
    pub(crate) fn add(
        &mut self,
        keys: &[Valued<'s>],
        values: impl Iterator<Item = Option<Valued<'s>>>,
    ) -> Result<(), TooMany> {
        self.key.clear();
        for (_, value) in keys {
            match value {
                None => self.key.push(0),
                Some(text) => {
                    self.key.push(1);
                    self.key.extend_from_slice(&(text.len() as u64).to_le_bytes());
                    self.key.extend_from_slice(text);
                }
            }
        }
        let place = match self.places.get(&self.key) {
            Some(place) => *place,
            None => {
                if self.groups.len() >= self.limit {
                    return Err(TooMany);
                }
                let place = self.groups.len();
                self.places.insert(self.key.clone(), place);
                let states = self.functions.iter().map(|function| State::new(*function)).collect();
                // A group of nulls shows nothing, whether the first is null or missing.
                let cells = keys.iter().map(|(span, value)| span.filter(|_| value.is_some())).collect();
                self.groups.push(Group { cells, count: 0, states });
                place
            }
        };
        let Some(group) = self.groups.get_mut(place) else { return Ok(()) };
        group.count += 1;
        for (state, value) in group.states.iter_mut().zip(values) {
            match value {
                None => state.count(),
                Some((Some(span), Some(text))) => state.add(text, span),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// The groups in order of first appearance.
    pub(crate) fn finish(self) -> Vec<Group<'s>> {
        self.groups
    }
}

impl Group<'_> {
    /// The row of the group: its own cells, then what was worked out.
    pub(crate) fn row(&self) -> Vec<Shown> {
        let cells = self.cells.iter().map(|cell| cell.map_or(Shown::Missing, Shown::Source));
        cells.chain(self.states.iter().map(State::shown)).collect()
    }
}
