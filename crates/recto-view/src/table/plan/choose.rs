//! What is smallest for each place.

use super::{Choice, Column};
use crate::table::census::{Census, NONE, Node};

/// More columns than this are no table that anybody reads.
const MOST_COLUMNS: u64 = 128;

/// A list in a list in a list: deeper ones stay plain JSON.
const MOST_LISTS: u32 = 6;

/// Rows longer than this on average are taken apart, if they hold long lists themselves.
const LONG_ROW_BYTES: u64 = 4_096;

/// At least one cell in so many is filled: in emptier rows nobody finds the column of a value.
const LEAST_FILLED: u64 = 4;

/// What a template saves at least in each cell.
const LEAST_AFFIX_BYTES: u64 = 4;

/// What a place costs and holds if it is laid out, over all records.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    bytes: u64,
    /// Its part of the header, which is said for each table anew.
    header: u64,
    /// Columns, and how many cells of theirs are filled.
    columns: u64,
    filled: u64,
    /// The elements of the longest list in it.
    inner: u64,
}

/// What was chosen.
pub(super) struct Chosen {
    pub(super) choices: Vec<Choice>,
    pub(super) has_table: bool,
    /// Whether arrays of long rows were taken apart.
    pub(super) takes_apart: bool,
}

/// Chooses for every place of a document.
pub(super) fn choose(source: &[u8], census: &Census, may_take_apart: bool) -> Chosen {
    let nodes = census.nodes.len();
    let mut planning = Planning {
        source,
        census,
        choices: vec![Choice::default(); nodes],
        costs: vec![Cost::default(); nodes],
        levels: Vec::with_capacity(nodes),
        may_take_apart,
        takes_apart: false,
    };
    planning.find_levels();
    // Members and elements come behind what they stand in, and are chosen for first.
    for node in (0..nodes).rev() {
        planning.choose(node);
    }
    let has_table = planning.find_tables();
    Chosen { choices: planning.choices, has_table, takes_apart: planning.takes_apart }
}

struct Planning<'p> {
    source: &'p [u8],
    census: &'p Census,
    choices: Vec<Choice>,
    costs: Vec<Cost>,
    /// The place of the elements that each place stands in, and how many lists that is deep.
    levels: Vec<(u32, u32)>,
    may_take_apart: bool,
    takes_apart: bool,
}

impl Planning<'_> {
    fn find_levels(&mut self) {
        for (index, node) in self.census.nodes.iter().enumerate() {
            let here = u32::try_from(index).unwrap_or(NONE);
            let (outer, depth) = self.levels.get(node.parent as usize).copied().unwrap_or((NONE, 0));
            let is_element = self.census.node(node.parent).is_some_and(|parent| parent.element == here);
            self.levels.push(if is_element { (here, depth + 1) } else { (outer, depth) });
        }
    }

    fn cost(&self, node: u32) -> Cost {
        self.costs.get(node as usize).copied().unwrap_or_default()
    }

    /// The costs of a place's members, added up.
    fn members(&self, node: u32) -> Cost {
        self.census.members(node).map(|member| self.cost(member)).fold(Cost::default(), Cost::with)
    }

    /// Chooses for one place, whose members and elements are chosen for.
    fn choose(&mut self, index: usize) {
        let census = self.census;
        let Some(node) = census.nodes.get(index) else { return };
        let (level, depth) = self.levels.get(index).copied().unwrap_or((NONE, 0));
        let records = census.node(level).map_or(1, |element| element.objects.count);
        let name = node.key.len() + 1;
        let mut choice = Choice::default();
        let mut cost = Cost::default();
        // What stays plain JSON stands in the place's cells.
        let mut plain = node.cells;
        if node.objects.count > 0 {
            let group = self.members(here(index));
            let closed = node.objects.bytes + if node.cells.count == 0 { records + name } else { 0 };
            let is_dense = group.filled * 2 >= group.columns * node.objects.count;
            cost.inner = group.inner;
            if is_dense && !node.is_cut && group.bytes + name < closed {
                choice.is_group = true;
                cost = cost.with(Cost { bytes: group.bytes + name, header: group.header + name, ..group });
            } else {
                plain.count += node.objects.count;
                plain.bytes += node.objects.bytes;
            }
        }
        if let Some(element) = census.node(node.element) {
            let tuples = self.members(node.element);
            let records_bytes = tuples.bytes + 3 * element.objects.count + element.key_bytes;
            let bytes = records_bytes + element.cells.bytes + element.lists.bytes;
            let closed = node.lists.bytes + if node.cells.count == 0 { records + name } else { 0 };
            let is_dense = tuples.filled * 3 >= tuples.columns * element.objects.count;
            if is_dense
                && !element.is_cut
                && depth < MOST_LISTS
                && tuples.columns <= MOST_COLUMNS
                && bytes + name + records < closed
            {
                choice.is_list = true;
                let filled = node.lists.count;
                let header = tuples.header + name;
                cost =
                    cost.with(Cost { bytes: bytes + name + records, header, columns: 1, filled, inner: 0 });
            } else {
                plain.count += node.lists.count;
                plain.bytes += node.lists.bytes;
            }
            cost.inner = cost.inner.max(element.objects.count).max(tuples.inner);
        }
        if plain.count > 0 {
            let is_scalar = plain.count == node.cells.count;
            choice.column = if is_scalar { self.column(node, records) } else { Column::Plain };
            let cells = match choice.column {
                Column::Constant => {
                    let header = name + node.sample.len();
                    Cost { bytes: header, header, ..Cost::default() }
                }
                Column::Template { prefix, suffix } => {
                    let affix = u64::from(prefix) + u64::from(suffix);
                    let saved = (affix + 2) * plain.count;
                    Cost {
                        bytes: name + affix + records + plain.bytes - saved.min(plain.bytes),
                        header: name + affix,
                        columns: 1,
                        filled: plain.count,
                        inner: 0,
                    }
                }
                Column::Absent | Column::Plain => {
                    let bytes = name + records + plain.bytes - node.texts.count * 2;
                    Cost { bytes, header: name, columns: 1, filled: plain.count, inner: 0 }
                }
            };
            cost = cost.with(cells);
        }
        if let (Some(slot), Some(known)) = (self.choices.get_mut(index), self.costs.get_mut(index)) {
            (*slot, *known) = (choice, cost);
        }
    }

    /// How the scalars of a place are written.
    fn column(&self, node: &Node, records: u64) -> Column {
        if node.is_constant && node.cells.count == records && records > 1 {
            return Column::Constant;
        }
        if node.texts.count != node.cells.count || node.texts.count < 2 {
            return Column::Plain;
        }
        let sample = node.sample.of(self.source);
        let sample = sample.get(1..sample.len().saturating_sub(1)).unwrap_or_default();
        let prefix = prefix_bytes(sample, node.texts.prefix as usize);
        let most = node.texts.suffix.min(node.texts.shortest.saturating_sub(prefix));
        let suffix = suffix_bytes(sample, most as usize);
        let affix = u64::from(prefix) + u64::from(suffix);
        // What the header says once, each cell need not say.
        let is_worth = affix >= LEAST_AFFIX_BYTES && affix * (node.cells.count - 1) > affix + 4;
        if is_worth {
            Column::Template { prefix, suffix }
        } else if node.texts.literals > 1 {
            Column::Template { prefix: 0, suffix: 0 }
        } else {
            Column::Plain
        }
    }

    /// Finds the arrays that are tables, outermost first; what stands in one is part of its records.
    fn find_tables(&mut self) -> bool {
        let mut is_outside = vec![false; self.census.nodes.len()];
        if let Some(root) = is_outside.first_mut() {
            *root = true;
        }
        let mut has_table = false;
        let census = self.census;
        for (index, node) in census.nodes.iter().enumerate() {
            if !is_outside.get(index).copied().unwrap_or_default() {
                continue;
            }
            for member in self.census.members(here(index)) {
                if let Some(member) = is_outside.get_mut(member as usize) {
                    *member = true;
                }
            }
            if self.is_table(node) {
                has_table = true;
                if let Some(choice) = self.choices.get_mut(index) {
                    choice.is_table = true;
                }
            } else if let Some(element) = is_outside.get_mut(node.element as usize) {
                *element = true;
            }
        }
        has_table
    }

    fn is_table(&mut self, node: &Node) -> bool {
        let Some(element) = self.census.node(node.element) else { return false };
        let records = element.objects.count;
        let cost = self.members(node.element);
        let bytes = cost.bytes + records + node.lists.count * 4 + element.key_bytes;
        let headers = cost.header * (node.lists.count.saturating_sub(1));
        let bytes = bytes + headers + element.cells.bytes + element.lists.bytes;
        let is_long = node.lists.bytes > LONG_ROW_BYTES * records && cost.inner >= 8 * records;
        let is_right = records >= 2 * node.lists.count
            && !element.is_cut
            && cost.columns <= MOST_COLUMNS
            && cost.filled * LEAST_FILLED >= cost.columns * records
            && bytes < node.lists.bytes;
        let takes_apart = is_right && is_long && self.may_take_apart;
        self.takes_apart |= takes_apart;
        is_right && !takes_apart
    }
}

impl Cost {
    fn with(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            header: self.header + other.header,
            columns: self.columns + other.columns,
            filled: self.filled + other.filled,
            inner: self.inner.max(other.inner),
        }
    }
}

fn here(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

/// How much of what all texts begin with stands in the header: up to a sign that parts words, and no sign of the header's own.
fn prefix_bytes(sample: &[u8], common: usize) -> u32 {
    let common = sample.get(..common).unwrap_or_default();
    let plain = common.iter().take_while(|byte| is_plain_affix(**byte)).count();
    let end = common.get(..plain).unwrap_or_default().iter().rposition(|byte| is_joint(*byte));
    u32::try_from(end.map_or(0, |end| end + 1)).unwrap_or(0)
}

fn suffix_bytes(sample: &[u8], common: usize) -> u32 {
    let common = sample.get(sample.len().saturating_sub(common)..).unwrap_or_default();
    let plain = common.iter().rev().take_while(|byte| is_plain_affix(**byte)).count();
    let tail = common.get(common.len() - plain..).unwrap_or_default();
    let start = tail.iter().position(|byte| is_joint(*byte));
    u32::try_from(start.map_or(0, |start| tail.len() - start)).unwrap_or(0)
}

/// Says whether a byte can stand in a template; it is quoted if need be.
fn is_plain_affix(byte: u8) -> bool {
    byte >= 0x20 && !matches!(byte, b'*' | b'"' | b'\\')
}

fn is_joint(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}
