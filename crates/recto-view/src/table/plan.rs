//! What becomes of each place: a column, several, a constant, a list of tuples, a table of its own, or plain JSON.

mod choose;

use super::{
    cell::is_plain,
    census::{Bytes, Census, NONE, Node},
};

/// What stands in the cells of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Column {
    /// It has no cells.
    #[default]
    Absent,
    /// Values as they are.
    Plain,
    /// The same value in each record: said once, in the header.
    Constant,
    /// Texts only, less the bytes that all begin and end with: those stand in the header.
    Template {
        /// Length of what all begin with.
        prefix: u32,
        /// Length of what all end with.
        suffix: u32,
    },
}

/// What becomes of a place. One place can have cells, a group and a list, one beside the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) column: Column,
    /// Its objects are flattened: their members are columns.
    pub(super) is_group: bool,
    /// Its arrays of objects are lists of tuples in one cell.
    pub(super) is_list: bool,
    /// Its arrays of objects are tables, a record a line.
    pub(super) is_table: bool,
    /// Where its cell stands in the record, its list, and what comes last of its group: members of a record that keep to the
    /// header's order have ascending ranks.
    pub(super) cell_rank: u32,
    pub(super) list_rank: u32,
    pub(super) group_rank: u32,
    /// The number of the cell.
    pub(super) cell_position: u32,
    pub(super) list_position: u32,
    /// Of the place of elements: how many constants a record has.
    pub(super) constants: u32,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            column: Column::Absent,
            is_group: false,
            is_list: false,
            is_table: false,
            cell_rank: 0,
            list_rank: 0,
            group_rank: 0,
            cell_position: 0,
            list_position: 0,
            constants: 0,
        }
    }
}

/// A part of a header, in the order in which it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The keys of the records at a place, which is an object with data for keys.
    Key(u32),
    /// The cells of a place.
    Cell(u32),
    /// The members of a place's objects begin, or end.
    Group(u32),
    GroupEnd(u32),
    /// The members of a place's tuples begin, or end.
    List(u32),
    ListEnd(u32),
}

/// The choices for all places of a document.
#[derive(Debug)]
pub(super) struct Plan {
    choices: Vec<Choice>,
    pub(super) has_table: bool,
    /// Whether arrays of long rows were taken apart.
    pub(super) takes_apart: bool,
}

impl Plan {
    /// Plans a document. With `may_take_apart` the rows of an array that are long, and hold long lists themselves, are no rows:
    /// their lists are tables instead.
    pub(super) fn of(source: &[u8], census: &Census, may_take_apart: bool) -> Self {
        let chosen = choose::choose(source, census, may_take_apart);
        let mut plan =
            Self { choices: chosen.choices, has_table: chosen.has_table, takes_apart: chosen.takes_apart };
        plan.number(census);
        plan
    }

    pub(super) fn choice(&self, node: u32) -> Choice {
        self.choices.get(node as usize).copied().unwrap_or_default()
    }

    /// The parts of the header of the records at `element`.
    pub(super) fn parts(&self, census: &Census, element: u32) -> Vec<Part> {
        let mut parts = Vec::new();
        let table = census.node(element).map_or(NONE, |node| node.parent);
        if census.node(table).is_some_and(|node| node.is_map) {
            parts.push(Part::Key(table));
        }
        // What is still to be written, last first: members from a place on, and ends.
        let mut rest = vec![Rest::Members(census.node(element).map_or(NONE, |node| node.first))];
        while let Some(next) = rest.pop() {
            let at = match next {
                Rest::End(part) => {
                    parts.push(part);
                    continue;
                }
                Rest::Lists(at) => {
                    let inner = census.node(at).and_then(|node| census.node(node.element));
                    parts.push(Part::List(at));
                    if census.node(at).is_some_and(|node| node.is_map) {
                        parts.push(Part::Key(at));
                    }
                    rest.push(Rest::End(Part::ListEnd(at)));
                    rest.push(Rest::Members(inner.map_or(NONE, |inner| inner.first)));
                    continue;
                }
                Rest::Members(at) => at,
            };
            let Some(node) = census.node(at) else { continue };
            rest.push(Rest::Members(node.next));
            let choice = self.choice(at);
            if choice.column != Column::Absent {
                parts.push(Part::Cell(at));
            }
            if choice.is_list {
                rest.push(Rest::Lists(at));
            }
            if choice.is_group {
                parts.push(Part::Group(at));
                rest.push(Rest::End(Part::GroupEnd(at)));
                rest.push(Rest::Members(node.first));
            }
        }
        parts
    }

    /// Numbers the cells and ranks of every table.
    fn number(&mut self, census: &Census) {
        for node in 0..census.nodes.len() {
            if !self.choices.get(node).is_some_and(|choice| choice.is_table) {
                continue;
            }
            let Some(element) = census.nodes.get(node).map(|node| node.element) else { continue };
            // The records that are open: their place, the next rank and the next cell.
            let mut open = vec![(element, 1_u32, 0_u32)];
            for part in self.parts(census, element) {
                let Some((record, rank, position)) = open.last_mut() else { break };
                let record = *record;
                match part {
                    Part::Cell(at) => {
                        let is_constant = self.choice(at).column == Column::Constant;
                        if let Some(choice) = self.choices.get_mut(at as usize) {
                            (choice.cell_rank, choice.cell_position) = (*rank, *position);
                        }
                        *position += u32::from(!is_constant);
                        if is_constant && let Some(choice) = self.choices.get_mut(record as usize) {
                            choice.constants += 1;
                        }
                    }
                    Part::Key(_) => *position += 1,
                    Part::Group(_) => {}
                    Part::GroupEnd(at) => {
                        if let Some(choice) = self.choices.get_mut(at as usize) {
                            choice.group_rank = *rank;
                        }
                    }
                    Part::List(at) => {
                        if let Some(choice) = self.choices.get_mut(at as usize) {
                            (choice.list_rank, choice.list_position) = (*rank, *position);
                        }
                        *position += 1;
                        *rank += 1;
                        open.push((census.node(at).map_or(NONE, |node| node.element), 1, 0));
                        continue;
                    }
                    Part::ListEnd(_) => {
                        open.pop();
                        continue;
                    }
                }
                *rank += 1;
            }
        }
    }
}

enum Rest {
    Members(u32),
    Lists(u32),
    End(Part),
}

/// Says whether a template can be written without quotes.
pub(super) fn is_plain_template(prefix: &[u8], suffix: &[u8]) -> bool {
    let mut all = prefix.iter().chain(suffix);
    all.all(|byte| is_plain(*byte)) && prefix.first() != Some(&b' ') && suffix.last() != Some(&b' ')
}

/// The bytes of a place's template before and behind what stands in the cell.
pub(super) fn affixes(node: &Node, prefix: u32, suffix: u32) -> (Bytes, Bytes) {
    let (start, end) = (node.sample.start + 1, node.sample.end.saturating_sub(1));
    (Bytes { start, end: start + prefix }, Bytes { start: end.saturating_sub(suffix), end })
}
