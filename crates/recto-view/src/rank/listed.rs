//! Where a word for an error is but a word: in the titles, texts and names that a table lists.

use std::collections::{HashMap, HashSet};

use recto_outline::{ContentType, Kind, Outline, Table, UnitId, cells, header_names};

/// The rows of a source whose words tell of no error by themselves.
pub(super) struct Listed<'o, 's> {
    outline: &'o Outline<'s>,
    /// The text tables by their containers, each with the number of its columns.
    tables: HashMap<UnitId, (&'o Table, usize)>,
    /// What is known to have failed otherwise: by its state, mostly.
    failed: HashSet<UnitId>,
}

impl<'o, 's> Listed<'o, 's> {
    pub(super) fn new(outline: &'o Outline<'s>, failed: impl Iterator<Item = UnitId>) -> Self {
        let is_listing = outline.content_type == ContentType::Listing;
        let titled = outline.tables.iter().filter(|table| is_listing && table.header.is_some());
        let tables: HashMap<_, _> =
            titled.map(|table| (table.container, (table, header_names(outline, table).len()))).collect();
        let failed = if tables.is_empty() { HashSet::new() } else { failed.collect() };
        Self { outline, tables, failed }
    }

    /// Says whether a word in a unit needs something else that speaks for it.
    pub(super) fn has(&self, id: UnitId) -> bool {
        match self.outline.content_type {
            ContentType::Csv | ContentType::MarkdownTable | ContentType::Rag => true,
            _ => self.is_full_row(id) && !self.failed.contains(&id),
        }
    }

    /// Says whether a unit is a row of a text table that reaches into the last column. What does not may be a message that was printed
    /// between the rows.
    fn is_full_row(&self, id: UnitId) -> bool {
        let unit = self.outline.unit(id);
        let Some(&(table, columns)) = self.tables.get(&unit.parent) else { return false };
        let mut reached = 0;
        cells(self.outline, table, id, &mut |cell, span| {
            if !span.is_empty() {
                reached = cell + 1;
            }
        });
        unit.kind == Kind::Row && reached >= columns
    }
}
