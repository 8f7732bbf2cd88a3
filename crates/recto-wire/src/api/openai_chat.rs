//! OpenAI's Chat Completions API, and what other providers add to it.

use super::{Api, member_text, message_kind, opaque, plain_tools, role, span_or, string_or_parts};
use crate::{
    json::{JsonKind, Value},
    piece::{Pieces, Slot},
    record::{RecordKind, Role},
};

pub(crate) const API: Api = Api {
    name: "openai-chat",
    lacking: "a list `messages`",
    messages: &["messages"],
    system: &[],
    tools: &["tools", "functions"],
    is_message: |item| {
        role(item).is_some()
            && ["content", "tool_calls", "function_call"].iter().any(|name| item.get(name).is_some())
    },
    message,
    content: |value, pieces| string_or_parts(value, pieces, push_part),
    tool_list: plain_tools,
};

fn message(item: Value<'_>, pieces: &mut Pieces) -> RecordKind {
    message_kind(item, pieces, |pieces| match role(item) {
        Some(Role::Tool) => {
            // In the old form the tool's name stands for the id.
            let call = item.get("tool_call_id").or_else(|| item.get("name"));
            let content = item.get("content");
            pieces.result(call, false, span_or(content, item), item, |pieces| {
                if let Some(content) = content {
                    string_or_parts(content, pieces, push_part);
                }
            });
        }
        _ => item.items().for_each(|member| push_member(member, pieces)),
    })
}

fn push_member(member: Value<'_>, pieces: &mut Pieces) {
    let name = member.name();
    match name.as_deref() {
        _ if member.kind() == JsonKind::Scalar => {}
        Some("content") => string_or_parts(member, pieces, push_part),
        Some("refusal") => pieces.text(member, member),
        Some(
            "reasoning_content" | "reasoning" | "reasoning_details" | "reasoning_text" | "thinking_blocks",
        ) => {
            pieces.push(Slot::Thinking, member.span(), member);
        }
        Some("tool_calls") => member.one_or_many().for_each(|call| push_call(call, pieces)),
        Some("function_call") => {
            let name = member.get("name");
            pieces.call(name, name, member.get("arguments"), member);
        }
        Some("audio") => opaque(member, pieces),
        _ => {}
    }
}

fn push_call(call: Value<'_>, pieces: &mut Pieces) {
    let called = call.get("function").or_else(|| call.get("custom"));
    let member = |name| called.and_then(|called| called.get(name));
    let is_signed = call.at(&["extra_content", "google", "thought_signature"]).is_some();
    let is_frozen = is_signed || called.is_some_and(Value::has_doubled_names);
    pieces.frozen_if(is_frozen, |pieces| {
        pieces.call(call.get("id"), member("name"), member("arguments").or_else(|| member("input")), call);
    });
}

fn push_part(part: Value<'_>, pieces: &mut Pieces) {
    let kind = part.get("type").and_then(Value::text);
    let file = |name: &str, pieces: &mut Pieces| {
        let inner = part.get(name);
        let member = |name| inner.and_then(|inner| inner.get(name));
        let data = member("url").or_else(|| member("data")).or_else(|| member("file_data"));
        pieces.within(inner.unwrap_or(part), |pieces| pieces.image(data.or(inner), None, part));
    };
    match kind.as_deref() {
        Some("text") => member_text(part, "text", pieces),
        Some("refusal") => member_text(part, "refusal", pieces),
        Some("thinking" | "reasoning") => pieces.push(Slot::Thinking, part.span(), part),
        Some(kind @ ("image_url" | "input_audio" | "file" | "video_url" | "document_url")) => {
            file(kind, pieces);
        }
        _ => opaque(part, pieces),
    }
}
