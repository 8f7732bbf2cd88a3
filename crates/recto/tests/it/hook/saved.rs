//! Results that the client has put into a file, as they are too long for it.

use std::fs;

use serde_json::{Value, json};

use super::{after, answered, desk, usage};
use crate::desk::{log, reference};

#[test]
fn output_that_the_client_put_into_a_file_is_viewed_from_there() {
    let desk = desk();
    let text = log(4_000);
    let path = desk.write("tool-results/b1.txt", text.as_bytes());
    let response = json!({
        "stdout": &text[..2_000], "stderr": "", "interrupted": false, "persistedOutputPath": path, "persistedOutputSize": text.len(),
    });
    let answer = answered(&desk, &after("Bash", &json!({ "command": "make" }), &response)).unwrap();
    let view = answer["stdout"].as_str().unwrap();
    assert!(view.contains("payment 4711 refused"), "from the middle of the file: {view}");
    assert_eq!(desk.run(&["expand", &reference(view)]).ok().out(), text);
    assert!(answer.get("persistedOutputPath").is_none() && answer.get("persistedOutputSize").is_none());
    // Without the file what the client shows stands.
    fs::remove_file(path).unwrap();
    assert_eq!(answered(&desk, &after("Bash", &json!({ "command": "make" }), &response)), None);
    assert!(usage(&desk).last().unwrap()["why"].as_str().unwrap().contains("tool-results/b1.txt"));
}

#[test]
fn a_servers_result_that_the_client_does_not_take_is_viewed_from_its_file() {
    let desk = desk();
    let text = log(2_500);
    let path = desk.write("s1/tool-results/mcp-lab-read-1.txt", text.as_bytes());
    let said = |path: &std::path::Path| {
        let path = path.display();
        format!(
            "Error: result (160,000 characters across 2,500 lines) exceeds maximum allowed tokens. Output has been saved to {path}.\nFormat: Plain text\nYou MUST read all of it."
        )
    };
    let event = |response: Value| {
        let mut event = after("mcp__lab__read", &json!({}), &response);
        event["transcript_path"] = json!(desk.path("s1.jsonl"));
        event
    };
    let view = answered(&desk, &event(json!(said(&path)))).unwrap();
    assert_eq!(desk.run(&["expand", &reference(view.as_str().unwrap())]).ok().out(), text);
    let blocks = json!([{ "type": "text", "text": said(&path) }]);
    assert_eq!(answered(&desk, &event(blocks)).unwrap()[0]["text"], view);
    // No other file is read because a server says so.
    let other = desk.write("secret.txt", text.as_bytes());
    assert_eq!(answered(&desk, &event(json!(said(&other)))), None);
}

#[test]
fn an_answer_of_recto_is_shown_as_far_as_the_client_shows_it() {
    let desk = desk();
    let text = log(1_000);
    let path = desk.write("tool-results/b1.txt", text.as_bytes());
    let response = json!({
        "stdout": &text[..2_000], "stderr": "", "interrupted": false, "persistedOutputPath": path, "persistedOutputSize": text.len(),
    });
    let event = after("Bash", &json!({ "command": "recto expand r:123456789012345" }), &response);
    let shown = answered(&desk, &event).unwrap()["stdout"].as_str().unwrap().to_owned();
    assert!((27_000..28_300).contains(&shown.len()), "{}", shown.len());
    let (lines, rest) = shown.rsplit_once('\n').unwrap();
    assert!(text.starts_with(&format!("{lines}\n")));
    let next = lines.lines().count() + 1;
    assert!(
        rest.contains("of 1000,") && rest.ends_with(&format!("{} from line {next}]", path.display())),
        "{rest}"
    );
    assert_eq!(usage(&desk).pop().unwrap()["what"], "whole");
    // One line that is too long stays as the client has it.
    fs::write(&path, "x".repeat(40_000)).unwrap();
    assert_eq!(answered(&desk, &event), None);
}
