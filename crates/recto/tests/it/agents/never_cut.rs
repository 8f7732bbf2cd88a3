//! What stays as it is, byte for byte: small results, skills, instructions.

use std::fs;

use recto_testkit::{
    agents::Agent,
    upstream::{Request, Script, Turn},
};
use serde_json::{Value, json};

use super::{
    claude::{answer, bash, with_plugin},
    session::{Session, task},
};

/// A skill of some 2,600 tokens: longer than what is cut elsewhere would be.
fn skill() -> String {
    let steps: String = (1..=200)
        .map(|step| format!("{step}. Run `make check-{step}`, read its report, and stop at the first failure; note what failed.\n"))
        .collect();
    format!(
        "---\nname: deploy\ndescription: How to deploy.\n---\n\n# Deploy\n\nYou MUST NOT push to main.\n\n{steps}\n\
         | stage | host |\n|---|---|\n| test | a.example |\n| live | b.example |\n\n```sh\nmake deploy STAGE=test\n```\n"
    )
}

/// What the client sends from the model's first turn on, without what differs from run to run: identifiers, cache marks.
fn turns(session: &Session) -> Vec<Value> {
    let last = session.upstream.model_requests().pop().unwrap();
    let mut messages = last.value["messages"].as_array().unwrap().clone();
    let first = messages.iter().position(|message| message["role"] == "assistant").unwrap();
    messages.drain(..first);
    let mut open: Vec<&mut Value> = messages.iter_mut().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                for name in ["id", "tool_use_id", "cache_control"] {
                    members.remove(name);
                }
                open.extend(members.values_mut());
            }
            _ => {}
        }
    }
    messages
}

#[test]
fn a_listing_a_skill_and_instructions() {
    let Some(installed) = Agent::Claude.find() else { return };
    let temporary = tempfile::tempdir().unwrap();
    // One that nobody else makes folders beside: the listing would be another one.
    let folder = temporary.path().join("work");
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(".claude/skills/deploy/SKILL.md", &skill());
    let rules: String =
        (1..=400).map(|rule| format!("- Rule {rule}: name every file that you change.\n")).collect();
    write("AGENTS.md", &rules);
    for number in 0..12 {
        write(&format!("file_{number}.txt"), "text\n");
    }
    let instructions = folder.join("AGENTS.md");
    let script = || {
        let instructions = instructions.clone();
        Script::new()
            .turn(bash("ls -la"))
            .turn(Turn::call("Skill", json!({ "skill": "deploy" })))
            .then(move |_: &Request| {
                let (tool, input) = Agent::Claude.read_call(&instructions).unwrap();
                Turn::call(tool, input)
            })
            .say("Read.")
    };
    let with = Session::of(with_plugin(&installed).folder(&folder), script());
    let without = Session::of(task(&installed).folder(&folder), script());
    assert_eq!((answer(&with), answer(&without)), ("Read.".to_owned(), "Read.".to_owned()));
    let shown = Value::from(turns(&with)).to_string();
    assert!(
        shown.contains("You MUST NOT push to main") && shown.contains("200. Run `make check-200`"),
        "{shown}"
    );
    assert!(shown.contains("Rule 400") && shown.contains("file_11.txt"), "{shown}");
    assert_eq!(turns(&with), turns(&without));
    let stats = with.recto(&["stats", "--json"], b"").ok().json();
    assert_eq!(
        (stats["total"]["views"].as_u64(), stats["total"]["failed"].as_u64()),
        (Some(0), Some(0)),
        "{stats}"
    );
}
