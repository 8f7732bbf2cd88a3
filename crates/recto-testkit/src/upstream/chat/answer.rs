//! How the Chat Completions API writes an answer.

use serde_json::{Value, json};

use crate::upstream::answer::{ARGUMENT_CHARS, Answer, Event, TEXT_CHARS, small_pieces};

pub(in crate::upstream) fn whole(answer: &Answer) -> Value {
    let mut message = json!({ "role": "assistant", "content": answer.text, "refusal": null });
    let calls = calls(answer);
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let mut completion = frame(answer, "chat.completion");
    completion["choices"] =
        json!([{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(answer) }]);
    completion["usage"] = usage(answer);
    completion
}

pub(in crate::upstream) fn events(answer: &Answer, body: &Value) -> Vec<Event> {
    let mut events = Vec::new();
    let mut push = |delta: Value, finish_reason: Value| {
        let mut chunk = frame(answer, "chat.completion.chunk");
        chunk["choices"] =
            json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason }]);
        events.push(Event::bare(chunk));
    };
    push(json!({ "role": "assistant", "content": answer.text.as_ref().map(|_| "") }), Value::Null);
    for piece in small_pieces(answer.text.as_deref().unwrap_or_default(), TEXT_CHARS) {
        push(json!({ "content": piece }), Value::Null);
    }
    for (index, mut call) in calls(answer).into_iter().enumerate() {
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default().to_owned();
        call["function"]["arguments"] = "".into();
        call["index"] = index.into();
        push(json!({ "tool_calls": [call] }), Value::Null);
        for piece in small_pieces(&arguments, ARGUMENT_CHARS) {
            push(
                json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }),
                Value::Null,
            );
        }
    }
    push(json!({}), finish_reason(answer).into());
    let wants_usage =
        body.pointer("/stream_options/include_usage").and_then(Value::as_bool).unwrap_or_default();
    if wants_usage {
        let mut chunk = frame(answer, "chat.completion.chunk");
        chunk["choices"] = json!([]);
        chunk["usage"] = usage(answer);
        events.push(Event::bare(chunk));
    }
    events.push(Event::bare("[DONE]"));
    events
}

fn frame(answer: &Answer, object: &str) -> Value {
    json!({
        "id": answer.identifiers.next("chatcmpl-", 0),
        "object": object,
        "created": CREATED,
        "model": answer.model,
        "system_fingerprint": null,
    })
}

/// A fixed second, so that the same request gets the same bytes.
const CREATED: u64 = 1_700_000_000;

fn finish_reason(answer: &Answer) -> &'static str {
    if answer.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn usage(answer: &Answer) -> Value {
    let input = answer.usage.whole_input();
    json!({
        "prompt_tokens": input,
        "completion_tokens": answer.usage.output,
        "total_tokens": input + answer.usage.output,
        "prompt_tokens_details": { "cached_tokens": answer.usage.cache_read },
        "completion_tokens_details": { "reasoning_tokens": 0 },
    })
}

fn calls(answer: &Answer) -> Vec<Value> {
    answer
        .calls
        .iter()
        .enumerate()
        .map(|(index, call)| {
            json!({
                "id": answer.identifiers.next("call_", index),
                "type": "function",
                "function": { "name": call.tool.name, "arguments": call.input_text() },
            })
        })
        .collect()
}
