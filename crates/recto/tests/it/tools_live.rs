//! `recto tools bench --live` and `--count-with`, against a scripted model and canned answers.

mod canned;
mod conversations;
mod counts;
mod example;
mod refusals;

use recto_testkit::upstream::{Script, Upstream};
use serde_json::{Value, json};

use crate::desk::{Desk, Done};

/// A key that must never be seen.
const KEY: &str = "sk-secret-0123456789";

/// A desk with three tools and one scenario.
struct Bench {
    desk: Desk,
}

impl Bench {
    fn new() -> Self {
        let desk = Desk::new();
        let text = json!({"type": "string"});
        let properties = json!({"owner": text, "repo": text, "page": {"type": "integer"}});
        let schema = json!({"type": "object", "properties": properties, "required": ["owner", "repo"]});
        let tools = json!([
            {"name": "issues_create", "description": "Creates an issue in a repository.", "input_schema": schema},
            {"name": "issues_list", "description": "Lists the issues of a repository.", "input_schema": schema},
            {"name": "ping", "description": "Tells whether the server is there.", "input_schema": {"type": "object"}},
        ]);
        desk.write("tools.json", tools.to_string().as_bytes());
        let bench = Self { desk };
        bench.scenarios(&[json!({
            "name": "second page", "prompt": "Show me page 2 of the issues of rust-lang/cargo.", "system": "You work with issues.",
            "expect": {"tool": "issues_list", "args": {"repo": "cargo", "page": 2}},
        })]);
        bench
    }

    fn scenarios(&self, lines: &[Value]) {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        self.desk.write("scenarios.jsonl", lines.join("\n").as_bytes());
    }

    /// The command with keys and addresses of all providers, as they would be set.
    fn command(&self, url: &str, more: &[&str]) -> std::process::Command {
        let mut command = self.desk.command(&[&["tools", "bench", "tools.json"], more].concat());
        for name in ["ANTHROPIC", "OPENAI"] {
            command.env(format!("{name}_BASE_URL"), url).env(format!("{name}_API_KEY"), KEY);
        }
        command.env("GOOGLE_GEMINI_BASE_URL", url).env("GEMINI_API_KEY", KEY);
        command
    }

    fn live(&self, url: &str, provider: &str, more: &[&str]) -> Done {
        let arguments = ["--live", provider, "--model", "fake-1", "--scenarios", "scenarios.jsonl"];
        let done = Done(self.command(url, &[&arguments, more].concat()).output().unwrap());
        for said in [done.out(), done.errors()] {
            assert!(!said.contains(KEY), "{said}");
        }
        let left = std::fs::read_dir(self.desk.path(".")).unwrap().map(|file| file.unwrap().file_name());
        let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with(".tmp")).collect();
        assert!(left.is_empty(), "{left:?}");
        done
    }
}

fn upstream(script: Script) -> Upstream {
    Upstream::start(script).unwrap()
}

/// The lines that were printed, less the time that each took.
fn lines(done: &Done) -> Vec<Value> {
    let mut lines: Vec<Value> = done.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        assert!(line.as_object_mut().unwrap().remove("millis").unwrap().is_u64());
    }
    lines
}

#[track_caller]
fn one_line(done: &Done) -> Value {
    let mut lines = lines(done);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines.remove(0)
}
