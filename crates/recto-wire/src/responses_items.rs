//! Items of the Responses API, in bodies and wherever clients keep them.

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
    /// Tool definitions.
    Tools,
    /// It is kept beside the conversation, and no model reads it.
    Silent,
    /// Of a type that this version does not know.
    Unknown,
}

/// Says what an item is.
pub(crate) fn kind(item: Value<'_>) -> ItemKind {
    let Some(name) = item.get("type").and_then(Value::text) else {
        return role(item).map_or(ItemKind::Unknown, ItemKind::Message);
    };
    match &*name {
        "message" => role(item).map_or(ItemKind::Unknown, ItemKind::Message),
        "reasoning" | "mcp_list_tools" | "mcp_approval_request" => ItemKind::Message(Role::Assistant),
        "mcp_approval_response" => ItemKind::Message(Role::User),
        // Codex's sub-agents write to each other; the model reads it like something that was said to it.
        "agent_message" => ItemKind::Message(Role::Custom),
        "compaction" | "compaction_summary" | "context_compaction" => ItemKind::Message(Role::Summary),
        "additional_tools" => ItemKind::Tools,
        "ghost_snapshot" => ItemKind::Silent,
        name if is_result(name) => ItemKind::Message(Role::Tool),
        name if name.ends_with("_call") => ItemKind::Message(Role::Assistant),
        _ => ItemKind::Unknown,
    }
}

/// Puts in what an item holds, in the order in which it stands. What is not known is one opaque piece.
pub(crate) fn push_item(item: Value<'_>, pieces: &mut Pieces) {
    let type_value = item.get("type");
    let name = type_value.and_then(Value::text).unwrap_or_default();
    match &*name {
        "" | "message" | "agent_message" => push_content(item.get("content"), pieces),
        "reasoning" => pieces.push(Slot::Thinking, item.span(), item),
        // Called and answered by the provider, both in one item.
        "mcp_call" => hosted_call(item, pieces),
        "image_generation_call" => match item.get("result").filter(|image| is_string(*image)) {
            Some(image) => pieces.image(Some(image), None, item),
            None => pieces.push(Slot::Opaque, item.span(), item),
        },
        "additional_tools" => {
            if let Some(list) = item.get("tools") {
                pieces.within(item, |pieces| tools(list, pieces));
            }
        }
        name if is_result(name) => push_result(item, pieces),
        name if name.ends_with("_call") => {
            let id = item.get("call_id").filter(|id| is_string(*id));
            // Without an id that a result could name, the API itself ran it, and what came of it stands in the item or nowhere.
            let is_open =
                matches!(name, "function_call" | "custom_tool_call" | "local_shell_call" | "tool_call");
            if id.is_none() && !is_open {
                pieces.push(Slot::Opaque, item.span(), item);
                return;
            }
            let members = ["arguments", "input", "action", "actions", "operation"];
            let arguments = members.iter().find_map(|member| item.get(member));
            // A tool that has no name of its own has its type's.
            let tool = item.get("name").or_else(|| item.at(&["function", "name"])).or(type_value);
            pieces.call(id.or_else(|| item.get("id")), tool, arguments, item);
        }
        _ => pieces.push(Slot::Opaque, item.span(), item),
    }
}

/// Puts a list of tool definitions in. A namespace is a list of its own inside of it.
pub(crate) fn tools(list: Value<'_>, pieces: &mut Pieces) {
    pieces.push(Slot::Tools, list.span(), list);
    for tool in list.items() {
        match tool.get("tools").filter(|_| tool.get("type").is_some_and(|kind| kind.is("namespace"))) {
            Some(inner) => pieces.within(tool, |pieces| {
                pieces.push(Slot::Tools, inner.span(), tool);
                inner.items().for_each(|tool| pieces.tool(tool));
            }),
            None => pieces.tool(tool),
        }
    }
}

/// Whether an object is an item of this API, and of no other.
pub(crate) fn is_own(item: Value<'_>) -> bool {
    let Some(kind) = item.get("type").and_then(Value::text) else { return false };
    match &*kind {
        "message" => item.get("role").is_some() && item.get("content").is_some(),
        "reasoning" => item.get("summary").is_some() || item.get("encrypted_content").is_some(),
        "additional_tools" => item.get("tools").is_some(),
        "item_reference" => item.get("id").is_some(),
        kind => {
            (kind.ends_with("_call") || kind.ends_with("_call_output"))
                && (item.get("call_id").is_some() || item.get("id").is_some())
        }
    }
}

/// Puts in a message's content: a text, or a list of parts.
pub(crate) fn push_content(content: Option<Value<'_>>, pieces: &mut Pieces) {
    let content = content.filter(|content| content.kind() != JsonKind::Scalar);
    content.into_iter().flat_map(Value::one_or_many).for_each(|part| push_part(part, pieces));
}

fn is_result(name: &str) -> bool {
    name.ends_with("_call_output") || matches!(name, "tool_search_output" | "tool_result")
}

fn push_part(part: Value<'_>, pieces: &mut Pieces) {
    if is_string(part) {
        pieces.text(part, part);
        return;
    }
    let kind = part.get("type").and_then(Value::text);
    match kind.as_deref() {
        Some("input_text" | "output_text" | "text" | "summary_text" | "reasoning_text") => {
            member_text(part, "text", pieces)
        }
        Some("refusal") => member_text(part, "refusal", pieces),
        Some("input_image" | "computer_screenshot" | "image_url") => {
            let url = part.get("image_url");
            let inner = url.and_then(|url| url.get("url"));
            pieces.image(inner.or(url), None, part);
        }
        Some("input_file") => {
            pieces.image(part.get("file_data").or_else(|| part.get("file_url")), None, part);
        }
        Some("input_audio") => pieces.image(part.at(&["input_audio", "data"]), None, part),
        _ => pieces.push(Slot::Opaque, part.span(), part),
    }
}

fn push_result(item: Value<'_>, pieces: &mut Pieces) {
    let output = ["output", "result", "tools", "content"].iter().find_map(|member| item.get(member));
    let succeeded = output.and_then(|output| output.get("success"));
    let is_error = succeeded.is_some_and(|success| success.raw() == b"false")
        || item.get("status").is_some_and(|status| status.is("failed"));
    let raw = output.map_or(item.span(), Value::span);
    let is_a = |name: &str| item.get("type").is_some_and(|kind| kind.is(name));
    pieces.result(call_id(item), is_error, raw, item, |pieces| match output {
        Some(list) if is_a("tool_search_output") => list.items().for_each(|tool| pieces.tool(tool)),
        Some(list) if is_a("shell_call_output") && list.kind() == JsonKind::Array => {
            list.items().for_each(|ran| push_object(ran, pieces));
        }
        Some(output) if output.kind() == JsonKind::Object && output.get("type").is_none() => {
            push_object(output, pieces);
        }
        output => push_content(output, pieces),
    });
}

/// An output that is an object: its texts, or the whole as one that is not known.
fn push_object(output: Value<'_>, pieces: &mut Pieces) {
    let is_known = |member: &Value<'_>| {
        member.name().is_some_and(|name| OUTPUT_TEXTS.contains(&&*name))
            && matches!(member.kind(), JsonKind::String | JsonKind::Array)
    };
    if !output.items().any(|member| is_known(&member)) {
        pieces.push(Slot::Opaque, output.span(), output);
        return;
    }
    pieces.within(output, |pieces| {
        output.items().filter(is_known).for_each(|member| push_content(Some(member), pieces));
    });
}

fn hosted_call(item: Value<'_>, pieces: &mut Pieces) {
    pieces.call(item.get("id"), item.get("name"), item.get("arguments"), item);
    let is_set = |value: &Value<'_>| is_string(*value) || value.kind() == JsonKind::Object;
    let (output, error) = (item.get("output").filter(is_set), item.get("error").filter(is_set));
    if let Some(value) = output.or(error) {
        pieces.result(item.get("id"), output.is_none(), value.span(), item, |pieces| {
            if is_string(value) {
                pieces.text(value, value);
            } else {
                pieces.push(Slot::Opaque, value.span(), value);
            }
        });
    }
}

fn member_text(part: Value<'_>, name: &str, pieces: &mut Pieces) {
    match part.get(name) {
        Some(text) => pieces.text(text, part),
        None => pieces.push(Slot::Opaque, part.span(), part),
    }
}

fn call_id(item: Value<'_>) -> Option<Value<'_>> {
    let is_set = |id: &Value<'_>| is_string(*id);
    item.get("call_id").filter(is_set).or_else(|| item.get("id"))
}

fn is_string(value: Value<'_>) -> bool {
    value.kind() == JsonKind::String
}

fn role(item: Value<'_>) -> Option<Role> {
    match &*item.get("role")?.text()? {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        "system" | "developer" => Some(Role::System),
        "tool" => Some(Role::Tool),
        _ => None,
    }
}
