//! What becomes of each place: a column, several, a constant, a list of tuples, a table of its own, or plain JSON.

use super::{
    cell::is_plain,
    census::{Bytes, Census, NONE, Node},
};

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

/// What a place costs and holds if it is laid out, over all records.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    bytes: u64,
    /// Columns, and how many cells of theirs are filled.
    columns: u64,
    filled: u64,
    /// The elements of the longest list in it.
    inner: u64,
}

impl Plan {
    /// Plans a document. With `may_take_apart` the rows of an array that are long, and hold long lists themselves, are no rows:
    /// their lists are tables instead.
    pub(super) fn of(source: &[u8], census: &Census, may_take_apart: bool) -> Self {
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
        for node in (0..nodes).rev() {
            planning.choose(node);
        }
        let has_table = planning.find_tables();
        let takes_apart = planning.takes_apart;
        let mut plan = Self { choices: planning.choices, has_table, takes_apart };
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
                cost = cost.with(Cost { bytes: group.bytes + name, ..group });
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
                cost = cost.with(Cost { bytes: bytes + name + records, columns: 1, filled, inner: 0 });
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
                Column::Constant => Cost { bytes: name + node.sample.len(), ..Cost::default() },
                Column::Template { prefix, suffix } => {
                    let affix = u64::from(prefix) + u64::from(suffix);
                    let saved = (affix + 2) * plain.count;
                    Cost { bytes: name + affix + records + plain.bytes - saved.min(plain.bytes), columns: 1, filled: plain.count, inner: 0 }
                }
                Column::Absent | Column::Plain => {
                    let bytes = name + records + plain.bytes - node.texts.count * 2;
                    Cost { bytes, columns: 1, filled: plain.count, inner: 0 }
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
        let suffix = suffix_bytes(sample, node.texts.suffix as usize);
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
        let bytes = bytes + element.cells.bytes + element.lists.bytes;
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
