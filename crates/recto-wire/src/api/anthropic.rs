//! Anthropic's Messages API.

use super::{Api, member_text, message_kind, opaque, plain_tools, role, span_or, string_or_parts};
use crate::{
    json::{JsonKind, Value},
    piece::{Pieces, Slot},
    record::RecordKind,
};

pub(crate) const API: Api = Api {
    name: "anthropic-messages",
    lacking: "a list `messages`",
    messages: &["messages"],
    system: &["system"],
    tools: &["tools"],
    is_message: |item| role(item).is_some() && item.get("content").is_some(),
    message,
    content: |value, pieces| string_or_parts(value, pieces, push_block),
    tool_list: plain_tools,
};

fn message(item: Value<'_>, pieces: &mut Pieces) -> RecordKind {
    message_kind(item, pieces, |pieces| {
        if let Some(content) = item.get("content") {
            string_or_parts(content, pieces, push_block);
        }
    })
}

/// Puts a block of a message in.
pub(crate) fn push_block(block: Value<'_>, pieces: &mut Pieces) {
    let kind = block.get("type").and_then(Value::text);
    match kind.as_deref() {
        Some("thinking" | "redacted_thinking") => pieces.push(Slot::Thinking, block.span(), block),
        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
            pieces.call(block.get("id"), block.get("name"), block.get("input"), block);
        }
        Some(kind) if kind.ends_with("tool_result") => {
            let content = block.get("content");
            pieces.result(
                block.get("tool_use_id"),
                is_error(block, content),
                span_or(content, block),
                block,
                |pieces| {
                    if let Some(content) = content {
                        string_or_parts(content, pieces, push_part);
                    }
                },
            );
        }
        _ => push_part(block, pieces),
    }
}

/// What may stand in a result too; results do not stand in results.
pub(crate) fn push_part(block: Value<'_>, pieces: &mut Pieces) {
    if block.kind() == JsonKind::String {
        pieces.text(block, block);
        return;
    }
    let kind = block.get("type").and_then(Value::text);
    match kind.as_deref() {
        Some("text") => member_text(block, "text", pieces),
        Some("image" | "document") => push_source(block, pieces),
        Some("search_result") => pieces.within(block, |pieces| match block.get("content") {
            Some(content) => string_or_parts(content, pieces, push_text_or_image),
            None => opaque(block, pieces),
        }),
        Some("container_upload") => pieces.image(None, None, block),
        _ => opaque(block, pieces),
    }
}

fn push_source(block: Value<'_>, pieces: &mut Pieces) {
    let Some(source) = block.get("source") else {
        opaque(block, pieces);
        return;
    };
    let kind = source.get("type").and_then(Value::text);
    pieces.frozen_if(block.has_doubled_names() || source.has_doubled_names(), |pieces| {
        match kind.as_deref() {
            Some("text") => match source.get("data") {
                Some(text) => pieces.text(text, block),
                None => opaque(block, pieces),
            },
            Some("content") => match source.get("content") {
                Some(content) => string_or_parts(content, pieces, push_text_or_image),
                None => opaque(block, pieces),
            },
            _ => {
                pieces.image(
                    source.get("data").or_else(|| source.get("url")),
                    source.get("media_type"),
                    block,
                );
            }
        }
    });
}

fn push_text_or_image(block: Value<'_>, pieces: &mut Pieces) {
    let source = block.get("source");
    match block.get("text") {
        Some(text) if text.kind() == JsonKind::String => pieces.text(text, block),
        _ if block.get("type").is_some_and(|kind| kind.is("image")) => {
            let member = |name| source.and_then(|source| source.get(name));
            pieces.within(source.unwrap_or(block), |pieces| {
                pieces.image(member("data").or_else(|| member("url")), member("media_type"), block);
            });
        }
        _ => opaque(block, pieces),
    }
}

fn is_error(block: Value<'_>, content: Option<Value<'_>>) -> bool {
    let inner = content.and_then(|content| content.get("type")).and_then(Value::text);
    block.get("is_error").is_some_and(Value::is_true)
        || inner.is_some_and(|kind| kind.ends_with("_tool_result_error"))
}
