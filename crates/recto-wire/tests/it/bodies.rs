//! Laws over generated bodies: well-made ones of each form, and JSON of any shape in the words of all forms.

use std::time::{Duration, Instant};

use proptest::{collection::vec, prelude::*, sample::select};
use recto_wire::{Format, Record, Slot, unquote};
use serde_json::{Value, json};

use crate::body_laws::{APIS, check};

/// Names and words that the readers look for.
const WORDS: &[&str] = &[
    "role",
    "user",
    "assistant",
    "system",
    "tool",
    "developer",
    "model",
    "function",
    "content",
    "type",
    "text",
    "messages",
    "input",
    "contents",
    "parts",
    "tools",
    "output",
    "value",
    "result",
    "error",
    "id",
    "name",
    "tool_use",
    "tool_result",
    "tool_use_id",
    "is_error",
    "source",
    "data",
    "document",
    "image",
    "search_result",
    "media_type",
    "thinking",
    "tool_calls",
    "arguments",
    "function_call",
    "function_call_output",
    "call_id",
    "functionCall",
    "functionResponse",
    "response",
    "inlineData",
    "thought",
    "thoughtSignature",
    "args",
    "tool-call",
    "tool-result",
    "toolCallId",
    "toolName",
    "providerOptions",
    "signature",
    "json",
    "input_text",
    "output_text",
    "reasoning",
    "additional_tools",
    "namespace",
    "shell_call_output",
    "stdout",
    "mcp_call",
    "request",
    "previous_response_id",
    "systemInstruction",
    "instructions",
    "refusal",
    "image_url",
    "url",
    "custom",
    "functionDeclarations",
    "call_1",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z \n\"\\\\\u{e9}\u{1f600}]{0,20}", 1 => select(WORDS).prop_map(str::to_owned)]
}

/// JSON text of any shape, names doubled here and there, half characters too.
fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => select(WORDS).prop_map(|word| format!("\"{word}\"")),
        2 => text().prop_map(|text| Value::from(text).to_string()),
        1 => select(&["null", "true", "1", "\"\\ud800\"", "\"t\\u0065xt\"", "-1e3"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        let member = (select(WORDS), inner.clone()).prop_map(|(name, value)| format!("\"{name}\" : {value}"));
        let typed = (select(WORDS), vec(member.clone(), 0..6)).prop_map(|(kind, members)| {
            let members: String = members.iter().map(|member| format!(",{member}")).collect();
            format!("{{\"type\":\"{kind}\"{members}}}")
        });
        prop_oneof![
            typed,
            vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(", "))),
            vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

/// Steps of a conversation, which every form can tell.
#[derive(Clone, Debug)]
enum Step {
    Say(String),
    Answer(String),
    Think(String),
    Show,
    Call { arguments: String, outputs: Vec<String>, is_error: bool },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step =
        prop_oneof![
            text().prop_map(Step::Say),
            text().prop_map(Step::Answer),
            text().prop_map(Step::Think),
            Just(Step::Show),
            (text(), vec(text(), 1..4), any::<bool>())
                .prop_map(|(arguments, outputs, is_error)| Step::Call { arguments, outputs, is_error }),
        ];
    vec(step, 1..12)
}

fn text_blocks(kind: &str, texts: &[String]) -> Vec<Value> {
    texts.iter().map(|text| json!({ "type": kind, "text": text })).collect()
}

fn messages(format: Format, steps: &[Step]) -> Vec<Value> {
    steps.iter().enumerate().flat_map(|(at, step)| written(format, at, step)).collect()
}

fn written(format: Format, at: usize, step: &Step) -> Vec<Value> {
    let id = format!("call_{at}");
    match format {
        Format::AnthropicMessages => match step {
            Step::Say(text) => vec![json!({ "role": "user", "content": text })],
            Step::Answer(text) => {
                vec![
                    json!({ "role": "assistant", "content": [{ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } }] }),
                ]
            }
            Step::Think(text) => {
                vec![
                    json!({ "role": "assistant", "content": [{ "type": "thinking", "thinking": text, "signature": "s" }] }),
                ]
            }
            Step::Show => {
                vec![
                    json!({ "role": "user", "content": [{ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } }] }),
                ]
            }
            Step::Call { arguments, outputs, is_error } => vec![
                json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "read", "input": { "path": arguments } }] }),
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": text_blocks("text", outputs) }] }),
            ],
        },
        Format::OpenAiChat => match step {
            Step::Say(text) => vec![json!({ "role": "user", "content": text })],
            Step::Answer(text) => vec![
                json!({ "role": "assistant", "content": text_blocks("text", std::slice::from_ref(text)) }),
            ],
            Step::Think(text) => {
                vec![json!({ "role": "assistant", "content": null, "reasoning_content": text })]
            }
            Step::Show => {
                vec![
                    json!({ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } }] }),
                ]
            }
            Step::Call { arguments, outputs, .. } => vec![
                json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": id, "type": "function", "function": { "name": "read", "arguments": arguments } }] }),
                json!({ "role": "tool", "tool_call_id": id, "content": text_blocks("text", outputs) }),
            ],
        },
        Format::OpenAiResponses => match step {
            Step::Say(text) => vec![json!({ "role": "user", "content": text })],
            Step::Answer(text) => {
                vec![
                    json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }] }),
                ]
            }
            Step::Think(text) => {
                vec![json!({ "type": "reasoning", "id": "rs", "summary": [], "encrypted_content": text })]
            }
            Step::Show => {
                vec![
                    json!({ "role": "user", "content": [{ "type": "input_image", "image_url": "data:image/png;base64,aGk=" }] }),
                ]
            }
            Step::Call { arguments, outputs, .. } => vec![
                json!({ "type": "function_call", "call_id": id, "name": "read", "arguments": arguments }),
                json!({ "type": "function_call_output", "call_id": id, "output": text_blocks("input_text", outputs) }),
            ],
        },
        Format::GeminiContents => match step {
            Step::Say(text) => vec![json!({ "role": "user", "parts": [{ "text": text }] })],
            Step::Answer(text) => vec![json!({ "role": "model", "parts": [{ "text": text }] })],
            Step::Think(text) => {
                vec![json!({ "role": "model", "parts": [{ "text": text, "thought": true }] })]
            }
            Step::Show => {
                vec![
                    json!({ "role": "user", "parts": [{ "inlineData": { "mimeType": "image/png", "data": "aGk=" } }] }),
                ]
            }
            Step::Call { arguments, outputs, .. } => vec![
                json!({ "role": "model", "parts": [{ "functionCall": { "id": id, "name": "read", "args": { "path": arguments } } }] }),
                json!({ "role": "user", "parts": [{ "functionResponse": { "id": id, "name": "read", "response": { "content": text_blocks("text", outputs) } } }] }),
            ],
        },
        _ => match step {
            Step::Say(text) => vec![json!({ "role": "user", "content": text })],
            Step::Answer(text) => vec![
                json!({ "role": "assistant", "content": text_blocks("text", std::slice::from_ref(text)) }),
            ],
            Step::Think(text) => {
                vec![json!({ "role": "assistant", "content": [{ "type": "reasoning", "text": text }] })]
            }
            Step::Show => {
                vec![
                    json!({ "role": "user", "content": [{ "type": "image", "image": "aGk=", "mediaType": "image/png" }] }),
                ]
            }
            Step::Call { arguments, outputs, is_error } => {
                let kind = if *is_error { "error-text" } else { "text" };
                let output = match &**outputs {
                    [text] => json!({ "type": kind, "value": text }),
                    texts => json!({ "type": "content", "value": text_blocks("text", texts) }),
                };
                vec![
                    json!({ "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": id, "toolName": "read", "input": { "path": arguments } }] }),
                    json!({ "role": "tool", "content": [{ "type": "tool-result", "toolCallId": id, "toolName": "read", "output": output }] }),
                ]
            }
        },
    }
}

fn list_name(format: Format) -> &'static str {
    match format {
        Format::OpenAiResponses => "input",
        Format::GeminiContents => "contents",
        _ => "messages",
    }
}

/// Texts, thoughts, images, and calls with their results, as the steps have them.
fn expected(steps: &[Step]) -> (Vec<String>, [usize; 4]) {
    let mut texts = Vec::new();
    let mut counts = [0; 4];
    for step in steps {
        match step {
            Step::Say(text) | Step::Answer(text) => texts.push(text.clone()),
            Step::Think(_) => counts[0] += 1,
            Step::Show => counts[1] += 1,
            Step::Call { outputs, .. } => {
                texts.extend(outputs.iter().cloned());
                counts[2] += 1;
                counts[3] += 1;
            }
        }
    }
    (texts, counts)
}

fn found(records: &[Record], bytes: &[u8]) -> (Vec<String>, [usize; 4]) {
    let mut texts = Vec::new();
    let mut counts = [0; 4];
    let mut calls = Vec::new();
    for piece in records.iter().flat_map(|record| &record.pieces) {
        match piece.slot {
            Slot::Text => texts.push(unquote(piece.raw.of(bytes)).unwrap().into_owned()),
            Slot::Thinking => counts[0] += 1,
            Slot::Image { .. } => counts[1] += 1,
            Slot::ToolCall { id, .. } => {
                counts[2] += 1;
                calls.push(id.of(bytes));
            }
            Slot::ToolResult { call, .. } => {
                counts[3] += 1;
                assert_eq!(calls.pop(), Some(call.of(bytes)), "a result names its call");
            }
            other => panic!("{other:?} is in no step"),
        }
    }
    (texts, counts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_said_is_found_in_every_form(steps in steps(), chosen in 0_usize..40) {
        for format in APIS {
            let list = messages(format, &steps);
            let body = json!({ "model": "m", list_name(format): list.clone() });
            let lines: Vec<String> = list.iter().map(Value::to_string).collect();
            let writings = [
                body.to_string(),
                serde_json::to_string_pretty(&body).unwrap(),
                Value::from(list).to_string(),
                lines.join("\n"),
                format!("{}\r\n", lines.join("\r\n")),
            ];
            for writing in writings {
                let records = check(format, writing.as_bytes(), chosen);
                prop_assert_eq!(records.len(), lines.len(), "{:?}", format);
                prop_assert_eq!(found(&records, writing.as_bytes()), expected(&steps), "{:?}", format);
            }
        }
    }

    #[test]
    fn a_form_is_detected_by_what_only_it_has(steps in steps()) {
        let tells = |step: &Step| matches!(step, Step::Think(_) | Step::Show | Step::Call { .. });
        prop_assume!(steps.iter().any(tells));
        for format in APIS {
            let list = messages(format, &steps);
            let lines: Vec<String> = list.iter().map(Value::to_string).collect();
            prop_assert_eq!(Format::detect(Value::from(list.clone()).to_string().as_bytes()), Some(format));
            prop_assert_eq!(Format::detect(json!({ "model": "m", list_name(format): list }).to_string().as_bytes()), Some(format));
            prop_assert_eq!(Format::detect(lines.iter().take(20).cloned().collect::<Vec<_>>().join("\n").as_bytes()), Some(format));
        }
    }

    #[test]
    fn laws_hold_of_any_json(value in any_json(), inner in vec(any_json(), 0..5), chosen in 0_usize..9) {
        for format in APIS {
            check(format, value.as_bytes(), chosen);
            let body = format!("{{\"{}\":[{}],\"tools\":{value},\"system\":{value}}}", list_name(format), inner.join(","));
            check(format, body.as_bytes(), chosen);
            let role = ["user", "assistant", "tool"][chosen % 3];
            let message = |name: &str| format!("[{{\"role\":\"{role}\",\"{name}\":[{}]}}]", inner.join(","));
            check(format, message("content").as_bytes(), chosen);
            check(format, message("parts").as_bytes(), chosen);
            let lines = inner.join("\n");
            check(format, lines.as_bytes(), chosen);
        }
        let _ = Format::detect(value.as_bytes());
    }

    #[test]
    fn laws_hold_of_any_bytes(steps in steps(), at in any::<prop::sample::Index>(), with in vec(any::<u8>(), 0..4)) {
        for format in APIS {
            let mut bytes = json!({ list_name(format): messages(format, &steps) }).to_string().into_bytes();
            let at = at.index(bytes.len());
            bytes.splice(at..(at + 1).min(bytes.len()), with.iter().copied());
            check(format, &bytes, at);
            let _ = Format::detect(&bytes);
        }
    }
}

fn fastest(mut run: impl FnMut()) -> Duration {
    (0..3)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap()
}

/// Bodies on which a reader that looks back, or inside again, would be slow: what grows with the square takes a thousand times as long
/// for 32 times the length. A busy machine slows the longer run alone, so that the bound is far above 32.
#[test]
fn time_is_linear_in_hard_bodies() {
    let hard: [fn(usize) -> String; 6] = [
        |n| format!("[{{\"role\":\"user\",\"parts\":[{{{}}}]}}]", vec!["\"text\":\"a\""; n].join(",")),
        |n| format!("[{{\"role\":\"user\",{}}}]", vec!["\"content\":\"a\""; n].join(",")),
        |n| {
            format!(
                "[{{\"role\":\"tool\",\"content\":[{}]}}]",
                vec!["{\"type\":\"text\",\"text\":\"a\"}"; n].join(",")
            )
        },
        |n| format!("{{\"messages\":[],{}}}", vec!["\"tools\":[{}]"; n].join(",")),
        |n| {
            let open = "{\"type\":\"tool_result\",\"content\":[".repeat(n);
            format!("[{{\"role\":\"user\",\"content\":[{open}{}]}}]", "]}".repeat(n))
        },
        |n| {
            let open = "{\"type\":\"function_call\",\"call_id\":\"c\",\"arguments\":".repeat(n);
            format!("[{open}1{}]", "}".repeat(n))
        },
    ];
    for body in hard {
        let (small, large) = (body(250), body(8_000));
        for format in APIS {
            let read = |bytes: &str| {
                fastest(|| {
                    let _ = (format.document(bytes.as_bytes()), Format::detect(bytes.as_bytes()));
                })
            };
            let (few, many) = (read(&small), read(&large));
            assert!(
                many < few * 400 + Duration::from_millis(50),
                "{format:?}: {many:?} for 32 times what took {few:?}: {}",
                &small[..60]
            );
        }
    }
}

#[test]
fn deep_nesting_is_no_recursion() {
    let results = "{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[".repeat(200_000);
    let deep = format!("{{\"role\":\"user\",\"content\":[{results}{}]}}", "]}".repeat(200_000));
    for format in APIS {
        let list = format!("{{\"{}\":[{deep}]}}", list_name(format));
        assert_eq!(format.document(list.as_bytes()).unwrap().len(), 1);
    }
    let line = format!("{{\"type\":\"user\",\"message\":{deep}}}");
    assert_eq!(Format::ClaudeCode.line(line.as_bytes()).pieces.len(), 2);
}
