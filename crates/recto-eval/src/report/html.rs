//! The report as one page that needs nothing else: no script, no font, no request.

use std::fmt::Write as _;

use crate::{
    budget::{Condition, TokenBudget},
    report::{
        Report, SetReport, plot,
        text::{cost_row, counted, grouped, heading, over_budget, percent, shortened},
    },
    tally::{Retention, reported},
};

const STYLE: &str = include_str!("page.css");

impl Report {
    /// Writes the page.
    #[must_use]
    pub fn html(&self) -> String {
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>recto eval</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>How much of the evidence is kept</h1>\n"
        );
        let _ = writeln!(
            page,
            "<p>A question counts at a budget if its evidence and {} tokens fit into it. Tokens are {}'s. Seed {}.</p>",
            self.frame_tokens, self.tokenizer, self.seed
        );
        for set in &self.sets {
            set.write_html(&mut page);
        }
        if let Some(bytes) = self.peak_memory_bytes {
            let size = recto_view::size_text(bytes);
            let _ = writeln!(page, "<p class=\"quiet\">Peak memory of the process: {size}.</p>");
        }
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }
}

impl SetReport {
    fn write_html(&self, page: &mut String) {
        let _ = writeln!(page, "<section>\n<h2>{}</h2>", escaped(&self.name));
        let _ = writeln!(
            page,
            "<p>{} on {}, {}, {} tokens.</p>",
            counted(self.questions, "question"),
            counted(self.files, "file"),
            recto_view::size_text(self.bytes),
            grouped(self.tokens)
        );
        for remark in &self.remarks {
            let _ = writeln!(page, "<p class=\"quiet\">{}.</p>", escaped(remark));
        }
        let methods = self.methods();
        plot::write_legend(page, &methods);
        let groups = self.groups();
        page.push_str("<div class=\"plots\">\n");
        for (name, lines) in &groups {
            for (budgets, is_share) in [("share of the source's tokens", true), ("tokens", false)] {
                let lines: Vec<&Retention> = lines
                    .iter()
                    .copied()
                    .filter(|line| matches!(line.budget, TokenBudget::SharePerMille(_)) == is_share)
                    .collect();
                if !lines.is_empty() {
                    plot::write_plot(page, name, budgets, &methods, &lines);
                }
            }
        }
        page.push_str("</div>\n");
        for (name, lines) in &groups {
            write_table(page, name, lines);
        }
        if !self.is_about_one_condition() {
            self.write_kinds(page);
        }
        self.write_costs_html(page);
        self.write_lost_html(page);
        page.push_str("</section>\n");
    }

    fn methods(&self) -> Vec<&str> {
        self.outputs().map(|(method, _)| method).collect()
    }

    /// What is plotted: by condition; where there is only one, by class.
    fn groups(&self) -> Vec<(String, Vec<&Retention>)> {
        if self.is_about_one_condition() {
            return self.each_class();
        }
        let mut groups = Vec::new();
        for condition in Condition::ALL {
            let Some(questions) = reported(condition).first().copied() else { continue };
            let lines: Vec<&Retention> = self
                .retention
                .iter()
                .filter(|line| line.condition == condition && line.questions == questions)
                .collect();
            if let Some(first) = lines.first() {
                groups.push((heading(condition, questions, first.items), lines));
            }
        }
        groups
    }

    /// The first method's shares by class.
    fn write_kinds(&self, page: &mut String) {
        for (caption, classes) in self.class_tables() {
            let budgets = classes.first().map(|(_, lines)| budgets(lines)).unwrap_or_default();
            let shares = |lines: Vec<&Retention>| lines.iter().map(|line| percent(line.retention)).collect();
            let rows: Vec<(String, Vec<String>)> =
                classes.into_iter().map(|(name, lines)| (name, shares(lines))).collect();
            write_grid(page, &format!("{caption}, %"), &budgets, &rows, None);
        }
    }

    fn write_costs_html(&self, page: &mut String) {
        let rows: Vec<(String, Vec<String>)> = self
            .costs
            .iter()
            .filter(|cost| cost.budget.is_none())
            .map(|cost| (cost.method.clone(), cost_row(cost).split_off(1)))
            .collect();
        let headings = ["outputs", "over budget", "failed", "median use", "speed"].map(str::to_owned);
        write_grid(page, "Cost", &headings, &rows, Some(0));
        for (method, count, what) in &self.failures {
            let (method, what) = (escaped(method), escaped(what));
            let _ = writeln!(page, "<p>{method} failed {}: <code>{what}</code></p>", counted(*count, "time"));
        }
    }

    fn write_lost_html(&self, page: &mut String) {
        let Some(lost) = self.lost.as_ref().filter(|lost| !lost.is_empty()) else { return };
        let _ = writeln!(
            page,
            "<details>\n<summary>What was lost ({})</summary>\n<dl class=\"lost\">",
            lost.len()
        );
        for lost in lost {
            let budgets: Vec<String> = lost.budgets.iter().map(ToString::to_string).collect();
            let query = lost.query.as_ref().map_or_else(String::new, |query| format!(" {query:?}"));
            let _ = writeln!(
                page,
                "<dt>{}: {}<br><span class=\"quiet\">{}, {}{}, lost at {}</span></dt>\n<dd><code>{}</code></dd>",
                escaped(&lost.file),
                escaped(&lost.question),
                escaped(&lost.class),
                lost.condition.name(),
                escaped(&query),
                budgets.join(", "),
                escaped(&shortened(&lost.answer))
            );
        }
        page.push_str("</dl>\n</details>\n");
    }
}

/// The budgets of the first method's or class's lines.
fn budgets(lines: &[&Retention]) -> Vec<String> {
    let Some(first) = lines.first() else { return Vec::new() };
    lines
        .iter()
        .take_while(|line| line.method == first.method && line.class == first.class)
        .map(|line| line.budget.to_string())
        .collect()
}

fn write_table(page: &mut String, name: &str, lines: &[&Retention]) {
    let mut rows: Vec<(String, Vec<String>)> = lines
        .chunk_by(|one, other| one.method == other.method)
        .filter_map(|lines| {
            let shares = lines.iter().map(|line| percent(line.retention));
            Some((lines.first()?.method.clone(), shares.chain([over_budget(lines)]).collect()))
        })
        .collect();
    let first = lines.chunk_by(|one, other| one.method == other.method).next().unwrap_or_default();
    rows.push((
        "feasible questions".to_owned(),
        first.iter().map(|line| line.feasible.to_string()).collect(),
    ));
    rows.push(("source fits whole".to_owned(), first.iter().map(|line| line.whole.to_string()).collect()));
    let mut headings = budgets(lines);
    headings.push("over budget".to_owned());
    write_grid(page, &format!("{name}, % of feasible"), &headings, &rows, Some(0));
}

/// A table that scrolls by itself where it is too wide, by keyboard too.
fn write_grid(
    page: &mut String,
    caption: &str,
    headings: &[String],
    rows: &[(String, Vec<String>)],
    strong_row: Option<usize>,
) {
    let caption = escaped(caption);
    let _ = write!(
        page,
        "<h3>{caption}</h3>\n<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n<table>\n\
         <thead><tr><th scope=\"col\"></th>"
    );
    for heading in headings {
        let _ = write!(page, "<th scope=\"col\">{}</th>", escaped(heading));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (index, (name, cells)) in rows.iter().enumerate() {
        let class = if strong_row == Some(index) { " class=\"first\"" } else { "" };
        let _ = write!(page, "<tr{class}><th scope=\"row\">{}</th>", escaped(name));
        for cell in cells {
            let _ = write!(page, "<td>{}</td>", escaped(cell));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
}

/// Text that is no markup, whatever is in it.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}
