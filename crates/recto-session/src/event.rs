//! One event of a session, as it is written.

use std::ops::Range;

use crate::content::Content;
use crate::draft::Draft;
use crate::error::SessionError;
use crate::json;
use crate::kind::EventKind;
use crate::surface_op::SurfaceOp;

/// One event of a session: `{seq, turn, step, kind, data, surfaceOp?, sourceEventSeqs?, parent?}`.
///
/// Law: [`Event::json`] is the text that was read, byte for byte, unknown fields and all. Of a field that occurs twice the last counts.
/// `seq` and `kind` must be there; a field that has a known form must have it.
///
/// ```
/// use recto_session::{Event, EventKind};
///
/// let line = r#"{"seq":7,"kind":"message/user","data":{"content":"hi","big":12345678901234567890.0},"new":[1,1.0]}"#;
/// let event = Event::from_json(line)?;
/// assert_eq!((event.seq(), event.kind()), (7, &EventKind::User));
/// assert_eq!(event.json(), line);
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    raw: Box<str>,
    seq: u64,
    kind: EventKind,
    parent: Parent,
    surface_op: Option<SurfaceOp>,
    source_event_seqs: Vec<u64>,
    turn: Option<Range<usize>>,
    step: Option<Range<usize>>,
    data: Option<Range<usize>>,
}

/// Which event an event follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parent {
    /// The one before it in the log: nothing is written.
    #[default]
    Previous,
    /// None: it begins a conversation of its own (`"parent":null`).
    Root,
    /// The event with this seq.
    Seq(u64),
}

impl Event {
    /// Reads an event from its JSON.
    ///
    /// # Errors
    /// The text is not a JSON object, or a known field has a value of the wrong form.
    pub fn from_json(text: &str) -> Result<Self, SessionError> {
        let text =
            json::checked(text).map_err(|source| SessionError::NotJson { what: "the event", source })?;
        if !text.starts_with('{') {
            return Err(SessionError::field("text", "a JSON object", Some(text)));
        }
        // Outside of strings, where alone JSON may have them, line breaks would break a log's lines.
        let raw: Box<str> =
            if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ").into() } else { text.into() };
        Self::from_checked(raw)
    }

    fn from_checked(raw: Box<str>) -> Result<Self, SessionError> {
        let (mut seq, mut kind, mut parent, mut op, mut sources) = (None, None, None, None, None);
        let (mut turn, mut step, mut data) = (None, None, None);
        for member in json::members(&raw) {
            let key = raw.get(member.key).map(json::decode).unwrap_or_default();
            let field = match &*key {
                "seq" => &mut seq,
                "kind" => &mut kind,
                "parent" => &mut parent,
                "surfaceOp" => &mut op,
                "sourceEventSeqs" => &mut sources,
                "turn" => &mut turn,
                "step" => &mut step,
                "data" => &mut data,
                _ => continue,
            };
            *field = Some(member.value);
        }
        let text = |range: &Option<Range<usize>>| range.clone().and_then(|range| raw.get(range));
        let present = |range: &Option<Range<usize>>| text(range).filter(|value| *value != "null");
        let seq_value = text(&seq).and_then(json::integer);
        let seq_value =
            seq_value.ok_or_else(|| SessionError::field("seq", "an integer from 0", text(&seq)))?;
        let kind_value = text(&kind).and_then(json::string).map(|name| EventKind::from(&*name));
        let kind_value = kind_value.ok_or_else(|| SessionError::field("kind", "a string", text(&kind)))?;
        let parent_value = match text(&parent) {
            None => Parent::Previous,
            Some("null") => Parent::Root,
            Some(value) => {
                let wrong = || SessionError::field("parent", "an earlier event's seq, or null", Some(value));
                Parent::Seq(json::integer(value).ok_or_else(wrong)?)
            }
        };
        let surface_op = present(&op).map(SurfaceOp::parse).transpose()?;
        let source_event_seqs = present(&sources).map(seqs).transpose()?.unwrap_or_default();
        Ok(Self {
            seq: seq_value,
            kind: kind_value,
            parent: parent_value,
            surface_op,
            source_event_seqs,
            turn,
            step,
            data,
            raw,
        })
    }

    /// Writes a draft down under a number. What a draft holds is checked JSON already.
    pub(crate) fn from_draft(seq: u64, draft: &Draft) -> Result<Self, SessionError> {
        Self::from_checked(draft.to_json(seq).into())
    }

    /// Returns the event as it is written: one line of JSON, without a line break.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.raw
    }

    /// Returns the event's number in its log.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns what the event is.
    #[must_use]
    pub const fn kind(&self) -> &EventKind {
        &self.kind
    }

    /// Returns which event this one follows, as it is written.
    #[must_use]
    pub const fn parent(&self) -> Parent {
        self.parent
    }

    /// Returns the turn (from one user message to the next), if it is an integer.
    #[must_use]
    pub fn turn(&self) -> Option<u64> {
        json::integer(self.turn_json()?)
    }

    /// Returns the step (one call of the model) within the turn, if it is an integer.
    #[must_use]
    pub fn step(&self) -> Option<u64> {
        json::integer(self.step_json()?)
    }

    pub(crate) fn turn_json(&self) -> Option<&str> {
        self.raw.get(self.turn.clone()?)
    }

    pub(crate) fn step_json(&self) -> Option<&str> {
        self.raw.get(self.step.clone()?)
    }

    /// Returns the data as JSON; `{}` if there is none.
    #[must_use]
    pub fn data(&self) -> &str {
        self.data.clone().and_then(|range| self.raw.get(range)).unwrap_or("{}")
    }

    /// Returns one field of the data as JSON, the last of its name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        json::value(self.data(), name)
    }

    /// Returns `data.callId` as JSON, which joins a call to its result; `None` if it is absent or null.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        self.field("callId").filter(|value| *value != "null")
    }

    /// Reads `data.content`; `None` if it is neither a string nor an array.
    #[must_use]
    pub fn content(&self) -> Option<Content<'_>> {
        self.field("content").and_then(Content::read)
    }

    /// Returns what the event does to the nodes before it.
    #[must_use]
    pub const fn surface_op(&self) -> Option<&SurfaceOp> {
        self.surface_op.as_ref()
    }

    /// Returns the seqs of the events that this one was made from; mostly none.
    #[must_use]
    pub fn source_event_seqs(&self) -> &[u64] {
        &self.source_event_seqs
    }
}

fn seqs(value: &str) -> Result<Vec<u64>, SessionError> {
    let wrong = || SessionError::field("sourceEventSeqs", "an array of seqs", Some(value));
    if !value.starts_with('[') {
        return Err(wrong());
    }
    let numbers = json::elements(value).into_iter();
    numbers.map(|range| value.get(range).and_then(json::integer).ok_or_else(wrong)).collect()
}
