//! An event that has no number yet.

use crate::error::SessionError;
use crate::event::{Event, Parent};
use crate::json;
use crate::kind::EventKind;
use crate::surface_op::SurfaceOp;

/// An event before a log has given it a number.
///
/// ```
/// use recto_session::{Draft, EventKind, Log};
///
/// let mut log = Log::new();
/// let asked = Draft::new(EventKind::User).turn(1).data(r#"{"content":"Which flights?"}"#)?;
/// assert_eq!(log.append(&asked)?.json(), r#"{"seq":0,"turn":1,"kind":"message/user","data":{"content":"Which flights?"}}"#);
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Draft {
    kind: EventKind,
    turn: Option<Box<str>>,
    step: Option<Box<str>>,
    data: Option<Box<str>>,
    surface_op: Option<SurfaceOp>,
    source_event_seqs: Vec<u64>,
    parent: Parent,
}

impl Draft {
    /// Begins an event of a kind, without data.
    #[must_use]
    pub const fn new(kind: EventKind) -> Self {
        Self {
            kind,
            turn: None,
            step: None,
            data: None,
            surface_op: None,
            source_event_seqs: Vec::new(),
            parent: Parent::Previous,
        }
    }

    /// Sets the turn.
    #[must_use]
    pub fn turn(mut self, turn: u64) -> Self {
        self.turn = Some(turn.to_string().into());
        self
    }

    /// Sets the step.
    #[must_use]
    pub fn step(mut self, step: u64) -> Self {
        self.step = Some(step.to_string().into());
        self
    }

    /// Takes turn and step from another event, however they are written.
    #[must_use]
    pub fn at(mut self, event: &Event) -> Self {
        self.turn = event.turn_json().map(Into::into);
        self.step = event.step_json().map(Into::into);
        self
    }

    /// Sets the data, a JSON object. It is kept as it is written.
    ///
    /// # Errors
    /// The text is no JSON object.
    pub fn data(mut self, text: &str) -> Result<Self, SessionError> {
        let text =
            json::checked(text).map_err(|source| SessionError::NotJson { what: "the data", source })?;
        if !text.starts_with('{') {
            return Err(SessionError::field("data", "a JSON object", Some(text)));
        }
        self.data = Some(text.replace(['\n', '\r'], " ").into());
        Ok(self)
    }

    /// Sets the data to a text that is checked already.
    pub(crate) fn checked_data(mut self, text: String) -> Self {
        self.data = Some(text.into());
        self
    }

    /// Sets what the event does to the nodes before it.
    #[must_use]
    pub fn surface_op(mut self, op: SurfaceOp) -> Self {
        self.surface_op = Some(op);
        self
    }

    /// Names the events that this one was made from.
    #[must_use]
    pub fn source_event_seqs(mut self, seqs: &[u64]) -> Self {
        self.source_event_seqs = seqs.to_vec();
        self
    }

    /// Sets which event this one follows.
    #[must_use]
    pub const fn parent(mut self, parent: Parent) -> Self {
        self.parent = parent;
        self
    }

    /// Writes the event under a number.
    pub(crate) fn to_json(&self, seq: u64) -> String {
        let mut json = format!(r#"{{"seq":{seq}"#);
        let mut field = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                json.push_str(&format!(r#","{name}":"#));
                json.push_str(value);
            }
        };
        let parent = match self.parent {
            Parent::Previous => None,
            Parent::Root => Some("null".to_owned()),
            Parent::Seq(seq) => Some(seq.to_string()),
        };
        field("parent", parent.as_deref());
        field("turn", self.turn.as_deref());
        field("step", self.step.as_deref());
        field("kind", Some(&json::quoted(self.kind.as_str())));
        field("data", self.data.as_deref());
        field("surfaceOp", self.surface_op.as_ref().map(SurfaceOp::to_json).as_deref());
        if !self.source_event_seqs.is_empty() {
            let seqs: Vec<_> = self.source_event_seqs.iter().map(u64::to_string).collect();
            field("sourceEventSeqs", Some(&format!("[{}]", seqs.join(","))));
        }
        json.push('}');
        json
    }
}
