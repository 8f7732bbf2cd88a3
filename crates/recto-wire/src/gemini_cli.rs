//! Chats of Gemini CLI: a document with `messages` (or `history`, in a checkpoint), or lines. The lines are a log of changes: a message that
//! comes again under its id stands for the one before, `$rewindTo` takes messages back, `$set` with `messages` puts others in the place of
//! all. A call and its result stand in one message. Qwen Code, its kin, writes lines of the same parts that form a tree by `parentUuid`.

use recto_outline::Span;

use crate::{
    WireError,
    json::{JsonKind, Value},
    piece::{Pieces, Slot, string_span},
    record::{Boundary, Link, Record, RecordKind, Role},
};

/// Whether a line is of this client, or of its kin.
pub(crate) fn is_own(line: Value<'_>) -> bool {
    let is_gemini = line.get("type").is_some_and(|kind| kind.is("gemini"));
    line.get("$set").is_some()
        || line.get("$rewindTo").is_some()
        || line.get("sessionId").is_some() && line.get("projectHash").is_some()
        || is_gemini && (line.get("content").is_some() || line.get("toolCalls").is_some())
        || line.get("uuid").is_some() && line.at(&["message", "parts"]).is_some()
        || is_document(line)
}

/// Whether a document is of this client.
fn is_document(root: Value<'_>) -> bool {
    let Some(messages) = messages(root) else { return false };
    let is_message = |message: Value<'_>| {
        let has_parts = message.get("parts").is_some_and(|parts| parts.kind() == JsonKind::Array);
        has_parts && message.get("role").is_some()
            || message.get("type").is_some_and(|kind| kind.kind() == JsonKind::String)
                && (has_parts || message.get("content").is_some())
                && message.get("id").is_some()
    };
    // Bodies of Gemini's API have `contents`; other APIs' messages have a role and no parts.
    messages.items().next().map_or(root.get("projectHash").is_some(), is_message)
}

fn messages(root: Value<'_>) -> Option<Value<'_>> {
    let messages = match root.kind() {
        JsonKind::Object => root.get("messages").or_else(|| root.get("history"))?,
        _ => root,
    };
    (messages.kind() == JsonKind::Array).then_some(messages)
}

/// The records of a document: the session, then the messages.
pub(crate) fn document(root: Value<'_>) -> Result<Vec<Record>, WireError> {
    let messages = messages(root).filter(|_| is_document(root)).ok_or(WireError::NotThis {
        format: "gemini-cli",
        why: "it has no list `messages` or `history` of objects with an id and a type, or a role and parts",
    })?;
    let session = header(root);
    Ok(std::iter::once(session).chain(messages.items().map(record)).collect())
}

fn header(root: Value<'_>) -> Record {
    let mut record = Record::new(RecordKind::Session, root.span());
    record.parent = Link::Root;
    record.session = string_span(root.get("sessionId"));
    record.time = string_span(root.get("startTime").or_else(|| root.get("start_time")));
    record.type_name = string_span(root.get("kind"));
    record
}

pub(crate) fn record(line: Value<'_>) -> Record {
    if let Some(target) = line.get("$rewindTo") {
        return Record::new(RecordKind::Rewind(string_span(Some(target))), line.span());
    }
    if let Some(set) = line.get("$set") {
        return change(line, set);
    }
    if line.get("sessionId").is_some() && line.get("type").is_none() && line.get("role").is_none() {
        return header(line);
    }
    let (kind, pieces) = message(line);
    let mut record = Record::new(kind, line.span());
    record.id = string_span(line.get("id").or_else(|| line.get("uuid")));
    record.parent = match line.get("parentUuid") {
        Some(parent) if parent.kind() == JsonKind::String => Link::Id(parent.span()),
        Some(_) => Link::Root,
        None => Link::Previous,
    };
    // Qwen writes one answer in several lines of one id.
    record.message = string_span(line.get("uuid"));
    record.time = line.get("timestamp").or_else(|| line.get("ts")).map(Value::span).unwrap_or_default();
    record.session = string_span(line.get("sessionId"));
    record.folder = string_span(line.get("cwd"));
    record.type_name = string_span(line.get("type").or_else(|| line.get("role")));
    record.pieces = pieces.into_vec();
    record
}

/// `$set`: what is said of the session, or all messages anew.
fn change(line: Value<'_>, set: Value<'_>) -> Record {
    let Some(messages) = set.get("messages").filter(|messages| messages.kind() == JsonKind::Array) else {
        return Record::new(RecordKind::Silent, line.span());
    };
    let mut record = Record::new(RecordKind::Boundary(Boundary::default()), line.span());
    let mut pieces = Pieces::new(line.has_doubled_names() || set.has_doubled_names());
    for message in messages.items() {
        if let RecordKind::Message(role) = kind(message) {
            pieces.message(role, message, |pieces| push_message(message, pieces));
        }
    }
    record.pieces = pieces.into_vec();
    record
}

fn message(line: Value<'_>) -> (RecordKind, Pieces) {
    let inner = line.get("message").filter(|message| message.kind() == JsonKind::Object);
    let kind = kind(line);
    let is_doubled = inner.is_some_and(Value::has_doubled_names);
    let mut pieces = Pieces::new(line.has_doubled_names() || is_doubled);
    if matches!(kind, RecordKind::Message(_)) {
        push_message(inner.unwrap_or(line), &mut pieces);
    }
    (kind, pieces)
}

fn kind(line: Value<'_>) -> RecordKind {
    let name = line.get("type").or_else(|| line.get("role")).and_then(Value::text);
    match name.as_deref() {
        Some("user") => RecordKind::Message(Role::User),
        Some("gemini" | "model" | "assistant") => RecordKind::Message(Role::Assistant),
        Some("tool_result") => RecordKind::Message(Role::Tool),
        Some("info" | "error" | "warning" | "system" | "about" | "quit" | "compression") => {
            RecordKind::Silent
        }
        _ => RecordKind::Unknown,
    }
}

/// Puts in what a message holds, in the order of its members.
fn push_message(message: Value<'_>, pieces: &mut Pieces) {
    for member in message.items() {
        match member.name().as_deref() {
            Some("content" | "parts") => {
                member.one_or_many().for_each(|part| push_part(part, pieces));
            }
            Some("thoughts") if member.kind() == JsonKind::Array => {
                member.items().for_each(|thought| pieces.push(Slot::Thinking, thought.span(), thought));
            }
            Some("toolCalls") if member.kind() == JsonKind::Array => {
                member.items().for_each(|call| push_call(call, pieces));
            }
            _ => {}
        }
    }
}

/// A call, and its result beside it: what the model read is in `result`, `resultDisplay` is for the screen.
fn push_call(call: Value<'_>, pieces: &mut Pieces) {
    pieces.call(call.get("id"), call.get("name"), call.get("args"), call);
    let Some(result) = call.get("result") else { return };
    let is_error = call.get("status").is_some_and(|status| status.is("error"));
    if result.kind() == JsonKind::String {
        pieces.result(call.get("id"), is_error, result.span(), call, |pieces| pieces.text(result, result));
        return;
    }
    let is_part = |part: &Value<'_>| part.kind() != JsonKind::Scalar;
    for part in result.one_or_many().filter(is_part) {
        match part.get("functionResponse") {
            Some(response) => push_response(response, part, is_error, call.get("id"), pieces),
            None => push_part(part, pieces),
        }
    }
}

fn push_part(part: Value<'_>, pieces: &mut Pieces) {
    if part.kind() == JsonKind::String {
        if part.span().len() > 2 {
            pieces.text(part, part);
        }
        return;
    }
    if let Some(response) = part.get("functionResponse") {
        push_response(response, part, false, None, pieces);
    } else if let Some(call) = part.get("functionCall") {
        pieces.call(call.get("id"), call.get("name"), call.get("args"), part);
    } else {
        push_plain_part(part, pieces);
    }
}

/// Puts in what may stand in a message and in a result.
fn push_plain_part(part: Value<'_>, pieces: &mut Pieces) {
    if part.kind() == JsonKind::String {
        pieces.text(part, part);
    } else if part.get("thought").is_some_and(Value::is_true) {
        pieces.push(Slot::Thinking, part.span(), part);
    } else if let Some(text) = part.get("text") {
        pieces.text(text, part);
    } else if let Some(image) = part.get("inlineData").or_else(|| part.get("fileData")) {
        let place = image.get("data").or_else(|| image.get("fileUri"));
        pieces.image(place, image.get("mimeType"), part);
    } else {
        pieces.push(Slot::Opaque, part.span(), part);
    }
}

/// A result: whatever texts its `response` has, which every tool names as it likes.
fn push_response(
    response: Value<'_>,
    part: Value<'_>,
    failed: bool,
    call: Option<Value<'_>>,
    pieces: &mut Pieces,
) {
    let body = response.get("response");
    let raw = body.map_or(Span::default(), Value::span);
    let raw = if raw.is_empty() { part.span() } else { raw };
    let is_error = failed || body.is_some_and(|body| body.get("error").is_some());
    pieces.result(response.get("id").or(call), is_error, raw, part, |pieces| {
        let Some(body) = body else { return };
        let members = if body.kind() == JsonKind::Object {
            body.items()
        } else {
            return push_plain_part(body, pieces);
        };
        for member in members {
            match member.kind() {
                JsonKind::String => pieces.text(member, member),
                JsonKind::Array => member.items().for_each(|item| push_plain_part(item, pieces)),
                _ => pieces.push(Slot::Opaque, member.span(), member),
            }
        }
    });
}
