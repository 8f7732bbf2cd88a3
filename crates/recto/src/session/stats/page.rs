//! The same as one page that needs nothing else: no script, no font, no request.

use std::fmt::Write as _;

use recto::tokens::Tokenizer;
use recto_eval::escaped;

use super::{
    Many, Session, plot,
    text::{self, Table},
};

const STYLE: &str = include_str!("page.css");

/// The page of one session.
pub(crate) fn of_one(session: &Session, tokenizer: Tokenizer) -> String {
    let stats = &session.stats;
    let mut page = begun("Where a session's tokens are", &text::heads(session, tokenizer));
    plot::timeline(&mut page, &stats.contexts, &session.sent);
    for table in [
        text::kinds(stats),
        text::tools(stats),
        text::ages(stats),
        text::repeats(stats),
        text::largest(stats),
    ] {
        write_table(&mut page, &table);
    }
    write_lines(&mut page, &text::apart(stats, tokenizer), "");
    if !session.policies.is_empty() {
        write_table(&mut page, &text::policies(&session.policies, false));
        write_lines(&mut page, &[text::POLICIES_NOTE.to_owned()], "quiet");
    }
    ended(page)
}

/// The page of many sessions.
pub(crate) fn of_many(many: &Many, tokenizer: Tokenizer) -> String {
    let stats = &many.stats;
    let mut page = begun("Where these sessions' tokens are", &text::heads_of_many(many, tokenizer));
    for table in [
        text::clients(many),
        text::kinds(stats),
        text::tools(stats),
        text::ages(stats),
        text::repeats(stats),
        text::largest_sessions(many),
    ] {
        write_table(&mut page, &table);
    }
    write_lines(&mut page, &text::apart(stats, tokenizer), "");
    if !many.policies.is_empty() {
        write_table(&mut page, &text::policies(&many.policies, true));
        write_lines(&mut page, &[text::POLICIES_NOTE.to_owned()], "quiet");
    }
    write_lines(&mut page, &many.skipped, "quiet");
    ended(page)
}

fn begun(title: &str, heads: &[String]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    );
    write_lines(&mut page, heads, "");
    page
}

fn ended(mut page: String) -> String {
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn write_lines(page: &mut String, lines: &[String], class: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    for line in lines {
        let _ = writeln!(page, "<p{class}>{}</p>", escaped(line));
    }
}

/// A table that scrolls by itself where it is too wide, by keyboard too.
fn write_table(page: &mut String, table: &Table) {
    if table.rows.is_empty() {
        return;
    }
    let title = escaped(table.title);
    let _ = write!(
        page,
        "<h2>{title}</h2>\n<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{title}\">\n<table>\n<thead><tr>"
    );
    for (column, heading) in table.headings.iter().enumerate() {
        let _ = write!(page, "<th scope=\"col\">{}</th>", escaped(heading));
        if column == 0 && table.shares.is_some() {
            page.push_str("<td class=\"bar\"></td>");
        }
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    let shares = table.shares.as_deref().unwrap_or_default();
    for (number, row) in table.rows.iter().enumerate() {
        page.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            if column > 0 {
                let _ = write!(page, "<td>{cell}</td>");
                continue;
            }
            let _ = write!(page, "<th scope=\"row\" title=\"{cell}\">{cell}</th>");
            if let Some(share) = shares.get(number) {
                let _ = write!(
                    page,
                    "<td class=\"bar\"><span style=\"width: {:.1}%\"></span></td>",
                    share.clamp(0.0, 100.0)
                );
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_says_is_no_markup() {
        let table = Table {
            title: "By tool",
            headings: vec!["tool", "tokens"],
            rows: vec![vec!["<script>alert('\"')</script>".to_owned(), "1".to_owned()]],
            shares: Some(vec![250.0]),
        };
        let mut page = String::new();
        write_table(&mut page, &table);
        assert!(
            !page.contains("<script") && page.contains("&lt;script&gt;alert(&#39;&quot;&#39;)"),
            "{page}"
        );
        assert!(page.contains("width: 100.0%"));
    }
}
