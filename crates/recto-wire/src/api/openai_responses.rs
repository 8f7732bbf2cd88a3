//! OpenAI's Responses API: a record for each item of `input`.

use super::{Api, role};
use crate::{json::JsonKind, responses_items};

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
    message: responses_items::push_item,
    // Instructions of a stored prompt are a list of items.
    content: |value, pieces| match value.kind() {
        JsonKind::Array => value.items().for_each(|item| {
            responses_items::push_item(item, pieces);
        }),
        _ => responses_items::content(Some(value), pieces),
    },
    tool_list: responses_items::tools,
};
