//! How the Responses API writes an answer.

use serde_json::{Value, json};

use super::DEFAULT_NAMESPACE;
use crate::upstream::{
    answer::{ARGUMENT_CHARS, Answer, Event, NamedCall, TEXT_CHARS, small_pieces},
    identifier::signature,
};

pub(in crate::upstream) fn whole(answer: &Answer) -> Value {
    response(answer, "completed", items(answer))
}

pub(in crate::upstream) fn events(answer: &Answer) -> Vec<Event> {
    let mut stream = Stream { events: Vec::new() };
    for kind in ["response.created", "response.in_progress"] {
        stream.push(kind, json!({ "response": response(answer, "in_progress", Vec::new()) }));
    }
    let items = items(answer);
    for (index, item) in items.iter().enumerate() {
        stream.item(index, item);
    }
    stream.push("response.completed", json!({ "response": response(answer, "completed", items) }));
    stream.events
}

struct Stream {
    events: Vec<Event>,
}

impl Stream {
    fn push(&mut self, kind: &str, mut data: Value) {
        data["type"] = kind.into();
        data["sequence_number"] = self.events.len().into();
        self.events.push(Event::typed(&data));
    }

    fn item(&mut self, index: usize, item: &Value) {
        let mut started = item.clone();
        if !started["status"].is_null() {
            started["status"] = "in_progress".into();
        }
        match item["type"].as_str() {
            Some("message") => {
                let part = &item["content"][0];
                let mut empty = part.clone();
                empty["text"] = "".into();
                started["content"] = json!([]);
                self.push("response.output_item.added", json!({ "output_index": index, "item": started }));
                let place = json!({ "item_id": item["id"], "output_index": index, "content_index": 0 });
                self.push("response.content_part.added", with(&place, "part", &empty));
                self.pieces("response.output_text", "text", TEXT_CHARS, &place, &part["text"]);
                self.push("response.content_part.done", with(&place, "part", part));
            }
            Some(kind @ ("function_call" | "custom_tool_call")) => {
                let (key, name) = match kind {
                    "function_call" => ("arguments", "response.function_call_arguments"),
                    _ => ("input", "response.custom_tool_call_input"),
                };
                started[key] = "".into();
                self.push("response.output_item.added", json!({ "output_index": index, "item": started }));
                let place = json!({ "item_id": item["id"], "output_index": index });
                self.pieces(name, key, ARGUMENT_CHARS, &place, &item[key]);
            }
            _ => self.push("response.output_item.added", json!({ "output_index": index, "item": started })),
        }
        self.push("response.output_item.done", json!({ "output_index": index, "item": item }));
    }

    /// The deltas of a text, and the event that repeats it whole.
    fn pieces(&mut self, name: &str, key: &str, max_chars: usize, place: &Value, content: &Value) {
        for piece in small_pieces(content.as_str().unwrap_or_default(), max_chars) {
            self.push(&format!("{name}.delta"), with(place, "delta", &piece.into()));
        }
        self.push(&format!("{name}.done"), with(place, key, content));
    }
}

fn with(place: &Value, key: &str, value: &Value) -> Value {
    let mut data = place.clone();
    data[key] = value.clone();
    data
}

fn response(answer: &Answer, status: &str, output: Vec<Value>) -> Value {
    let input = answer.usage.whole_input();
    let usage = json!({
        "input_tokens": input,
        "input_tokens_details": { "cached_tokens": answer.usage.cache_read },
        "output_tokens": answer.usage.output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": input + answer.usage.output,
    });
    json!({
        "id": answer.identifiers.next("resp_", 0),
        "object": "response",
        "created_at": CREATED_AT,
        "status": status,
        "error": null,
        "incomplete_details": null,
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": true,
        "tool_choice": "auto",
        "tools": [],
        "usage": if status == "completed" { usage } else { Value::Null },
    })
}

/// A fixed second, so that the same request gets the same bytes.
const CREATED_AT: u64 = 1_700_000_000;

fn items(answer: &Answer) -> Vec<Value> {
    let reasoning = answer.thinking.iter().map(|thinking| {
        json!({
            "type": "reasoning",
            "id": answer.identifiers.next("rs_", 0),
            "summary": [{ "type": "summary_text", "text": thinking }],
            "encrypted_content": signature(thinking),
        })
    });
    let message = answer.text.iter().map(|text| {
        json!({
            "type": "message",
            "id": answer.identifiers.next("msg_", 0),
            "role": "assistant",
            "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        })
    });
    let calls = answer.calls.iter().enumerate().map(|(index, call)| item_of(answer, index, call));
    reasoning.chain(message).chain(calls).collect()
}

fn item_of(answer: &Answer, index: usize, call: &NamedCall) -> Value {
    let (kind, prefix, key) = if call.tool.custom {
        ("custom_tool_call", "ctc_", "input")
    } else {
        ("function_call", "fc_", "arguments")
    };
    let mut item = json!({
        "type": kind,
        "id": answer.identifiers.next(prefix, index),
        "call_id": answer.identifiers.next("call_", index),
        "name": call.tool.name,
        "status": "completed",
    });
    item[key] = call.input_text().into();
    if let Some(namespace) = call.tool.namespace.as_ref().filter(|namespace| *namespace != DEFAULT_NAMESPACE)
    {
        item["namespace"] = namespace.as_str().into();
    }
    item
}
