use recto_outline::Span;

use crate::{
    json::{JsonKind, Value},
    record::Role,
    text::is_text,
};

/// What stands at a place. Spans are into the bytes that were read; ids and names are JSON strings with their quotes, empty where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// One of several messages in a record, where a client writes a whole conversation into one (what stands for all before a compaction).
    /// Its parts are pieces of their own, with this one as their parent.
    Message(Role),
    /// The list of tool definitions.
    Tools,
    /// One tool definition.
    Tool,
    /// A system prompt or instructions; its texts are pieces of their own.
    System,
    /// A text that the model reads: a JSON string with its quotes.
    Text,
    /// Reasoning, with its signature: never edited.
    Thinking,
    /// A call of a tool.
    ToolCall {
        /// By which its result names it. Where the form has no ids it is the tool's name: then the results of a name answer its calls in
        /// their order.
        id: Span,
        /// The tool's name.
        name: Span,
        /// Its arguments: any JSON value; a string where the client writes JSON into one, or where the tool takes a text.
        arguments: Span,
    },
    /// A tool's result. What it holds are pieces of their own, with this one as their parent.
    ToolResult {
        /// The id of its call.
        call: Span,
        /// Whether the client says that it failed.
        is_error: bool,
    },
    /// An image or another file; `raw` is the base64 text, the URL, or the whole block where it is neither.
    Image {
        /// Its media type, a JSON string; empty if it is not said, or in the URL ([`DataUrl`](crate::DataUrl)).
        media_type: Span,
    },
    /// Something that this version does not know.
    Opaque,
}

/// A part of a record that the model read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub slot: Slot,
    /// Where its content stands: a text's JSON string, a result's content value, else the whole block.
    pub raw: Span,
    /// The whole block that it stands in, an item of a list of blocks; equal to `raw` where there is none.
    pub block: Span,
    /// Index, in the same record, of the result or message that it is a part of.
    pub parent: Option<u32>,
    /// Not to be edited: a name stands twice in it, or its text is none (half a character, bytes that are not UTF-8).
    pub frozen: bool,
}

/// Collects a record's pieces.
#[derive(Debug, Default)]
pub struct Pieces {
    pieces: Vec<Piece>,
    parent: Option<u32>,
    frozen: bool,
}

impl Pieces {
    /// Begins a list; `frozen` holds for all that is put into it.
    #[must_use]
    pub fn new(frozen: bool) -> Self {
        Self { pieces: Vec::new(), parent: None, frozen }
    }

    /// Puts a piece in.
    pub fn push(&mut self, slot: Slot, raw: Span, block: Value<'_>) {
        let frozen = self.frozen || block.has_doubled_names();
        self.pieces.push(Piece { slot, raw, block: block.span(), parent: self.parent, frozen });
    }

    /// Puts a text in: a string, and the block it stands in, which may be the string itself. What is no string is opaque.
    pub fn text(&mut self, text: Value<'_>, block: Value<'_>) {
        if text.kind() != JsonKind::String {
            self.push(Slot::Opaque, block.span(), block);
            return;
        }
        self.push(Slot::Text, text.span(), block);
        if !is_text(text.raw())
            && let Some(piece) = self.pieces.last_mut()
        {
            piece.frozen = true;
        }
    }

    /// Puts a result in, and what `inside` puts as its parts.
    pub fn result(
        &mut self,
        call: Option<Value<'_>>,
        is_error: bool,
        content: Span,
        block: Value<'_>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.inside(Slot::ToolResult { call: string_span(call), is_error }, content, block, inside);
    }

    /// Puts in a result whose content the client itself shows no more: without parts, and not to be edited.
    pub(crate) fn frozen_result(
        &mut self,
        call: Option<Value<'_>>,
        is_error: bool,
        content: Span,
        block: Value<'_>,
    ) {
        let frozen = std::mem::replace(&mut self.frozen, true);
        self.result(call, is_error, content, block, |_| ());
        self.frozen = frozen;
    }

    /// Puts in one message of several, and what `inside` puts as its parts.
    pub fn message(&mut self, role: Role, message: Value<'_>, inside: impl FnOnce(&mut Self)) {
        self.inside(Slot::Message(role), message.span(), message, inside);
    }

    fn inside(&mut self, slot: Slot, raw: Span, block: Value<'_>, inside: impl FnOnce(&mut Self)) {
        let at = u32::try_from(self.pieces.len()).ok();
        self.push(slot, raw, block);
        let (parent, frozen) = (self.parent, self.frozen);
        self.parent = at;
        self.frozen |= block.has_doubled_names();
        inside(self);
        (self.parent, self.frozen) = (parent, frozen);
    }

    /// Puts in what `inside` puts, which stands in `holder`: frozen if a name stands twice in that.
    pub fn within(&mut self, holder: Value<'_>, inside: impl FnOnce(&mut Self)) {
        self.frozen_if(holder.has_doubled_names(), inside);
    }

    /// Puts in what `inside` puts, frozen if so said: what is signed is not edited.
    pub fn frozen_if(&mut self, is_frozen: bool, inside: impl FnOnce(&mut Self)) {
        let before = self.frozen;
        self.frozen |= is_frozen;
        inside(self);
        self.frozen = before;
    }

    /// Puts a call in; frozen if a name stands twice anywhere in its arguments.
    pub fn call(
        &mut self,
        id: Option<Value<'_>>,
        name: Option<Value<'_>>,
        arguments: Option<Value<'_>>,
        block: Value<'_>,
    ) {
        let is_frozen = arguments.is_some_and(Value::has_doubled_names_inside);
        let arguments = arguments.map(Value::span).unwrap_or_default();
        let slot = Slot::ToolCall { id: string_span(id), name: string_span(name), arguments };
        self.frozen_if(is_frozen, |pieces| pieces.push(slot, block.span(), block));
    }

    /// Puts a tool definition in; frozen if a name stands twice anywhere in it.
    pub fn tool(&mut self, tool: Value<'_>) {
        self.frozen_if(tool.has_doubled_names_inside(), |pieces| pieces.push(Slot::Tool, tool.span(), tool));
    }

    /// Puts an image in: its data or URL, and its media type. Data that is no string is no text of base64: then it is the block.
    pub fn image(&mut self, data: Option<Value<'_>>, media_type: Option<Value<'_>>, block: Value<'_>) {
        let data = data.filter(|data| data.kind() == JsonKind::String);
        let raw = data.map_or(block.span(), Value::span);
        self.push(Slot::Image { media_type: string_span(media_type) }, raw, block);
    }

    /// The pieces in their order.
    #[must_use]
    pub fn into_vec(self) -> Vec<Piece> {
        self.pieces
    }
}

/// Where a string stands; nowhere if it is none.
pub(crate) fn string_span(value: Option<Value<'_>>) -> Span {
    value.filter(|value| value.kind() == JsonKind::String).map(Value::span).unwrap_or_default()
}
