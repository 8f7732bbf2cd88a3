//! `recto session ls`: the sessions of all clients, newest first.

use std::{
    path::Path,
    time::{Duration, SystemTime},
};

use crate::desk::Desk;

const CLAUDE: &str = ".claude/projects/-w-shop/3fa2c1d0-1111-4222-8333-444455556666.jsonl";
const SUB_AGENT: &str = ".claude/projects/-w-shop/agent-a1b2c3d4.jsonl";
const CODEX: &str =
    ".codex/sessions/2026/01/02/rollout-2026-01-02T18-39-45-019b7f94-51b4-7593-922e-ba12b5b73b52.jsonl";
const PI: &str =
    ".pi/agent/sessions/--w-bank--/2025-12-09T00-52-54-397Z_d97339c6-6c10-4827-846b-9ff1d9c3dc37.jsonl";
const OPENCODE: &str = "data/opencode/storage/session/p/ses_0001.json";
const GEMINI: &str = ".gemini/tmp/h/chats/session-2025-09-01T10-20-abcdef12.json";

/// Writes a file that was changed so long ago.
#[expect(clippy::disallowed_methods, reason = "a test of ages")]
fn write(desk: &Desk, name: &str, text: &str, minutes_ago: u64) {
    let path = desk.write(name, text.as_bytes());
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(minutes_ago * 60 + 5)).unwrap();
}

/// A desk with a session of each client.
fn desk() -> Desk {
    let desk = Desk::new();
    let claude = |prompt: &str, is_side: bool| {
        format!(
            r#"{{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"3fa2c1d0-1111-4222-8333-444455556666","cwd":"/w/shop","isSidechain":{is_side},"message":{{"role":"user","content":"{prompt}"}}}}"#
        ) + "\n"
    };
    write(
        &desk,
        CLAUDE,
        &claude(
            "Why does\\nthe \\u001b[2J payment fail? It is refused by the bank, each time that somebody tries",
            false,
        ),
        1,
    );
    write(&desk, SUB_AGENT, &claude("Search", true), 0);
    let codex = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"019b7f94-51b4-7593-922e-ba12b5b73b52","cwd":"/w/bank"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Add a test"}]}}
"#;
    write(&desk, CODEX, codex, 130);
    let pi = r#"{"type":"session","id":"d97339c6-6c10-4827-846b-9ff1d9c3dc37","timestamp":"t","cwd":"/w/bank"}
{"type":"message","message":{"role":"user","content":[{"type":"text","text":"Tidy up"}]}}
"#;
    write(&desk, PI, pi, 60 * 24 * 3);
    let opencode =
        r#"{"id":"ses_0001","projectID":"p","directory":"/w/web","title":"A title","time":{"created":1}}"#;
    write(&desk, OPENCODE, opencode, 60 * 24 * 400);
    desk.write(
        "data/opencode/storage/message/ses_0001/msg_1.json",
        br#"{"id":"msg_1","sessionID":"ses_0001","role":"user"}"#,
    );
    desk.write(
        "data/opencode/storage/part/msg_1/prt_1.json",
        br#"{"id":"prt_1","messageID":"msg_1","type":"text","text":"Hello"}"#,
    );
    let gemini = r#"{"sessionId":"g","startTime":"t","messages":[{"id":"m","type":"user","content":"Say it in a line"}]}"#;
    write(&desk, GEMINI, gemini, 60 * 24 * 30);
    desk
}

#[test]
fn sessions_of_all_clients_are_listed_newest_first() {
    let desk = desk();
    insta::assert_snapshot!(desk.shown(&desk.run(&["session", "ls"])));
    insta::assert_snapshot!("all", desk.shown(&desk.run(&["session", "ls", "--all"])));
    insta::assert_snapshot!("few", desk.shown(&desk.run(&["session", "ls", "-n", "2"])));
    let since = desk.run(&["session", "ls", "--since", "1h", "--json"]).ok().json();
    assert_eq!(since.as_array().unwrap().len(), 1);
    let codex = desk.run(&["session", "ls", "--client", "codex", "--json"]).ok().json();
    assert_eq!(codex[0]["sessionId"], "019b7f94-51b4-7593-922e-ba12b5b73b52");
    assert_eq!(
        (codex[0]["folder"].as_str(), codex[0]["prompt"].as_str()),
        (Some("/w/bank"), Some("Add a test"))
    );
}

#[test]
fn every_short_id_is_taken_as_a_session() {
    let desk = desk();
    let listed = desk.run(&["session", "ls", "--all", "--json"]).ok().json();
    for row in listed.as_array().unwrap() {
        let id = row["id"].as_str().unwrap();
        let shown = desk.run(&["session", "show", id, "--json"]).ok().json();
        assert_eq!(shown["session"], row["path"], "{id}");
    }
    // Without a name it is the newest that a person had, though a sub-agent's file is newer.
    let newest = desk.run(&["session", "show", "--json"]).ok().json();
    assert!(Path::new(newest["session"].as_str().unwrap()).ends_with(CLAUDE), "{newest}");
}

#[test]
fn folders_and_files_are_looked_at_when_they_are_named() {
    let desk = desk();
    let storage = desk.run(&["session", "ls", "data/opencode/storage", "--json"]).ok().json();
    assert_eq!(storage.as_array().unwrap().len(), 1, "messages and parts are no sessions: {storage}");
    let files = [
        OPENCODE,
        "data/opencode/storage/message/ses_0001/msg_1.json",
        "data/opencode/storage/part/msg_1/prt_1.json",
    ];
    let bytes: u64 = files.iter().map(|file| desk.path(file).metadata().unwrap().len()).sum();
    assert_eq!(storage[0]["bytes"], bytes, "all of its files");
    desk.write("notes/a.json", b"{\"a\": 1}");
    desk.write("notes/b.jsonl", b"\x00\x01\x02");
    insta::assert_snapshot!("nothing_there", desk.shown(&desk.run(&["session", "ls", "notes"])));
    desk.run(&["session", "ls", "missing"]).fails(2, &["cannot read missing"]);
    desk.run(&["session", "ls", "notes/a.json"]).fails(2, &["no transcript", "--format"]);
    desk.run(&["session", "ls", "--client", "word"]).fails(2, &["unknown format"]);
    let named = desk.run(&["session", "ls", CODEX, PI, "--json"]).ok().json();
    assert_eq!((named[0]["client"].as_str(), named[1]["client"].as_str()), (Some("codex"), Some("pi")));
}

#[test]
fn where_it_looked_is_said_when_nothing_is_there() {
    let desk = Desk::new();
    insta::assert_snapshot!(desk.shown(&desk.run(&["session", "ls"])));
    assert_eq!(desk.run(&["session", "ls", "--json"]).ok().out(), "[]\n");
}

#[test]
fn only_the_beginnings_of_files_are_read() {
    let desk = Desk::new();
    let line = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","cwd":"/w","message":{"role":"user","content":"Hello"}}"#;
    let path = desk.write(".claude/projects/p/0000aaaa-1.jsonl", format!("{line}\n").as_bytes());
    let file = std::fs::File::options().write(true).open(path).unwrap();
    // A hole of a terabyte: whoever reads on does not come back.
    file.set_len(1 << 40).unwrap();
    let listed = desk.run(&["session", "ls", "--json"]).ok().json();
    assert_eq!((listed[0]["prompt"].as_str(), listed[0]["bytes"].as_u64()), (Some("Hello"), Some(1 << 40)));
}
