//! The text of an answer: counts, notes, names, rows, and the way to the next page.

use recto_outline::Span;

use crate::{
    Answer, QueryError, aggregate::Shown, asked::Asked, cell::Syntax, document::Layer, render::Writer,
};

impl Asked<'_> {
    /// Writes rows as far as there is room; `total` is how many there are to page through.
    pub(crate) fn written(
        &self,
        layer: Layer<'_>,
        syntax: Syntax,
        rows: impl Iterator<Item = (Vec<Shown>, Option<Span>)>,
        total: u64,
        mut answer: Answer,
    ) -> Result<Answer, QueryError> {
        /// Room for the line that counts, and for the last one.
        const COUNTS_BYTES: usize = 160;
        let most = self.caps.max_bytes.max(1_024);
        let names = std::mem::take(&mut answer.columns);
        let kept = kept_columns(&names, most / 4);
        if kept < names.len() {
            answer.notes.push(format!("{} more columns have no room: ask for fewer", names.len() - kept));
        }
        answer.columns = names.into_iter().take(kept).collect();
        if self.offset >= total && self.offset > 0 {
            answer.notes.push(format!("offset {} is behind the last row", self.offset));
        }
        let notes = bracketed(&answer, most / 3);
        let columns = answer.columns.clone();
        let writer = Writer { layer, syntax, format: self.format, names: &columns };
        let mut body = writer
            .header()
            .filter(|header| !header.is_empty())
            .map(|header| header + "\n")
            .unwrap_or_default();
        let room = most.saturating_sub(notes.len() + COUNTS_BYTES);
        for (mut cells, record) in rows {
            cells.truncate(kept);
            let left = room.saturating_sub(body.len() + 1);
            let row = writer.row(&cells, self.caps.max_cell_bytes.max(1));
            let row = match (row.len() <= left, answer.rows) {
                (true, _) => row,
                (false, 0) => writer.fitted_row(&cells, record, self.caps.max_cell_bytes.max(1), left),
                (false, _) => break,
            };
            body.push_str(&row);
            body.push('\n');
            answer.rows += 1;
        }
        if answer.rows == 0 {
            body.clear();
        }
        let end = self.offset.saturating_add(answer.rows);
        answer.next_offset = (end < total && (answer.rows > 0 || self.limit == 0)).then_some(end);
        let first = if answer.rows > 0 { self.offset + 1 } else { 0 };
        let last = if answer.rows > 0 { end } else { 0 };
        let counts = match answer.groups {
            Some(groups) => format!(
                "groups {first}-{last} of {groups}, over the {} that match ({} records)",
                answer.matched, answer.records
            ),
            None => format!("rows {first}-{last} of {total} that match ({} records)", answer.records),
        };
        let more = answer
            .next_offset
            .map(|next| format!("[{} more: offset {next}]\n", total - next))
            .unwrap_or_default();
        answer.text = format!("{counts}\n{notes}{body}{more}");
        Ok(answer)
    }
}

/// How many columns' names have room; at least one.
fn kept_columns(names: &[String], most_bytes: usize) -> usize {
    let mut bytes = 0;
    let fitting = names.iter().take_while(|name| {
        bytes += name.len() + 1;
        bytes <= most_bytes
    });
    fitting.count().max(1).min(names.len())
}

/// The notes of an answer, a line each.
fn bracketed(answer: &Answer, most_bytes: usize) -> String {
    let mut notes = Vec::new();
    if !answer.path.is_empty() && (answer.path != "$" || !answer.others.is_empty()) {
        let others: Vec<String> =
            answer.others.iter().map(|other| format!("{} ({})", other.path, other.records)).collect();
        let others =
            if others.is_empty() { String::new() } else { format!("; other paths: {}", others.join(", ")) };
        notes.push(format!("records of path {}{others}", answer.path));
    }
    notes.extend(answer.notes.iter().cloned());
    let most = most_bytes / notes.len().max(1);
    let mut lines = String::new();
    for note in notes {
        let note = note.replace(char::is_control, " ");
        let kept = note.floor_char_boundary(most.saturating_sub(8));
        let mark = if kept < note.len() { "\u{2026}" } else { "" };
        lines.push_str(&format!("[{}{mark}]\n", note.get(..kept).unwrap_or_default()));
    }
    lines
}
