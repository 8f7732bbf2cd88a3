//! What bodies of model APIs have in common: lists of tools and instructions beside one list of messages.

pub(crate) mod ai_sdk;
pub(crate) mod anthropic;
mod detect;
pub(crate) mod gemini;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;

use recto_outline::Span;

use crate::{
    WireError,
    json::{JsonKind, Value},
    piece::{Pieces, Slot, string_span},
    record::{Link, Record, RecordKind, Role},
};

pub(crate) use detect::{detect, detect_line};

/// Where one API's bodies have what, and how it writes messages.
pub(crate) struct Api {
    /// Its name, for errors.
    pub(crate) name: &'static str,
    /// What must be there, for errors.
    pub(crate) lacking: &'static str,
    /// Members that hold the messages; the first one that is there.
    pub(crate) messages: &'static [&'static str],
    /// Members that hold instructions.
    pub(crate) system: &'static [&'static str],
    /// Members that hold tool definitions.
    pub(crate) tools: &'static [&'static str],
    /// Whether an object is a message of it.
    pub(crate) is_message: fn(Value<'_>) -> bool,
    /// Puts a message's pieces in and says what it is.
    pub(crate) message: fn(Value<'_>, &mut Pieces) -> RecordKind,
    /// Puts in instructions or the content of a message: a string or a list.
    pub(crate) content: fn(Value<'_>, &mut Pieces),
    /// Puts a list of tool definitions in, whole and each.
    pub(crate) tool_list: fn(Value<'_>, &mut Pieces),
}

impl Api {
    /// Reads a message.
    pub(crate) fn record(&self, item: Value<'_>) -> Record {
        self.record_in(item, false)
    }

    /// Reads all of a body in the order in which a model reads it, wherever it stands: tools, instructions, messages. A list of
    /// messages, and a message by itself, is a body too.
    pub(crate) fn records(&self, root: Value<'_>) -> Result<Vec<Record>, WireError> {
        if root.kind() == JsonKind::Array {
            return Ok(root.items().map(|item| self.record_in(item, false)).collect());
        }
        let body = self.body(root);
        let is_frozen = root.has_doubled_names() || body.has_doubled_names();
        let Some(messages) = first(body, self.messages) else {
            return match (self.is_message)(root) {
                true => Ok(vec![self.record_in(root, false)]),
                false => Err(WireError::NotThis { format: self.name, why: self.lacking }),
            };
        };
        let mut records = Vec::new();
        for list in self.tools.iter().filter_map(|name| body.get(name)).filter(is_container) {
            let mut pieces = Pieces::new(is_frozen);
            (self.tool_list)(list, &mut pieces);
            records.push(with_pieces(RecordKind::Tools, list, pieces));
        }
        for system in self.system.iter().filter_map(|name| body.get(name)).filter(is_set) {
            let mut pieces = Pieces::new(is_frozen);
            (self.content)(system, &mut pieces);
            records.push(with_pieces(RecordKind::Message(Role::System), system, pieces));
        }
        let first_message = records.len();
        match messages.kind() {
            JsonKind::Array => records.extend(messages.items().map(|item| self.record_in(item, is_frozen))),
            JsonKind::Object => records.push(self.record_in(messages, is_frozen)),
            JsonKind::String => {
                let mut pieces = Pieces::new(is_frozen);
                pieces.text(messages, messages);
                records.push(with_pieces(RecordKind::Message(Role::User), messages, pieces));
            }
            JsonKind::Scalar => return Err(WireError::NotThis { format: self.name, why: self.lacking }),
        }
        let before = string_span(body.get("previous_response_id"));
        if let Some(record) = records.get_mut(first_message)
            && !before.is_empty()
        {
            record.parent = Link::Id(before);
        }
        Ok(records)
    }

    /// Some clients put the body into an envelope.
    fn body<'d>(&self, root: Value<'d>) -> Value<'d> {
        let inner = root.get("request").filter(|inner| first(*inner, self.messages).is_some());
        inner.filter(|_| first(root, self.messages).is_none()).unwrap_or(root)
    }

    fn record_in(&self, item: Value<'_>, is_frozen: bool) -> Record {
        if item.kind() != JsonKind::Object {
            return Record::new(RecordKind::Malformed { at: item.span().s }, item.span());
        }
        let mut pieces = Pieces::new(is_frozen || item.has_doubled_names());
        let kind = (self.message)(item, &mut pieces);
        let mut record = with_pieces(kind, item, pieces);
        record.id = string_span(item.get("id"));
        record.type_name = string_span(item.get("type").or_else(|| item.get("role")));
        record
    }
}

fn with_pieces(kind: RecordKind, value: Value<'_>, pieces: Pieces) -> Record {
    Record { pieces: pieces.into_vec(), ..Record::new(kind, value.span()) }
}

fn first<'d>(body: Value<'d>, names: &[&str]) -> Option<Value<'d>> {
    names.iter().find_map(|name| body.get(name))
}

fn is_container(value: &Value<'_>) -> bool {
    matches!(value.kind(), JsonKind::Array | JsonKind::Object)
}

fn is_set(value: &Value<'_>) -> bool {
    value.kind() != JsonKind::Scalar
}

/// Puts in a string, or what `part` puts in of each item of a list.
fn string_or_parts(content: Value<'_>, pieces: &mut Pieces, part: fn(Value<'_>, &mut Pieces)) {
    match content.kind() {
        JsonKind::String => pieces.text(content, content),
        JsonKind::Array | JsonKind::Object => content.one_or_many().for_each(|item| part(item, pieces)),
        JsonKind::Scalar => {}
    }
}

/// Puts in the text of a part's member; the part itself if it has none.
fn member_text(part: Value<'_>, name: &str, pieces: &mut Pieces) {
    match part.get(name) {
        Some(text) => pieces.text(text, part),
        None => opaque(part, pieces),
    }
}

fn opaque(part: Value<'_>, pieces: &mut Pieces) {
    pieces.push(Slot::Opaque, part.span(), part);
}

/// Puts a list of tool definitions in, or the members of an object of them.
fn plain_tools(list: Value<'_>, pieces: &mut Pieces) {
    pieces.push(Slot::Tools, list.span(), list);
    list.items().for_each(|tool| pieces.tool(tool));
}

fn role(item: Value<'_>) -> Option<Role> {
    match &*item.get("role")?.text()? {
        "user" => Some(Role::User),
        "assistant" | "model" => Some(Role::Assistant),
        "system" | "developer" => Some(Role::System),
        "tool" | "function" => Some(Role::Tool),
        _ => None,
    }
}

/// What a message of a role is: one that nobody knows is kept, and not read.
fn message_kind(item: Value<'_>, pieces: &mut Pieces, push: impl FnOnce(&mut Pieces)) -> RecordKind {
    match role(item) {
        Some(role) => {
            push(pieces);
            RecordKind::Message(role)
        }
        None => {
            opaque(item, pieces);
            RecordKind::Unknown
        }
    }
}

/// Where a value stands, or nowhere.
fn span_or(value: Option<Value<'_>>, otherwise: Value<'_>) -> Span {
    value.unwrap_or(otherwise).span()
}
