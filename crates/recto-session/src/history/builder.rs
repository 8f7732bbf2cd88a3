use std::collections::HashMap;

use recto_wire::{Link, Piece, Record, RecordKind, Role, Slot, Span, unquote};

use super::{
    Asked, CallEntry, Cut, History, ImageEntry, Item, ItemKind, KeptFrom, Node, NodeKind, Observer, Place,
    Problem, ProblemKind, ResultEntry, Said, Speaker, path,
};
use crate::{PRUNE_MARKER, atoms::ImageFacts, key::Key, target::with_arguments};

/// Bytes of a path or shell line that are kept until the result has come.
const MOST_ASKED_BYTES: usize = 4 << 10;
/// Bytes of a result's beginning by which it is judged.
const HEAD_BYTES: usize = 4 << 10;

/// What is kept of a call until its result has come.
#[derive(Debug, Default)]
struct Waiting {
    path: Option<Box<str>>,
    command: Option<Box<str>>,
}

/// Makes a [`History`] of records.
#[derive(Debug, Default)]
pub struct Builder {
    history: History,
    ids: HashMap<Key, u32>,
    tools: HashMap<Box<str>, u32>,
    calls: HashMap<Key, u32>,
    waiting: HashMap<u32, Waiting>,
    /// Calls without ids.
    without_id: Vec<u32>,
    /// No call from this one on is answered.
    answered_end: u32,
    /// Results that came before any call of their id.
    early: HashMap<Key, u32>,
    /// Where parents are not known yet: links to what comes later.
    links: Vec<(u32, Key)>,
    /// The content of the last node, if it may be one part of several of one id.
    last_content: Option<Key>,
    /// The last node outside and inside of sub-agents' conversations.
    last: [Option<u32>; 2],
    /// The message that parts belong to, where they name it.
    messages: HashMap<Key, u32>,
}

impl Builder {
    /// Begins an empty session.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next record; `bytes` are those that its spans are in.
    pub fn push(&mut self, record: &Record, bytes: &[u8], place: Place, observer: &mut dyn Observer) {
        self.push_of(None, record, bytes, place, observer);
    }

    /// Takes the next record, which is a part of the message `of` if it does not say so itself.
    pub fn push_of(
        &mut self,
        of: Option<Key>,
        record: &Record,
        bytes: &[u8],
        place: Place,
        observer: &mut dyn Observer,
    ) {
        self.history.records += 1;
        let key = |span: Span| (!span.is_empty()).then(|| Key::of(span.of(bytes)));
        let kind = match record.kind {
            RecordKind::Blank => return,
            RecordKind::Malformed { .. } => return self.problem(ProblemKind::Malformed, place, None),
            RecordKind::Unknown => {
                self.problem(ProblemKind::UnknownType, place, None);
                NodeKind::Silent
            }
            RecordKind::Rewind(to) => {
                self.rewind(key(to));
                return;
            }
            // A header may hold the instructions that the model is given.
            RecordKind::Session if record.pieces.is_empty() => NodeKind::Silent,
            RecordKind::Silent => NodeKind::Silent,
            RecordKind::Session | RecordKind::Tools => NodeKind::Message(Role::System),
            RecordKind::Message(role) => NodeKind::Message(role),
            RecordKind::Part => {
                let of = key(record.message).or(of).and_then(|message| self.messages.get(&message)).copied();
                let role = of.and_then(|of| match self.history.nodes.get(of as usize)?.kind {
                    NodeKind::Message(role) => Some(role),
                    _ => None,
                });
                NodeKind::Message(role.unwrap_or(Role::Assistant))
            }
            RecordKind::Boundary(boundary) => NodeKind::Boundary {
                resumes: key(boundary.resumes),
                kept: KeptFrom::of(boundary.kept, bytes),
                kept_until: key(boundary.kept_until),
            },
            _ => NodeKind::Silent,
        };
        let id = key(record.id);
        // Nothing can follow it, and nobody reads it.
        if kind == NodeKind::Silent && id.is_none() {
            return;
        }
        let Ok(at) = u32::try_from(self.history.nodes.len()) else { return };
        let side = usize::from(record.is_side);
        let [first, _] = [self.history.items.len(); 2];
        let mut node = Node {
            place,
            kind,
            id,
            message: key(record.message).or(of),
            parent: None,
            items: (index(first), index(first)),
            turn: 0,
            step: 0,
            is_side: record.is_side,
            is_replaced: false,
            is_on_path: false,
            is_read: false,
        };
        match record.parent {
            Link::Previous => node.parent = self.last.get(side).copied().flatten(),
            Link::Root => {}
            Link::Id(parent) => {
                let parent = Key::of(parent.of(bytes));
                node.parent = self.ids.get(&parent).copied();
                if node.parent.is_none() {
                    self.links.push((at, parent));
                }
            }
        }
        if let Some(id) = id
            && let Some(before) = self.ids.insert(id, at)
        {
            // Where records have no links, one that comes again is a later state of it.
            match record.parent {
                Link::Previous => self.replace(before, &mut node),
                _ if self.is_further_part(before, &node, record.span.of(bytes)) => {}
                _ => self.problem(ProblemKind::DoubledId, place, None),
            }
        }
        let is_of_several = id.is_some() && node.message == id;
        self.last_content = is_of_several.then(|| Key::of(record.span.of(bytes)));
        if let (NodeKind::Message(_), Some(message)) = (kind, node.message.or(id)) {
            self.messages.entry(message).or_insert(at);
        }
        if let Some(last) = self.last.get_mut(side) {
            *last = Some(at);
        }
        self.history.nodes.push(node);
        self.push_pieces(&record.pieces, bytes, at, kind, observer);
        let end = index(self.history.items.len());
        if let Some(node) = self.history.nodes.get_mut(at as usize) {
            node.items.1 = end;
        }
    }

    /// Whether a record is one more part of the answer that the one just before it is of: some clients give all its lines one id. The same line twice
    /// is none.
    fn is_further_part(&self, before: u32, node: &Node, bytes: &[u8]) -> bool {
        let Some(first) = self.history.nodes.get(before as usize) else { return false };
        node.message.is_some()
            && node.message == node.id
            && first.message == node.message
            && first.kind == node.kind
            && node.kind == NodeKind::Message(Role::Assistant)
            && first.parent == node.parent
            && before as usize + 1 == self.history.nodes.len()
            && self.last_content != Some(Key::of(bytes))
    }

    /// Takes back the record of an id and all after it, or all if none has it.
    fn rewind(&mut self, to: Option<Key>) {
        let first = to.and_then(|to| self.ids.get(&to).copied());
        let before =
            first.and_then(|first| self.history.nodes.get(first as usize)).and_then(|node| node.parent);
        self.last = [before; 2];
    }

    /// Puts `node` in the place of the record `before` of its id.
    fn replace(&mut self, before: u32, node: &mut Node) {
        if node.parent == Some(before) {
            node.parent = self.history.nodes.get(before as usize).and_then(|node| node.parent);
        } else if let Some(before) = self.history.nodes.get_mut(before as usize) {
            before.is_replaced = true;
        }
    }

    /// Says that the last line pushed as malformed has no end: it is being written.
    pub fn last_was_cut(&mut self) {
        if let Some(problem) = self.history.problems.last_mut()
            && problem.kind == ProblemKind::Malformed
        {
            problem.kind = ProblemKind::Truncated;
        }
    }

    /// Finds the conversation: the way to the newest message, or to the record of the id `leaf` (a JSON string).
    #[must_use]
    pub fn finish(mut self, leaf: Option<Key>) -> History {
        for (node, parent) in std::mem::take(&mut self.links) {
            let found = self.ids.get(&parent).copied();
            let place = self.history.nodes.get(node as usize).map(|node| node.place).unwrap_or_default();
            match found {
                Some(parent) => {
                    if let Some(node) = self.history.nodes.get_mut(node as usize) {
                        node.parent = Some(parent);
                    }
                }
                None => self.problem(ProblemKind::MissingParent, place, None),
            }
        }
        let leaf = leaf.and_then(|leaf| self.ids.get(&leaf).copied());
        path::find(&mut self.history, &self.ids, leaf);
        self.history
    }

    /// Whether a record of this id (a JSON string's key) is there.
    #[must_use]
    pub fn has_id(&self, id: Key) -> bool {
        self.ids.contains_key(&id)
    }

    fn problem(&mut self, kind: ProblemKind, place: Place, item: Option<u32>) {
        self.history.problems.push(Problem { kind, place, item });
    }

    fn push_pieces(
        &mut self,
        pieces: &[Piece],
        bytes: &[u8],
        node: u32,
        kind: NodeKind,
        observer: &mut dyn Observer,
    ) {
        let mut of_record = Speaker::of(kind);
        // Which result the pieces of an index are a part of.
        let mut open: Option<(u32, u32)> = None;
        for (number, piece) in pieces.iter().enumerate() {
            let inside = open.filter(|(of, _)| piece.parent == Some(*of)).map(|(_, result)| result);
            let item = index(self.history.items.len());
            let mut entry = Item {
                node,
                kind: ItemKind::Opaque,
                raw: piece.raw,
                block: piece.block,
                chars: 0,
                tokens: 0,
                frozen: piece.frozen,
                result: inside,
            };
            let speaker = if inside.is_some() { Speaker::Tool } else { of_record };
            match piece.slot {
                Slot::Text => {
                    entry.kind = ItemKind::Text;
                    let text = unquote(piece.raw.of(bytes));
                    let text = text.unwrap_or_else(|| String::from_utf8_lossy(piece.raw.of(bytes)));
                    self.measure(&mut entry, item, speaker, &text, observer);
                    if let Some(result) = inside {
                        self.add_to_result(result, &entry, &text, observer);
                    }
                }
                Slot::Thinking => {
                    entry.kind = ItemKind::Thinking;
                    let text = thinking_text(piece.raw.of(bytes));
                    self.measure(&mut entry, item, Speaker::Thinking, &text, observer);
                }
                Slot::ToolCall { id, name, arguments } => {
                    let name = unquote(name.of(bytes)).unwrap_or_default();
                    let tool = self.tool(&name);
                    let raw = arguments.of(bytes);
                    let call = index(self.history.calls.len());
                    let text = unquote(raw).unwrap_or_else(|| String::from_utf8_lossy(raw));
                    self.measure(&mut entry, item, Speaker::Call, &text, observer);
                    let (target, waiting) = with_arguments(raw, |arguments| {
                        let keep = |text: Option<&str>| {
                            text.map(|text| {
                                text.get(..text.floor_char_boundary(MOST_ASKED_BYTES))
                                    .unwrap_or_default()
                                    .into()
                            })
                        };
                        let waiting = Waiting {
                            path: keep(arguments.path.as_deref()),
                            command: keep(arguments.command.as_deref()),
                        };
                        (arguments.target(&name), waiting)
                    });
                    entry.kind = ItemKind::Call(call);
                    let id_span = id;
                    let id = (!id.is_empty()).then(|| Key::of(id.of(bytes)));
                    self.history.calls.push(CallEntry {
                        item,
                        id,
                        id_span,
                        tool,
                        arguments,
                        same: Key::of_parts(&[name.as_bytes(), raw]),
                        target,
                        result: None,
                    });
                    self.waiting.insert(call, waiting);
                    match id {
                        Some(id) => drop(self.calls.insert(id, call)),
                        None => self.without_id.push(call),
                    }
                }
                Slot::ToolResult { call, is_error } => {
                    let result = index(self.history.results.len());
                    entry.kind = ItemKind::Result(result);
                    let call_span = call;
                    let call_id = (!call.is_empty()).then(|| Key::of(call.of(bytes)));
                    let call = match call_id {
                        Some(id) => self.calls.get(&id).copied(),
                        // Without ids calls are answered in their order.
                        None => self.first_waiting_without_id(),
                    };
                    if call.is_none()
                        && let Some(id) = call_id
                    {
                        self.early.insert(id, result);
                    }
                    self.history.results.push(ResultEntry {
                        item,
                        call_id,
                        call_span,
                        call,
                        is_error,
                        cut: Cut::Anytime,
                        chars: 0,
                        tokens: 0,
                        lines: 0,
                        same: Key::of(b""),
                        frozen: piece.frozen,
                        is_cut: false,
                    });
                    if let Some(call) = call
                        && let Some(entry) = self.history.calls.get_mut(call as usize)
                    {
                        entry.result.get_or_insert(result);
                        self.answered_end = self.answered_end.max(call.saturating_add(1));
                    }
                    open = Some((index(number), result));
                }
                Slot::Image { media_type } => {
                    entry.kind = ItemKind::Image(index(self.history.images.len()));
                    let media_type = unquote(media_type.of(bytes));
                    let image = image(item, media_type.as_deref(), piece.raw.of(bytes));
                    self.history.images.push(image);
                }
                Slot::Tool => {
                    entry.kind = ItemKind::Definition;
                    let text = String::from_utf8_lossy(piece.raw.of(bytes));
                    self.measure(&mut entry, item, Speaker::System, &text, observer);
                }
                // One of several messages in a record.
                Slot::Message(role) => {
                    of_record = Speaker::of(NodeKind::Message(role));
                    continue;
                }
                Slot::System => {
                    of_record = Speaker::System;
                    continue;
                }
                Slot::Tools => continue,
                _ => {}
            }
            self.history.items.push(entry);
        }
    }

    fn measure(
        &self,
        entry: &mut Item,
        item: u32,
        speaker: Speaker,
        text: &str,
        observer: &mut dyn Observer,
    ) {
        entry.chars = index(text.chars().count());
        entry.tokens = u32::try_from(observer.text(&Said { item, speaker, text })).unwrap_or(u32::MAX);
    }

    fn add_to_result(&mut self, result: u32, entry: &Item, text: &str, observer: &mut dyn Observer) {
        let Some(own) = self.history.results.get_mut(result as usize) else { return };
        let is_first = own.chars == 0;
        own.chars = own.chars.saturating_add(entry.chars);
        own.tokens = own.tokens.saturating_add(entry.tokens);
        own.lines = own.lines.saturating_add(index(memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1));
        own.frozen |= entry.frozen;
        own.is_cut |= has_note(text);
        own.same = Key::of_parts(&[own.same.bytes(), text.as_bytes()]);
        if !is_first {
            return;
        }
        let call = own.call.and_then(|call| Some((call, self.history.calls.get(call as usize)?)));
        let waiting = call.and_then(|(call, _)| self.waiting.remove(&call)).unwrap_or_default();
        let tool = call.and_then(|(_, call)| self.history.tools.get(call.tool as usize));
        let asked = Asked {
            tool: tool.map_or("", |name| name),
            path: waiting.path.as_deref(),
            command: waiting.command.as_deref(),
        };
        let head = text.get(..text.floor_char_boundary(HEAD_BYTES)).unwrap_or_default();
        let cut = observer.cut(&asked, head);
        if let Some(own) = self.history.results.get_mut(result as usize) {
            own.cut = cut;
        }
    }

    fn tool(&mut self, name: &str) -> u32 {
        if let Some(tool) = self.tools.get(name) {
            return *tool;
        }
        let tool = index(self.history.tools.len());
        self.tools.insert(name.into(), tool);
        self.history.tools.push(name.into());
        tool
    }

    fn first_waiting_without_id(&self) -> Option<u32> {
        // Those of the last message; results follow at once.
        let first = self.without_id.partition_point(|call| *call < self.answered_end);
        self.without_id.get(first).copied()
    }
}

pub(super) fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Whether a text has what recto's notes have, the name of a ref behind the way to it, or the pruner's marker. Tools can print the same; then
/// less is cut.
#[must_use]
pub fn has_note(text: &str) -> bool {
    let signs = ["recto expand r:", "recto_expand r:", "[recto: ", PRUNE_MARKER.trim()];
    signs.iter().any(|sign| memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some())
}

/// The texts of a block of reasoning; what is encrypted or signed is none.
fn thinking_text(raw: &[u8]) -> String {
    let Ok(document) = recto_wire::Document::parse(raw) else { return String::new() };
    let root = document.root();
    if let Some(text) = root.text() {
        return text.into_owned();
    }
    let mut texts = String::new();
    for name in ["thinking", "text", "reasoning"] {
        if let Some(text) = root.get(name).and_then(recto_wire::Value::text) {
            texts.push_str(&text);
        }
    }
    for name in ["summary", "content"] {
        for part in root.get(name).into_iter().flat_map(recto_wire::Value::items) {
            if let Some(text) = part.get("text").and_then(recto_wire::Value::text) {
                texts.push_str(&text);
            }
        }
    }
    texts
}

/// An image's facts. `raw` is base64 in a JSON string, or a `data:` URL, or something else that is not in the session.
fn image(item: u32, media_type: Option<&str>, raw: &[u8]) -> ImageEntry {
    let mut media_type = media_type.map(str::to_owned);
    let text = unquote(raw).unwrap_or_default();
    let mut base64 = &*text;
    if let Some(url) = text.strip_prefix("data:") {
        let (head, data) = url.split_once(',').unwrap_or((url, ""));
        media_type = media_type.or_else(|| head.split(';').next().map(str::to_owned));
        base64 = data;
    }
    let facts = ImageFacts::of(media_type.as_deref(), base64);
    ImageEntry { item, media_type: facts.mime_type, bytes: facts.payload_bytes, size: facts.size }
}
