//! Sessions for tests.

use std::path::PathBuf;

/// A session of Claude Code: two calls in one answer, with a log and a text as results.
pub(crate) fn claude(first: &str, second: &str) -> String {
    let first = serde_json::to_string(first).unwrap();
    let second = serde_json::to_string(second).unwrap();
    let line = |uuid: &str, parent: &str, kind: &str, content: &str| {
        let message = match kind {
            "assistant" => {
                format!(r#""message":{{"id":"msg_{uuid}","role":"assistant","content":{content}}}"#)
            }
            _ => format!(r#""message":{{"role":"user","content":{content}}}"#),
        };
        format!(
            r#"{{"parentUuid":{parent},"sessionId":"s-1","type":"{kind}",{message},"uuid":"{uuid}","timestamp":"2026-01-02T03:04:05Z"}}"#
        )
    };
    [
        line("u1", "null", "user", r#""What fails?""#),
        line("a1", r#""u1""#, "assistant", r#"[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"make"}}]"#),
        line("r1", r#""a1""#, "user", &format!(r#"[{{"type":"tool_result","tool_use_id":"toolu_1","content":{first}}}]"#)),
        line("a2", r#""r1""#, "assistant", r#"[{"type":"tool_use","id":"toolu_2","name":"Bash","input":{"command":"cat notes"}}]"#),
        line("r2", r#""a2""#, "user", &format!(r#"[{{"type":"tool_result","tool_use_id":"toolu_2","content":[{{"type":"text","text":{second}}}]}}]"#)),
        line("a3", r#""r2""#, "assistant", r#"[{"type":"text","text":"Payment 4711."}]"#),
    ]
    .map(|line| line + "\n")
    .concat()
}

/// All transcripts of the corpus that recto reads: single files.
pub(crate) fn corpus() -> Vec<PathBuf> {
    let files = recto_testkit::corpus::transcripts().unwrap_or_default();
    let is_read = |path: &PathBuf| {
        let is_file = path.extension().is_some_and(|end| end == "jsonl" || end == "json");
        is_file
            && !path.components().any(|part| part.as_os_str() == "opencode")
            && !path.ends_with("kimi.jsonl")
    };
    files.into_iter().map(|file| file.path).filter(is_read).collect()
}
