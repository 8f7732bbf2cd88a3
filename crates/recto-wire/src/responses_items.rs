//! Items of a conversation as OpenAI's Responses API has them, and as Codex writes them into its rollouts.

use crate::{
    json::{JsonKind, Value},
    piece::{Pieces, Slot},
    record::Role,
};

/// Members of an output that is an object, where a text or a list of parts may stand.
const OUTPUT_TEXTS: [&str; 6] = ["content", "output", "text", "stdout", "stderr", "logs"];

/// What an item is in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// It is a message of its own.
    Message(Role),
    /// It is kept beside the conversation, and no model reads it.
    Silent,
    /// Of a type that this version does not know.
    Unknown,
}

/// Says what an item is.
pub(crate) fn kind(item: Value<'_>) -> ItemKind {
    let Some(name) = item.get("type").and_then(Value::text) else {
        return match item.get("role") {
            Some(role) => ItemKind::Message(self::role(Some(role))),
            None => ItemKind::Unknown,
        };
    };
    match &*name {
        "message" => ItemKind::Message(role(item.get("role"))),
        "reasoning" => ItemKind::Message(Role::Assistant),
        // Codex's sub-agents write to each other; the model reads it like something that was said to it.
        "agent_message" => ItemKind::Message(Role::Custom),
        "compaction" | "compaction_summary" | "context_compaction" => ItemKind::Message(Role::Summary),
        "ghost_snapshot" => ItemKind::Silent,
        name if is_result(name) => ItemKind::Message(Role::Tool),
        name if name.ends_with("_call") => ItemKind::Message(Role::Assistant),
        _ => ItemKind::Unknown,
    }
}

/// Puts in what an item holds, in the order in which it stands.
pub(crate) fn push_item(item: Value<'_>, pieces: &mut Pieces) {
    let type_value = item.get("type");
    let name = type_value.and_then(Value::text).unwrap_or_default();
    match &*name {
        "" | "message" | "agent_message" => push_content(item.get("content"), pieces),
        "reasoning" => pieces.push(Slot::Thinking, item.span(), item),
        "image_generation_call" => match item.get("result") {
            Some(image) if image.kind() == JsonKind::String => pieces.image(Some(image), None, item),
            _ => pieces.push(Slot::Opaque, item.span(), item),
        },
        name if is_result(name) => push_result(item, pieces),
        name if name.ends_with("_call") => {
            let id = item.get("call_id").filter(|id| id.kind() == JsonKind::String);
            // Without an id that a result could name, the API itself ran it, and what came of it stands in the item or nowhere.
            let is_open =
                matches!(name, "function_call" | "custom_tool_call" | "local_shell_call" | "tool_call");
            if id.is_none() && !is_open {
                pieces.push(Slot::Opaque, item.span(), item);
                return;
            }
            let arguments = ["arguments", "input", "action"].iter().find_map(|member| item.get(member));
            let tool = item.get("name").or_else(|| item.at(&["function", "name"])).or(type_value);
            pieces.call(id.or_else(|| item.get("id")), tool, arguments, item);
        }
        _ => pieces.push(Slot::Opaque, item.span(), item),
    }
}

/// Puts in a message's content: a text, or a list of parts.
pub(crate) fn push_content(content: Option<Value<'_>>, pieces: &mut Pieces) {
    content.into_iter().flat_map(Value::one_or_many).for_each(|part| push_part(part, pieces));
}

fn is_result(name: &str) -> bool {
    name.ends_with("_call_output") || matches!(name, "tool_search_output" | "tool_result")
}

fn role(role: Option<Value<'_>>) -> Role {
    match role.and_then(Value::text).as_deref() {
        Some("assistant") => Role::Assistant,
        Some("system" | "developer") => Role::System,
        Some("tool") => Role::Tool,
        _ => Role::User,
    }
}

fn push_result(item: Value<'_>, pieces: &mut Pieces) {
    let output = ["output", "result", "tools", "content"].iter().find_map(|member| item.get(member));
    let succeeded = output.and_then(|output| output.get("success"));
    let is_error = succeeded.is_some_and(|success| success.raw() == b"false")
        || item.get("status").is_some_and(|status| status.is("failed"));
    let raw = output.map_or(item.span(), Value::span);
    pieces.result(item.get("call_id"), is_error, raw, item, |pieces| match output {
        Some(output) if output.kind() == JsonKind::Object && output.get("type").is_none() => {
            push_object(output, pieces);
        }
        output => push_content(output, pieces),
    });
}

/// An output that is an object: its texts, or the whole as one that is not known.
fn push_object(output: Value<'_>, pieces: &mut Pieces) {
    let mut is_known = false;
    for member in output.items() {
        let name = member.name().unwrap_or_default();
        if OUTPUT_TEXTS.contains(&&*name) && matches!(member.kind(), JsonKind::String | JsonKind::Array) {
            push_content(Some(member), pieces);
            is_known = true;
        }
    }
    if !is_known {
        pieces.push(Slot::Opaque, output.span(), output);
    }
}

fn push_part(part: Value<'_>, pieces: &mut Pieces) {
    if part.kind() == JsonKind::String {
        pieces.text(part, part);
        return;
    }
    let name = part.get("type").and_then(Value::text).unwrap_or_default();
    let text = match &*name {
        "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text" => part.get("text"),
        "refusal" => part.get("refusal"),
        "input_image" | "image_url" | "computer_screenshot" => {
            let url = part.get("image_url").map(|url| url.get("url").unwrap_or(url));
            pieces.image(string(url).or_else(|| string(part.get("file_id"))), None, part);
            return;
        }
        "input_file" => {
            let place = ["file_data", "file_url", "file_id"].iter().find_map(|name| string(part.get(name)));
            pieces.image(place, None, part);
            return;
        }
        "input_audio" => {
            pieces.image(string(part.at(&["input_audio", "data"])), None, part);
            return;
        }
        _ => None,
    };
    match text {
        Some(text) => pieces.text(text, part),
        None => pieces.push(Slot::Opaque, part.span(), part),
    }
}

fn string(value: Option<Value<'_>>) -> Option<Value<'_>> {
    value.filter(|value| value.kind() == JsonKind::String)
}
