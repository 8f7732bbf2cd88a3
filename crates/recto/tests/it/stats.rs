//! `recto stats`: what hooks wrote down, in tokens.

use serde_json::{Value, json};

use crate::desk::{Desk, log};

fn ask(desk: &Desk, event: &Value) {
    desk.pipe(&["hook", "claude"], event.to_string().as_bytes()).ok();
}

fn bash(stdout: &str) -> Value {
    json!({
        "session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": { "command": "make" },
        "tool_response": { "stdout": stdout, "stderr": "", "interrupted": false },
    })
}

#[test]
fn tokens_are_counted_and_added_up() {
    let desk = Desk::new();
    desk.write("config/recto/config.toml", b"[hook]\ndeadline = \"20s\"\n");
    let nothing = desk.run(&["stats"]).ok();
    assert!(nothing.out().is_empty() && nothing.errors().contains("nothing is written down yet"));
    let text = log(3_000);
    ask(&desk, &bash(&text));
    ask(&desk, &bash("short\n"));
    ask(&desk, &json!({ "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": 1 }));
    let stats = desk.run(&["stats", "--json"]).ok().json();
    let total = &stats["total"];
    assert_eq!(
        (total["results"].as_u64(), total["views"].as_u64(), total["failed"].as_u64()),
        (Some(3), Some(1), Some(1))
    );
    assert!(stats["failures"][0]["why"].as_str().unwrap().contains("shape"), "{stats}");
    // An independent count of the same bytes.
    let counted = |text: &[u8]| {
        let path = desk.write("counted", text);
        let arguments = [
            "compress",
            &path.display().to_string(),
            "--format",
            "json",
            "--no-store",
            "--count",
            "--ratio",
            "1",
        ];
        desk.run(&arguments).ok().json()["tokens"]["original"].as_u64().unwrap()
    };
    let short = 2; // 6 bytes, estimated
    assert_eq!(total["tokensIn"].as_u64().unwrap(), counted(text.as_bytes()) + short);
    let view = desk.pipe(&["hook", "claude"], bash(&text).to_string().as_bytes()).ok().json();
    let view = view["hookSpecificOutput"]["updatedToolOutput"]["stdout"].as_str().unwrap().to_owned();
    assert_eq!(total["tokensOut"].as_u64().unwrap(), counted(view.as_bytes()) + short);
    // The second time nothing is counted anew, and the sums are the same but for the one more.
    let again = desk.run(&["stats", "--json"]).ok().json();
    assert_eq!(again["total"]["tokensIn"].as_u64().unwrap(), 2 * counted(text.as_bytes()) + short);
    assert!(desk.path("data/recto/recto.db-usage.o200k").exists());
    let table = desk.run(&["stats"]).ok().out();
    assert!(
        table.starts_with("agent ") && table.contains("Bash") && table.contains("tokens (o200k"),
        "{table}"
    );
    let none = desk.run(&["stats", "--agent", "pi", "--json"]).ok().json();
    assert_eq!(none["total"]["results"], 0);
    assert_eq!(desk.run(&["stats", "--since", "1h", "--json"]).ok().json()["total"]["views"], 2);
}
