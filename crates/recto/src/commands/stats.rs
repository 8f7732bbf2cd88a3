use std::{collections::BTreeMap, process::ExitCode, time::Duration};

use clap::Args;
use recto::archive::clock::{Clock as _, SystemClock};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    output,
    settings::{self, Settings},
    stats::{self, Counter, Group},
    usage::{Usage, What},
};

/// Show what hooks have saved: tokens in, tokens out, what was asked for again
///
/// Counted from what hooks and recto's tools have written down, by agent and tool. Tokens of views are counted exactly, in the
/// tokenizer of the configuration; those of results that stand as they were, and of views whose originals are gone, are estimated by
/// their bytes (`~`). What was asked for again comes off what was saved.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto stats
  recto stats --since 7d
  recto stats --agent claude --json | jq .total.savedPercent")]
pub(crate) struct Arguments {
    /// Only what happened in this time: 12h, 7d
    #[arg(long, value_name = "D", value_parser = settings::duration)]
    since: Option<Duration>,

    /// Only this agent: claude, pi, opencode, shell, mcp
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    tokenizer: String,
    groups: Vec<Row>,
    total: Row,
    failures: Vec<Failed>,
}

/// A group as it is reported.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(flatten)]
    group: Group,
    saved_percent: f64,
}

#[derive(Serialize)]
struct Failed {
    why: String,
    times: u64,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let usage = Usage::of(settings);
    let since = arguments.since.map_or(0, |since| {
        SystemClock.now_unix_ms().saturating_sub(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    });
    let mut lines = Vec::new();
    let read = usage.read(|line| {
        let is_asked = arguments.agent.as_ref().is_none_or(|agent| *agent == line.agent);
        if line.at >= since && is_asked {
            lines.push(line);
        }
    });
    let unread = read.map_err(|error| Failure::file(usage.path(), "read", &error))?;
    if unread > 0 {
        let lines = output::count(unread, "line");
        output::warn(&format!("{lines} of {} cannot be read: not counted", usage.path().display()));
    }
    if lines.is_empty() && !arguments.json {
        let is_part = arguments.since.is_some() || arguments.agent.is_some();
        let what = if is_part { "nothing of that is written down" } else { "nothing is written down yet" };
        output::complain(&format!("{what} in {}", usage.path().display()));
        output::complain("hint: `recto hook status` says which agents have the hook");
        return Ok(ExitCode::SUCCESS);
    }
    let mut counter = Counter::new(settings);
    let mut groups: BTreeMap<(String, String), Group> = BTreeMap::new();
    let mut total = Group::default();
    let mut failures: BTreeMap<String, u64> = BTreeMap::new();
    let bar = output::progress(
        lines.iter().fold(0, |sum: u64, line| sum.saturating_add(line.bytes)),
        "counting tokens",
    );
    for line in &lines {
        let tokens = counter.tokens(line);
        groups.entry((line.agent.clone(), stats::family(&line.tool))).or_default().add(line, tokens);
        total.add(line, tokens);
        if line.what == What::Failed {
            *failures.entry(line.why.clone()).or_default() += 1;
        }
        bar.inc(line.bytes);
    }
    bar.finish_and_clear();
    counter.keep();
    let mut failures: Vec<Failed> = failures.into_iter().map(|(why, times)| Failed { why, times }).collect();
    failures.sort_by_key(|failed| std::cmp::Reverse(failed.times));
    let row = |names: Option<(String, String)>, group: Group| {
        let (agent, tool) = names.unzip();
        Row { agent, tool, saved_percent: percent(&group), group }
    };
    let mut rows: Vec<Row> = groups.into_iter().map(|(names, group)| row(Some(names), group)).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.group.tokens_in));
    let report = Report {
        tokenizer: settings.tokenizer.value.to_string(),
        groups: rows,
        total: row(None, total),
        failures,
    };
    if arguments.json {
        output::json(&report)?;
    } else {
        show(&report)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn percent(group: &Group) -> f64 {
    if group.tokens_in == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    let share = group.saved() as f64 / group.tokens_in as f64;
    (share * 1000.0).round() / 10.0
}

fn show(report: &Report) -> Outcome<()> {
    let headings = ["agent", "tool", "results", "views", "tokens in", "tokens out", "recalled", "saved", ""];
    let cells = |row: &Row| {
        let group = &row.group;
        let mark = if group.is_estimated { "~" } else { "" };
        vec![
            row.agent.clone().unwrap_or_else(|| "all".to_owned()),
            row.tool.clone().unwrap_or_default(),
            counted(group.results),
            counted(group.views),
            if group.results == 0 {
                "-".to_owned()
            } else {
                format!("{mark}{}", output::thousands(group.tokens_in))
            },
            if group.results == 0 {
                "-".to_owned()
            } else {
                format!("{mark}{}", output::thousands(group.tokens_out))
            },
            if group.recalls == 0 {
                "-".to_owned()
            } else {
                format!("{}x ~{}", group.recalls, output::thousands(group.tokens_recalled))
            },
            if group.results == 0 { "-".to_owned() } else { format!("{:.1} %", row.saved_percent) },
            if group.results == 0 { String::new() } else { bar(row.saved_percent) },
        ]
    };
    // Tools whose results hold no text have nothing to show.
    let (told, silent): (Vec<&Row>, Vec<&Row>) =
        report.groups.iter().partition(|row| row.group.tokens_in > 0 || row.group.recalls > 0);
    let mut rows: Vec<Vec<String>> = told.into_iter().map(cells).collect();
    rows.push(cells(&report.total));
    output::data(output::table(&headings, &rows, &[2, 3, 4, 5, 6, 7]).as_bytes())?;
    let total = &report.total.group;
    output::line("")?;
    output::line(&format!(
        "{} tokens ({}) were not read; {} of {} results are views.",
        output::thousands(total.saved().max(0).unsigned_abs()),
        report.tokenizer,
        total.views,
        total.results
    ))?;
    let results: u64 = silent.iter().map(|row| row.group.results).sum();
    if results > 0 {
        output::line(&format!("Without a text that could be cut: {}.", output::count(results, "result")))?;
    }
    if total.denied > 0 {
        let calls = output::count(total.denied, "call");
        output::line(&format!("Refused, as a note stood in their arguments: {calls}."))?;
    }
    for failed in report.failures.iter().take(5) {
        output::line(&format!("{} as it was: {}", output::count(failed.times, "result"), failed.why))?;
    }
    Ok(())
}

fn counted(number: u64) -> String {
    if number == 0 { "-".to_owned() } else { output::thousands(number) }
}

/// A share as a bar of ten places.
fn bar(percent: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let full = (percent / 10.0).round().clamp(0.0, 10.0) as usize;
    format!("{}{}", "\u{2588}".repeat(full), "\u{2591}".repeat(10 - full))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(output::thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            bar(55.0),
            "\u{2588}\u{2588}\u{2588}\u{2588}\u{2588}\u{2588}\u{2591}\u{2591}\u{2591}\u{2591}"
        );
        assert_eq!(bar(-3.0), "\u{2591}".repeat(10));
    }
}
