//! The append-only list of a session's events.

mod tips;

use std::{borrow::Cow, sync::OnceLock};

use self::tips::Tips;
use crate::draft::Draft;
use crate::error::SessionError;
use crate::event::{Event, Parent};
use crate::projection::Projection;

/// A session: an append-only list of events, numbered without gaps, and what a model reads of it.
///
/// Laws: an event that is refused leaves the log as it was. Histories are trees: an event follows the one before it, or the one that it names as its
/// `parent`; the projection of a **leaf** folds the events from the root to it. No state is kept but the events: reading
/// [`Log::to_jsonl`] gives an equal log.
///
/// Appending to one of the 16 newest branches folds one event. What begins a branch anywhere else is folded from its root when its projection is
/// asked for, or when an event replaces something in it.
///
/// ```
/// use recto_session::Log;
///
/// let log = Log::from_jsonl(concat!(
///     r#"{"seq":0,"kind":"message/user","data":{"content":"Which?"}}"#, "\n",
///     r#"{"seq":1,"kind":"message/assistant","data":{"content":"This."}}"#, "\n",
///     r#"{"seq":2,"kind":"message/assistant","parent":0,"data":{"content":"That."}}"#, "\n",
/// ))?;
/// assert_eq!(log.leaves(), [1, 2]);
/// assert_eq!(log.projection().to_json(), r#"{"replaceGeneration":0,"nodes":[{"seq":0},{"seq":2}]}"#);
/// assert_eq!(log.projection_of(1)?.len(), 2);
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Log {
    events: Vec<Event>,
    tips: Tips,
    /// The projection of the newest leaf, where no tip has it.
    newest: OnceLock<Projection>,
}

impl PartialEq for Log {
    /// Logs are equal if their events are written alike.
    fn eq(&self, other: &Self) -> bool {
        self.events == other.events
    }
}

impl Eq for Log {}

impl Log {
    /// Begins an empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a log: one event a line. Empty lines are skipped.
    ///
    /// # Errors
    /// A line is no event, or an event that does not follow from those before it. The error says which line.
    pub fn from_jsonl(text: &str) -> Result<Self, SessionError> {
        let mut log = Self::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim_ascii().is_empty()).peekable();
        while let Some((line, number)) = lines.next() {
            let appended = Event::from_json(line).and_then(|event| log.append_event(event).map(drop));
            appended.map_err(|source| {
                let is_last = lines.peek().is_none();
                let hint = match source {
                    SessionError::NotJson { .. } if is_last => {
                        "the last write was cut short: remove this line, the events before it are whole"
                    }
                    SessionError::NotJson { .. } => "restore the line from a copy: a log is one event a line",
                    SessionError::Seq { .. } => {
                        "a line is missing or stands twice: restore it, or remove the copy"
                    }
                    _ => "the lines before it are right: correct this one, or end the log before it",
                };
                SessionError::Line { line: number, hint, source: Box::new(source) }
            })?;
        }
        Ok(log)
    }

    /// Writes the log: one event a line, each as it was read.
    #[must_use]
    pub fn to_jsonl(&self) -> String {
        let mut text = String::with_capacity(self.events.iter().map(|event| event.json().len() + 1).sum());
        for event in &self.events {
            text.push_str(event.json());
            text.push('\n');
        }
        text
    }

    /// Appends an event under the next number: 0 in an empty log.
    ///
    /// # Errors
    /// The parent is not in the log, or the projection refuses the event; the log is unchanged then.
    pub fn append(&mut self, draft: &Draft) -> Result<&Event, SessionError> {
        self.append_event(Event::from_draft(self.next_seq()?, draft)?)
    }

    /// Appends an event with a note before it, which nobody is shown: both or, if the event is refused, neither.
    pub(crate) fn append_with_note(&mut self, note: &Draft, draft: &Draft) -> Result<(), SessionError> {
        let seq = self.next_seq()?;
        let event = Event::from_draft(seq.checked_add(1).ok_or(SessionError::Full)?, draft)?;
        self.projection().check(&event)?;
        self.append_event(Event::from_draft(seq, note)?)?;
        self.append_event(event).map(drop)
    }

    fn next_seq(&self) -> Result<u64, SessionError> {
        self.events.last().map_or(Ok(0), |last| last.seq().checked_add(1).ok_or(SessionError::Full))
    }

    /// Appends an event that has a number already. The first event's may be any, each other's is the next.
    ///
    /// # Errors
    /// As [`Log::append`]; and if the number is not the next.
    pub fn append_event(&mut self, event: Event) -> Result<&Event, SessionError> {
        let expected = self.next_seq()?;
        if event.seq() != expected && !self.events.is_empty() {
            return Err(SessionError::Seq { expected, found: event.seq() });
        }
        let parent = match event.parent() {
            Parent::Previous => self.events.last().map(Event::seq),
            Parent::Root => None,
            Parent::Seq(seq) => {
                self.get(seq).ok_or(SessionError::NoEvent { what: "the parent", seq })?;
                Some(seq)
            }
        };
        if let Some(projection) = self.tips.find(parent) {
            projection.apply(&event)?;
            self.tips.advance(parent, event.seq());
        } else if parent.is_none() || event.surface_op().is_some() {
            let mut projection = match parent {
                Some(parent) => self.fold(parent)?,
                None => Projection::default(),
            };
            projection.apply(&event)?;
            self.tips.add(event.seq(), projection);
        }
        // An event that replaces nothing is never refused: it can wait to be folded.
        self.newest.take();
        Ok(self.events.push_mut(event))
    }

    /// Returns all events in the order in which they were appended.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns an event by its number.
    #[must_use]
    pub fn get(&self, seq: u64) -> Option<&Event> {
        let first = self.events.first()?.seq();
        self.events.get(usize::try_from(seq.checked_sub(first)?).ok()?)
    }

    /// Returns the number of the event that an event follows; `None` for a root, and for what is not in the log.
    #[must_use]
    pub fn parent(&self, seq: u64) -> Option<u64> {
        match self.get(seq)?.parent() {
            Parent::Previous => self.get(seq.checked_sub(1)?).map(Event::seq),
            Parent::Root => None,
            Parent::Seq(parent) => Some(parent),
        }
    }

    /// Returns the newest leaf: the event that was appended last.
    #[must_use]
    pub fn leaf(&self) -> Option<u64> {
        self.events.last().map(Event::seq)
    }

    /// Returns the events that none follows, in the order of their numbers.
    #[must_use]
    pub fn leaves(&self) -> Vec<u64> {
        let seqs = || self.events.iter().map(Event::seq);
        let parents: std::collections::BTreeSet<_> = seqs().filter_map(|seq| self.parent(seq)).collect();
        seqs().filter(|seq| !parents.contains(seq)).collect()
    }

    /// Returns the numbers of the events from the root to one of them; empty if it is not in the log.
    #[must_use]
    pub fn path(&self, leaf: u64) -> Vec<u64> {
        let first = self.get(leaf).map(Event::seq);
        let mut path: Vec<_> = std::iter::successors(first, |seq| self.parent(*seq)).collect();
        path.reverse();
        path
    }

    /// Returns the projection of the newest leaf.
    #[must_use]
    pub fn projection(&self) -> &Projection {
        let Some(leaf) = self.leaf() else { return self.tips.empty() };
        match self.tips.get(leaf) {
            Some(projection) => projection,
            // Every event of it was taken, so it folds.
            None => self.newest.get_or_init(|| self.fold(leaf).unwrap_or_default()),
        }
    }

    /// Returns the projection of any event: what the model read when it was the last on its branch.
    ///
    /// # Errors
    /// The event is not in the log.
    pub fn projection_of(&self, leaf: u64) -> Result<Cow<'_, Projection>, SessionError> {
        if let Some(projection) = self.tips.get(leaf) {
            return Ok(Cow::Borrowed(projection));
        }
        self.get(leaf).ok_or(SessionError::NoEvent { what: "the leaf", seq: leaf })?;
        self.fold(leaf).map(Cow::Owned)
    }

    /// Folds a branch from its root.
    fn fold(&self, leaf: u64) -> Result<Projection, SessionError> {
        let mut projection = Projection::default();
        for event in self.path(leaf).into_iter().filter_map(|seq| self.get(seq)) {
            projection.apply(event)?;
        }
        Ok(projection)
    }
}
