//! Rollouts of Codex: an envelope `{timestamp, type, payload}` a line. `response_item`s are the conversation; `event_msg`s say the same to
//! the screen. A `compacted` line has the conversation that stands for all before it; in files of 2025, only a summary, beside which the
//! client keeps the newest messages of the person. The oldest files have the items without an envelope.

use crate::{
    json::{JsonKind, Value},
    piece::{Pieces, Slot, string_span},
    record::{Boundary, Link, Record, RecordKind, Role},
    responses_items::{self, ItemKind},
};

/// Types of lines that the model does not read.
const SILENT: [&str; 4] = ["event_msg", "turn_context", "world_state", "inter_agent_communication_metadata"];

/// Whether a line is of this client.
pub(crate) fn is_own(line: Value<'_>) -> bool {
    let is_header =
        line.get("id").is_some() && line.get("instructions").is_some() && line.get("type").is_none();
    let is_enveloped = line.get("payload").is_some_and(|payload| payload.kind() == JsonKind::Object)
        && line.get("type").is_some_and(|kind| {
            ["session_meta", "response_item", "compacted"].iter().chain(&SILENT).any(|name| kind.is(name))
        });
    is_enveloped
        || is_header && line.get("timestamp").is_some()
        || line.get("record_type").is_some_and(|kind| kind.is("state"))
}

pub(crate) fn record(line: Value<'_>) -> Record {
    let type_value = line.get("type");
    let Some(payload) = line.get("payload") else { return bare(line) };
    let mut pieces = Pieces::new(line.has_doubled_names() || payload.has_doubled_names());
    let name = type_value.and_then(Value::text).unwrap_or_default();
    let kind = match &*name {
        "session_meta" => {
            push_header(payload, &mut pieces);
            RecordKind::Session
        }
        "response_item" => item(payload, &mut pieces),
        "compacted" => {
            push_compacted(payload, &mut pieces);
            RecordKind::Boundary(Boundary::default())
        }
        name if SILENT.contains(&name) => RecordKind::Silent,
        _ => RecordKind::Unknown,
    };
    let mut record = Record::new(kind, line.span());
    record.id = string_span(payload.get("id").filter(|_| kind != RecordKind::Session));
    record.time = string_span(line.get("timestamp"));
    record.type_name = string_span(payload.get("type").or(type_value));
    if kind == RecordKind::Session {
        record.parent = Link::Root;
        record.session = string_span(payload.get("id"));
        record.folder = string_span(payload.get("cwd"));
        record.is_side = payload.at(&["source", "subagent"]).is_some();
    }
    record.pieces = pieces.into_vec();
    record
}

/// A line of the oldest form: an item, or the session's header.
fn bare(line: Value<'_>) -> Record {
    let mut pieces = Pieces::new(line.has_doubled_names());
    let kind = if line.get("type").is_none() && line.get("role").is_none() {
        match (line.get("id"), line.get("record_type")) {
            (Some(_), _) if line.get("timestamp").is_some() => {
                push_header(line, &mut pieces);
                RecordKind::Session
            }
            (_, Some(_)) => RecordKind::Silent,
            _ => RecordKind::Unknown,
        }
    } else {
        item(line, &mut pieces)
    };
    let mut record = Record::new(kind, line.span());
    match kind {
        RecordKind::Session => {
            record.parent = Link::Root;
            record.session = string_span(line.get("id"));
            record.folder = string_span(line.get("cwd"));
        }
        _ => record.id = string_span(line.get("id")),
    }
    record.time = string_span(line.get("timestamp"));
    record.type_name = string_span(line.get("type"));
    record.pieces = pieces.into_vec();
    record
}

fn item(item: Value<'_>, pieces: &mut Pieces) -> RecordKind {
    match responses_items::kind(item) {
        ItemKind::Message(role) => {
            responses_items::push_item(item, pieces);
            RecordKind::Message(role)
        }
        ItemKind::Tools => {
            responses_items::push_item(item, pieces);
            RecordKind::Tools
        }
        ItemKind::Silent => RecordKind::Silent,
        ItemKind::Unknown => RecordKind::Unknown,
    }
}

/// The session's own instructions and tools, in the order in which they stand.
fn push_header(header: Value<'_>, pieces: &mut Pieces) {
    for member in header.items() {
        match member.name().as_deref() {
            Some("base_instructions" | "instructions") => {
                let text = member.get("text").unwrap_or(member);
                if text.kind() == JsonKind::String {
                    pieces.push(Slot::System, member.span(), member);
                    pieces.text(text, member);
                }
            }
            Some("dynamic_tools") if member.kind() == JsonKind::Array => {
                pieces.push(Slot::Tools, member.span(), member);
                member.items().for_each(|tool| pieces.tool(tool));
            }
            _ => {}
        }
    }
}

fn push_compacted(payload: Value<'_>, pieces: &mut Pieces) {
    let history = payload.get("replacement_history").filter(|history| history.kind() == JsonKind::Array);
    let Some(history) = history else {
        if let Some(message) = payload.get("message") {
            pieces.text(message, message);
        }
        return;
    };
    for item in history.items() {
        match responses_items::kind(item) {
            ItemKind::Message(role) => {
                pieces.message(role, item, |pieces| responses_items::push_item(item, pieces));
            }
            ItemKind::Tools => responses_items::push_item(item, pieces),
            ItemKind::Silent => {}
            ItemKind::Unknown => {
                pieces.message(Role::Custom, item, |pieces| pieces.push(Slot::Opaque, item.span(), item));
            }
        }
    }
}
