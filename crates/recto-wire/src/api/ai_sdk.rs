//! Messages of the AI SDK (`ModelMessage`), and those of its fourth version (`CoreMessage`).

use super::{Api, member_text, message_kind, opaque, plain_tools, role, string_or_parts};
use crate::{
    json::{JsonKind, Value},
    piece::{Pieces, Slot},
    record::RecordKind,
};

pub(crate) const API: Api = Api {
    name: "ai-sdk",
    lacking: "a list `messages` or `prompt`",
    messages: &["messages", "prompt"],
    system: &["system", "instructions"],
    tools: &["tools"],
    is_message: |item| role(item).is_some() && item.get("content").is_some(),
    message,
    content: |value, pieces| string_or_parts(value, pieces, push_system),
    tool_list: plain_tools,
};

fn message(item: Value<'_>, pieces: &mut Pieces) -> RecordKind {
    message_kind(item, pieces, |pieces| {
        if let Some(content) = item.get("content") {
            string_or_parts(content, pieces, push_part);
        }
    })
}

/// Instructions may be whole messages.
fn push_system(item: Value<'_>, pieces: &mut Pieces) {
    match item.get("content").filter(|_| item.get("role").is_some()) {
        Some(content) => pieces.within(item, |pieces| string_or_parts(content, pieces, push_part)),
        None => push_part(item, pieces),
    }
}

fn push_part(part: Value<'_>, pieces: &mut Pieces) {
    let kind = part.get("type").and_then(Value::text);
    pieces.frozen_if(is_signed(part), |pieces| match kind.as_deref() {
        Some("text") => member_text(part, "text", pieces),
        Some("image") => pieces.image(part.get("image"), media_type(part), part),
        Some("file") => pieces.image(part.get("data"), media_type(part), part),
        Some("reasoning" | "redacted-reasoning" | "reasoning-file") => {
            pieces.push(Slot::Thinking, part.span(), part);
        }
        Some("tool-call") => {
            let arguments = part.get("input").or_else(|| part.get("args"));
            pieces.call(part.get("toolCallId"), part.get("toolName"), arguments, part);
        }
        Some("tool-result") => push_result(part, pieces),
        _ => opaque(part, pieces),
    });
}

fn push_result(part: Value<'_>, pieces: &mut Pieces) {
    let (output, call) = (part.get("output"), part.get("toolCallId"));
    let kind = output.and_then(|output| output.get("type")).and_then(Value::text);
    let Some((output, kind)) = output.zip(kind) else {
        // The fourth version has the value itself.
        let result = part.get("result").or(output);
        let is_error = part.get("isError").is_some_and(Value::is_true);
        let raw = result.unwrap_or(part).span();
        pieces.result(call, is_error, raw, part, |pieces| {
            if let Some(result) = result {
                push_value(result, pieces);
            }
        });
        return;
    };
    let is_error = kind.starts_with("error-") || kind == "execution-denied";
    pieces.within(output, |pieces| {
        let value = output.get("value").or_else(|| output.get("reason"));
        pieces.result(call, is_error, output.span(), part, |pieces| match value {
            Some(list) if kind == "content" && list.kind() == JsonKind::Array => {
                list.items().for_each(|item| push_content(item, pieces));
            }
            Some(value) => push_value(value, pieces),
            None => {}
        });
    });
}

fn push_value(value: Value<'_>, pieces: &mut Pieces) {
    match value.kind() {
        JsonKind::String => pieces.text(value, value),
        _ => opaque(value, pieces),
    }
}

fn push_content(item: Value<'_>, pieces: &mut Pieces) {
    let kind = item.get("type").and_then(Value::text);
    match kind.as_deref() {
        Some("text") => member_text(item, "text", pieces),
        Some(kind) if is_file(kind) => {
            pieces.image(item.get("data").or_else(|| item.get("url")), media_type(item), item);
        }
        _ => opaque(item, pieces),
    }
}

fn is_file(kind: &str) -> bool {
    kind == "media" || kind == "file" || kind.starts_with("image-") || kind.starts_with("file-")
}

fn media_type(part: Value<'_>) -> Option<Value<'_>> {
    part.get("mediaType").or_else(|| part.get("mimeType"))
}

/// Whether a provider's options hold its signature of what was thought.
fn is_signed(part: Value<'_>) -> bool {
    let options = ["providerOptions", "providerMetadata", "experimental_providerMetadata"];
    options
        .iter()
        .filter_map(|name| part.get(name))
        .flat_map(Value::items)
        .any(|provider| ["thoughtSignature", "signature"].iter().any(|name| provider.get(name).is_some()))
}
