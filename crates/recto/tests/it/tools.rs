//! `recto tools`: definitions made smaller, calls made real.

use serde_json::{Value, json};

use crate::desk::{Desk, mode};

/// Three tools of a small server, with what an MCP server may write that no library knows.
fn definitions() -> Value {
    let page = json!({"type": "integer", "minimum": 1, "description": "Which page, from 1"});
    json!({"tools": [
        {
            "name": "issues_create", "title": "Create", "description": "Creates an issue in a repository. Needs a token.",
            "inputSchema": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "owner": {"type": "string"}, "repo": {"type": "string"}, "title": {"type": "string", "minLength": 1},
                    "state": {"type": "string", "enum": ["open", "closed"], "default": "open"},
                },
                "required": ["owner", "repo", "title"],
            },
            "annotations": {"readOnlyHint": false}, "x-vendor": {"kept": [1.0, "ü"]},
        },
        {
            "name": "issues_list", "description": "Lists the issues of a repository, newest first.",
            "inputSchema": {
                "type": "object",
                "properties": {"owner": {"type": "string"}, "repo": {"type": "string"}, "page": page},
                "required": ["owner", "repo"],
            },
        },
        {"name": "ping", "description": "Tells whether the server is there.", "inputSchema": {"type": "object"}},
    ]})
}

fn file(desk: &Desk) -> String {
    desk.write("tools.json", definitions().to_string().as_bytes()).display().to_string()
}

/// The lines of JSON that a command printed.
fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_is_sent_is_shown_and_printed() {
    let desk = Desk::new();
    let path = file(&desk);
    insta::assert_snapshot!("tools_level_1", desk.run(&["tools", "compile", &path]).ok().out());
    insta::assert_snapshot!(
        "tools_level_3",
        desk.run(&["tools", "compile", &path, "--level", "3", "--map-style", "signature"]).ok().out()
    );
    insta::assert_snapshot!(
        "tools_budget",
        desk.run(&["tools", "compile", &path, "--budget", "168", "--pin", "ping"]).ok().out()
    );
    for provider in ["anthropic", "openai", "openai-responses", "gemini", "mcp"] {
        let compiled =
            desk.run(&["tools", "compile", &path, "-l", "3", "--provider", provider, "--json"]).ok().json();
        assert_eq!(compiled["stats"]["level"], 3, "{provider}");
        assert_eq!(compiled["stats"]["toolCount"], 3);
        assert!(compiled["system"].to_string().contains("issues_list(owner,repo)"), "{provider}: {compiled}");
    }
    let anthropic =
        desk.run(&["tools", "compile", &path, "--provider", "anthropic", "--one-hour", "--json"]).ok().json();
    assert_eq!(anthropic["tools"][2]["cache_control"], json!({"type": "ephemeral", "ttl": "1h"}));
    assert!(anthropic.get("system").is_none(), "{anthropic}");
}

#[test]
fn definitions_come_from_files_pipes_and_servers() {
    let desk = Desk::new();
    let path = file(&desk);
    let of_file = desk.run(&["tools", "compile", &path, "--level", "0", "--json"]).ok().json();
    let of_pipe =
        desk.pipe(&["tools", "compile", "-", "--level", "0", "--json"], definitions().to_string().as_bytes());
    assert_eq!(of_pipe.ok().json()["tools"], of_file["tools"]);
    // Two pages, a log line and a notification in between; unknown members survive.
    let tools = definitions()["tools"].as_array().unwrap().clone();
    let answers = [
        json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools[..2], "nextCursor": "2"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "half way"}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": tools[2..]}}),
    ];
    let script = format!(
        "read -r a; cat <<'END'\n{}\nEND\nread -r b; read -r c; cat <<'END'\n{}\n{}\nEND\nread -r d; cat <<'END'\n{}\nEND\nread -r e; true",
        answers[0], answers[1], answers[2], answers[3]
    );
    let server = desk.write("server.sh", script.as_bytes()).display().to_string();
    let asked =
        desk.run(&["tools", "compile", &format!("mcp:sh {server}"), "--level", "0", "--json"]).ok().json();
    assert_eq!(asked["tools"], Value::from(tools));
}

#[test]
fn a_server_that_is_none_is_told_so() {
    let desk = Desk::new();
    desk.run(&["tools", "stats", "mcp:exit 3"]).fails(1, &["did not answer as an MCP server", "mcp:npx"]);
    desk.run(&["tools", "stats", "mcp:echo no such module >&2; exit 1"]).fails(1, &["no such module"]);
    desk.run(&["tools", "stats", "mcp:sleep 60", "--patience", "1s"]).fails(1, &["within 1 s", "--patience"]);
    desk.run(&["tools", "stats", "mcp:echo hello"])
        .fails(1, &["did not answer", "before it answered `initialize`"]);
}

/// Starts a server that answers `initialize`, and each request for tools with one of these; `$id` is the request's.
fn server_of(desk: &Desk, answers: &[&str]) -> String {
    let hello = r#"{"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}}"#;
    let mut script = format!("read -r line; echo '{hello}'; read -r line\n");
    for (place, answer) in answers.iter().enumerate() {
        script.push_str(&format!(
            "read -r line; echo '{{\"jsonrpc\": \"2.0\", \"id\": {}, {answer}}}'\n",
            place + 1
        ));
    }
    script.push_str("read -r line; true\n");
    format!("mcp:sh {}", desk.write("server.sh", script.as_bytes()).display())
}

#[test]
fn what_servers_answer_is_taken_as_it_is_or_told() {
    let desk = Desk::new();
    let bare = server_of(
        &desk,
        &[r#""result": {"tools": [{"name": "a", "extra": 1}, {"name": "b", "inputSchema": null}]}"#],
    );
    let asked = desk.run(&["tools", "compile", &bare, "--level", "0", "--json"]).ok().json();
    assert_eq!(asked["tools"], json!([{"name": "a", "extra": 1}, {"name": "b", "inputSchema": null}]));
    let empty = server_of(&desk, &[r#""result": {"tools": [{"name": "a"}], "nextCursor": ""}"#]);
    let asked = desk.run(&["tools", "compile", &empty, "--level", "0", "--json"]).ok().json();
    assert_eq!(asked["tools"], json!([{"name": "a"}]));
    let odd = server_of(&desk, &[r#""result": {"tools": [{"name": "\\ud800"}]}"#]);
    desk.run(&["tools", "stats", &odd, "--patience", "2s"])
        .fails(1, &["within 2 s", "no JSON message of one line", "ud800"]);
    let page = r#""result": {"tools": [], "nextCursor": "again"}"#;
    for (answers, told) in [
        (&[page, page][..], "gave the cursor \"again\" twice"),
        (
            &[r#""error": {"code": -32601, "message": "no tools here"}"#],
            "refused `tools/list`: no tools here",
        ),
        (&[r#""result": {}"#], "no array `tools`"),
        (&[r#""result": {"tools": {"a": 1}}"#], "no array `tools`"),
        (&[r#""result": {"tools": [], "nextCursor": 7}"#], "cursor of its next page is no string: 7"),
        (&[], "before it answered `tools/list`"),
    ] {
        desk.run(&["tools", "stats", &server_of(&desk, answers)]).fails(1, &[told]);
    }
}

#[test]
fn calls_become_the_real_ones() {
    let desk = Desk::new();
    let path = file(&desk);
    let calls = [
        json!({"name": "t", "args": {"f": "issues_list", "a": {"owner": "o", "repo": "r", "page": "2"}}}),
        json!({"name": "t", "args": {"f": "issues_create", "a": {"owner": "o", "repo": "r", "title": "x", "state": "Open"}}}),
        json!({"name": "q", "args": {"s": "is it alive"}}),
        json!({"name": "q", "args": {"c": "issues_create"}}),
        json!({"name": "issues-list", "arguments": {"owner": "o", "repo": "r"}}),
        json!({"nome": "x"}),
    ];
    let calls = calls.map(|call| call.to_string()).join("\n");
    let done = desk.pipe(&["tools", "resolve", &path, "--level", "3", "--check"], calls.as_bytes());
    desk.pipe(&["tools", "resolve", &path, "--level", "3"], calls.as_bytes()).ok();
    insta::assert_snapshot!("tools_resolve", desk.shown(&done));
    let unchecked = desk.pipe(
        &["tools", "resolve", &path, "--level", "3", "--no-validate"],
        br#"{"name": "t", "args": {"f": "issues_list", "a": {"anything": 1}}}"#,
    );
    assert_eq!(lines(&unchecked.ok().out())[0]["args"], json!({"anything": 1}));
}

#[test]
fn arguments_are_checked_by_the_standard() {
    let desk = Desk::new();
    let path = file(&desk);
    let calls = [
        json!({"tool": "issues_list", "args": {"owner": "o", "repo": "r", "unknown": true}}),
        json!({"tool": "issues_create", "args": {"owner": "o", "repo": "r", "title": "", "more": 1}}),
        json!({"tool": "nothing", "args": {}}),
    ];
    let calls = calls.map(|call| call.to_string()).join("\n");
    let done = desk.pipe(&["tools", "validate", &path, "--check"], calls.as_bytes());
    desk.pipe(&["tools", "validate", &path], calls.as_bytes()).ok();
    insta::assert_snapshot!("tools_validate", desk.shown(&done));
    desk.pipe(&["tools", "validate", "-"], b"").fails(2, &["stdin cannot hold both", "--calls"]);
}

#[test]
fn a_ledger_keeps_what_was_sent() {
    let desk = Desk::new();
    let path = file(&desk);
    let ledger = desk.path("ledger.json").display().to_string();
    let compile = |path: &str| {
        desk.run(&["tools", "compile", path, "--level", "3", "--ledger", &ledger, "--json"]).ok().json()
    };
    let first = compile(&path)["system"].as_str().unwrap().to_owned();
    let mut grown = definitions();
    grown["tools"].as_array_mut().unwrap().remove(0);
    grown["tools"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "a_first", "inputSchema": {"type": "object"}}));
    let grown = desk.write("grown.json", grown.to_string().as_bytes()).display().to_string();
    let second = compile(&grown);
    let system = second["system"].as_str().unwrap();
    assert_eq!(system.strip_prefix(&*first), Some("# No longer there: issues_create\n# Added:\na_first\n"));
    assert!(second["notes"].to_string().contains("issues_create"), "{second}");
    desk.run(&["tools", "compile", &path, "--level", "1", "--ledger", &ledger])
        .fails(2, &["the ledger was made with 3"]);
    let broken = desk.write("broken.json", b"{}").display().to_string();
    desk.run(&["tools", "compile", &path, "--ledger", &broken]).fails(2, &["is no ledger"]);
    assert_eq!(mode(std::path::Path::new(&ledger)), 0o600);
}

#[test]
fn what_each_level_costs() {
    let desk = Desk::new();
    let path = file(&desk);
    insta::assert_snapshot!("tools_stats", desk.run(&["tools", "stats", &path, &path]).ok().out());
    let report = desk.run(&["tools", "stats", &path, "--json"]).ok().json();
    assert_eq!((&report["rows"][0]["tools"], &report["rows"][0]["recommendedLevel"]), (&json!(3), &json!(1)));
    let bench = desk.run(&["tools", "bench", &path, "--json"]).ok().json();
    assert_eq!(bench["search"]["lookUps"], 3);
    assert_eq!(bench["tokens"].as_array().unwrap().len(), 4);
    let look_ups = desk.write("look-ups.jsonl", br#"{"query": "open a ticket", "tools": ["issues_create"]}"#);
    let bench = desk.run(&["tools", "bench", &path, "--lookups", &look_ups.display().to_string()]).ok().out();
    assert!(bench.contains("1 look-up find"), "{bench}");
    let wrong = desk.write("wrong.jsonl", b"{\"quer\": 1}").display().to_string();
    desk.run(&["tools", "bench", &path, "--lookups", &wrong]).fails(2, &["line 1"]);
}

#[test]
fn drift_of_definitions() {
    let desk = Desk::new();
    let path = file(&desk);
    let mut after = definitions();
    let tools = after["tools"].as_array_mut().unwrap();
    tools.remove(2);
    tools[1]["inputSchema"]["required"] = json!(["owner", "repo", "page"]);
    tools[0]["description"] = json!("Creates an issue.");
    let after = desk.write("after.json", after.to_string().as_bytes()).display().to_string();
    let done = desk.run(&["tools", "diff", &path, &after, "--check"]);
    insta::assert_snapshot!("tools_diff", desk.shown(&done));
    assert_eq!(desk.run(&["tools", "diff", &path, &path, "--check"]).ok().out(), "no tool differs\n");
    assert_eq!(desk.run(&["tools", "diff", &path, &after, "--json"]).ok().json()["breaking"], true);
}

#[test]
fn wrong_input_says_what_would_be_right() {
    let desk = Desk::new();
    let path = file(&desk);
    desk.run(&["tools", "compile", "nowhere.json"]).fails(2, &["nowhere.json"]);
    let text = desk.write("a.txt", b"no JSON").display().to_string();
    desk.run(&["tools", "compile", &text]).fails(2, &["not JSON", "line 1"]);
    desk.run(&["tools", "compile", &path, "--level", "7"]).fails(2, &["0, 1, 2, 3"]);
    desk.run(&["tools", "compile", &path, "--level", "3", "--budget", "100"])
        .fails(2, &["cannot be used with"]);
    desk.run(&["tools", "compile", &path, "--budget", "10"]).fails(2, &["too small", "cost"]);
    desk.run(&["tools", "compile", &path, "--map-style", "short"])
        .fails(2, &["name+required", "explicit", "signature"]);
    let hostile =
        json!([{"name": "a\u{1b}[31m", "description": "x\u{1b}[2J", "inputSchema": {"type": "object"}}]);
    let hostile = desk.write("hostile.json", hostile.to_string().as_bytes()).display().to_string();
    for level in ["0", "1", "2", "3"] {
        let shown = desk.run(&["tools", "compile", &hostile, "--level", level]).ok().out();
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
    }
}

#[test]
fn what_was_measured_of_models_is_shown_and_overridden() {
    let desk = Desk::new();
    let path = file(&desk);
    insta::assert_snapshot!("tools_policy", desk.run(&["tools", "policy"]).ok().out());
    let mut policy = desk.run(&["tools", "policy", "--json"]).ok().json();
    let compile = |more: &[&str]| {
        let arguments = [
            &["tools", "compile", &path, "-l", "3", "--model", "my-model-2", "--objective", "cost", "--json"],
            more,
        ]
        .concat();
        desk.run(&arguments)
    };
    assert_eq!(compile(&[]).ok().json()["stats"]["mapStyle"], "name+required");
    policy["styles"][0]["model"] = json!("my-model");
    let own = desk.write("policy.json", policy.to_string().as_bytes()).display().to_string();
    assert_eq!(compile(&["--policy", &own]).ok().json()["stats"]["mapStyle"], "explicit");
    let broken = desk.write("broken.json", b"{\"version\": 1}").display().to_string();
    compile(&["--policy", &broken]).fails(2, &["source", "recto tools policy --json"]);
}

#[test]
fn several_servers_are_one_catalogue() {
    let desk = Desk::new();
    let path = file(&desk);
    let other = desk.write("other.json", definitions().to_string().as_bytes()).display().to_string();
    let both =
        desk.run(&["tools", "compile", &format!("one={path}"), &other, "-l", "3", "--json"]).ok().json();
    assert_eq!(both["stats"]["toolCount"], 6);
    let system = both["system"].as_str().unwrap();
    assert!(system.contains("\none_ping\n") && system.contains("\nother_ping\n"), "{system}");
    let done = desk.pipe(
        &["tools", "resolve", &format!("one={path}"), &other, "-l", "3"],
        br#"{"type": "tool_use", "id": "toolu_7", "name": "t", "input": {"f": "other_ping"}}"#,
    );
    let call = &lines(&done.ok().out())[0];
    assert_eq!(
        (&call["id"], &call["server"], &call["name"]),
        (&json!("toolu_7"), &json!("other"), &json!("ping"))
    );
    desk.run(&["tools", "compile", &path, &path]).fails(2, &["two servers are called", "name them"]);
}

#[test]
fn what_does_nothing_and_what_is_refused_is_said() {
    let desk = Desk::new();
    let path = file(&desk);
    let said = desk
        .run(&["tools", "compile", &path, "--pin", "pong", "--map-style", "explicit", "--one-hour"])
        .ok()
        .errors();
    for words in [
        "--map-style does nothing",
        "--pin does nothing",
        "--one-hour does nothing",
        "there is no such tool: pong",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let many: Vec<Value> =
        (0..130).map(|n| json!({"name": format!("tool_{n}"), "inputSchema": {"type": "object"}})).collect();
    let many = desk.write("many.json", Value::from(many).to_string().as_bytes()).display().to_string();
    assert!(
        desk.run(&["tools", "compile", &many, "--provider", "openai"])
            .ok()
            .errors()
            .contains("130 tools are more than the 128")
    );
    let wrong_level = desk.pipe(&["tools", "resolve", &path], br#"{"name": "t", "args": {"f": "ping"}}"#);
    assert!(wrong_level.errors().contains("--level"), "{}", wrong_level.errors());
}

#[test]
fn a_ledger_that_the_budget_does_not_hold_begins_anew() {
    let desk = Desk::new();
    let path = file(&desk);
    let ledger = desk.path("ledger.json").display().to_string();
    let compile = |path: &str, more: &[&str]| {
        let arguments = [&["tools", "compile", path, "--ledger", &ledger, "--json"], more].concat();
        desk.run(&arguments).ok().json()
    };
    compile(&path, &["--budget", "168"]);
    let mut other = definitions();
    other["tools"].as_array_mut().unwrap().retain(|tool| tool["name"] != "issues_list");
    let more =
        (0..20).map(|n| json!({"name": format!("another_tool_{n}"), "inputSchema": {"type": "object"}}));
    other["tools"].as_array_mut().unwrap().extend(more);
    let other = desk.write("grown.json", other.to_string().as_bytes()).display().to_string();
    for path in [&other, &path, &other] {
        let now = compile(path, &[]);
        assert!(now["stats"]["compressedTokens"].as_u64().unwrap() <= 168, "{now}");
    }
    let level = compile(&path, &["--afresh", "--level", "1"]);
    assert_eq!(level["stats"]["level"], 1);
}
