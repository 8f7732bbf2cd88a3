//! Other programs that change what a model reads, and what comes of both together.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Finding, State, agents::json};
use crate::{environment, hook::install::is_own};

/// Names by which other compressors are known: words of their commands.
const COMPRESSORS: [&str; 12] = [
    "rtk",
    "headroom",
    "lean-ctx",
    "leanctx",
    "context-mode",
    "contextzip",
    "tokf",
    "snip",
    "squeez",
    "token-optimizer",
    "ctx-zip",
    "claw-compactor",
];

const ABOUT: &str = "others";

/// Files of hooks below the folder of plug-ins that are looked at.
const MOST_FILES: usize = 400;

pub(super) fn examine(found: &mut Vec<Finding>) {
    let folder = environment::claude_folder();
    let project = PathBuf::from(".claude");
    let mut files: Vec<PathBuf> = folder
        .iter()
        .chain([&project])
        .flat_map(|folder| ["settings.json", "settings.local.json"].map(|name| folder.join(name)))
        .collect();
    if let Some(folder) = &folder {
        plugin_hooks(&folder.join("plugins"), &mut files);
    }
    for file in files {
        let settings = json(&file);
        hooks(&file, &settings, found);
        for name in environment::BASE_URLS {
            if let Some(url) = settings["env"][name].as_str() {
                found.push(base_url(name, url, &format!("{} sets", file.display())));
            }
        }
    }
    for name in environment::BASE_URLS {
        if let Some(url) = environment::base_url(name) {
            found.push(base_url(name, &url, "the environment sets"));
        }
    }
}

/// Hooks of others that change results or shell lines.
fn hooks(file: &Path, settings: &Value, found: &mut Vec<Finding>) {
    let Some(events) = settings["hooks"].as_object() else { return };
    for (event, entries) in events {
        let entries = entries.as_array().map(Vec::as_slice).unwrap_or_default();
        let commands =
            entries.iter().flat_map(|entry| entry["hooks"].as_array().map(Vec::as_slice).unwrap_or_default());
        for command in commands.filter_map(|hook| hook["command"].as_str()) {
            let is_recto = is_own(command) || command.contains("recto hook ");
            let Some(name) = compressor(command).filter(|_| !is_recto) else { continue };
            let what = match event.as_str() {
                "PostToolUse" => {
                    "changes results too: both see the original, the answer that comes last is taken, and the other's is dropped"
                }
                "PreToolUse" => {
                    "changes shell lines before they run: what it cuts there never reaches recto and cannot be had back from it"
                }
                _ => "runs at another event: it and recto do not meet",
            };
            let state = if matches!(event.as_str(), "PostToolUse" | "PreToolUse") {
                State::Warning
            } else {
                State::Note
            };
            let finding =
                Finding::new(ABOUT, state, format!("{name} ({event} in {}) {what}", file.display()));
            found.push(if state == State::Warning {
                finding.hint("keep one of the two for each event")
            } else {
                finding
            });
        }
    }
}

/// The compressor that a command runs.
fn compressor(command: &str) -> Option<&'static str> {
    let words = || command.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')));
    COMPRESSORS.into_iter().find(|name| {
        words().any(|word| {
            word == *name
                || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('-') || rest.starts_with('_'))
        })
    })
}

fn base_url(name: &str, url: &str, by: &str) -> Finding {
    // A secret may stand in a URL.
    let shown = url
        .split('?')
        .next()
        .unwrap_or_default()
        .rsplit_once('@')
        .map_or(url.split('?').next().unwrap_or_default(), |(_, host)| host);
    Finding::new(
        ABOUT,
        State::Note,
        format!(
            "{by} {name} to {shown}: requests pass another program; it gets views, and may change them again"
        ),
    )
}

/// The files of hooks that plug-ins have, found without following links.
fn plugin_hooks(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut open = vec![(folder.to_owned(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > MOST_FILES * 20 || files.len() > MOST_FILES {
                return;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir()
                && depth < 7
                && entry.file_name() != "node_modules"
                && entry.file_name() != ".git"
            {
                open.push((entry.path(), depth + 1));
            } else if kind.is_file() && entry.file_name() == "hooks.json" {
                files.push(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressors_by_whole_words() {
        assert_eq!(compressor("/usr/local/bin/rtk hook claude"), Some("rtk"));
        assert_eq!(compressor("~/.claude/hooks/rtk-rewrite.sh"), Some("rtk"));
        assert_eq!(compressor("npx -y headroom-ai hook"), Some("headroom"));
        assert_eq!(compressor("prettier --write; artkit"), None);
    }

    #[test]
    fn secrets_of_a_url_are_not_shown() {
        let shown =
            base_url("ANTHROPIC_BASE_URL", "http://user:secret@127.0.0.1:8787/v1?key=secret", "x").what;
        assert!(shown.contains("127.0.0.1:8787/v1") && !shown.contains("secret"), "{shown}");
    }
}
