//! Results as they stand in real sessions of Claude Code, of several versions.

use std::collections::BTreeMap;

use recto_testkit::corpus;
use serde_json::Value;

use crate::results::check;

/// The calls of a session by their ids, and their results: tool, input, output as its hooks would have seen it.
fn results(text: &str) -> Vec<(String, Value, Value)> {
    let mut calls: BTreeMap<String, (String, Value)> = BTreeMap::new();
    let mut found = Vec::new();
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let blocks = line["message"]["content"].as_array().cloned().unwrap_or_default();
        for block in blocks {
            let id = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
            match block["type"].as_str() {
                Some("tool_use") => {
                    calls.insert(id("id"), (id("name"), block["input"].clone()));
                }
                Some("tool_result") => {
                    let call = calls.get(&id("tool_use_id"));
                    if let (Some((tool, input)), Some(output)) = (call, line.get("toolUseResult")) {
                        found.push((tool.clone(), input.clone(), output.clone()));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

#[test]
fn every_result_is_read_or_stands() {
    let Some(sessions) = corpus::transcripts() else { return };
    let mut read: BTreeMap<String, usize> = BTreeMap::new();
    let mut stand: BTreeMap<String, usize> = BTreeMap::new();
    for session in sessions.iter().filter(|file| file.relative.contains("claude-code")) {
        for (tool, input, output) in results(&String::from_utf8_lossy(&session.read())) {
            let counts = if check(&tool, &input, &output).is_some() { &mut read } else { &mut stand };
            *counts.entry(tool).or_default() += 1;
        }
    }
    // Those that failed are texts; a hook is not asked about them.
    let of = |counts: &BTreeMap<String, usize>, tool: &str| counts.get(tool).copied().unwrap_or(0);
    assert!(
        of(&read, "Bash") > 140 && of(&read, "Read") > 90 && of(&read, "Grep") > 60,
        "{read:?} {stand:?}"
    );
    assert_eq!(of(&read, "Edit") + of(&read, "TodoWrite") + of(&read, "Skill"), 0);
}
