//! How the Messages API writes an answer.

use serde_json::{Value, json};

use crate::upstream::{
    answer::{ARGUMENT_CHARS, Answer, Event, TEXT_CHARS, small_pieces},
    identifier::signature,
};

pub(in crate::upstream) fn whole(answer: &Answer) -> Value {
    let mut message = message(answer);
    message["content"] = blocks(answer).into();
    message["stop_reason"] = stop_reason(answer).into();
    message["usage"]["output_tokens"] = answer.usage.output.into();
    message
}

pub(in crate::upstream) fn events(answer: &Answer) -> Vec<Event> {
    let mut events = vec![
        Event::typed(&json!({ "type": "message_start", "message": message(answer) })),
        Event::typed(&json!({ "type": "ping" })),
    ];
    for (index, block) in blocks(answer).into_iter().enumerate() {
        let (start, deltas) = in_pieces(block);
        let mut push = |kind: &str, key: &str, value: Value| {
            events.push(Event::typed(&json!({ "type": kind, "index": index, key: value })));
        };
        push("content_block_start", "content_block", start);
        for delta in deltas {
            push("content_block_delta", "delta", delta);
        }
        events.push(Event::typed(&json!({ "type": "content_block_stop", "index": index })));
    }
    events.push(Event::typed(&json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop_reason(answer), "stop_sequence": null },
        "usage": { "output_tokens": answer.usage.output },
    })));
    events.push(Event::typed(&json!({ "type": "message_stop" })));
    events
}

fn message(answer: &Answer) -> Value {
    json!({
        "id": answer.identifiers.next("msg_", 0),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            "input_tokens": answer.usage.input,
            "cache_creation_input_tokens": answer.usage.cache_creation,
            "cache_read_input_tokens": answer.usage.cache_read,
            "output_tokens": 1,
        },
    })
}

fn stop_reason(answer: &Answer) -> &'static str {
    if answer.calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn blocks(answer: &Answer) -> Vec<Value> {
    let thinking = answer.thinking.iter().map(
        |thinking| json!({ "type": "thinking", "thinking": thinking, "signature": signature(thinking) }),
    );
    let text = answer.text.iter().map(|text| json!({ "type": "text", "text": text }));
    let calls = answer.calls.iter().enumerate().map(|(index, call)| {
        let id = answer.identifiers.next("toolu_", index);
        json!({ "type": "tool_use", "id": id, "name": call.tool.name, "input": call.input })
    });
    thinking.chain(text).chain(calls).collect()
}

/// A block as it is before its content, and the deltas that bring the content.
fn in_pieces(mut block: Value) -> (Value, Vec<Value>) {
    let mut deltas = Vec::new();
    let mut stream = |content: &str, max_chars: usize, kind: &str, key: &str| {
        deltas.extend(
            small_pieces(content, max_chars).into_iter().map(|piece| json!({ "type": kind, key: piece })),
        );
    };
    if let Some(text) = block.get("text").and_then(Value::as_str).map(str::to_owned) {
        stream(&text, TEXT_CHARS, "text_delta", "text");
        block["text"] = "".into();
    } else if let Some(thinking) = block.get("thinking").and_then(Value::as_str).map(str::to_owned) {
        stream(&thinking, TEXT_CHARS, "thinking_delta", "thinking");
        deltas.push(json!({ "type": "signature_delta", "signature": block["signature"] }));
        block["thinking"] = "".into();
        block["signature"] = "".into();
    } else {
        let input = block["input"].to_string();
        stream(&input, ARGUMENT_CHARS, "input_json_delta", "partial_json");
        block["input"] = json!({});
    }
    (block, deltas)
}
