//! Transcripts of Claude Code: lines that form a tree by `parentUuid`. One answer of the model stands in several lines, a block in each, with
//! one `message.id`. A compaction begins a new tree, whose `logicalParentUuid` says what came before.

use crate::{
    api::anthropic::{push_block, push_part},
    claude_attachments,
    json::{JsonKind, Value},
    piece::{Pieces, string_span},
    record::{Boundary, Kept, Link, Record, RecordKind, Role},
};

/// Types of lines that the model does not read.
const SILENT: [&str; 24] = [
    "summary",
    "file-history-snapshot",
    "progress",
    "queue-operation",
    "permission-mode",
    "mode",
    "worktree-state",
    "agent-name",
    "agent-setting",
    "agent-color",
    "custom-title",
    "ai-title",
    "last-prompt",
    "pr-link",
    "frame-link",
    "tag",
    "started",
    "result",
    "relocated",
    "bridge-session",
    "atis-latch",
    "content-replacement",
    "marble-origami-commit",
    "marble-origami-snapshot",
];

/// Whether a line is of this client.
pub(crate) fn is_own(line: Value<'_>) -> bool {
    let has = |name: &str| line.get(name).is_some();
    let is = |name: &str| line.get("type").is_some_and(|kind| kind.is(name));
    // A kin, of another client, has `parts` in its messages.
    let is_node = has("type") && has("sessionId") && (has("uuid") || has("leafUuid") || has("parentUuid"));
    let is_message = (is("user") || is("assistant")) && line.at(&["message", "content"]).is_some();
    is_node && line.at(&["message", "parts"]).is_none()
        || is_message
        || is("file-history-snapshot") && has("snapshot")
        || is("summary") && has("leafUuid")
}

pub(crate) fn record(line: Value<'_>) -> Record {
    let type_name = line.get("type");
    let kind = kind(line, type_name);
    let mut record = Record::new(kind, line.span());
    record.id = string_span(line.get("uuid"));
    record.parent = match line.get("parentUuid").map(|parent| (parent, parent.kind())) {
        Some((parent, JsonKind::String)) => Link::Id(parent.span()),
        Some(_) => Link::Root,
        None => Link::Previous,
    };
    record.message = string_span(line.at(&["message", "id"]));
    record.time = string_span(line.get("timestamp"));
    record.session = string_span(line.get("sessionId"));
    record.folder = string_span(line.get("cwd"));
    record.type_name = string_span(type_name);
    record.is_side = line.get("isSidechain").is_some_and(Value::is_true);
    if record.kind == RecordKind::Silent && type_name.is_some_and(|name| name.is("attachment")) {
        record.pieces = line.get("attachment").map(claude_attachments::pieces).unwrap_or_default();
        if !record.pieces.is_empty() {
            record.kind = RecordKind::Message(Role::Custom);
        }
    } else if matches!(kind, RecordKind::Message(_)) {
        let message = line.get("message").unwrap_or(line);
        let mut pieces = Pieces::new(line.has_doubled_names() || message.has_doubled_names());
        match message.get("content") {
            Some(content) if content.kind() == JsonKind::String => pieces.text(content, content),
            Some(content) if content.kind() == JsonKind::Array => {
                content.items().for_each(|block| push_block(block, &mut pieces));
            }
            // A type of line of its own for a call or a result: a form that others write.
            _ if line.get("message").is_none() => push_line(line, &mut pieces),
            _ => {}
        }
        record.pieces = pieces.into_vec();
    }
    record
}

fn kind(line: Value<'_>, type_name: Option<Value<'_>>) -> RecordKind {
    let Some(type_name) = type_name.and_then(Value::text) else { return RecordKind::Unknown };
    let is = |name: &str| line.get(name).is_some_and(Value::is_true);
    match &*type_name {
        // What the person alone sees, and what is said of a local command, does not reach the model.
        "user" | "assistant" if is("isVirtual") => RecordKind::Silent,
        "user" if is("isVisibleInTranscriptOnly") && !is("isCompactSummary") => RecordKind::Silent,
        "user" if is("isCompactSummary") => RecordKind::Message(Role::Summary),
        "user" => RecordKind::Message(Role::User),
        // The client's own words about a request that failed; it leaves them out of the next one.
        "assistant" if is("isApiErrorMessage") => RecordKind::Silent,
        "assistant" => RecordKind::Message(Role::Assistant),
        "system" if line.get("subtype").is_some_and(|subtype| subtype.is("compact_boundary")) => {
            RecordKind::Boundary(boundary(line))
        }
        "system" if line.get("subtype").is_some_and(|subtype| subtype.is("local_command")) => {
            RecordKind::Message(Role::Custom)
        }
        "tool_use" => RecordKind::Message(Role::Assistant),
        "tool_result" => RecordKind::Message(Role::User),
        // An attachment is read where it has texts that the client puts into a reminder.
        "system" | "attachment" => RecordKind::Silent,
        name if SILENT.contains(&name) => RecordKind::Silent,
        _ => RecordKind::Unknown,
    }
}

fn boundary(line: Value<'_>) -> Boundary {
    let segment = line.at(&["compactMetadata", "preservedSegment"]);
    let member = |name| string_span(segment.and_then(|segment| segment.get(name)));
    let head = member("headUuid");
    Boundary {
        resumes: string_span(line.get("logicalParentUuid")),
        kept: if head.is_empty() { Kept::Nothing } else { Kept::Id(head) },
        kept_until: member("tailUuid"),
    }
}

fn push_line(line: Value<'_>, pieces: &mut Pieces) {
    if line.get("type").is_some_and(|kind| kind.is("tool_result")) {
        let content = line.get("output").or_else(|| line.get("content"));
        let is_error = line.get("is_error").is_some_and(Value::is_true);
        let raw = content.map_or(line.span(), Value::span);
        pieces.result(line.get("tool_use_id"), is_error, raw, line, |pieces| {
            content.into_iter().flat_map(Value::one_or_many).for_each(|part| push_part(part, pieces));
        });
    } else if line.get("type").is_some_and(|kind| kind.is("tool_use")) {
        pieces.call(line.get("id"), line.get("name"), line.get("input"), line);
    } else if let Some(content) = line.get("content") {
        pieces.text(content, content);
    }
}
