//! What holds for every answer, whatever the source and the query. The fuzz target uses this file too.

use recto_outline::ContentType;
use recto_query::{Answer, Caps, Format, Query, query};

/// Pages followed at most.
const MOST_PAGES: u64 = 3;

/// Asks, and follows the pages; gives the first answer.
pub(crate) fn check(
    source: &[u8],
    content_type: Option<ContentType>,
    asked: &Query,
    caps: &Caps,
) -> Option<Answer> {
    let first = match query(source, content_type, asked, caps) {
        Ok(answer) => answer,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && message.len() < 20_000, "an error of {} bytes", message.len());
            return None;
        }
    };
    // A second time costs as much as the first.
    if source.len() < 4_000 {
        let again = query(source, content_type, asked, caps);
        assert_eq!(again.as_ref(), Ok(&first), "the same question has another answer");
    }
    let total = first.groups.unwrap_or(first.matched);
    let mut answer = first.clone();
    let mut offset = asked.offset.unwrap_or(0);
    for _ in 0..MOST_PAGES {
        check_text(&answer, asked, caps);
        assert_eq!(
            (answer.matched, answer.records),
            (first.matched, first.records),
            "pages count differently"
        );
        assert!(answer.matched <= answer.records);
        let Some(next) = answer.next_offset else {
            let reached = offset + answer.rows;
            assert!(reached >= total.min(offset.max(reached)), "rows are left and no offset leads to them");
            assert!(answer.rows == 0 || reached == total, "{reached} of {total} rows and no next offset");
            break;
        };
        assert_eq!(next, offset + answer.rows);
        if answer.rows == 0 {
            break;
        }
        offset = next;
        let page = Query { offset: Some(next), ..asked.clone() };
        answer = query(source, content_type, &page, caps).expect("the next page of an answer");
    }
    Some(first)
}

/// The text keeps its limit and its form.
fn check_text(answer: &Answer, asked: &Query, caps: &Caps) {
    let text = &answer.text;
    let most = caps.max_bytes.max(1_024);
    assert!(text.len() <= most, "{} bytes, {most} allowed:\n{text}", text.len());
    let limit = asked.limit.unwrap_or(50).min(caps.max_rows);
    assert!(answer.rows <= limit, "{} rows, {limit} asked for", answer.rows);
    let lines: Vec<&str> = text.strip_suffix('\n').expect("a line end").split('\n').collect();
    assert!(!text.contains('\r'), "a carriage return breaks a line:\n{text}");
    let counts = lines[0];
    assert!(counts.starts_with(if answer.groups.is_some() { "groups " } else { "rows " }), "{counts}");
    let has_path = !answer.path.is_empty() && (answer.path != "$" || !answer.others.is_empty());
    let notes = answer.notes.len() + usize::from(has_path);
    let has_header = asked.format == Format::Table && answer.rows > 0 && !answer.columns.is_empty();
    let header = usize::from(has_header);
    let more = usize::from(answer.next_offset.is_some());
    let rows = usize::try_from(answer.rows).unwrap();
    assert_eq!(lines.len(), 1 + notes + header + rows + more, "lines of {answer:?}");
    let rows = &lines[1 + notes + header..][..rows];
    for row in rows {
        if asked.format == Format::Json {
            let value: Result<serde::de::IgnoredAny, _> = serde_json::from_str(row);
            assert!(value.is_ok(), "no JSON: {row}");
        } else if !row.contains("\u{2026}[row cut") && has_header {
            assert_eq!(row.matches('\t').count() + 1, answer.columns.len(), "cells of {row:?}");
        }
    }
}
