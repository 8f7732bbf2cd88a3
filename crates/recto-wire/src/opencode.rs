//! Sessions of opencode: a file for each session, message and part, or the one document that `opencode export` writes. Newer versions keep
//! the same JSON in the column `data` of the tables `message` and `part` of an SQLite file, without the ids, which are columns beside it;
//! whoever reads that file makes the document of it.

use crate::{
    WireError,
    json::{JsonKind, Value},
    piece::{Pieces, Slot, string_span},
    record::{Boundary, Kept, Link, Record, RecordKind, Role},
};

/// Types of parts that the model does not read; of a sub-task it reads that there was one.
const SILENT: [&str; 7] = ["step-start", "step-finish", "patch", "snapshot", "agent", "retry", "subtask"];

/// Types of parts that it reads.
const READ: [&str; 5] = ["text", "reasoning", "tool", "file", "compaction"];

/// Whether a file is of this client.
pub(crate) fn is_own(file: Value<'_>) -> bool {
    let has = |name: &str| file.get(name).is_some();
    let is_part = file.get("type").is_some_and(|kind| is_part_name(kind));
    is_part && has("id") && (has("messageID") || has("time"))
        || has("sessionID") && has("role")
        || has("projectID") && has("directory")
        || is_export(file)
}

fn is_part_name(kind: Value<'_>) -> bool {
    READ.iter().chain(&SILENT).any(|name| kind.is(name))
}

fn is_export(root: Value<'_>) -> bool {
    let is_list = root.get("messages").is_some_and(|messages| messages.kind() == JsonKind::Array);
    is_list && root.get("info").is_some_and(|info| info.get("id").is_some())
}

/// The records of an export: the session, then the messages, each with its parts.
pub(crate) fn document(root: Value<'_>) -> Result<Vec<Record>, WireError> {
    let parts = root.get("info").zip(root.get("messages")).filter(|_| is_export(root));
    let (info, messages) = parts.ok_or(WireError::NotThis {
        format: "opencode",
        why: "it has no `info` with an id beside a list `messages`",
    })?;
    let session = session(info, root);
    Ok(std::iter::once(session).chain(messages.items().map(entry)).collect())
}

/// A message with its parts, in an export.
fn entry(entry: Value<'_>) -> Record {
    let Some(info) = entry.get("info") else { return Record::new(RecordKind::Unknown, entry.span()) };
    let mut record = message(info);
    record.span = entry.span();
    let is_doubled = entry.has_doubled_names() || info.has_doubled_names();
    let mut pieces = Pieces::new(is_doubled);
    // The members in their order, so that the pieces are in theirs.
    for member in entry.items() {
        match member.name().as_deref() {
            Some("info") => push_system(info, &mut pieces),
            Some("parts") if member.kind() == JsonKind::Array => {
                for part in member.items() {
                    if let RecordKind::Boundary(boundary) = push_part(part, &mut pieces) {
                        record.kind = RecordKind::Boundary(boundary);
                    }
                }
            }
            _ => {}
        }
    }
    record.pieces = pieces.into_vec();
    record
}

pub(crate) fn record(file: Value<'_>) -> Record {
    if is_export(file) {
        return file
            .get("info")
            .map_or_else(|| Record::new(RecordKind::Unknown, file.span()), |info| session(info, file));
    }
    if file.get("role").is_some() {
        let mut record = message(file);
        let mut pieces = Pieces::new(file.has_doubled_names());
        push_system(file, &mut pieces);
        record.pieces = pieces.into_vec();
        return record;
    }
    if file.get("type").is_none() && (file.get("projectID").is_some() || file.get("directory").is_some()) {
        return session(file, file);
    }
    let mut pieces = Pieces::new(file.has_doubled_names());
    let kind = push_part(file, &mut pieces);
    let mut record = Record::new(kind, file.span());
    record.id = string_span(file.get("id"));
    record.message = string_span(file.get("messageID"));
    record.session = string_span(file.get("sessionID"));
    record.time = number_or_string(file.at(&["time", "start"]));
    record.type_name = string_span(file.get("type"));
    record.pieces = pieces.into_vec();
    record
}

fn session(info: Value<'_>, whole: Value<'_>) -> Record {
    let mut record = Record::new(RecordKind::Session, whole.span());
    record.parent = Link::Root;
    record.session = string_span(info.get("id"));
    record.folder = string_span(info.get("directory"));
    record.time = number_or_string(info.at(&["time", "created"]));
    record.is_side = !string_span(info.get("parentID")).is_empty();
    record
}

fn message(info: Value<'_>) -> Record {
    let role = match info.get("role").and_then(Value::text).as_deref() {
        Some("assistant") if info.get("summary").is_some_and(Value::is_true) => Some(Role::Summary),
        Some("assistant") => Some(Role::Assistant),
        Some("user") => Some(Role::User),
        _ => None,
    };
    let kind = role.map_or(RecordKind::Unknown, RecordKind::Message);
    let mut record = Record::new(kind, info.span());
    record.id = string_span(info.get("id"));
    record.message = record.id;
    record.session = string_span(info.get("sessionID"));
    record.time = number_or_string(info.at(&["time", "created"]));
    record.type_name = string_span(info.get("role"));
    record
}

fn push_system(info: Value<'_>, pieces: &mut Pieces) {
    if let Some(system) = info.get("system").filter(|system| system.kind() == JsonKind::String) {
        pieces.push(Slot::System, system.span(), system);
        pieces.text(system, system);
    }
}

/// Puts in what a part holds, and says what it is.
fn push_part(part: Value<'_>, pieces: &mut Pieces) -> RecordKind {
    let name = part.get("type").and_then(Value::text).unwrap_or_default();
    match (&*name, part.get("text")) {
        ("text", _) if part.get("ignored").is_some_and(Value::is_true) => return RecordKind::Silent,
        ("text", Some(text)) => pieces.text(text, part),
        ("reasoning", _) => pieces.push(Slot::Thinking, part.span(), part),
        // Of a text file that a person attaches, the client puts the content into a text beside it.
        ("file", _) if part.get("mime").is_some_and(|mime| mime.is("text/plain")) => {
            return RecordKind::Silent;
        }
        ("file", _) => pieces.image(part.get("url"), part.get("mime"), part),
        ("tool", _) => push_tool(part, pieces),
        ("compaction", _) => {
            let tail = string_span(part.get("tail_start_id"));
            let kept = if tail.is_empty() { Kept::Nothing } else { Kept::Id(tail) };
            return RecordKind::Boundary(Boundary { kept, ..Boundary::default() });
        }
        (name, _) if SILENT.contains(&name) => return RecordKind::Silent,
        _ => return RecordKind::Unknown,
    }
    RecordKind::Part
}

/// A call, and its result beside it in `state`. A result that the client itself no longer shows has no parts, and is not to be edited.
fn push_tool(part: Value<'_>, pieces: &mut Pieces) {
    let state = part.get("state");
    let member = |name: &str| state.and_then(|state| state.get(name));
    pieces.call(part.get("callID"), part.get("tool"), member("input"), part);
    let Some(state) = state.filter(|state| state.kind() == JsonKind::Object) else { return };
    let failed = state.get("status").is_some_and(|status| status.is("error"));
    let Some(output) = state.get(if failed { "error" } else { "output" }) else { return };
    let is_gone = state.at(&["time", "compacted"]).is_some();
    if is_gone {
        pieces.frozen_result(part.get("callID"), failed, output.span(), state);
        return;
    }
    pieces.result(part.get("callID"), failed, output.span(), state, |pieces| {
        for member in state.items() {
            if member.span() == output.span() {
                pieces.text(output, output);
            } else if member.name().as_deref() == Some("attachments") && member.kind() == JsonKind::Array {
                member.items().for_each(|file| pieces.image(file.get("url"), file.get("mime"), file));
            }
        }
    });
}

fn number_or_string(value: Option<Value<'_>>) -> recto_outline::Span {
    value
        .filter(|value| matches!(value.kind(), JsonKind::String | JsonKind::Scalar) && value.raw() != b"null")
        .map(Value::span)
        .unwrap_or_default()
}
