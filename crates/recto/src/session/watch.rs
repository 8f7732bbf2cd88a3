//! What is looked at while a session is read.

use std::borrow::Cow;

use recto::{
    session::{
        history::{Asked, Cut, NodeKind, Observer, Said, Speaker},
        policy::Names,
    },
    tokens::Tokenizer,
    transcript::{Reading, Transcript},
    wire::Role,
};
use recto_hooks::{
    HookError,
    classes::{Call, Class, Table},
};

use crate::{failure::Outcome, output, settings::Settings};

/// Counts tokens, asks the table of classes, and remembers names if that is wanted.
pub(crate) struct Watcher {
    table: Table,
    tokenizer: Option<Tokenizer>,
    /// The names of all texts.
    pub(crate) names: Option<Names>,
}

impl Watcher {
    /// Without a tokenizer no tokens are counted, and no vocabulary is loaded.
    pub(crate) fn new(settings: &Settings, tokenizer: Option<Tokenizer>) -> Result<Self, HookError> {
        let table = Table::before(settings.classes.clone(), Table::builtin()?);
        Ok(Self { table, tokenizer, names: None })
    }

    /// Remembers names from now on.
    pub(crate) fn with_names(mut self) -> Self {
        self.names = Some(Names::default());
        self
    }
}

impl Observer for Watcher {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        if let Some(names) = &mut self.names
            && said.speaker != Speaker::System
        {
            names.push(said.item, said.speaker, said.text);
        }
        self.tokenizer.map_or(0, |tokenizer| tokenizer.counter().count(said.text))
    }

    fn cut(&mut self, asked: &Asked<'_>, head: &str) -> Cut {
        let call = Call {
            tool: Cow::Borrowed(asked.tool),
            paths: asked.path.map(Cow::Borrowed).into_iter().collect(),
            command: asked.command.map(Cow::Borrowed),
            ..Call::default()
        };
        match self.table.class(&call, head).class {
            Class::Ordinary => Cut::Anytime,
            Class::Source => Cut::WhenOld,
            _ => Cut::Never,
        }
    }
}

/// Looks at nothing.
struct Blind;

impl Observer for Blind {
    fn text(&mut self, _said: &Said<'_>) -> u64 {
        0
    }
}

/// Reads a session without counting anything.
pub(crate) fn silently(transcript: &Transcript) -> Outcome<Reading> {
    let bar = output::progress(transcript.length(), "reading");
    let reading = transcript.read(None, &mut Blind, &mut |at| bar.set_position(at))?;
    bar.finish_and_clear();
    Ok(reading)
}

/// Who says what stands in a node.
pub(crate) fn role(kind: Option<NodeKind>) -> &'static str {
    match kind {
        Some(NodeKind::Message(Role::System)) => "system",
        Some(NodeKind::Message(Role::Assistant)) => "assistant",
        Some(NodeKind::Message(Role::Tool)) => "tool",
        Some(NodeKind::Message(Role::Bash)) => "bash",
        Some(NodeKind::Message(Role::Summary) | NodeKind::Boundary { .. }) => "summary",
        Some(NodeKind::Message(Role::Custom)) => "client",
        Some(NodeKind::Message(_)) => "user",
        _ => "none",
    }
}
