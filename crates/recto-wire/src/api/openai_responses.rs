//! OpenAI's Responses API: a record for each item of `input`.

use super::{Api, opaque, role};
use crate::{
    json::{JsonKind, Value},
    piece::Pieces,
    record::RecordKind,
    responses_items::{self, ItemKind},
};

pub(crate) const API: Api = Api {
    name: "openai-responses",
    lacking: "`input`, a string or a list of items",
    messages: &["input"],
    system: &["instructions"],
    tools: &["tools"],
    is_message: |item| {
        responses_items::is_own(item)
            || item.get("type").is_none() && role(item).is_some() && item.get("content").is_some()
    },
    message,
    // Instructions of a stored prompt are a list of items.
    content: |value, pieces| match value.kind() {
        JsonKind::Array => value.items().for_each(|item| responses_items::push_item(item, pieces)),
        _ => responses_items::push_content(Some(value), pieces),
    },
    tool_list: responses_items::tools,
};

fn message(item: Value<'_>, pieces: &mut Pieces) -> RecordKind {
    let kind = responses_items::kind(item);
    match kind {
        ItemKind::Unknown | ItemKind::Silent => opaque(item, pieces),
        ItemKind::Message(_) | ItemKind::Tools => responses_items::push_item(item, pieces),
    }
    match kind {
        ItemKind::Message(role) => RecordKind::Message(role),
        ItemKind::Tools => RecordKind::Tools,
        ItemKind::Silent => RecordKind::Silent,
        ItemKind::Unknown => RecordKind::Unknown,
    }
}
