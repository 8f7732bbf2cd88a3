//! What an event is.

use std::fmt;

/// Names what an event is, as its field `kind` spells it.
///
/// A kind that begins with `message/` or `tool/` is shown to the model: it appends a node to the projection. The others are kept in the
/// log and shown as nothing, unless they replace something (a commit's blocks do).
///
/// ```
/// use recto_session::EventKind;
///
/// assert_eq!(EventKind::from("tool/result"), EventKind::ToolResult);
/// assert!(EventKind::from("tool/result").is_shown());
/// assert_eq!(EventKind::from("x/new").as_str(), "x/new");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// `message/user`
    User,
    /// `message/assistant`
    Assistant,
    /// `message/system`
    System,
    /// `message/bash`: a command that the person ran, with `command` and `output` in its data.
    Bash,
    /// `message/custom`: what a client's extension put into the conversation.
    Custom,
    /// `tool/call`, with `callId`, `name` and `arguments` in its data.
    ToolCall,
    /// `tool/result`, with `callId` and `content` in its data.
    ToolResult,
    /// `compaction/prune`: which nodes the next event replaces, and how much they were.
    Prune,
    /// `compaction/plan`: a revision of a plan.
    Plan,
    /// `compaction/commit`: blocks that stand in for ranges.
    Commit,
    /// `compaction/undo`: takes a commit back.
    Undo,
    /// `note`
    Note,
    /// Any other kind, kept and passed through.
    Other(Box<str>),
}

impl EventKind {
    /// Returns the kind as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "message/user",
            Self::Assistant => "message/assistant",
            Self::System => "message/system",
            Self::Bash => "message/bash",
            Self::Custom => "message/custom",
            Self::ToolCall => "tool/call",
            Self::ToolResult => "tool/result",
            Self::Prune => "compaction/prune",
            Self::Plan => "compaction/plan",
            Self::Commit => "compaction/commit",
            Self::Undo => "compaction/undo",
            Self::Note => "note",
            Self::Other(name) => name,
        }
    }

    /// Tells whether an event of this kind appends a node to the projection.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.as_str().starts_with("message/") || self.as_str().starts_with("tool/")
    }

    /// Tells whether an event of this kind may stand in for others: all but those that no model is ever shown.
    pub(crate) const fn may_replace(&self) -> bool {
        !matches!(self, Self::Prune | Self::Plan | Self::Undo | Self::Note)
    }
}

impl From<&str> for EventKind {
    fn from(name: &str) -> Self {
        match name {
            "message/user" => Self::User,
            "message/assistant" => Self::Assistant,
            "message/system" => Self::System,
            "message/bash" => Self::Bash,
            "message/custom" => Self::Custom,
            "tool/call" => Self::ToolCall,
            "tool/result" => Self::ToolResult,
            "compaction/prune" => Self::Prune,
            "compaction/plan" => Self::Plan,
            "compaction/commit" => Self::Commit,
            "compaction/undo" => Self::Undo,
            "note" => Self::Note,
            other => Self::Other(other.into()),
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}
