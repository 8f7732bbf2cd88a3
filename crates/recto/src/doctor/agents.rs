//! Which agents are there, and how recto is in them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{Finding, State};
use crate::{
    environment,
    hook::install::{Agent, Place},
};

pub(super) fn examine(store: Option<&PathBuf>, found: &mut Vec<Finding>) {
    claude(store, found);
    for (agent, about) in [(Agent::Pi, "pi"), (Agent::Opencode, "opencode")] {
        let is_there = environment::on_path(agent.name()).is_some();
        let states = states(agent, store);
        if states.is_empty() && !is_there {
            continue;
        }
        if states.is_empty() {
            found.push(absent(about, agent));
        }
        found.extend(states.into_iter().map(|(place, state)| installed(about, agent, &place.path, state)));
    }
    codex(found);
}

/// Where an agent's hook is; whether it is as this recto would write it, or cannot be read.
fn states(agent: Agent, store: Option<&PathBuf>) -> Vec<(Place, Result<bool, String>)> {
    [false, true]
        .into_iter()
        .filter_map(|in_project| Place::of(agent, in_project, store.map(PathBuf::as_path)).ok())
        .filter_map(|place| match place.is_current() {
            Ok(None) => None,
            Ok(Some(is_current)) => Some((place, Ok(is_current))),
            Err(failure) => Some((place, Err(failure.message().to_owned()))),
        })
        .collect()
}

fn installed(about: &'static str, agent: Agent, path: &Path, state: Result<bool, String>) -> Finding {
    match state {
        Ok(true) => Finding::new(about, State::Ok, format!("hook in {}", path.display())),
        Ok(false) => Finding::new(
            about,
            State::Warning,
            format!("hook in {}, not as this version writes it", path.display()),
        )
        .hint(format!("recto hook install {} --write", agent.name())),
        Err(message) => Finding::new(about, State::Failure, message),
    }
}

fn absent(about: &'static str, agent: Agent) -> Finding {
    let finding = Finding::new(about, State::Note, "is there, without recto's hook");
    finding.hint(match agent {
        Agent::Claude => "the plug-in (docs/hooks.md), or: recto hook install claude --write".to_owned(),
        _ => format!("recto hook install {} --write", agent.name()),
    })
}

fn claude(store: Option<&PathBuf>, found: &mut Vec<Finding>) {
    const ABOUT: &str = "claude";
    let folder = environment::claude_folder();
    let file = folder.as_deref().map(|folder| folder.join("settings.json"));
    let settings = file.as_deref().map(json).unwrap_or_default();
    let has_plugin = has_plugin(&settings);
    if let Some(file) = file.filter(|file| fs::read_to_string(file).is_ok_and(|text| !is_plain_json(&text))) {
        found.push(
            Finding::new(
                ABOUT,
                State::Failure,
                format!("it reads no hooks from {}: {NOT_READ}", file.display()),
            )
            .hint("take comments and trailing commas out of it"),
        );
    }
    let states = states(Agent::Claude, store);
    if has_plugin {
        found.push(Finding::new(ABOUT, State::Ok, "the plug-in is on: hooks, tools, skill"));
    }
    let is_twice = states.len() + usize::from(has_plugin) > 1;
    let is_there = environment::on_path("claude").is_some() || folder.as_deref().is_some_and(Path::is_dir);
    if states.is_empty() && !has_plugin {
        if is_there {
            found.push(absent(ABOUT, Agent::Claude));
        }
        return;
    }
    found
        .extend(states.into_iter().map(|(place, state)| installed(ABOUT, Agent::Claude, &place.path, state)));
    if is_twice {
        found.push(
            Finding::new(
                ABOUT,
                State::Warning,
                "the hook is there more than once: each result is viewed twice, to the same effect",
            )
            .hint(
                "keep one: `recto hook uninstall claude --write`, with --project for the one of this folder",
            ),
        );
    }
    if settings["disableAllHooks"] == Value::Bool(true) {
        found.push(
            Finding::new(ABOUT, State::Failure, "its settings turn all hooks off (disableAllHooks)")
                .hint("take that out of settings.json"),
        );
    }
    if settings["sandbox"]["enabled"] == Value::Bool(true) {
        found.push(Finding::new(
            ABOUT,
            State::Note,
            "its shell runs in a sandbox: hooks run outside of it, and `recto expand` in it reads the archive without writing",
        ));
    }
}

/// Why Claude Code (2.1) runs no hook of a settings file.
pub(crate) const NOT_READ: &str = "it holds comments or trailing commas, which Claude Code does not take";

/// Whether a text is JSON without comments and trailing commas.
pub(crate) fn is_plain_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text.trim_start_matches('\u{feff}')).is_ok()
}

/// Whether the settings of Claude Code turn recto's plug-in on.
pub(crate) fn has_plugin(settings: &Value) -> bool {
    settings["enabledPlugins"].as_object().is_some_and(|plugins| {
        plugins.iter().any(|(name, on)| name.starts_with("recto@") && on == &Value::Bool(true))
    })
}

/// Codex has no hook, but a sandbox in which the archive may be read and not written.
fn codex(found: &mut Vec<Finding>) {
    const ABOUT: &str = "codex";
    let folder = environment::codex_folder();
    let config = folder.map(|folder| folder.join("config.toml"));
    let text = config.as_deref().and_then(|path| fs::read_to_string(path).ok());
    if text.is_none() && environment::on_path("codex").is_none() {
        return;
    }
    let table: toml::Table = text.as_deref().unwrap_or_default().parse().unwrap_or_default();
    let servers = table.get("mcp_servers").and_then(toml::Value::as_table);
    if servers.is_some_and(|servers| servers.values().any(is_recto)) {
        found.push(Finding::new(ABOUT, State::Ok, "recto's tools are in its config.toml"));
    } else {
        found.push(
            Finding::new(ABOUT, State::Note, "is there, without recto's tools")
                .hint("codex mcp add recto -- recto mcp-tools"),
        );
    }
    let mode = table.get("sandbox_mode").and_then(toml::Value::as_str).unwrap_or("workspace-write");
    if mode == "danger-full-access" {
        return;
    }
    let data = environment::data_folder().map(|folder| folder.join("recto"));
    if mode == "read-only" {
        found.push(
            Finding::new(
                ABOUT,
                State::Note,
                "in its sandbox (read-only) the archive can be read and nothing be written: `recto run` prints all of the output",
            )
            .hint("for views there, in config.toml: sandbox_mode = \"workspace-write\""),
        );
        return;
    }
    let roots =
        table.get("sandbox_workspace_write").and_then(|of| of.get("writable_roots")?.as_array().cloned());
    let is_root = |root: &toml::Value| {
        root.as_str().is_some_and(|root| data.as_deref().is_some_and(|data| data.starts_with(root)))
    };
    if !roots.unwrap_or_default().iter().any(is_root) {
        found.push(
            Finding::new(
                ABOUT,
                State::Note,
                format!("in its sandbox ({mode}) the archive can be read, not written: `recto run` keeps output in files in $TMPDIR instead"),
            )
            .hint(format!(
                "to have it in the archive, in config.toml: [sandbox_workspace_write] writable_roots = [\"{}\"]",
                data.unwrap_or_default().display()
            )),
        );
    }
}

fn is_recto(server: &toml::Value) -> bool {
    let command = server.get("command").and_then(toml::Value::as_str).unwrap_or_default();
    command.rsplit('/').next() == Some("recto")
}

/// A file of JSON; null where it cannot be read.
pub(crate) fn json(path: &Path) -> Value {
    fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}
