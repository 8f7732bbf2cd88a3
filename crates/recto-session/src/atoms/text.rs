//! Which of an event is text that a model reads.

use crate::block::Block;
use crate::event::Event;
use crate::json;
use crate::kind::EventKind;

/// A piece of text.
#[derive(Clone, Copy)]
pub(super) enum Text<'a> {
    /// The inside of a JSON string, escapes as they are.
    Literal(&'a str),
    /// Text, or JSON that is sent as it is.
    Plain(&'a str),
}

/// Calls `visit` with each piece of text of an event, in order; of a commit with the summary of one block.
pub(super) fn each_text(event: &Event, part: u32, visit: &mut dyn FnMut(Text<'_>)) {
    let fields: &[&str] = match event.kind() {
        EventKind::ToolCall => &["name", "arguments"],
        EventKind::Bash => &["command", "output"],
        EventKind::Custom => &["summary"],
        EventKind::Commit => return block_summary(event, part, visit),
        _ => &[],
    };
    for value in fields.iter().filter_map(|name| event.field(name)) {
        match json::inside(value) {
            Some(inside) => visit(Text::Literal(inside)),
            None if value == "null" => {}
            None => visit(Text::Plain(value)),
        }
    }
    let content = event.content();
    for block in content.iter().flat_map(|content| content.blocks()) {
        if let Some(text) = block.literal_text().or_else(|| thinking(block)) {
            visit(Text::Literal(text));
        }
    }
}

/// Tells whether a block is a model's thinking, in the open or not.
pub(super) fn is_thinking(block: &Block<'_>) -> bool {
    matches!(block.kind().as_deref(), Some("thinking" | "redacted_thinking" | "reasoning"))
}

fn thinking<'a>(block: &'a Block<'_>) -> Option<&'a str> {
    if !is_thinking(block) {
        return None;
    }
    let raw = block.json();
    json::value(raw, "thinking").or_else(|| json::value(raw, "text")).and_then(json::inside)
}

fn block_summary(event: &Event, part: u32, visit: &mut dyn FnMut(Text<'_>)) {
    let Some(blocks) = event.field("blocks") else { return };
    let ranges = json::elements(blocks);
    let block = usize::try_from(part).ok().and_then(|part| ranges.get(part).cloned());
    let summary = block.and_then(|range| json::value(blocks.get(range)?, "summary"));
    if let Some(inside) = summary.and_then(json::inside) {
        visit(Text::Literal(inside));
    }
}
