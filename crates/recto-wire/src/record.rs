use recto_outline::Span;

use crate::piece::{Piece, Slot};

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Instructions of whoever runs the model (`system`, `developer`).
    System,
    /// The person, or results of tools in the name of the person.
    User,
    /// The model.
    Assistant,
    /// A tool, where results are messages of their own.
    Tool,
    /// A command that the person ran, with its output.
    Bash,
    /// A summary that stands for messages before it.
    Summary,
    /// A message of the client's own making that the model reads.
    Custom,
}

/// What comes before a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// The record before it: the form has no links.
    #[default]
    Previous,
    /// Nothing: it begins a conversation.
    Root,
    /// The record of this id, a JSON string.
    Id(Span),
}

/// From where on the messages before a compaction are still read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kept {
    /// None of them.
    #[default]
    Nothing,
    /// From the entry of this number on, counted as the client counts.
    Index(u64),
    /// From the record of this id on, a JSON string.
    Id(Span),
}

/// Where the client itself compacted the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    /// The record that came before it in fact, where [`Record::parent`] says nothing: a JSON string, or empty.
    pub resumes: Span,
    /// From where on what came before is still read, besides the record's own pieces.
    pub kept: Kept,
    /// To where it is read; empty if to the end. Only beside [`Kept::Id`].
    pub kept_until: Span,
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordKind {
    /// What is said of the session as a whole: its id, its folder.
    Session,
    /// A message, or a part of one: records of the same [`Record::message`] are one message.
    Message(Role),
    /// The pieces of a message that stands in another record, its [`Record::message`]; where that is empty, in the one that the file's
    /// folder is named after.
    Part,
    /// A compaction by the client; its pieces stand for what came before: a summary, or [`Slot::Message`](crate::Slot::Message)s.
    Boundary(Boundary),
    /// Takes back the record of this id, a JSON string, and all after it; all records if none has it.
    Rewind(Span),
    /// Tool definitions.
    Tools,
    /// The client's own, known and not read by the model.
    Silent,
    /// Of a type that this version does not know: kept, and not read.
    Unknown,
    /// Not JSON, or not an object: kept, and not read. The place is in its bytes.
    Malformed {
        /// Where.
        at: u32,
    },
    /// Nothing but blanks.
    Blank,
}

/// One line, item or file of a transcript, or one message of a body. Its spans are into the bytes that were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it is.
    pub kind: RecordKind,
    /// Where it stands in those bytes.
    pub span: Span,
    /// Its own id: a JSON string with its quotes, or empty.
    pub id: Span,
    /// What comes before it.
    pub parent: Link,
    /// The id of the message that it is or belongs to, where several records are one message: a JSON string, or empty.
    pub message: Span,
    /// When it was written: a JSON string or number, or empty.
    pub time: Span,
    /// The session's id: a JSON string, or empty.
    pub session: Span,
    /// The session's working folder: a JSON string, or empty.
    pub folder: Span,
    /// The value that says what type it is: a JSON string, or empty.
    pub type_name: Span,
    /// Whether it belongs to a sub-agent's conversation beside the main one.
    pub is_side: bool,
    /// What the model read, in its order.
    pub pieces: Vec<Piece>,
}

impl Record {
    /// Makes a record without anything in it.
    #[must_use]
    pub fn new(kind: RecordKind, span: Span) -> Self {
        let none = Span::default();
        Self {
            kind,
            span,
            id: none,
            parent: Link::default(),
            message: none,
            time: none,
            session: none,
            folder: none,
            type_name: none,
            is_side: false,
            pieces: Vec::new(),
        }
    }

    /// The same record in bytes that have `bytes` more before it.
    pub(crate) fn moved(mut self, bytes: u32) -> Self {
        let by = |span: &mut Span| {
            if *span != Span::default() {
                *span = Span { s: span.s.saturating_add(bytes), e: span.e.saturating_add(bytes) };
            }
        };
        self.span = Span { s: self.span.s.saturating_add(bytes), e: self.span.e.saturating_add(bytes) };
        for span in [
            &mut self.id,
            &mut self.message,
            &mut self.time,
            &mut self.session,
            &mut self.folder,
            &mut self.type_name,
        ] {
            by(span);
        }
        if let Link::Id(id) = &mut self.parent {
            by(id);
        }
        match &mut self.kind {
            RecordKind::Boundary(boundary) => {
                by(&mut boundary.resumes);
                by(&mut boundary.kept_until);
                if let Kept::Id(id) = &mut boundary.kept {
                    by(id);
                }
            }
            RecordKind::Rewind(id) => by(id),
            RecordKind::Malformed { at } => *at = at.saturating_add(bytes),
            _ => {}
        }
        for piece in &mut self.pieces {
            by(&mut piece.raw);
            by(&mut piece.block);
            match &mut piece.slot {
                Slot::ToolCall { id, name, arguments } => [id, name, arguments].into_iter().for_each(by),
                Slot::ToolResult { call, .. } => by(call),
                Slot::Image { media_type } => by(media_type),
                _ => {}
            }
        }
        self
    }
}
