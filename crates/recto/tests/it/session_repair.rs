//! `recto session repair`.

use std::{fs, path::Path};

use recto::{
    session::history::{History, Observer, ProblemKind, Said},
    transcript::Transcript,
};
use recto_testkit::Prng;

use crate::{desk::Desk, sessions};

struct Blind;

impl Observer for Blind {
    fn text(&mut self, _said: &Said<'_>) -> u64 {
        0
    }
}

fn history(path: &Path) -> History {
    let transcript = Transcript::open(path, None).unwrap();
    transcript.read(None, &mut Blind, &mut |_| {}).unwrap().history
}

/// What no repaired session has.
const NEVER: [ProblemKind; 7] = [
    ProblemKind::Malformed,
    ProblemKind::Truncated,
    ProblemKind::Cycle,
    ProblemKind::MissingParent,
    ProblemKind::Unanswered,
    ProblemKind::OrphanResult,
    ProblemKind::ResultBeforeCall,
];

/// Lines dropped, doubled, swapped and cut, and what comes of it.
fn mutated(lines: &[&[u8]], random: &mut Prng) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
    for _ in 0..=random.below(4) {
        if lines.len() < 4 {
            break;
        }
        // The first line tells the format.
        let at = 1 + usize::try_from(random.below(lines.len() as u64 - 1)).unwrap();
        let other = 1 + usize::try_from(random.below(lines.len() as u64 - 1)).unwrap();
        match random.below(4) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            _ => {
                let half = lines[at].len() / 2;
                lines[at].truncate(half);
                if at + 1 < lines.len() {
                    lines[at].push(b'\n');
                }
            }
        }
    }
    lines.concat()
}

#[test]
fn every_mutation_of_every_transcript_is_repaired() {
    let mut random = Prng::new(7);
    for path in sessions::corpus() {
        let original = fs::read(&path).unwrap();
        if path.extension().is_none_or(|end| end != "jsonl") || original.len() > 200_000 {
            continue;
        }
        let lines: Vec<&[u8]> = original.split_inclusive(|byte| *byte == b'\n').collect();
        if lines.len() < 5 {
            continue;
        }
        for round in 0..6 {
            let desk = Desk::new();
            let bytes = mutated(&lines, &mut random);
            let broken = desk.write("run.jsonl", &bytes);
            if Transcript::open(&broken, None).is_err() {
                continue;
            }
            let name = format!("{} {round}", path.display());
            let done = desk.run(&["session", "repair", "run.jsonl", "-o", "good.jsonl", "--json"]);
            assert_eq!(done.code(), 0, "{name}: {}", done.errors());
            let report = done.json();
            let left = report["left"].as_array().unwrap().len();
            let problems = history(&desk.path("good.jsonl")).problems;
            let bad: Vec<_> = problems.iter().filter(|problem| NEVER.contains(&problem.kind)).collect();
            assert!(bad.len() <= left, "{name}: {bad:?} {report}");
            let again = desk.run(&["session", "repair", "good.jsonl", "--dry-run", "--json"]).ok().json();
            assert_eq!(again["done"].as_array().unwrap().len(), 0, "{name}: {again}");
            // What was not named stays byte for byte, in its order or moved.
            let good = fs::read(desk.path("good.jsonl")).unwrap();
            let stands: std::collections::BTreeSet<&[u8]> = good.split(|byte| *byte == b'\n').collect();
            let changed = bytes.split(|byte| *byte == b'\n').filter(|line| !stands.contains(line)).count();
            let fixes = report["done"].as_array().unwrap().len();
            assert!(changed <= 3 * fixes, "{name}: {changed} lines for {fixes} fixes");
        }
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| format!("{line}\n")).collect()
}

#[test]
fn each_fault_and_what_is_done_about_it() {
    let desk = Desk::new();
    let session = lines(&sessions::claude("first", "second"));
    let orphan = session[2].replace("toolu_1", "toolu_9").replace("\"r1\"", "\"r9\"");
    let broken = [
        &session[0],
        &session[1],
        "{\"half\": tru\n", // spelling: cut short
        // The result of toolu_1 is lost, and what follows goes on without it.
        &session[3].replace("\"r1\"", "\"a1\""),
        &session[4],
        &session[4],
        &orphan.replace("\"a1\"", "\"r2\""),
        &session[5].replace("\"r2\"", "\"r9\""),
        "{\"type\":\"user\",\"uuid\":\"u9\",\"parentUuid\":\"a3\",\"mess",
    ];
    let path = desk.write("run.jsonl", broken.concat().as_bytes());
    let done = desk.run(&["session", "repair", "run.jsonl", "--in-place"]).ok();
    insta::assert_snapshot!(desk.shown(&done), @r##"
line  what was wrong         what was done                                ref
   3  not JSON               taken out                                    r:102788724863195
   9  cut short              taken out                                    r:117775965751292
   6  id given before        the same record stands before it: taken out
   7  result without a call  taken out                                    r:244069073085168
   2  call without a result  a result says that none was recorded
---
written: run.jsonl (a backup is beside it); what was taken out is in the archive
the last line has no end: if the client is still running, let it finish first
exit code 0
"##);
    insta::assert_snapshot!(fs::read_to_string(&path).unwrap(), @r##"
{"parentUuid":null,"sessionId":"s-1","type":"user","message":{"role":"user","content":"What fails?"},"uuid":"u1","timestamp":"2026-01-02T03:04:05Z"}
{"parentUuid":"u1","sessionId":"s-1","type":"assistant","message":{"id":"msg_a1","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"make"}}]},"uuid":"a1","timestamp":"2026-01-02T03:04:05Z"}
{"parentUuid":"a1","uuid":"d248e435-f1a7-4d22-85a8-1022e68be658","sessionId":"s-1","timestamp":"2026-01-02T03:04:05Z","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"[recto: no result was recorded for this call]","is_error":true}]}}
{"parentUuid":"d248e435-f1a7-4d22-85a8-1022e68be658","sessionId":"s-1","type":"assistant","message":{"id":"msg_a2","role":"assistant","content":[{"type":"tool_use","id":"toolu_2","name":"Bash","input":{"command":"cat notes"}}]},"uuid":"a2","timestamp":"2026-01-02T03:04:05Z"}
{"parentUuid":"a2","sessionId":"s-1","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"second"}]}]},"uuid":"r2","timestamp":"2026-01-02T03:04:05Z"}
{"parentUuid":"r2","sessionId":"s-1","type":"assistant","message":{"id":"msg_a3","role":"assistant","content":[{"type":"text","text":"Payment 4711."}]},"uuid":"a3","timestamp":"2026-01-02T03:04:05Z"}
"##);
    assert_eq!(fs::read_to_string(desk.path("run.jsonl.recto-backup-1")).unwrap(), broken.concat());
    let again = desk.run(&["session", "repair", "run.jsonl", "--in-place"]).ok();
    assert!(again.errors().contains("nothing to repair"));
}

#[test]
fn bodies_of_apis_are_repaired_too() {
    let desk = Desk::new();
    let bodies = [
        (
            "anthropic-messages",
            r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]},{"role":"user","content":"go on"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t7","content":"x"},{"type":"text","text":""},{"type":"text","text":"y"}]}]}"#,
        ),
        (
            "openai-chat",
            r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"go on"},{"role":"tool","tool_call_id":"t7","content":"x"}]}"#,
        ),
        (
            "openai-responses",
            r#"{"input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"t1","name":"f","arguments":"{}"},{"role":"user","content":"go on"},{"type":"function_call_output","call_id":"t7","output":"x"}]}"#,
        ),
        (
            "gemini-contents",
            r#"{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"text":"go on"}]}]}"#,
        ),
        (
            "ai-sdk",
            r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"t1","toolName":"f","input":{}}]},{"role":"user","content":"go on"}]}"#,
        ),
    ];
    let mut all = String::new();
    for (format, body) in bodies {
        desk.write(&format!("{format}.json"), body.as_bytes());
        let (file, to) = (format!("{format}.json"), format!("{format}.out"));
        let done = desk.run(&["session", "repair", &file, "-o", &to, "--format", format]).ok();
        all += &format!("{format}\n{}{}\n", done.out(), fs::read_to_string(desk.path(&to)).unwrap());
    }
    insta::assert_snapshot!(all, @r##"
anthropic-messages
line  what was wrong         what was done                         ref
   4  result without a call  taken out                             r:800231318166315
   2  call without a result  a result says that none was recorded
   4  empty text             taken out
{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"[recto: no result was recorded for this call]"}]},{"role":"user","content":"go on"},{"role":"user","content":[{"type":"text","text":"y"}]}]}
openai-chat
line  what was wrong         what was done                         ref
   4  result without a call  taken out                             r:752859163700127
   2  call without a result  a result says that none was recorded
{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t1","content":"[recto: no result was recorded for this call]"},{"role":"user","content":"go on"}]}
openai-responses
line  what was wrong         what was done                         ref
   4  result without a call  taken out                             r:409280767954684
   2  call without a result  a result says that none was recorded
{"input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"t1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"t1","output":"[recto: no result was recorded for this call]"},{"role":"user","content":"go on"}]}
gemini-contents
line  what was wrong         what was done                         ref
   2  call without a result  a result says that none was recorded
{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":"[recto: no result was recorded for this call]"}}}]},{"role":"user","parts":[{"text":"go on"}]}]}
ai-sdk
line  what was wrong         what was done                         ref
   2  call without a result  a result says that none was recorded
{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"t1","toolName":"f","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"t1","toolName":"f","output":{"type":"error-text","value":"[recto: no result was recorded for this call]"}}]},{"role":"user","content":"go on"}]}
"##);
}

#[test]
fn an_image_that_is_too_large_becomes_a_text() {
    let desk = Desk::new();
    let image = format!(
        r#"[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{}"}}}}]"#,
        "iVBORw0KGgo".to_owned() + &"A".repeat(4001)
    );
    let session = sessions::claude("x", "y").replace(r#""What fails?""#, &image);
    desk.write("run.jsonl", session.as_bytes());
    let done =
        desk.run(&["session", "repair", "run.jsonl", "-o", "good.jsonl", "--max-image-bytes", "2000"]).ok();
    insta::assert_snapshot!(desk.shown(&done), @r##"
line  what was wrong   what was done                            ref
   1  image too large  a text stands for it: image/png, 3.0 kB  r:240347153208696
---
written: good.jsonl; what was taken out is in the archive
exit code 0
"##);
    let good = fs::read_to_string(desk.path("good.jsonl")).unwrap();
    let name = crate::desk::reference(&good);
    assert_eq!(format!("[{}]", desk.run(&["session", "recall", &name]).ok().out()), image);
    desk.run(&["session", "repair", "run.jsonl", "--dry-run"]).ok();
}

fn qwen(uuid: &str, parent: &str, role: &str, part: &str) -> String {
    let (kind, role) = if role == "user" { ("user", "user") } else { ("assistant", "model") };
    format!(
        r#"{{"uuid":"{uuid}","parentUuid":{parent},"sessionId":"q","type":"{kind}","cwd":"/w","message":{{"role":"{role}","parts":[{part}]}}}}"#
    ) + "\n"
}

/// What `show` tells, `repair` mends, or says why not.
#[test]
fn doubled_ids_of_qwen_are_mended_and_parts_of_one_answer_stay() {
    let desk = Desk::new();
    let answer = [
        qwen("u1", "null", "user", r#"{"text":"Which?"}"#),
        qwen("a1", r#""u1""#, "model", r#"{"text":"hm","thought":true}"#),
        qwen("a1", r#""u1""#, "model", r#"{"text":"This."}"#),
    ]
    .concat();
    desk.write("whole.jsonl", answer.as_bytes());
    let shown = desk.run(&["session", "show", "whole.jsonl"]).ok();
    assert!(!shown.out().contains("problem"), "{}", shown.out());
    assert!(
        desk.run(&["session", "repair", "whole.jsonl", "--dry-run"])
            .ok()
            .errors()
            .contains("nothing to repair")
    );

    let twin = qwen("a1", r#""u1""#, "model", r#"{"text":"This."}"#);
    let other = qwen("u1", r#""a1""#, "user", r#"{"text":"And now?"}"#);
    let last = qwen("a2", r#""u1""#, "model", r#"{"text":"That."}"#);
    desk.write("broken.jsonl", [answer, twin, other, last].concat().as_bytes());
    insta::assert_snapshot!(desk.run(&["session", "show", "broken.jsonl"]).ok().out(), @r##"
#  who       tokens
1  person         2  Which?
2  thinking       1  hm
3  agent          2  This.
4  agent          2  This.
5  person         3  And now?
6  agent          2  That.

2 problems:
  #4, line 4: its id was given before
  #5, line 5: its id was given before
"##);
    let done = desk.run(&["session", "repair", "broken.jsonl", "-o", "mended.jsonl"]).ok();
    insta::assert_snapshot!(done.out(), @r##"
line  what was wrong   what was done                                ref
   4  id given before  the same record stands before it: taken out
   5  id given before  it says something else: its id is u1-2 now
"##);
    insta::assert_snapshot!(fs::read_to_string(desk.path("mended.jsonl")).unwrap(), @r##"
{"uuid":"u1","parentUuid":null,"sessionId":"q","type":"user","cwd":"/w","message":{"role":"user","parts":[{"text":"Which?"}]}}
{"uuid":"a1","parentUuid":"u1","sessionId":"q","type":"assistant","cwd":"/w","message":{"role":"model","parts":[{"text":"hm","thought":true}]}}
{"uuid":"a1","parentUuid":"u1","sessionId":"q","type":"assistant","cwd":"/w","message":{"role":"model","parts":[{"text":"This."}]}}
{"uuid":"u1-2","parentUuid":"a1","sessionId":"q","type":"user","cwd":"/w","message":{"role":"user","parts":[{"text":"And now?"}]}}
{"uuid":"a2","parentUuid":"u1-2","sessionId":"q","type":"assistant","cwd":"/w","message":{"role":"model","parts":[{"text":"That."}]}}
"##);
    assert!(history(&desk.path("mended.jsonl")).problems.is_empty());
}

#[test]
fn what_is_left_says_why() {
    let desk = Desk::new();
    let gemini = r#"{"sessionId":"g","projectHash":"h","startTime":"t","messages":[{"id":"m1","type":"user","content":"go"},{"id":"m2","type":"gemini","content":"","toolCalls":[{"id":"c","name":"f","args":{},"result":[{"functionResponse":{"id":"c","name":"f","response":{"output":"x"}}}]},{"id":"c","name":"f","args":{},"result":[{"functionResponse":{"id":"c","name":"f","response":{"output":"y"}}}]}]},{"id":"m3","type":"user","content":"on"}]}"#;
    desk.write("gemini.json", gemini.as_bytes());
    let line = |rest: &str| format!(r#"{{"sessionId":"s","cwd":"/w","uuid":"{rest}}}"#) + "\n";
    let claude = [
        line(r#"u1","parentUuid":null,"type":"user","message":{"role":"user","content":"go"}"#),
        line(r#"x1","parentUuid":"u1","type":"of-tomorrow""#),
        line(r#"x2","parentUuid":"x1","type":"of-tomorrow""#),
        line(
            r#"a1","parentUuid":"x2","type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]}"#,
        ),
    ];
    desk.write("claude.jsonl", claude.concat().as_bytes());
    let body = r#"{"model":"m","previous_response_id":"r","input":[{"type":"function_call_output","call_id":"c9","output":"x"}]}"#;
    desk.write("responses.json", body.as_bytes());
    let mut all = String::new();
    for file in ["gemini.json", "claude.jsonl", "responses.json"] {
        let (shown, mended) = (
            desk.run(&["session", "show", file]).ok(),
            desk.run(&["session", "repair", file, "--dry-run"]).ok(),
        );
        let problems = shown.out();
        let problems = problems.split_once("\n\n").map_or("", |(_, problems)| problems);
        all += &format!("{file}\n{problems}{}{}", mended.out(), mended.errors());
    }
    insta::assert_snapshot!(all, @r##"
gemini.json
1 problem:
  #4, line 3: a second call of the same id
line  what was wrong        what was done                                                                                ref
   3  second call of an id  left as it is: its result stands in it and says the id again, in a form of the client's own
nothing was repaired; why is said above
claude.jsonl
3 problems:
  line 2: a type that this version does not know
  line 3: a type that this version does not know
  #2, line 4: a call without a result, at the end: it may be running
line  what was wrong            what was done                                                                                    ref
   2  unknown type              left as it is: this version does not know what it is, and changes nothing of it; 1 more like it
   4  call that may be running  left as it is: it may be running
nothing was repaired; why is said above
responses.json
2 problems:
  #1, line 1: it follows a record that is not there
  #1, line 1: a result without a call
line  what was wrong             what was done                                                                                 ref
   1  follows what is not there  left as it is: what it follows is kept elsewhere, by the API or in another file
   1  result without a call      left as it is: its call may be in the answer that the body goes on from, which the API keeps
nothing was repaired; why is said above
"##);
}
