//! Tables for the terminal; the page shows the same rows.

use recto::{
    session::{
        history::Speaker,
        stats::{AGES, AgeFigures, Stats, ToolFigures},
    },
    tokens::Tokenizer,
};

use super::{Many, Session, policies::PolicyRow, share};
use crate::{failure::Outcome, output, session::words, usage::text};

/// Tools that are told by name; the others are one row.
const MOST_TOOLS: usize = 15;

/// Rows under headings, and which columns are numbers.
pub(crate) struct Table {
    pub(crate) title: &'static str,
    pub(crate) headings: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
    /// A part of the whole for each row, to be drawn.
    pub(crate) shares: Option<Vec<f64>>,
}

impl Table {
    fn print(&self) -> Outcome<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        output::line("")?;
        let right: Vec<usize> = (1..self.headings.len()).collect();
        let plain = || output::table(&self.headings, &self.rows, &right);
        let Some(shares) = &self.shares else {
            let whole = plain();
            let is_too_wide = output::columns()
                .is_some_and(|columns| whole.lines().any(|line| line.chars().count() > columns));
            return if is_too_wide { self.print_in_two() } else { output::data(whole.as_bytes()) };
        };
        let mut headings = self.headings.clone();
        headings.push("");
        let mut rows = self.rows.clone();
        for (row, share) in rows.iter_mut().zip(shares) {
            row.push(bar(*share));
        }
        // Bars need room; the numbers stand there too.
        let drawn = output::table(&headings, &rows, &right);
        let is_cut = drawn.contains('\u{2026}') || drawn.lines().count() > rows.len() + 1;
        output::data(if is_cut { plain() } else { drawn }.as_bytes())
    }
}

impl Table {
    /// The columns of medians, or the second half, below the others.
    fn print_in_two(&self) -> Outcome<()> {
        let medians = self.headings.iter().position(|heading| heading.starts_with("median"));
        let at = medians.unwrap_or(self.headings.len().div_ceil(2));
        let of = |columns: &dyn Fn(usize) -> bool| {
            let is_there = |column: &usize| *column == 0 || columns(*column);
            let headings: Vec<&str> = self
                .headings
                .iter()
                .enumerate()
                .filter(|(column, _)| is_there(column))
                .map(|(_, heading)| *heading)
                .collect();
            let rows: Vec<Vec<String>> = self
                .rows
                .iter()
                .map(|row| {
                    row.iter()
                        .enumerate()
                        .filter(|(column, _)| is_there(column))
                        .map(|(_, cell)| cell.clone())
                        .collect()
                })
                .collect();
            output::table(&headings, &rows, &(1..headings.len()).collect::<Vec<_>>())
        };
        output::data(of(&|column| column < at).as_bytes())?;
        output::line("")?;
        output::data(of(&|column| column >= at).as_bytes())
    }
}

/// A share as a bar of twenty places.
fn bar(percent: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let full = (percent / 5.0).round().clamp(0.0, 20.0) as usize;
    "\u{2588}".repeat(full)
}

pub(crate) fn percent(value: f64) -> String {
    format!("{value:.1} %")
}

pub(crate) fn number(number: u64) -> String {
    if number == 0 { "-".to_owned() } else { output::thousands(number) }
}

fn shared(rows: Vec<(Vec<String>, f64)>) -> (Vec<Vec<String>>, Option<Vec<f64>>) {
    let (rows, shares): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    (rows, Some(shares))
}

/// By who says it.
pub(crate) fn kinds(stats: &Stats) -> Table {
    let all = stats.path.tokens;
    let kinds = Speaker::ALL.iter().filter_map(|speaker| Some((*speaker, stats.kinds.get(speaker)?)));
    let rows = kinds.map(|(speaker, amount)| {
        let share = share(amount.tokens, all);
        let cells = vec![
            words::speaker(speaker).to_owned(),
            number(amount.texts),
            number(amount.chars),
            number(amount.tokens),
            percent(share),
        ];
        (cells, share)
    });
    let (rows, shares) = shared(rows.collect());
    Table { title: "By kind", headings: vec!["kind", "texts", "characters", "tokens", "share"], rows, shares }
}

/// By tool, the largest first.
pub(crate) fn tools(stats: &Stats) -> Table {
    let mut tools: Vec<(String, ToolFigures)> = stats
        .tools
        .iter()
        .map(|(name, figures)| {
            let name = if name.is_empty() { "(no call)" } else { name };
            (text::capped(name, 40).into_owned(), *figures)
        })
        .collect();
    tools.sort_by(|(one, a), (other, b)| b.result_tokens.cmp(&a.result_tokens).then_with(|| one.cmp(other)));
    if tools.len() > MOST_TOOLS {
        let mut others = ToolFigures::default();
        let rest = tools.split_off(MOST_TOOLS - 1);
        rest.iter().for_each(|(_, figures)| others.add(figures));
        tools.push((format!("{} others", rest.len()), others));
    }
    let all = stats.path.result_tokens;
    let rows = tools.into_iter().map(|(name, tool)| {
        let share = share(tool.result_tokens, all);
        let cells = vec![
            name,
            number(tool.calls),
            number(tool.argument_tokens),
            number(tool.results),
            number(tool.result_tokens),
            percent(share),
            number(tool.errors),
        ];
        (cells, share)
    });
    let (rows, shares) = shared(rows.collect());
    let headings = vec!["tool", "calls", "argument tokens", "results", "result tokens", "share", "errors"];
    Table { title: "By tool", headings, rows, shares }
}

/// By age.
pub(crate) fn ages(stats: &Stats) -> Table {
    let all = stats.path.tokens;
    let rows = stats.ages.iter().filter(|age| age.tokens > 0).map(|age| {
        let share = share(age.tokens, all);
        let cells = vec![
            age_name(age),
            number(age.tokens),
            percent(share),
            number(age.results),
            number(age.result_tokens),
        ];
        (cells, share)
    });
    let (rows, shares) = shared(rows.collect());
    let headings = vec!["steps ago", "tokens", "share", "results", "result tokens"];
    Table { title: "By age", headings, rows, shares }
}

fn age_name(age: &AgeFigures) -> String {
    let Some(from) = age.from_steps else { return "compacted away".to_owned() };
    match AGES.iter().find(|next| **next > from) {
        Some(next) => format!("{from} to {}", next - 1),
        None => format!("{from} or more"),
    }
}

/// What was asked for twice.
pub(crate) fn repeats(stats: &Stats) -> Table {
    let all = stats.path.result_tokens;
    let named = [
        ("the same lines read again", stats.repeats.read_again),
        ("the same call again", stats.repeats.same_call),
        ("the same text again", stats.repeats.same_text),
    ];
    let rows = named.into_iter().filter(|(_, amount)| amount.texts > 0).map(|(name, amount)| {
        vec![name.to_owned(), number(amount.texts), number(amount.tokens), percent(share(amount.tokens, all))]
    });
    let headings = vec!["asked for twice", "results", "tokens", "of all results"];
    Table { title: "Asked for twice", headings, rows: rows.collect(), shares: None }
}

/// The largest results.
pub(crate) fn largest(stats: &Stats) -> Table {
    let is_files = stats.largest.iter().any(|largest| largest.file > 0);
    let rows = stats.largest.iter().map(|largest| {
        let tool = if largest.tool.is_empty() { "(no call)" } else { &largest.tool };
        let mark = match (largest.is_error, largest.is_read) {
            (true, true) => "error",
            (false, true) => "",
            (true, false) => "error, not read",
            (false, false) => "not read",
        };
        let place = if is_files { format!("file {}", largest.file + 1) } else { largest.line.to_string() };
        vec![
            text::capped(tool, 40).into_owned(),
            largest.number.to_string(),
            place,
            largest.step.to_string(),
            number(largest.tokens),
            percent(share(largest.tokens, stats.path.result_tokens)),
            mark.to_owned(),
        ]
    });
    let headings = vec!["largest results", "#", "line", "step", "tokens", "of all results", ""];
    Table { title: "Largest results", headings, rows: rows.collect(), shares: None }
}

/// What policies would have saved.
pub(crate) fn policies(rows: &[PolicyRow], has_medians: bool) -> Table {
    let mut headings = vec![
        "policy",
        "changed",
        "saved",
        "of results",
        "of all requests",
        "came back to",
        "missed",
        "survival",
    ];
    if has_medians {
        headings.extend(["median saved", "median of requests", "median survival"]);
    }
    let rows = rows.iter().map(|row| {
        let mut cells = vec![
            row.policy.to_owned(),
            number(row.changed),
            number(row.saved_tokens),
            percent(row.saved_percent),
            percent(row.sent_saved_percent),
            number(row.references),
            number(row.missed),
            percent(row.survival_percent),
        ];
        if has_medians {
            let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), percent);
            cells.push(cell(row.median.map(|median| median.saved_percent)));
            cells.push(cell(row.median.map(|median| median.sent_saved_percent)));
            cells.push(cell(row.median.map(|median| median.survival_percent)));
        }
        cells
    });
    Table { title: "What policies would have saved", headings, rows: rows.collect(), shares: None }
}

/// By client.
pub(crate) fn clients(many: &Many) -> Table {
    let rows = many.clients.iter().map(|client| {
        vec![
            client.client.to_owned(),
            number(client.sessions),
            output::size(client.bytes),
            number(client.tokens),
            number(client.result_tokens),
            percent(client.result_share),
        ]
    });
    let headings = vec!["client", "sessions", "size", "tokens", "result tokens", "share"];
    Table { title: "By client", headings, rows: rows.collect(), shares: None }
}

/// The largest sessions.
pub(crate) fn largest_sessions(many: &Many) -> Table {
    let rows = many.largest_sessions.iter().map(|large| {
        vec![
            text::path_end(&large.session, 60),
            number(large.steps),
            number(large.tokens),
            number(large.result_tokens),
            percent(share(large.result_tokens, large.tokens)),
        ]
    });
    let headings = vec!["largest sessions", "steps", "tokens", "result tokens", "share"];
    Table { title: "Largest sessions", headings, rows: rows.collect(), shares: None }
}

/// Images and Base64, in sentences.
pub(crate) fn apart(stats: &Stats, tokenizer: Tokenizer) -> Vec<String> {
    let mut said = Vec::new();
    let images = stats.images;
    if images.count > 0 {
        let unknown = match images.without_size {
            0 => String::new(),
            unknown => format!("; of {unknown} the size is not known"),
        };
        said.push(format!(
            "Apart from these: {}, {}, {} pixels, billed as {} tokens ({}){unknown}.",
            output::count(images.count, "image"),
            output::size(images.bytes),
            output::thousands(images.pixels),
            output::thousands(images.tokens),
            tokenizer.name()
        ));
    }
    if stats.base64.texts > 0 {
        said.push(format!(
            "Of these, Base64 as text: {} of {} tokens, of which a model can make nothing.",
            output::count(stats.base64.texts, "text"),
            output::thousands(stats.base64.tokens)
        ));
    }
    said
}

/// What a session is, in sentences.
pub(crate) fn heads(session: &Session, tokenizer: Tokenizer) -> Vec<String> {
    let stats = &session.stats;
    let mut said = vec![
        format!(
            "{} ({}), {}: {}, {}, {}.",
            text::plain(&session.session),
            session.format,
            output::size(session.bytes),
            output::count(stats.turns, "turn"),
            output::count(stats.steps, "step"),
            output::count(stats.compactions, "compaction"),
        ),
        format!(
            "{} tokens ({}), {} of them still read. Tool results are {} of all.",
            output::thousands(stats.path.tokens),
            tokenizer.name(),
            output::thousands(stats.read_tokens),
            percent(session.result_share)
        ),
    ];
    let aside = stats.everywhere.tokens - stats.path.tokens.min(stats.everywhere.tokens);
    if aside > 0 {
        said.push(format!(
            "Beside the way to its newest message, in other branches and sub-agents: {} tokens, not counted here.",
            output::thousands(aside)
        ));
    }
    said
}

/// What many sessions are, in sentences.
pub(crate) fn heads_of_many(many: &Many, tokenizer: Tokenizer) -> Vec<String> {
    let mut said = vec![format!(
        "{}, {}: {} tokens ({}). Tool results are {} of all.",
        output::count(many.sessions, "session"),
        output::size(many.bytes),
        output::thousands(many.stats.path.tokens),
        tokenizer.name(),
        percent(many.result_share)
    )];
    if let Some(median) = many.median_result_share {
        said.push(format!(
            "Medians are of the {} that have {} tokens of tool results or more; in these, results are {} of all tokens in the median.",
            output::count(many.sessions_in_medians, "session"),
            output::thousands(super::FEWEST_RESULT_TOKENS),
            percent(median)
        ));
    }
    said
}

/// What the table of policies means.
pub(crate) const POLICIES_NOTE: &str = "Saved: tokens of tool results, each once, and of those in all requests together. Came back to: \
     names that an agent took from a result and wrote later; missed: those that would not have stood anywhere by then.";

fn lines(lines: &[String]) -> Outcome<()> {
    lines.iter().try_for_each(|line| output::line(line))
}

pub(crate) fn print(session: &Session, tokenizer: Tokenizer) -> Outcome<()> {
    let stats = &session.stats;
    lines(&heads(session, tokenizer))?;
    for table in [kinds(stats), tools(stats), ages(stats), repeats(stats), largest(stats)] {
        table.print()?;
    }
    print_rest(stats, &session.policies, false, tokenizer)
}

pub(crate) fn print_many(many: &Many, tokenizer: Tokenizer) -> Outcome<()> {
    let stats = &many.stats;
    lines(&heads_of_many(many, tokenizer))?;
    for table in
        [clients(many), kinds(stats), tools(stats), ages(stats), repeats(stats), largest_sessions(many)]
    {
        table.print()?;
    }
    print_rest(stats, &many.policies, true, tokenizer)
}

fn print_rest(stats: &Stats, rows: &[PolicyRow], has_medians: bool, tokenizer: Tokenizer) -> Outcome<()> {
    let apart = apart(stats, tokenizer);
    if !apart.is_empty() {
        output::line("")?;
        lines(&apart)?;
    }
    if !rows.is_empty() {
        policies(rows, has_medians).print()?;
        output::line(POLICIES_NOTE)?;
    }
    Ok(())
}
