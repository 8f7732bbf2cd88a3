//! Sessions of Pi: entries that form a tree by `parentId` (versions 2 and 3), or a list (version 1). A compaction keeps the entries from one
//! on: by its id, or in version 1 by its number, where the header is entry 0 and lines that are no JSON do not count. A turn that was
//! broken off or failed stays in the file, and the client leaves it out of the next request.

use crate::{
    json::{JsonKind, Value},
    piece::{Pieces, Slot, string_span},
    record::{Boundary, Kept, Link, Record, RecordKind, Role},
};

/// Types of entries that the model does not read.
const SILENT: [&str; 5] = ["custom", "label", "session_info", "model_change", "thinking_level_change"];

/// Whether a line is of this client.
pub(crate) fn is_own(line: Value<'_>) -> bool {
    let is = |name: &str| line.get("type").is_some_and(|kind| kind.is(name));
    let message_role = line.at(&["message", "role"]);
    is("session") && line.get("id").is_some() && line.get("cwd").is_some()
        || is("message") && message_role.is_some()
        || is("compaction")
            && (line.get("firstKeptEntryId").is_some() || line.get("firstKeptEntryIndex").is_some())
        || is("thinking_level_change") && line.get("thinkingLevel").is_some()
}

pub(crate) fn record(line: Value<'_>) -> Record {
    let type_value = line.get("type");
    let name = type_value.and_then(Value::text).unwrap_or_default();
    let mut pieces = Pieces::new(line.has_doubled_names());
    let kind = match &*name {
        "session" => RecordKind::Session,
        "message" => {
            let message = line.get("message").unwrap_or(line);
            pieces = Pieces::new(line.has_doubled_names() || message.has_doubled_names());
            push_message(message, &mut pieces)
        }
        "custom_message" => {
            push_content(line.get("content"), &mut pieces);
            RecordKind::Message(Role::Custom)
        }
        "branch_summary" => {
            push_text(line.get("summary"), &mut pieces);
            RecordKind::Message(Role::Summary)
        }
        "compaction" => {
            push_text(line.get("summary"), &mut pieces);
            RecordKind::Boundary(Boundary { kept: kept(line), ..Boundary::default() })
        }
        name if SILENT.contains(&name) => RecordKind::Silent,
        _ => RecordKind::Unknown,
    };
    let mut record = Record::new(kind, line.span());
    record.time = string_span(line.get("timestamp"));
    record.type_name = string_span(type_value);
    record.pieces = pieces.into_vec();
    if kind == RecordKind::Session {
        record.parent = Link::Root;
        record.session = string_span(line.get("id"));
        record.folder = string_span(line.get("cwd"));
        return record;
    }
    record.id = string_span(line.get("id"));
    record.parent = match line.get("parentId") {
        Some(parent) if parent.kind() == JsonKind::String => Link::Id(parent.span()),
        Some(_) => Link::Root,
        None => Link::Previous,
    };
    record
}

fn kept(line: Value<'_>) -> Kept {
    let id = string_span(line.get("firstKeptEntryId"));
    match line.get("firstKeptEntryIndex").and_then(Value::number) {
        _ if !id.is_empty() => Kept::Id(id),
        Some(index) => Kept::Index(index),
        None => Kept::Nothing,
    }
}

fn push_message(message: Value<'_>, pieces: &mut Pieces) -> RecordKind {
    let is = |name: &str, value: &str| message.get(name).is_some_and(|member| member.is(value));
    let Some(role) = message.get("role").and_then(Value::text) else { return RecordKind::Unknown };
    let role = match &*role {
        "user" => Role::User,
        "assistant" if is("stopReason", "error") || is("stopReason", "aborted") => return RecordKind::Silent,
        "assistant" => Role::Assistant,
        "toolResult" => {
            let content = message.get("content");
            let is_error = message.get("isError").is_some_and(Value::is_true);
            let raw = content.map_or(message.span(), Value::span);
            pieces.result(message.get("toolCallId"), is_error, raw, message, |pieces| {
                push_content(content, pieces);
            });
            return RecordKind::Message(Role::Tool);
        }
        "bashExecution" if message.get("excludeFromContext").is_some_and(Value::is_true) => {
            return RecordKind::Silent;
        }
        "bashExecution" => {
            let is_read = |member: &Value<'_>| matches!(member.name().as_deref(), Some("command" | "output"));
            message.items().filter(is_read).for_each(|text| pieces.text(text, text));
            return RecordKind::Message(Role::Bash);
        }
        "branchSummary" | "compactionSummary" => {
            push_text(message.get("summary"), pieces);
            return RecordKind::Message(Role::Summary);
        }
        "custom" | "hookMessage" => Role::Custom,
        _ => return RecordKind::Unknown,
    };
    push_content(message.get("content"), pieces);
    RecordKind::Message(role)
}

fn push_text(text: Option<Value<'_>>, pieces: &mut Pieces) {
    if let Some(text) = text {
        pieces.text(text, text);
    }
}

fn push_content(content: Option<Value<'_>>, pieces: &mut Pieces) {
    content.into_iter().flat_map(Value::one_or_many).for_each(|block| push_block(block, pieces));
}

fn push_block(block: Value<'_>, pieces: &mut Pieces) {
    if block.kind() == JsonKind::String {
        pieces.text(block, block);
        return;
    }
    let kind = block.get("type").and_then(Value::text).unwrap_or_default();
    match (&*kind, block.get("text")) {
        ("text", Some(text)) => pieces.text(text, block),
        ("thinking", _) => pieces.push(Slot::Thinking, block.span(), block),
        ("toolCall", _) => {
            pieces.call(block.get("id"), block.get("name"), block.get("arguments"), block);
        }
        ("image", _) => pieces.image(block.get("data"), block.get("mimeType"), block),
        _ => pieces.push(Slot::Opaque, block.span(), block),
    }
}
