//! The scenarios of docs/tools.md.

use recto_testkit::upstream::{Script, Turn};
use serde_json::{Value, json};

use super::{Bench, lines, upstream};

/// A tool that takes texts.
fn tool(name: &str, required: &[&str]) -> Value {
    let members: serde_json::Map<String, Value> =
        required.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    json!({"name": name, "inputSchema": {"type": "object", "properties": members, "required": required}})
}

#[test]
fn the_scenarios_in_the_documentation_work() {
    let page = include_str!("../../../../../docs/tools.md");
    let (_, scenarios) = page.split_once("```jsonl\n").unwrap();
    let (scenarios, _) = scenarios.split_once("```").unwrap();
    let bench = Bench::new();
    bench.desk.write("scenarios.jsonl", scenarios.as_bytes());
    // As the server that the page names has them.
    let tools = json!([
        tool("search_files", &["path", "pattern"]),
        tool("move_file", &["source", "destination"]),
        tool("list_directory_with_sizes", &["path", "sortBy"]),
    ]);
    bench.desk.write("tools.json", tools.to_string().as_bytes());
    let upstream = upstream(Script::new().then(|request| {
        let asked = request.value["messages"].to_string();
        if asked.contains(".toml") {
            Turn::call("search_files", json!({"path": "/srv/app", "pattern": "**/*.toml"}))
        } else if asked.contains("b.txt") {
            Turn::call("move_file", json!({"source": "/srv/a.txt", "destination": "/srv/b.txt"}))
        } else {
            Turn::call("list_directory_with_sizes", json!({"path": "/srv", "sortBy": "size"}))
        }
    }));
    let done = bench.live(&upstream.url(), "anthropic", &["--levels", "1"]).ok();
    let lines = lines(&done);
    let ends: Vec<_> = lines.iter().map(|line| (line["scenario"].clone(), line["outcome"].clone())).collect();
    let right = |name: &str| (json!(name), json!("right"));
    assert_eq!(ends, [right("find"), right("rename"), right("sizes")]);
}
