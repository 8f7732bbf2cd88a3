//! Why each part of a view is kept, as a table for a person.

use std::fmt::Write as _;

use clap::builder::styling::{Style, Styles};
use recto::view::{View, WireSpan};

use crate::output;

/// Characters of a part that are shown.
const EXCERPT_CHARS: usize = 60;

/// The kept parts in the order of their ranking, each with its bytes and its reason, then how much is left out.
pub(crate) fn explanation(view: &View, source: &[u8]) -> String {
    let bold: Style = *Styles::styled().get_header();
    let rows: Vec<Vec<String>> = view
        .kept
        .iter()
        .map(|kept| {
            vec![
                format!("{}..{}", kept.span.s, kept.span.e),
                kept.reason.name().to_owned(),
                excerpt(source, kept.span),
            ]
        })
        .collect();
    let table = output::table(&["bytes", "reason", "text"], &rows, &[0]);
    let (headings, body) = table.split_once('\n').unwrap_or((&table, ""));
    let mut out = String::new();
    if !rows.is_empty() {
        let _ = write!(out, "{bold}{headings}{bold:#}\n{body}");
    }
    let elisions = view.map().map_or(&[][..], |map| &map.elisions);
    let dropped: u64 = elisions.iter().map(|elision| elision.bytes).sum();
    if view.is_complete() {
        out.push_str("nothing is left out\n");
    } else {
        let parts = output::count(rows.len() as u64, "part");
        let places = output::count(elisions.len() as u64, "place");
        let _ = writeln!(out, "{parts} kept, {} left out in {places}", output::size(dropped));
    }
    out
}

/// The beginning of a part, with nothing in it that a terminal would obey.
fn excerpt(source: &[u8], span: WireSpan) -> String {
    let range = usize::try_from(span.s).ok().zip(usize::try_from(span.e).ok());
    let bytes = range.and_then(|(start, end)| source.get(start..end)).unwrap_or_default();
    // An escaped character comes of at most four bytes.
    let near = bytes.get(..4 * EXCERPT_CHARS).unwrap_or(bytes);
    let text = String::from_utf8_lossy(near).escape_debug().to_string();
    let short: String = text.chars().take(EXCERPT_CHARS).collect();
    if short.len() < text.len() || near.len() < bytes.len() { format!("{short}\u{2026}") } else { short }
}
