//! What came of the runs: a line of JSON each, and a table of levels.

use std::collections::BTreeMap;

use recto_catalog::{Level, MapStyle};
use serde::Serialize;

use crate::output;

/// How one run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) enum Outcome {
    #[serde(rename = "right")]
    Right,
    #[serde(rename = "wrong tool")]
    WrongTool,
    #[serde(rename = "wrong arguments")]
    WrongArguments,
    /// The model answered without one.
    #[serde(rename = "no call")]
    NoCall,
    /// It had no call made when it had had all its turns.
    #[serde(rename = "turns")]
    Turns,
    /// The provider was not asked, or gave no answer.
    #[serde(rename = "failed")]
    Failed,
}

/// One run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    pub(super) scenario: &'a str,
    pub(super) level: Level,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) map_style: Option<MapStyle>,
    pub(super) model: &'a str,
    pub(super) rep: u32,
    pub(super) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<String>,
    pub(super) turns: u32,
    pub(super) look_ups: u32,
    pub(super) errors: u32,
    pub(super) repairs: usize,
    pub(super) input_tokens: u64,
    pub(super) cached_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) millis: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

/// Sums of the runs of one level.
#[derive(Debug, Default)]
struct Row {
    outcomes: BTreeMap<Outcome, u64>,
    /// Runs that did not fail: what the means are of.
    answered: u64,
    turns: u64,
    look_ups: u64,
    errors: u64,
    input: u64,
    cached: u64,
    output: u64,
    millis: u64,
}

/// All runs, by level.
#[derive(Debug, Default)]
pub(super) struct Summary {
    rows: BTreeMap<Level, Row>,
}

impl Summary {
    pub(super) fn add(&mut self, line: &Line<'_>) {
        let row = self.rows.entry(line.level).or_default();
        *row.outcomes.entry(line.outcome).or_default() += 1;
        if line.outcome == Outcome::Failed {
            return;
        }
        row.answered += 1;
        row.turns += u64::from(line.turns);
        row.look_ups += u64::from(line.look_ups);
        row.errors += u64::from(line.errors);
        row.input += line.input_tokens;
        row.cached += line.cached_tokens;
        row.output += line.output_tokens;
        row.millis += line.millis;
    }

    /// How many runs failed.
    pub(super) fn failed(&self) -> u64 {
        self.rows.values().filter_map(|row| row.outcomes.get(&Outcome::Failed)).sum()
    }

    /// The table; columns behind the outcomes are means of runs that did not fail.
    pub(super) fn table(&self) -> String {
        let headings = [
            "level",
            "right",
            "wrong tool",
            "wrong args",
            "no call",
            "turns",
            "failed",
            "answers",
            "look-ups",
            "errors",
            "input",
            "cached",
            "output",
            "seconds",
        ];
        let rows: Vec<Vec<String>> = self.rows.iter().map(|(level, row)| row.cells(*level)).collect();
        output::table(&headings, &rows, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
    }
}

impl Row {
    fn cells(&self, level: Level) -> Vec<String> {
        let outcomes = [
            Outcome::Right,
            Outcome::WrongTool,
            Outcome::WrongArguments,
            Outcome::NoCall,
            Outcome::Turns,
            Outcome::Failed,
        ];
        let mut cells = vec![level.to_string()];
        cells.extend(outcomes.map(|outcome| self.outcomes.get(&outcome).copied().unwrap_or(0).to_string()));
        let mean = |sum: u64| sum.checked_div(self.answered);
        let tenths = |sum: u64| mean(sum * 10).map(|tenths| format!("{}.{}", tenths / 10, tenths % 10));
        let whole = |sum: u64| mean(sum).map(output::thousands);
        cells.extend(
            [
                tenths(self.turns),
                tenths(self.look_ups),
                tenths(self.errors),
                whole(self.input),
                whole(self.cached),
                whole(self.output),
                tenths(self.millis / 1_000),
            ]
            .map(|cell| cell.unwrap_or_else(|| "-".to_owned())),
        );
        cells
    }
}
