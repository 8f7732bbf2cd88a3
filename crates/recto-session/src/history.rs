//! A session as decisions need it: its messages, calls and results by their places, with their sizes, and without their texts.
//!
//! A [`Builder`] takes the records of a transcript in their order, whatever client wrote it, and hands each text once to an
//! [`Observer`] (who counts its tokens, or remembers its names). What stays is some hundred bytes for a block, so that a
//! session of any length can be read. [`Builder::finish`] finds the conversation in it: the way from the newest message back to the
//! first one, which calls have which results, and what is wrong.

mod builder;
mod lines;
mod path;

use recto_wire::{Kept, Role, Span};
use serde::Serialize;

pub use self::builder::{Builder, has_note};
pub use self::lines::Line;
use crate::{key::Key, target::Target};

/// Where a record stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Which file of the session, from 0.
    pub file: u32,
    /// Which line of it, or which item, from 1.
    pub line: u32,
    /// Byte offset of the line or document that its spans are in.
    pub at: u64,
    /// Length of that in bytes.
    pub bytes: u32,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A message or a part of one.
    Message(Role),
    /// The client's own compaction.
    Boundary {
        /// What came before it in fact.
        resumes: Option<Key>,
        /// From where on that is still read.
        kept: KeptFrom,
        /// To where; to the end if it is not said.
        kept_until: Option<Key>,
    },
    /// What the model does not read; others may follow it.
    Silent,
}

/// [`Kept`] without places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptFrom {
    /// Nothing is.
    Nothing,
    /// From the entry of this number on.
    Index(u64),
    /// From the record of this id on.
    Id(Key),
}

impl KeptFrom {
    pub(crate) fn of(kept: Kept, record: &[u8]) -> Self {
        match kept {
            Kept::Nothing => Self::Nothing,
            Kept::Index(index) => Self::Index(index),
            Kept::Id(id) => Self::Id(Key::of(id.of(record))),
        }
    }
}

/// A record of the session's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub kind: NodeKind,
    /// Its id.
    pub id: Option<Key>,
    /// The message that it is a part of, where several records are one.
    pub message: Option<Key>,
    /// The node before it; `None` at a beginning.
    pub parent: Option<u32>,
    /// Its items: a range of [`History::items`].
    pub items: (u32, u32),
    /// The person's messages up to here, this one too.
    pub turn: u32,
    /// The model's messages up to here, this one too.
    pub step: u32,
    /// Whether it belongs to a sub-agent's conversation.
    pub is_side: bool,
    /// Whether a later state of it stands elsewhere.
    pub is_replaced: bool,
    /// Whether it lies on the way to the newest message.
    pub is_on_path: bool,
    /// Whether the model reads it today: on that way, and not behind a compaction.
    pub is_read: bool,
}

/// What an item is; numbers are indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A text.
    Text,
    /// Reasoning.
    Thinking,
    /// A call: an index of [`History::calls`].
    Call(u32),
    /// A result: an index of [`History::results`].
    Result(u32),
    /// An image: an index of [`History::images`].
    Image(u32),
    /// A tool's definition.
    Definition,
    /// Something that is not known.
    Opaque,
}

/// A block of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its node.
    pub node: u32,
    /// What it is.
    pub kind: ItemKind,
    /// Its content, in the bytes of the node's place.
    pub raw: Span,
    /// The block that it stands in.
    pub block: Span,
    /// Unicode code points of its text.
    pub chars: u32,
    /// Tokens of its text, as the observer counts.
    pub tokens: u32,
    /// Not to be edited.
    pub frozen: bool,
    /// The result (an index of [`History::results`]) that it is a part of.
    pub result: Option<u32>,
}

/// A call of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEntry {
    /// Its item.
    pub item: u32,
    /// Its id, if it has one.
    pub id: Option<Key>,
    /// Where its id stands; empty if it has none.
    pub id_span: Span,
    /// Index of [`History::tools`].
    pub tool: u32,
    /// Where its arguments stand.
    pub arguments: Span,
    /// Tool and arguments: equal for calls that ask the same.
    pub same: Key,
    /// The file it is about.
    pub target: Option<Target>,
    /// Its result (an index of [`History::results`]).
    pub result: Option<u32>,
}

/// How far a result may be cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// Never: it is to be followed as it stands, or a program reads it.
    Never,
    /// Not while it is fresh: it may be edited next.
    WhenOld,
    /// At any time.
    #[default]
    Anytime,
}

/// A tool's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultEntry {
    /// Its item; its texts are the items after it that name it.
    pub item: u32,
    /// The id of its call, if it says one.
    pub call_id: Option<Key>,
    /// Where that id stands; empty if it says none.
    pub call_span: Span,
    /// Its call (an index of [`History::calls`]).
    pub call: Option<u32>,
    /// Whether the client says that it failed.
    pub is_error: bool,
    /// How far it may be cut.
    pub cut: Cut,
    /// Code points of all its texts.
    pub chars: u32,
    /// Tokens of all its texts.
    pub tokens: u32,
    /// Lines of all its texts.
    pub lines: u32,
    /// The key of its texts: equal for equal results.
    pub same: Key,
    /// Whether something in it cannot be edited.
    pub frozen: bool,
    /// Whether recto seems to have cut it already: its lines are not those of the file any more.
    pub is_cut: bool,
}

/// An image in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageEntry {
    /// Its item.
    pub item: u32,
    /// Its media type; `application/octet-stream` where none is said.
    pub media_type: Box<str>,
    /// Bytes of the file itself; 0 if it is not in the session or cannot be decoded.
    pub bytes: u64,
    /// Width and height in pixels.
    pub size: Option<(u32, u32)>,
}

/// Who says a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Speaker {
    /// Whoever runs the model.
    System,
    /// The person.
    Person,
    /// The model.
    Agent,
    /// The model, to itself.
    Thinking,
    /// The model, as arguments of a call.
    Call,
    /// A tool.
    Tool,
    /// A summary of what came before.
    Summary,
    /// The client.
    Client,
}

impl Speaker {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::System,
        Self::Person,
        Self::Agent,
        Self::Thinking,
        Self::Call,
        Self::Tool,
        Self::Summary,
        Self::Client,
    ];

    /// Who says the texts of such a node that stand in no result.
    pub(crate) const fn of(kind: NodeKind) -> Self {
        match kind {
            NodeKind::Message(Role::System) => Self::System,
            NodeKind::Message(Role::Assistant) => Self::Agent,
            NodeKind::Message(Role::Tool) => Self::Tool,
            NodeKind::Message(Role::Summary) | NodeKind::Boundary { .. } => Self::Summary,
            NodeKind::Message(Role::Custom) => Self::Client,
            _ => Self::Person,
        }
    }
}

/// A text, as it is handed to an [`Observer`].
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The item that it will be.
    pub item: u32,
    /// Who says it.
    pub speaker: Speaker,
    /// The text: decoded, but for arguments, which are JSON as they stand.
    pub text: &'a str,
}

/// A call, as it is handed to an [`Observer`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The file that it names.
    pub path: Option<&'a str>,
    /// The shell line that it runs.
    pub command: Option<&'a str>,
}

/// Sees every text of a session once.
pub trait Observer {
    /// Takes a text and gives its tokens; 0 if nobody counts.
    fn text(&mut self, said: &Said<'_>) -> u64;

    /// Says how far a result may be cut, by its call and its beginning.
    fn cut(&mut self, asked: &Asked<'_>, head: &str) -> Cut {
        let _ = (asked, head);
        Cut::Anytime
    }
}

/// What is wrong with a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A line that is not JSON.
    Malformed,
    /// The last line, not JSON: the session is being written, or its writer died.
    Truncated,
    /// Of a type that this version does not know.
    UnknownType,
    /// Its id was given before.
    DoubledId,
    /// It follows a record that is not there.
    MissingParent,
    /// It follows itself, by way of others.
    Cycle,
    /// A call without a result, which others follow.
    Unanswered,
    /// A call without a result, at the end: it may be running.
    Pending,
    /// A result without a call.
    OrphanResult,
    /// A result before its call.
    ResultBeforeCall,
    /// A second result of a call.
    DoubledResult,
    /// A second call of the same id.
    DoubledCall,
}

/// Something wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What.
    pub kind: ProblemKind,
    /// Where the record stands.
    pub place: Place,
    /// The item that it is about, if it is one.
    pub item: Option<u32>,
}

/// A session: see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Records, in their order.
    pub nodes: Vec<Node>,
    /// Blocks, in their order.
    pub items: Vec<Item>,
    /// Calls, in their order.
    pub calls: Vec<CallEntry>,
    /// Results, in their order.
    pub results: Vec<ResultEntry>,
    /// Images, in their order.
    pub images: Vec<ImageEntry>,
    /// Names of tools.
    pub tools: Vec<Box<str>>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Records of all kinds.
    pub records: u64,
    /// The client's compactions on the path.
    pub compactions: u32,
    /// The newest message on the path.
    pub leaf: Option<u32>,
}

impl History {
    /// The node of an item.
    #[must_use]
    pub fn node_of(&self, item: u32) -> Option<&Node> {
        self.nodes.get(self.items.get(item as usize)?.node as usize)
    }

    /// The node of a result.
    #[must_use]
    pub fn node_of_result(&self, result: u32) -> Option<&Node> {
        self.node_of(self.results.get(result as usize)?.item)
    }

    /// The items of a node, with their numbers.
    pub fn items_of(&self, node: &Node) -> impl Iterator<Item = (u32, &Item)> {
        let (first, end) = node.items;
        (first..end).filter_map(|at| Some((at, self.items.get(at as usize)?)))
    }

    /// The texts, images and other parts of a result, with their numbers.
    pub fn parts_of(&self, result: u32) -> impl Iterator<Item = (u32, &Item)> {
        let start = self.results.get(result as usize).map_or(u32::MAX, |entry| entry.item);
        let rest = self.items.get(start as usize..).unwrap_or_default();
        (start..).zip(rest).skip(1).take_while(move |(_, item)| item.result == Some(result))
    }

    /// Who says the text of an item; `None` if it has none.
    #[must_use]
    pub fn speaker_of(&self, item: u32) -> Option<Speaker> {
        let entry = self.items.get(item as usize)?;
        match entry.kind {
            ItemKind::Text if entry.result.is_some() => Some(Speaker::Tool),
            ItemKind::Text => self.nodes.get(entry.node as usize).map(|node| Speaker::of(node.kind)),
            ItemKind::Thinking => Some(Speaker::Thinking),
            ItemKind::Call(_) => Some(Speaker::Call),
            ItemKind::Definition => Some(Speaker::System),
            _ => None,
        }
    }

    /// The name of the tool that is called.
    #[must_use]
    pub fn name_of(&self, call: &CallEntry) -> &str {
        self.tools.get(call.tool as usize).map_or("", |name| &**name)
    }

    /// The tool that a result is of; empty if its call is not there.
    #[must_use]
    pub fn tool_of(&self, result: u32) -> &str {
        let entry = self.results.get(result as usize);
        let call = entry.and_then(|entry| self.calls.get(entry.call? as usize));
        call.map_or("", |call| self.name_of(call))
    }

    /// The last step on the path.
    #[must_use]
    pub fn last_step(&self) -> u32 {
        self.leaf.and_then(|leaf| self.nodes.get(leaf as usize)).map_or(0, |node| node.step)
    }
}
