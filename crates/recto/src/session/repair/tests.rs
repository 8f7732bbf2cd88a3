use std::{cell::RefCell, fs};

use recto::{
    archive::{MemoryArchive, Scope},
    session::history::ProblemKind,
    transcript::Transcript,
    wire::Format,
};

use super::{Fix, Keeper, Limits, repair, words};
use crate::session::watch;

fn claude(uuid: &str, parent: &str, role: &str, content: &str) -> String {
    format!(
        r#"{{"type":"{role}","uuid":"{uuid}","parentUuid":{parent},"sessionId":"s","message":{{"role":"{role}","content":{content}}}}}"#
    )
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{"file_path":"/f"}}}}"#)
}

fn result(id: &str) -> String {
    format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}"#)
}

fn listed(count: usize, one: impl Fn(usize) -> String) -> String {
    format!("[{}]", (0..count).map(one).collect::<Vec<_>>().join(","))
}

/// Sessions of about so many faults, each of another shape.
fn shapes(count: usize) -> Vec<(&'static str, String)> {
    let prompt = |uuid: &str, parent: &str| claude(uuid, parent, "user", r#""go on""#);
    let lines = |lines: Vec<String>| lines.join("\n") + "\n";
    let each = |one: &dyn Fn(usize) -> String| lines((0..count).map(one).collect());
    let id = |at: usize| format!(r#""a{at}""#);
    vec![
        (
            "a circle of calls of one id",
            each(&|at| {
                claude(&format!("a{at}"), &id((at + 1) % count), "assistant", &listed(1, |_| call("t")))
            }),
        ),
        (
            "one id for all, each follows the one before",
            each(&|at| {
                let parent = if at == 0 { "null" } else { r#""a""# };
                claude("a", parent, "user", &format!(r#""{at}""#))
            }),
        ),
        ("no parent is there", each(&|at| claude(&format!("a{at}"), r#""gone""#, "user", r#""x""#))),
        (
            "results without calls, one after another",
            each(&|at| {
                let parent = if at == 0 { "null".to_owned() } else { id(at - 1) };
                claude(&format!("a{at}"), &parent, "user", &listed(1, |_| result(&format!("t{at}"))))
            }),
        ),
        (
            "results without calls in one message",
            lines(vec![
                prompt("u", "null"),
                claude("r", r#""u""#, "user", &listed(count, |at| result(&format!("t{at}")))),
            ]),
        ),
        (
            "calls without results in one message",
            lines(vec![
                prompt("u", "null"),
                claude("c", r#""u""#, "assistant", &listed(count, |at| call(&format!("t{at}")))),
                prompt("v", r#""c""#),
            ]),
        ),
        (
            "calls of one id in one message",
            lines(vec![
                prompt("u", "null"),
                claude("c", r#""u""#, "assistant", &listed(count, |_| call("t"))),
                claude("r", r#""c""#, "user", &listed(count, |_| result("t"))),
                prompt("v", r#""r""#),
            ]),
        ),
        (
            "results before the calls of one message",
            lines(
                (0..count)
                    .map(|at| {
                        let parent = if at == 0 { "null".to_owned() } else { id(at - 1) };
                        claude(&format!("a{at}"), &parent, "user", &listed(1, |_| result(&format!("t{at}"))))
                    })
                    .chain([
                        claude(
                            "c",
                            &id(count - 1),
                            "assistant",
                            &listed(count, |at| call(&format!("t{at}"))),
                        ),
                        prompt("v", r#""c""#),
                    ])
                    .collect(),
            ),
        ),
        (
            "empty texts in one message",
            lines(vec![
                claude("u", "null", "user", &listed(count, |_| r#"{"type":"text","text":""}"#.to_owned())),
                claude("c", r#""u""#, "assistant", r#"[{"type":"text","text":"x"}]"#),
            ]),
        ),
    ]
}

/// Repairs a session; gives the records that were looked at again, and what is wrong still.
fn repaired(text: &str) -> (u64, Vec<ProblemKind>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, text).unwrap();
    let transcript = Transcript::open(&path, Some(Format::ClaudeCode)).unwrap();
    let reading = watch::silently(&transcript).unwrap();
    let (archive, scope) = (MemoryArchive::new(), Scope::new("test").unwrap());
    let keeper = Keeper { archive: &archive, scope: &scope, kept: RefCell::default() };
    let limits = Limits { image_bytes: 1 << 20, image_pixels: 8000 };
    let repaired = repair(&transcript, reading, &keeper, limits).unwrap();
    let is_fault = |fix: &&Fix| fix.problem != words(ProblemKind::Pending);
    assert!(!repaired.done.is_empty());
    assert_eq!(repaired.left.iter().find(is_fault), None);
    let left = watch::silently(&repaired.transcript).unwrap().history.problems;
    let left = left.into_iter().map(|problem| problem.kind).filter(|kind| *kind != ProblemKind::Pending);
    (repaired.read_records, left.collect())
}

#[test]
fn twice_as_many_faults_are_about_twice_the_work() {
    for ((name, small), (_, large)) in shapes(300).into_iter().zip(shapes(600)) {
        let ((few, left), (many, _)) = (repaired(&small), repaired(&large));
        assert_eq!(left, [], "{name}");
        assert!(many <= few * 5 / 2 + 100, "{name}: {few} records, then {many}");
    }
}
