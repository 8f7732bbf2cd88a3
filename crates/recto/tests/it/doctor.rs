//! `recto doctor`: what it finds on a machine that is made for it.

use std::fs;

use serde_json::{Value, json};

use crate::desk::Desk;

/// What it says about a thing: states and words.
fn about(desk: &Desk, thing: &str) -> Vec<(String, String)> {
    let found: Value = serde_json::from_slice(&desk.run(&["doctor", "--json"]).0.stdout).unwrap();
    let words = |finding: &Value| {
        (finding["state"].as_str().unwrap().to_owned(), finding["what"].as_str().unwrap().to_owned())
    };
    found.as_array().unwrap().iter().filter(|finding| finding["about"] == thing).map(words).collect()
}

#[track_caller]
fn says(found: &[(String, String)], state: &str, words: &str) {
    assert!(
        found.iter().any(|(own, what)| own == state && what.contains(words)),
        "no {state} {words:?} in {found:?}"
    );
}

#[test]
fn a_machine_with_nothing_on_it() {
    let desk = Desk::new();
    says(&about(&desk, "archive"), "ok", "made when something is first stored");
    says(&about(&desk, "last day"), "note", "no hook ran");
    assert!(!desk.store().exists(), "looking makes nothing");
    let text = desk.run(&["doctor"]).ok().out();
    assert!(text.starts_with("recto ") && text.contains("archive ") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn hooks_conflicts_and_addresses() {
    let desk = Desk::new();
    desk.write(".claude/settings.json", &serde_json::to_vec(&json!({
        "env": { "ANTHROPIC_BASE_URL": "http://me:secret@127.0.0.1:8787/" },
        "enabledPlugins": { "recto@recto": true },
        "hooks": {
            "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "~/.claude/hooks/rtk-rewrite.sh" }] }],
            "PostToolUse": [{ "hooks": [{ "type": "command", "command": "npx headroom hook" }] }],
        },
    })).unwrap());
    desk.write(
        ".claude/plugins/cache/x/y/1.0/hooks/hooks.json",
        br#"{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"lean-ctx post"}]}]}}"#,
    );
    desk.run(&["hook", "install", "claude", "--write"]).ok();
    let claude = about(&desk, "claude");
    says(&claude, "ok", "the plug-in is on");
    says(&claude, "ok", "hook in ");
    says(&claude, "warning", "more than once");
    let others = about(&desk, "others");
    says(&others, "warning", "rtk (PreToolUse");
    says(&others, "warning", "headroom (PostToolUse");
    says(&others, "warning", "lean-ctx (PostToolUse");
    says(&others, "note", "ANTHROPIC_BASE_URL to 127.0.0.1:8787");
    assert!(!format!("{others:?}").contains("secret"));
}

#[test]
fn an_old_hook_and_one_that_is_turned_off() {
    let desk = Desk::new();
    desk.run(&["hook", "install", "claude", "--write"]).ok();
    let path = desk.path(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"timeout\": 5", "\"timeout\": 50")).unwrap();
    says(&about(&desk, "claude"), "warning", "not as this version writes it");
    fs::write(&path, text.replacen("{ ", "{ \"disableAllHooks\": true, ", 1)).unwrap();
    says(&about(&desk, "claude"), "failure", "disableAllHooks");
    assert_eq!(desk.run(&["doctor"]).code(), 1);
    // The client reads no comments, although the hook is there.
    fs::write(&path, format!("// mine\n{text}")).unwrap();
    says(&about(&desk, "claude"), "failure", "comments or trailing commas");
}

#[test]
fn codex_and_its_sandbox() {
    let desk = Desk::new();
    desk.write(".codex/config.toml", b"model = \"x\"\n");
    let codex = about(&desk, "codex");
    says(&codex, "note", "without recto's tools");
    says(&codex, "note", "can be read, not written");
    desk.write(".codex/config.toml", b"sandbox_mode = \"read-only\"\n");
    says(&about(&desk, "codex"), "note", "(read-only) the archive can be read and nothing be written");
    desk.write(".codex/config.toml", b"sandbox_mode = \"danger-full-access\"\n");
    assert_eq!(about(&desk, "codex").len(), 1);
    let root = desk.path("data").display().to_string();
    let config = format!(
        "[mcp_servers.recto]\ncommand = \"/usr/bin/recto\"\nargs = [\"mcp-tools\"]\n[sandbox_workspace_write]\nwritable_roots = [\"{root}\"]\n"
    );
    desk.write(".codex/config.toml", config.as_bytes());
    assert_eq!(about(&desk, "codex"), [("ok".to_owned(), "recto's tools are in its config.toml".to_owned())]);
}

#[test]
fn what_keeps_hooks_from_working() {
    let desk = Desk::new();
    desk.write("config/recto/config.toml", b"[hook]\nthreshhold = 1\n");
    says(&about(&desk, "configuration"), "failure", "config.toml:2");
    // The hook itself stood aside, and the reason is found again.
    desk.pipe(&["hook", "claude"], b"{}").ok();
    says(&about(&desk, "last day"), "warning", "1 result left as they were: claude: the configuration");
    fs::remove_file(desk.path("config/recto/config.toml")).unwrap();
    let damaged = desk.write(
        "data/recto/recto.db",
        b"this is no archive but a text that is long enough to be looked at twice",
    );
    says(&about(&desk, "archive"), "failure", &damaged.display().to_string());
    assert_eq!(desk.run(&["doctor"]).code(), 1);
}
