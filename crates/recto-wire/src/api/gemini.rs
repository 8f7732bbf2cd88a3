//! Google's `generateContent`: contents of parts, with names in camel case or with underscores.

use super::{Api, opaque, role};
use crate::{
    json::{JsonKind, Value},
    piece::{Pieces, Slot},
    record::{RecordKind, Role},
};

pub(crate) const API: Api = Api {
    name: "gemini-contents",
    lacking: "a list `contents`",
    messages: &["contents"],
    system: &["systemInstruction", "system_instruction"],
    tools: &["tools"],
    is_message: |item| item.get("parts").is_some(),
    message,
    content: push_content,
    tool_list: tools,
};

/// Members of a part that are read; a part has one of them.
const PART_MEMBERS: [&str; 9] = [
    "text",
    "functionCall",
    "function_call",
    "functionResponse",
    "function_response",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
];

/// Members of a result that hold a text for the model.
const RESULT_TEXTS: [&str; 4] = ["output", "result", "content", "error"];

fn message(item: Value<'_>, pieces: &mut Pieces) -> RecordKind {
    let kind = match (item.get("role"), role(item)) {
        (_, Some(role)) => RecordKind::Message(role),
        // A question by itself needs no role.
        (None, None) if item.get("parts").is_some() => RecordKind::Message(Role::User),
        _ => {
            opaque(item, pieces);
            return RecordKind::Unknown;
        }
    };
    if let Some(parts) = item.get("parts") {
        parts.one_or_many().for_each(|part| push_part(part, pieces));
    }
    kind
}

fn push_content(content: Value<'_>, pieces: &mut Pieces) {
    for content in content.one_or_many() {
        match content.get("parts") {
            Some(parts) => pieces.within(content, |pieces| {
                parts.one_or_many().for_each(|part| push_part(part, pieces));
            }),
            None => push_part(content, pieces),
        }
    }
}

fn push_part(part: Value<'_>, pieces: &mut Pieces) {
    if part.kind() == JsonKind::String {
        pieces.text(part, part);
        return;
    }
    if part.get("thought").is_some_and(Value::is_true) {
        pieces.push(Slot::Thinking, part.span(), part);
        return;
    }
    let is_signed = either(part, "thoughtSignature", "thought_signature").is_some();
    let is_set = |member: &Value<'_>| member.kind() != JsonKind::Scalar;
    let mut members = PART_MEMBERS.iter().filter_map(|name| part.get(name)).filter(is_set);
    match (members.next(), members.next()) {
        (Some(member), None) => pieces.frozen_if(is_signed, |pieces| push_member(member, part, pieces)),
        _ => opaque(part, pieces),
    }
}

fn push_member(member: Value<'_>, part: Value<'_>, pieces: &mut Pieces) {
    let name = member.name();
    match name.as_deref() {
        Some("text") => pieces.text(member, part),
        Some("functionCall" | "function_call") => {
            let arguments = member.get("args").or_else(|| member.get("arguments"));
            pieces.within(member, |pieces| pieces.call(call_id(member), member.get("name"), arguments, part));
        }
        Some("functionResponse" | "function_response") => push_response(member, part, pieces),
        Some("inlineData" | "inline_data" | "fileData" | "file_data") => pieces.within(member, |pieces| {
            let data = member.get("data").or_else(|| either(member, "fileUri", "file_uri"));
            pieces.image(data, either(member, "mimeType", "mime_type"), part);
        }),
        _ => {}
    }
}

fn push_response(member: Value<'_>, part: Value<'_>, pieces: &mut Pieces) {
    let response = member.get("response");
    let parts = member.get("parts");
    let raw = response.filter(|_| parts.is_none()).unwrap_or(member).span();
    let is_error =
        response.and_then(|response| response.get("error")).is_some_and(|error| error.raw() != b"null");
    pieces.within(member, |pieces| {
        pieces.result(call_id(member), is_error, raw, part, |pieces| {
            for inside in member.items() {
                match inside.name().as_deref() {
                    Some("response") => pieces.within(inside, |pieces| {
                        inside.items().for_each(|value| push_value(value, pieces));
                    }),
                    Some("parts") => inside.items().for_each(|inner| push_file(inner, pieces)),
                    _ => {}
                }
            }
        });
    });
}

/// A member of a result: the text of a known one, or a list of texts as tools of the MCP have it.
fn push_value(value: Value<'_>, pieces: &mut Pieces) {
    let name = value.name();
    let is_text = name.is_some_and(|name| RESULT_TEXTS.contains(&&*name));
    match value.kind() {
        JsonKind::String if is_text => pieces.text(value, value),
        JsonKind::Array if is_text => {
            for block in value.items() {
                match block.get("text").filter(|_| block.get("type").is_some_and(|kind| kind.is("text"))) {
                    Some(text) => pieces.text(text, block),
                    None => opaque(block, pieces),
                }
            }
        }
        _ => opaque(value, pieces),
    }
}

fn push_file(part: Value<'_>, pieces: &mut Pieces) {
    let file = ["inlineData", "inline_data", "fileData", "file_data"].iter().find_map(|name| part.get(name));
    match file {
        Some(file) => push_member(file, part, pieces),
        None => opaque(part, pieces),
    }
}

/// An entry of `tools` is a list of functions, or one tool of the provider.
fn tools(list: Value<'_>, pieces: &mut Pieces) {
    pieces.push(Slot::Tools, list.span(), list);
    for entry in list.one_or_many() {
        match either(entry, "functionDeclarations", "function_declarations") {
            Some(functions) => pieces.within(entry, |pieces| {
                pieces.push(Slot::Tools, functions.span(), entry);
                functions.items().for_each(|tool| pieces.tool(tool));
            }),
            None => pieces.tool(entry),
        }
    }
}

/// The id, or the name where none is given: then the next result of that name is the call's.
fn call_id(member: Value<'_>) -> Option<Value<'_>> {
    member.get("id").filter(|id| id.kind() == JsonKind::String).or_else(|| member.get("name"))
}

fn either<'d>(value: Value<'d>, camel: &str, snake: &str) -> Option<Value<'d>> {
    value.get(camel).or_else(|| value.get(snake))
}
