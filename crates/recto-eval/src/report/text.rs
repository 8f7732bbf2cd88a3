//! The report for a terminal.

use std::fmt::Write as _;

use crate::{
    budget::Condition,
    report::{Report, SetReport},
    tally::{Cost, Questions, Retention, reported},
};

impl Report {
    /// Lays the report out as aligned tables.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for set in &self.sets {
            set.write_text(&mut out, self.frame_tokens);
        }
        if let Some(bytes) = self.peak_memory_bytes {
            let _ = writeln!(out, "peak memory of this process: {}", recto_view::size_text(bytes));
        }
        out
    }
}

/// Budgets across, methods down.
fn write_table(out: &mut String, heading: &str, lines: &[&Retention]) {
    let Some(first) = lines.first() else { return };
    let of_first = || lines.iter().filter(|line| line.method == first.method);
    let mut rows = Vec::new();
    for of_method in lines.chunk_by(|one, other| one.method == other.method) {
        let Some(first) = of_method.first() else { continue };
        let shares = of_method.iter().map(|line| percent(line.retention));
        rows.push(row(&first.method, shares.chain([over_budget(of_method)])));
    }
    rows.push(row("(feasible)", of_first().map(|line| line.feasible.to_string())));
    rows.push(row("(source fits whole)", of_first().map(|line| line.whole.to_string())));
    let raw = of_first().map(|line| percent(Some(line.raw_retention)));
    rows.push(row(&format!("({}, % of all)", first.method), raw));
    let _ = writeln!(out, "\n{heading}");
    let budgets = of_first().map(|line| line.budget.to_string());
    out.push_str(&table(&row("", budgets.chain(["over budget".to_owned()])), &rows));
}

/// The share of a method's outputs, over all budgets, that have more tokens than allowed.
pub(crate) fn over_budget(of_method: &[&Retention]) -> String {
    let over: f64 = of_method.iter().map(|line| line.over_budget).sum();
    #[expect(clippy::cast_precision_loss, reason = "a handful of budgets")]
    let share = over / of_method.len().max(1) as f64;
    format!("{}%", percent(Some(share)))
}

/// The heading of a table.
pub(crate) fn heading(condition: Condition, questions: Questions, items: usize) -> String {
    let name = condition.name();
    let (number, is_one) = (counted(items, "question"), items == 1);
    match questions {
        Questions::All if condition == Condition::Query => {
            format!("{name}, the {number} that {} one", if is_one { "has" } else { "have" })
        }
        Questions::All => format!("{name}, all {number}"),
        Questions::NeedNoQuery => {
            format!("{name}, the {number} that {} none", if is_one { "needs" } else { "need" })
        }
    }
}

/// A number and a noun.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

/// A number with commas between its thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share in per cent, with one place.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1}", share * 100.0))
}

impl SetReport {
    fn write_text(&self, out: &mut String, frame_tokens: u64) {
        let _ = writeln!(
            out,
            "{}\n{} on {}, {}, {} tokens (o200k_base)",
            self.name,
            counted(self.questions, "question"),
            counted(self.files, "file"),
            recto_view::size_text(self.bytes),
            grouped(self.tokens)
        );
        for remark in &self.remarks {
            let _ = writeln!(out, "{remark}");
        }
        let _ = writeln!(
            out,
            "\nEvidence kept, % of the questions whose evidence and {frame_tokens} tokens fit into the budget"
        );
        if self.is_about_one_condition() {
            self.write_each_class(out);
        } else {
            self.write_conditions(out);
            self.write_classes(out);
        }
        self.write_costs(out);
        self.write_lost(out);
        out.push('\n');
    }

    fn write_conditions(&self, out: &mut String) {
        for condition in Condition::ALL {
            for questions in reported(condition) {
                let lines: Vec<&Retention> = self
                    .retention
                    .iter()
                    .filter(|line| line.condition == condition && line.questions == *questions)
                    .collect();
                let is_same = condition != Condition::Query
                    && *questions == Questions::All
                    && self.questions == self.questions_without_query;
                if let Some(first) = lines.first().filter(|_| !is_same) {
                    write_table(out, &heading(condition, *questions, first.items), &lines);
                }
            }
        }
    }

    /// No question has a query, so there is room for a table a class.
    pub(crate) fn is_about_one_condition(&self) -> bool {
        self.retention.iter().all(|line| line.condition == Condition::NoQuery)
    }

    fn write_each_class(&self, out: &mut String) {
        for (name, lines) in self.each_class() {
            write_table(out, &name, &lines);
        }
    }

    /// The first method's shares, a line a class.
    fn write_classes(&self, out: &mut String) {
        for (caption, mut classes) in self.class_tables() {
            for (_, lines) in &mut classes {
                lines.sort_by_key(|line| line.budget);
            }
            let budgets = classes.first().map_or(&[][..], |(_, lines)| lines);
            let headings = row("", budgets.iter().map(|line| line.budget.to_string()));
            let shares =
                |lines: &[&Retention]| lines.iter().map(|line| percent(line.retention)).collect::<Vec<_>>();
            let rows: Vec<Vec<String>> =
                classes.iter().map(|(name, lines)| row(name, shares(lines))).collect();
            let _ = writeln!(out, "\n{caption}");
            out.push_str(&table(&headings, &rows));
        }
    }

    fn write_costs(&self, out: &mut String) {
        let rows: Vec<Vec<String>> =
            self.costs.iter().filter(|cost| cost.budget.is_none()).map(cost_row).collect();
        let headings = ["", "outputs", "over budget", "failed", "median use of budget", "speed"];
        let _ = writeln!(out, "\nCost");
        out.push_str(&table(&headings.map(str::to_owned), &rows));
        for (method, count, what) in &self.failures {
            let _ = writeln!(out, "{method} failed {}: {what}", counted(*count, "time"));
        }
    }

    fn write_lost(&self, out: &mut String) {
        let Some(lost) = &self.lost else { return };
        let _ = writeln!(out, "\nLost");
        for lost in lost {
            let budgets: Vec<String> = lost.budgets.iter().map(ToString::to_string).collect();
            let query = lost.query.as_ref().map_or_else(String::new, |query| format!(" {query:?}"));
            let _ = writeln!(
                out,
                "{} at {} of {} ({}{query}), {}: {}\n    {}",
                lost.method,
                budgets.join(", "),
                lost.file,
                lost.condition.name(),
                lost.class,
                lost.question,
                shortened(&lost.answer)
            );
        }
    }
}

/// One line of at most 200 characters.
pub(crate) fn shortened(text: &str) -> String {
    const MOST_CHARS: usize = 200;
    let mut chars = text.chars().map(|character| if character.is_control() { ' ' } else { character });
    let mut line: String = chars.by_ref().take(MOST_CHARS).collect();
    if chars.next().is_some() {
        line.push('\u{2026}');
    }
    line
}

pub(crate) fn cost_row(cost: &Cost) -> Vec<String> {
    let made = cost.outputs.max(1);
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 outputs")]
    let over = cost.over_budget as f64 / made as f64;
    let speed = cost
        .bytes_per_second
        .map_or_else(|| "-".to_owned(), |bytes| format!("{}/s", recto_view::size_text(bytes)));
    let over = format!("{} ({}%)", cost.over_budget, percent(Some(over)));
    let used = cost.median_use.map_or_else(|| "-".to_owned(), |used| format!("{}%", percent(Some(used))));
    vec![cost.method.clone(), cost.outputs.to_string(), over, cost.failed.to_string(), used, speed]
}

pub(crate) fn row(name: &str, cells: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(cells).collect()
}

/// Columns as wide as their widest cell, the first to the left and all others to the right.
pub(crate) fn table(headings: &[String], rows: &[Vec<String>]) -> String {
    let all = || std::iter::once(headings).chain(rows.iter().map(Vec::as_slice));
    let columns = all().map(<[String]>::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            all().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in all() {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ =
                if column == 0 { write!(line, "{cell:<width$}") } else { write!(line, "  {cell:>width$}") };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
