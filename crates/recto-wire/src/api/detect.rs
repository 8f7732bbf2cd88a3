//! Which API a body is of. Lists of `{role, content}` look alike in three of them: the first block or member that only one of them has
//! decides, then what else is in the body; what is said by nothing is OpenAI's Chat form.

use super::{openai_chat, openai_responses, role};
use crate::{
    format::Format,
    json::{JsonKind, Value},
    responses_items,
};

/// Finds the API of a body, or of a list of messages.
pub(crate) fn detect(root: Value<'_>) -> Option<Format> {
    match root.kind() {
        JsonKind::Array => detect_list(root, None),
        JsonKind::Object => detect_body(root),
        JsonKind::String | JsonKind::Scalar => None,
    }
}

/// Finds the API of messages that stand in a line each. All must be messages.
pub(crate) fn detect_line<'d>(lines: impl Iterator<Item = Value<'d>> + Clone) -> Option<Format> {
    detect_messages(lines, None)
}

fn detect_body(body: Value<'_>) -> Option<Format> {
    let is_gemini = |body: Value<'_>| {
        body.get("contents")
            .is_some_and(|contents| contents.one_or_many().any(|content| content.get("parts").is_some()))
    };
    if is_gemini(body) || body.get("request").is_some_and(is_gemini) {
        return Some(Format::GeminiContents);
    }
    if let Some(messages) = body.get("messages").filter(|messages| messages.kind() == JsonKind::Array) {
        return detect_list(messages, Some(body));
    }
    let input = body.get("input")?;
    match input.kind() {
        JsonKind::String => body.get("model").map(|_| Format::OpenAiResponses),
        JsonKind::Array => {
            input.items().all(openai_responses::API.is_message).then_some(Format::OpenAiResponses).or_else(
                // Items that are not known yet stand beside those that are.
                || input.items().any(responses_items::is_own).then_some(Format::OpenAiResponses),
            )
        }
        JsonKind::Object | JsonKind::Scalar => None,
    }
}

fn detect_list(list: Value<'_>, body: Option<Value<'_>>) -> Option<Format> {
    let items: Vec<Value<'_>> = list.items().collect();
    detect_messages(items.iter().copied(), body)
}

fn detect_messages<'d>(
    items: impl Iterator<Item = Value<'d>> + Clone,
    body: Option<Value<'_>>,
) -> Option<Format> {
    items.clone().next()?;
    let has_parts = |item: Value<'_>| {
        let parts = item.get("parts");
        parts.is_some_and(|parts| parts.kind() == JsonKind::Array && parts.items().all(is_untyped))
            && (item.get("role").is_none() || role(item).is_some())
    };
    if items.clone().all(has_parts) {
        return Some(Format::GeminiContents);
    }
    if items.clone().any(responses_items::is_own) {
        let is_fit = |item: Value<'_>| item.get("type").is_some() || (openai_responses::API.is_message)(item);
        return items.clone().all(is_fit).then_some(Format::OpenAiResponses);
    }
    // An older member of a client's own tells its files from these.
    if !items.clone().all(openai_chat::API.is_message) {
        return None;
    }
    let sign = items.clone().find_map(sign_of_message);
    sign.or_else(|| body.and_then(sign_of_body)).or(Some(Format::OpenAiChat))
}

fn is_untyped(part: Value<'_>) -> bool {
    part.kind() == JsonKind::Object && part.get("type").is_none()
}

fn sign_of_message(item: Value<'_>) -> Option<Format> {
    const CHAT: [&str; 6] =
        ["tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning_details", "refusal"];
    if CHAT.iter().any(|name| item.get(name).is_some()) {
        return Some(Format::OpenAiChat);
    }
    if item.get("role").is_some_and(|role| role.is("developer") || role.is("function")) {
        return Some(Format::OpenAiChat);
    }
    if item.get("providerOptions").is_some() || item.get("experimental_providerMetadata").is_some() {
        return Some(Format::AiSdk);
    }
    let content = item.get("content").filter(|content| content.kind() == JsonKind::Array)?;
    content.items().find_map(sign_of_block)
}

fn sign_of_block(block: Value<'_>) -> Option<Format> {
    let has = |name: &str| block.get(name).is_some();
    let kind = block.get("type").and_then(Value::text)?;
    match &*kind {
        "tool-call"
        | "tool-result"
        | "tool-approval-request"
        | "tool-approval-response"
        | "reasoning"
        | "redacted-reasoning" => Some(Format::AiSdk),
        "image" if has("image") => Some(Format::AiSdk),
        "file" if has("data") => Some(Format::AiSdk),
        _ if has("providerOptions") || has("experimental_providerMetadata") => Some(Format::AiSdk),
        "image_url" | "input_audio" | "refusal" | "file" | "video_url" => Some(Format::OpenAiChat),
        "input_text" | "output_text" | "input_image" | "input_file" => Some(Format::OpenAiResponses),
        "tool_use" | "redacted_thinking" | "document" | "search_result" | "container_upload"
        | "server_tool_use" | "mcp_tool_use" => Some(Format::AnthropicMessages),
        "thinking" if has("signature") => Some(Format::AnthropicMessages),
        "image" if has("source") => Some(Format::AnthropicMessages),
        kind if kind.ends_with("tool_result") => Some(Format::AnthropicMessages),
        _ => None,
    }
}

fn sign_of_body(body: Value<'_>) -> Option<Format> {
    let has_tool = |name: &str| {
        body.get("tools").is_some_and(|tools| tools.items().any(|tool| tool.get(name).is_some()))
    };
    if has_tool("input_schema") {
        return Some(Format::AnthropicMessages);
    }
    if has_tool("inputSchema") {
        return Some(Format::AiSdk);
    }
    if has_tool("function") {
        return Some(Format::OpenAiChat);
    }
    let is_anthropic = ["system", "anthropic_version", "anthropic_beta", "stop_sequences", "thinking"];
    is_anthropic.iter().any(|name| body.get(name).is_some()).then_some(Format::AnthropicMessages)
}
