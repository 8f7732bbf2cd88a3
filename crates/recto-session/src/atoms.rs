//! Atoms: the smallest units of a projection that may be replaced.

mod base64;
mod group;
mod image;
mod metrics;
mod of_history;
mod text;
mod tokens;

use std::fmt;

pub use self::image::ImageFacts;
pub use self::metrics::Metrics;
pub use self::tokens::TokenFigures;

use crate::event::Event;
use crate::history::History;
use crate::log::Log;
use crate::projection::{Node, Projection};
use recto_tokens::Counter;

/// What an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AtomKind {
    /// A user's message.
    User,
    /// An assistant's message that calls no tool.
    Assistant,
    /// An assistant's message with one or more tool calls, and all of their results.
    ToolExchange,
    /// A command that the person ran.
    Bash,
    /// A committed block.
    Compressed,
    /// What a client's extension put in.
    Custom,
    /// A tool's result that answers no call.
    OrphanToolResult,
    /// A system message, or a kind that this version does not know.
    Other,
}

impl AtomKind {
    /// Returns the kind's name on the wire, such as `tool_exchange`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::ToolExchange => "tool_exchange",
            Self::Bash => "bash",
            Self::Compressed => "compressed",
            Self::Custom => "custom",
            Self::OrphanToolResult => "orphan_tool_result",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for AtomKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Why an atom may not be replaced. Displayed, it is a reason for people to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Protection {
    /// A call in it has no result.
    CallWithoutResult,
    /// It is a result without its call.
    ResultWithoutCall,
    /// It is a committed block.
    CommittedBlock,
    /// It is a system message.
    SystemMessage,
    /// Its kind is not known to this version.
    UnknownKind,
    /// A message in it has no persistent id.
    NoPersistentId,
    /// Another atom stands between its first node and its last.
    Interleaved,
    /// It holds thinking of the newest assistant turn.
    NewestThinking,
}

impl fmt::Display for Protection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::CallWithoutResult => "a tool call in it has no result yet",
            Self::ResultWithoutCall => "it is a tool result without its call",
            Self::CommittedBlock => "it is a committed block",
            Self::SystemMessage => "it is a system message",
            Self::UnknownKind => "its kind is unknown",
            Self::NoPersistentId => "a message in it has no persistent id",
            Self::Interleaved => "another message stands between its call and its result",
            Self::NewestThinking => "it holds thinking of the newest assistant turn",
        })
    }
}

/// One smallest unit that may be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Atom {
    /// Its name in this snapshot: `a0001`, `a0002` and so on.
    pub name: Box<str>,
    /// What it is.
    pub kind: AtomKind,
    /// Why it may not be replaced, if it may not: the first reason in the order of [`Protection`].
    pub protection: Option<Protection>,
    /// The positions of its nodes in the projection, counted from 0, rising.
    pub positions: Vec<usize>,
    /// The events of its nodes, in the order of positions.
    pub seqs: Vec<u64>,
    /// What is in it.
    pub metrics: Metrics,
}

/// The atoms of one projection, in the order in which they begin.
///
/// Laws: each node is in exactly one atom. Names are positions in this snapshot and mean nothing in another. A call and its result are in one atom, so that a range of whole
/// atoms that are not protected parts none.
///
/// ```
/// use recto_session::{AtomKind, Atoms, Log};
///
/// let log = Log::from_jsonl(concat!(
///     r#"{"seq":0,"kind":"message/user","data":{"content":"Which?"}}"#, "\n",
///     r#"{"seq":1,"kind":"message/assistant","data":{"content":"I look."}}"#, "\n",
///     r#"{"seq":2,"kind":"tool/call","data":{"callId":"c","name":"ls","arguments":{"path":"."}}}"#, "\n",
///     r#"{"seq":3,"kind":"tool/result","data":{"callId":"c","content":"a b"}}"#, "\n",
/// ))?;
/// let atoms = Atoms::of(&log, log.projection());
/// let exchange = &atoms.all()[1];
/// assert_eq!((&*exchange.name, exchange.kind), ("a0002", AtomKind::ToolExchange));
/// assert_eq!(exchange.seqs, [1, 2, 3]);
/// assert_eq!(exchange.metrics.content_chars, 7 + 2 + 12 + 3);
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atoms {
    atoms: Vec<Atom>,
}

impl Atoms {
    /// Groups a projection of a log. Its events are what is persistent: each has an id.
    #[must_use]
    pub fn of(log: &Log, projection: &Projection) -> Self {
        Self::with_ids(log, projection, &|_| true)
    }

    /// Groups a projection of a log some of whose messages may have no persistent id: the caller says which have one.
    #[must_use]
    pub fn with_ids(log: &Log, projection: &Projection, has_id: &dyn Fn(&Event) -> bool) -> Self {
        Self { atoms: group::atoms(log, projection, has_id) }
    }

    /// Groups what the model reads of a client's session today. The atoms' `seqs` are indices of [`History::nodes`], their positions count the nodes
    /// that are read and in which something is said. A client's own summaries are [`AtomKind::Custom`].
    #[must_use]
    pub fn of_history(history: &History) -> Self {
        Self { atoms: of_history::atoms(history) }
    }

    /// Returns the atoms in order.
    #[must_use]
    pub fn all(&self) -> &[Atom] {
        &self.atoms
    }

    /// Finds an atom by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Atom> {
        let number: usize = name.strip_prefix('a')?.parse().ok()?;
        self.atoms.get(number.checked_sub(1)?).filter(|atom| &*atom.name == name)
    }

    /// Sums up what is in some atoms; images are numbered anew.
    #[must_use]
    pub fn metrics<'a>(atoms: impl IntoIterator<Item = &'a Atom>) -> Metrics {
        let mut sum = Metrics::default();
        for atom in atoms {
            sum.add(&atom.metrics);
        }
        sum
    }
}

/// Counts the tokens of a projection's nodes at some positions, with the caller's counter.
///
/// What is text, Base64 and image stays apart, so that nobody takes one for the other.
#[must_use]
pub fn token_figures(
    log: &Log,
    projection: &Projection,
    positions: &[usize],
    counter: &dyn Counter,
) -> TokenFigures {
    let nodes: Vec<&Node> = projection.nodes().collect();
    let mut figures = TokenFigures::new(counter.tokenizer());
    for node in positions.iter().filter_map(|position| nodes.get(*position)) {
        if let Some(event) = log.get(node.seq()) {
            figures.add(event, node.part(), counter);
        }
    }
    figures
}
