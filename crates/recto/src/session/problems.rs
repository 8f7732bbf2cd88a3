//! What is wrong with a session, as it is shown.

use std::collections::HashMap;

use recto::{
    session::history::{History, Place},
    transcript::Transcript,
    wire::Layout,
};
use serde::Serialize;

use super::{ids, words};
use crate::{failure::Outcome, output};

/// Problems that are listed one by one.
const MOST_PROBLEMS: usize = 20;

/// Something that is wrong, and where.
#[derive(Serialize)]
pub(crate) struct Row {
    /// The line of the conversation that it is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u32>,
    file: u32,
    line: u32,
    what: &'static str,
}

/// What is wrong, in the order of the files' lines.
pub(crate) fn of(history: &History) -> impl Iterator<Item = Row> {
    let mut of_items: HashMap<u32, u32> = HashMap::new();
    let mut of_nodes: HashMap<u32, u32> = HashMap::new();
    for (line, number) in history.lines().iter().zip(1..) {
        of_items.extend(line.item.map(|item| (item, number)));
        of_nodes.entry(line.node).or_insert(number);
    }
    let records: HashMap<(u32, u64, u32), u32> =
        history.nodes.iter().zip(0..).map(|(node, at)| (record(node.place), at)).collect();
    let mut sorted = history.problems.clone();
    sorted.sort_by_key(|problem| (problem.place.file, problem.place.line));
    sorted.into_iter().map(move |problem| Row {
        number: match problem.item {
            Some(item) => of_items.get(&item).copied(),
            None => records.get(&record(problem.place)).and_then(|node| of_nodes.get(node)).copied(),
        },
        file: problem.place.file,
        line: problem.place.line,
        what: words::problem(problem.kind),
    })
}

/// By what a record is known.
fn record(place: Place) -> (u32, u64, u32) {
    (place.file, place.at, place.line)
}

/// Says what is wrong, and how it is put right.
pub(crate) fn say(transcript: &Transcript, history: &History) -> Outcome<()> {
    let count = history.problems.len();
    if count == 0 {
        return Ok(());
    }
    output::line("")?;
    output::line(&format!("{}:", output::count(count as u64, "problem")))?;
    let is_many = transcript.layout() == Layout::Files;
    for problem in of(history).take(MOST_PROBLEMS) {
        let number = problem.number.map_or_else(String::new, |number| format!("#{number}, "));
        let place = match transcript.paths().nth(problem.file as usize).filter(|_| is_many) {
            Some(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            None => format!("line {}", problem.line),
        };
        output::line(&format!("  {number}{place}: {}", problem.what))?;
    }
    if count > MOST_PROBLEMS {
        output::line(&format!("  and {} more; `--json` has them all", count - MOST_PROBLEMS))?;
    }
    if history.problems.iter().any(|problem| words::is_serious(problem.kind)) {
        let name = ids::of_path(transcript.path());
        output::complain(&format!(
            "hint: `recto session repair {name} --dry-run` tells what can be put right"
        ));
    }
    Ok(())
}
