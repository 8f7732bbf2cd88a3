//! Why results of the last day were left as they were.

use std::collections::BTreeMap;

use recto::archive::clock::{Clock as _, SystemClock};

use super::{Finding, State};
use crate::{
    output,
    settings::Settings,
    usage::{Usage, What},
};

const DAY_MS: u64 = 86_400_000;

const ABOUT: &str = "last day";

/// Reasons that are listed.
const MOST_REASONS: usize = 6;

pub(super) fn examine(settings: &Settings, found: &mut Vec<Finding>) {
    let since = SystemClock.now_unix_ms().saturating_sub(DAY_MS);
    let (mut results, mut views) = (0, 0);
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    let usage = Usage::of(settings);
    let read = usage.read(|line| {
        if line.at < since {
            return;
        }
        results += u64::from(matches!(line.what, What::View | What::Whole | What::Failed));
        views += u64::from(line.what == What::View);
        if line.what == What::Failed {
            // How late it was is of no interest here.
            let why = line.why.split_once(", after ").map_or(&*line.why, |(why, _)| why);
            *reasons
                .entry(format!(
                    "{}{}: {why}",
                    line.agent,
                    if line.tool.is_empty() { String::new() } else { format!(" {}", line.tool) }
                ))
                .or_default() += 1;
        }
    });
    match read {
        Err(error) => {
            found.push(Finding::new(
                ABOUT,
                State::Warning,
                format!("{} cannot be read: {error}", usage.path().display()),
            ));
            return;
        }
        Ok(0) => {}
        Ok(unread) => found.push(Finding::new(
            ABOUT,
            State::Warning,
            format!("{} of {} cannot be read", output::count(unread, "line"), usage.path().display()),
        )),
    }
    if results == 0 {
        found.push(
            Finding::new(ABOUT, State::Note, "no hook ran")
                .hint("after an install, a new session of the agent has it; a running one does not"),
        );
        return;
    }
    found.push(Finding::new(
        ABOUT,
        State::Ok,
        format!("{}, {}", output::count(results, "result"), output::count(views, "view")),
    ));
    let mut reasons: Vec<(String, u64)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    for (why, times) in reasons.into_iter().take(MOST_REASONS) {
        let finding = Finding::new(
            ABOUT,
            State::Warning,
            format!("{} left as they were: {why}", output::count(times, "result")),
        );
        found.push(match hint(&why) {
            Some(hint) => finding.hint(hint),
            None => finding,
        });
    }
}

fn hint(why: &str) -> Option<&'static str> {
    if why.contains("too late") {
        return Some(
            "the archive was locked, the result very large, or the machine busy; `hook.deadline` says how long is waited",
        );
    }
    if why.contains("shape that recto does not know") || why.contains("no answer to the event") {
        return Some("the agent is of another version than this recto knows: a newer recto may know it");
    }
    if why.contains("configuration") {
        return Some("`recto config show` names the line");
    }
    None
}
