//! Damaged, cut and strange lines are read as what they are, without a panic and within the laws.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use recto_testkit::{Prng, mutate::Mutation};
use recto_wire::{Format, RecordKind, Slot};

use crate::{laws, reading};

/// Lines longer than this are left to the corpus tests.
const MOST_BYTES: usize = 4000;

#[test]
fn damaged_lines_keep_the_laws() {
    let mut prng = Prng::new(0x5EED);
    for (file, _) in reading::files() {
        let bytes = file.read();
        let lines: Vec<&[u8]> =
            bytes.split(|byte| *byte == b'\n').filter(|line| line.len() < MOST_BYTES).collect();
        for line in lines.iter().step_by(1 + lines.len() / 30) {
            for _ in 0..4 {
                let mut damaged = line.to_vec();
                Mutation::random(&mut prng).apply(&mut damaged);
                laws::check_all(&damaged);
            }
        }
    }
}

#[test]
fn a_line_cut_anywhere_is_malformed() {
    for (format, line) in SAMPLES {
        for end in 1..line.len() {
            let record = laws::check_line(format, &line.as_bytes()[..end]);
            assert!(matches!(record.kind, RecordKind::Malformed { .. }), "{}", &line[..end]);
        }
        assert!(matches!(
            laws::check_line(format, line.as_bytes()).kind,
            RecordKind::Message(_) | RecordKind::Part
        ));
    }
}

#[test]
fn lines_of_other_shapes_are_kinds() {
    for format in Format::ALL {
        assert_eq!(format.line(b" \r\n").kind, RecordKind::Blank);
        for line in ["12", "\"a\"", "[{}]", "nul", "{\"a\":1} x"] {
            assert!(matches!(format.line(line.as_bytes()).kind, RecordKind::Malformed { .. }), "{line}");
        }
        assert_eq!(format.line(b"{\"type\":\"of tomorrow\"}").kind, RecordKind::Unknown);
        assert_eq!(format.line(b"{\"type\":5}").kind, RecordKind::Unknown, "{format:?}");
    }
}

/// A name that stands twice, and half a character, are read and not edited.
#[test]
fn what_readers_differ_in_is_frozen() {
    for (format, line) in SAMPLES {
        let doubled = line.replacen("\"text\":", "\"text\":\"first\",\"text\":", 1);
        assert_ne!(doubled, line);
        let halved = line.replacen("Hello", "\\ud800", 1);
        for line in [doubled, halved] {
            let record = laws::check_line(format, line.as_bytes());
            let is_text = |piece: &&recto_wire::Piece| matches!(piece.slot, Slot::Text);
            assert!(record.pieces.iter().find(is_text).unwrap().frozen, "{line}");
        }
    }
}

/// Twice the bytes cost about twice the time, in lists and in depth.
#[test]
fn time_is_linear() {
    let list = |items: usize| {
        let block = r#"{"type":"text","text":"word \" word"},"#.repeat(items);
        format!(r#"{{"type":"user","sessionId":"s","message":{{"content":[{block}{{}}]}}}}"#)
    };
    let deep = |levels: usize| {
        let (open, close) = (r#"{"type":"tool_result","content":["#.repeat(levels), "]}".repeat(levels));
        format!(r#"{{"type":"user","message":{{"content":[{open}{close}]}}}}"#)
    };
    let members = |count: usize| {
        let members: String = (0..count).map(|at| format!("\"m{at}\":1,")).collect();
        format!(r#"{{{members}"type":"user","message":{{"content":"x"}}}}"#)
    };
    let measure = |line: &str| {
        let time = || {
            let start = Instant::now();
            Format::ALL.iter().for_each(|format| drop(format.line(line.as_bytes())));
            start.elapsed()
        };
        (0..4).map(|_| time()).min().unwrap_or_default()
    };
    for make in [&list as &dyn Fn(usize) -> String, &members] {
        let (small, large) = (measure(&make(1000)), measure(&make(8000)));
        assert!(large < small * 24 + Duration::from_millis(20), "{small:?}, then {large:?}");
    }
    let (small, large) = (measure(&deep(1000)), measure(&deep(8000)));
    assert!(large < small * 2400 + Duration::from_millis(20), "{small:?}, then {large:?}");
}

const SAMPLES: [(Format, &str); 5] = [
    (
        Format::ClaudeCode,
        r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":[{"type":"text","text":"Hello"}]}}"#,
    ),
    (
        Format::Codex,
        r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}}"#,
    ),
    (Format::GeminiCli, r#"{"id":"1","type":"user","content":[{"text":"Hello"}]}"#),
    (Format::OpenCode, r#"{"id":"p","messageID":"m","type":"text","text":"Hello"}"#),
    (
        Format::Pi,
        r#"{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"Hello"}]}}"#,
    ),
];

proptest! {
    /// Objects of the words that the readers look for, in places where they do not.
    #[test]
    fn words_in_wrong_places_keep_the_laws(
        source in json(),
    ) {
        laws::check_all(source.as_bytes());
    }
}

fn json() -> impl Strategy<Value = String> {
    const NAMES: [&str; 34] = [
        "type",
        "role",
        "message",
        "content",
        "payload",
        "text",
        "parts",
        "toolCalls",
        "result",
        "response",
        "output",
        "functionResponse",
        "state",
        "info",
        "messages",
        "history",
        "id",
        "sessionId",
        "sessionID",
        "$set",
        "$rewindTo",
        "replacement_history",
        "attachment",
        "summary",
        "input",
        "arguments",
        "call_id",
        "time",
        "uuid",
        "name",
        "prompt",
        "attachments",
        "status",
        "error",
    ];
    const WORDS: [&str; 32] = [
        "user",
        "assistant",
        "gemini",
        "model",
        "text",
        "tool",
        "tool_use",
        "tool_result",
        "toolResult",
        "toolCall",
        "message",
        "response_item",
        "compacted",
        "compaction",
        "attachment",
        "queued_command",
        "function_call",
        "function_call_output",
        "local_shell_call_output",
        "reasoning",
        "thinking",
        "image",
        "input_image",
        "file",
        "session",
        "session_meta",
        "system",
        "local_command",
        "bashExecution",
        "custom_message",
        "input_text",
        "error",
    ];
    let word = prop_oneof![
        4 => (0..WORDS.len()).prop_map(|at| format!("\"{}\"", WORDS[at])),
        1 => Just("null".to_owned()),
        1 => Just("true".to_owned()),
        1 => Just("\"\\ud800\"".to_owned()),
        1 => Just("\"\"".to_owned()),
    ];
    word.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            3 => prop::collection::vec(((0..NAMES.len()), inner.clone()), 0..6).prop_map(|members| {
                let members: Vec<String> =
                    members.into_iter().map(|(at, value)| format!("\"{}\":{value}", NAMES[at])).collect();
                format!("{{{}}}", members.join(","))
            }),
            1 => prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
        ]
    })
}
