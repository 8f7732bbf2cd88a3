//! Items of the Responses API, in bodies and wherever clients keep them.

use crate::{
    json::{JsonKind, Value},
    piece::{Pieces, Slot},
    record::{RecordKind, Role},
};

/// Puts an item's pieces in, and says what it is. What is not known is one opaque piece.
pub(crate) fn push_item(item: Value<'_>, pieces: &mut Pieces) -> RecordKind {
    let opaque = |pieces: &mut Pieces| pieces.push(Slot::Opaque, item.span(), item);
    let kind = item.get("type").and_then(Value::text);
    match kind.as_deref() {
        None | Some("message") => match role(item) {
            Some(role) => {
                content(item.get("content"), pieces);
                return RecordKind::Message(role);
            }
            None => {
                opaque(pieces);
                return RecordKind::Unknown;
            }
        },
        Some("reasoning") => pieces.push(Slot::Thinking, item.span(), item),
        Some("function_call" | "tool_search_call") if item.get("call_id").is_some_and(is_string) => {
            let name = item.get("name").or_else(|| item.get("type"));
            pieces.call(item.get("call_id"), name, item.get("arguments"), item);
        }
        Some("custom_tool_call") => {
            pieces.call(item.get("call_id"), item.get("name"), item.get("input"), item);
        }
        // The tool has no name of its own; its type stands for it.
        Some("local_shell_call" | "shell_call" | "computer_call" | "apply_patch_call") => {
            let arguments = ["action", "actions", "operation"].iter().find_map(|name| item.get(name));
            pieces.call(call_id(item), item.get("type"), arguments, item);
        }
        // Called and answered by the provider, both in one item.
        Some("mcp_call") => hosted_call(item, pieces),
        Some("image_generation_call") => pieces.image(item.get("result"), None, item),
        Some(
            "web_search_call"
            | "file_search_call"
            | "code_interpreter_call"
            | "mcp_list_tools"
            | "mcp_approval_request"
            | "function_call"
            | "tool_search_call",
        ) => opaque(pieces),
        Some("mcp_approval_response") => {
            opaque(pieces);
            return RecordKind::Message(Role::User);
        }
        Some("tool_search_output") if item.get("call_id").is_some_and(is_string) => {
            let tools_of = item.get("tools");
            let raw = tools_of.map_or(item.span(), Value::span);
            pieces.result(item.get("call_id"), false, raw, item, |pieces| {
                tools_of.into_iter().flat_map(Value::items).for_each(|tool| pieces.tool(tool));
            });
            return RecordKind::Message(Role::Tool);
        }
        Some(kind) if kind.ends_with("_call_output") => {
            output(item, pieces);
            return RecordKind::Message(Role::Tool);
        }
        Some("additional_tools") => {
            if let Some(list) = item.get("tools") {
                pieces.within(item, |pieces| tools(list, pieces));
            }
            return RecordKind::Tools;
        }
        Some("compaction" | "compaction_summary" | "context_compaction") => {
            opaque(pieces);
            return RecordKind::Message(Role::Summary);
        }
        // What another agent says.
        Some("agent_message") => {
            content(item.get("content"), pieces);
            return RecordKind::Message(Role::Custom);
        }
        Some(_) => {
            opaque(pieces);
            return RecordKind::Unknown;
        }
    }
    RecordKind::Message(Role::Assistant)
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

/// Puts a string, or a list of parts, in.
pub(crate) fn content(value: Option<Value<'_>>, pieces: &mut Pieces) {
    match value {
        Some(value) if value.kind() == JsonKind::String => pieces.text(value, value),
        Some(value) if value.kind() == JsonKind::Array => {
            value.items().for_each(|part| push_part(part, pieces))
        }
        Some(value) if value.kind() == JsonKind::Object => push_part(value, pieces),
        _ => {}
    }
}

fn push_part(part: Value<'_>, pieces: &mut Pieces) {
    let kind = part.get("type").and_then(Value::text);
    match kind.as_deref() {
        Some("input_text" | "output_text" | "text" | "summary_text") => member_text(part, "text", pieces),
        Some("refusal") => member_text(part, "refusal", pieces),
        Some("reasoning_text") => pieces.push(Slot::Thinking, part.span(), part),
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

fn output(item: Value<'_>, pieces: &mut Pieces) {
    let output = item.get("output");
    let raw = output.map_or(item.span(), Value::span);
    let is_error = item.get("status").is_some_and(|status| status.is("failed"));
    let is_shell = item.get("type").is_some_and(|kind| kind.is("shell_call_output"));
    pieces.result(call_id(item), is_error, raw, item, |pieces| match output {
        Some(list) if is_shell && list.kind() == JsonKind::Array => {
            list.items().for_each(|ran| shell_output(ran, pieces));
        }
        // Old clients write the text and whether it went well into an object.
        Some(object) if object.kind() == JsonKind::Object && object.get("type").is_none() => {
            pieces.within(object, |pieces| match object.get("content") {
                Some(text) if text.kind() == JsonKind::String => pieces.text(text, text),
                _ => pieces.push(Slot::Opaque, object.span(), object),
            });
        }
        output => content(output, pieces),
    });
}

fn shell_output(ran: Value<'_>, pieces: &mut Pieces) {
    pieces.within(ran, |pieces| {
        for member in ran.items() {
            match member.name().as_deref() {
                Some("stdout" | "stderr") => pieces.text(member, member),
                _ => pieces.push(Slot::Opaque, member.span(), member),
            }
        }
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
