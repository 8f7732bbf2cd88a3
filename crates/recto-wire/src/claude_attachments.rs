//! What Claude Code attaches to a turn: changed files, memory, hooks' words. It writes a reminder for the model around each when it makes a
//! request; the transcript holds what the reminder is about.

use crate::{
    api::anthropic::push_part,
    json::{JsonKind, Value},
    piece::{Piece, Pieces},
};

/// Where the texts of an attachment of a type stand that reach the model whole; `*` is every item of a list. Types that are not here, and
/// those whose reminder is only made from names and numbers (`date_change`, `plan_mode`, `compact_file_reference`), have no text to edit.
const TEXTS: [(&str, &[&str]); 26] = [
    ("agent_listing_delta", &["addedLines"]),
    ("async_hook_response", &["response", "hookSpecificOutput", "additionalContext"]),
    ("critical_system_reminder", &["content"]),
    ("deferred_tools_delta", &["addedLines"]),
    ("directory", &["content"]),
    ("edited_text_file", &["snippet"]),
    ("file", &["content", "file", "content"]),
    ("hook_additional_context", &["content"]),
    ("hook_blocking_error", &["blockingError", "blockingError"]),
    ("hook_stopped_continuation", &["message"]),
    ("hook_success", &["content"]),
    ("invoked_skills", &["skills", "*", "content"]),
    ("mcp_instructions_delta", &["addedBlocks"]),
    ("mcp_resource", &["content", "contents", "*", "text"]),
    ("nested_memory", &["content", "content"]),
    ("plan_file_reference", &["planContent"]),
    ("queued_command", &["prompt"]),
    ("relevant_memories", &["memories", "*", "content"]),
    ("selected_lines_in_diff", &["content"]),
    ("selected_lines_in_ide", &["content"]),
    ("skill_listing", &["content"]),
    ("task_reminder", &["content", "*", "subject"]),
    ("task_status", &["deltaSummary"]),
    ("teammate_mailbox", &["messages", "*", "text"]),
    ("todo_reminder", &["content", "*", "content"]),
    ("total_tokens_reminder", &["text"]),
];

/// Events whose hooks' output the client repeats to the model.
const HEARD_EVENTS: [&str; 3] = ["SessionStart", "UserPromptSubmit", "UserPromptExpansion"];

/// The texts that the model reads of an attachment; none of one that does not reach it.
pub(crate) fn pieces(attachment: Value<'_>) -> Vec<Piece> {
    let Some(kind) = attachment.get("type") else { return Vec::new() };
    let event = attachment.get("hookEvent");
    let is_heard = event.is_some_and(|event| HEARD_EVENTS.iter().any(|heard| event.is(heard)));
    let Some((_, path)) = TEXTS.iter().find(|(name, _)| kind.is(name)) else { return Vec::new() };
    if kind.is("hook_success") && !is_heard {
        return Vec::new();
    }
    let mut places = vec![attachment];
    let mut is_doubled = attachment.has_doubled_names();
    for name in *path {
        places = places.into_iter().flat_map(|place| step(place, name)).collect();
        is_doubled |= places.iter().any(|place| place.has_doubled_names());
    }
    let mut pieces = Pieces::new(is_doubled);
    places
        .into_iter()
        .filter(|place| matches!(place.kind(), JsonKind::String | JsonKind::Array))
        .flat_map(Value::one_or_many)
        .filter(|place| place.raw() != b"\"\"")
        .for_each(|place| push_part(place, &mut pieces));
    pieces.into_vec()
}

fn step<'d>(place: Value<'d>, name: &str) -> Vec<Value<'d>> {
    match name {
        "*" if place.kind() == JsonKind::Array => place.items().collect(),
        name => place.get(name).into_iter().collect(),
    }
}
