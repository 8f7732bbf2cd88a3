//! What a reader of the wire needs to know of a table's text.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{
    census::{Bytes, Census},
    compact::push_compact,
    plan::{Column, Part, Plan, affixes},
    write::Placed,
};

/// How a text of mode `table` is laid out. [`crate::decode`] needs the text alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TableLayout {
    /// `json` or `jsonl`: what the text decodes to.
    pub source: String,
    /// The different tables: a place in the document has one shape, however often it occurs.
    pub shapes: Vec<TableShape>,
    /// The tables in the order of the text.
    pub tables: Vec<TablePlace>,
}

/// What the tables at one place of a document have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TableShape {
    /// The keys that lead to its array, as JSON has them without quotes; `*` for any element of an array outside.
    pub path: Vec<String>,
    /// Its columns in order, constants among them.
    pub columns: Vec<TableColumn>,
}

/// One table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TablePlace {
    /// Its shape, by position in [`TableLayout::shapes`].
    pub shape: u32,
    /// Offset of its array or object in the source.
    pub at: u64,
    /// How many records it has, those that are left out too.
    pub rows: u64,
}

/// One column, or what stands for one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TableColumn {
    /// The keys that lead to its values from the record; `*` for the record's own key, where the records are an object's members.
    pub path: Vec<String>,
    /// The value that every record has, as JSON: there are no cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<String>,
    /// What all its texts begin with, before what stands in the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// What all its texts end with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
    /// The members of the tuples that a cell lists; empty for other cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tuple: Vec<Self>,
}

impl TableLayout {
    pub(super) fn new(
        source: &[u8],
        is_lines: bool,
        census: &Census,
        plan: &Plan,
        tables: &[Placed],
    ) -> Self {
        let mut shapes = Vec::new();
        let mut places: HashMap<u32, u32> = HashMap::new();
        let tables = tables.iter().map(|table| {
            let shape = *places.entry(table.node).or_insert_with(|| {
                let columns = columns(source, census, plan, table.node);
                shapes.push(TableShape { path: path(source, census, table.node), columns });
                u32::try_from(shapes.len() - 1).unwrap_or(u32::MAX)
            });
            TablePlace { shape, at: table.at as u64, rows: table.rows }
        });
        let tables = tables.collect();
        Self { source: if is_lines { "jsonl" } else { "json" }.to_owned(), shapes, tables }
    }
}

/// The keys that lead to a place.
fn path(source: &[u8], census: &Census, node: u32) -> Vec<String> {
    let mut path = Vec::new();
    let mut at = node;
    while let Some(node) = census.node(at)
        && let Some(parent) = census.node(node.parent)
    {
        path.push(if parent.element == at { "*".to_owned() } else { name(source, node.key) });
        at = node.parent;
    }
    path.reverse();
    path
}

fn name(source: &[u8], key: Bytes) -> String {
    let key = key.of(source);
    text(super::cell::inside(key).unwrap_or(key))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn columns(source: &[u8], census: &Census, plan: &Plan, table: u32) -> Vec<TableColumn> {
    let element = census.node(table).map_or(super::census::NONE, |node| node.element);
    // The lists that are open: what leads to each, and its columns so far.
    let mut open: Vec<(TableColumn, Vec<TableColumn>)> = vec![Default::default()];
    let mut groups: Vec<Vec<String>> = vec![Vec::new()];
    for part in plan.parts(census, element) {
        let (Part::Key(at)
        | Part::Cell(at)
        | Part::Group(at)
        | Part::GroupEnd(at)
        | Part::List(at)
        | Part::ListEnd(at)) = part;
        let Some(node) = census.node(at) else { continue };
        let mut here = groups.last().cloned().unwrap_or_default();
        here.push(name(source, node.key));
        match part {
            Part::Key(_) => {
                if let Some((_, columns)) = open.last_mut() {
                    columns.push(TableColumn { path: vec!["*".to_owned()], ..TableColumn::default() });
                }
            }
            Part::Cell(_) => {
                let mut column = TableColumn { path: here, ..TableColumn::default() };
                match plan.choice(at).column {
                    Column::Constant => {
                        let mut value = Vec::new();
                        push_compact(&mut value, node.sample.of(source));
                        column.constant = Some(text(&value));
                    }
                    Column::Template { prefix, suffix } => {
                        let (before, behind) = affixes(node, prefix, suffix);
                        column.prefix = Some(text(before.of(source)));
                        column.suffix = Some(text(behind.of(source)));
                    }
                    Column::Plain | Column::Absent => {}
                }
                if let Some((_, columns)) = open.last_mut() {
                    columns.push(column);
                }
            }
            Part::Group(_) => groups.push(here),
            Part::GroupEnd(_) => {
                groups.pop();
            }
            Part::List(_) => {
                open.push((TableColumn { path: here, ..TableColumn::default() }, Vec::new()));
                groups.push(Vec::new());
            }
            Part::ListEnd(_) => {
                groups.pop();
                let Some((list, tuple)) = open.pop() else { continue };
                if let Some((_, columns)) = open.last_mut() {
                    columns.push(TableColumn { tuple, ..list });
                }
            }
        }
    }
    open.pop().map(|(_, columns)| columns).unwrap_or_default()
}
