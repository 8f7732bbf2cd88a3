//! What the scripted model answers.

use std::{fmt, sync::Arc};

use serde_json::Value;

use super::{
    Request,
    answer::{Failure, Usage},
    reading::text,
};

/// A call of a tool that the model makes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The name of the tool.
    pub name: String,
    /// Its input; a JSON string for a tool that takes free text.
    pub input: Value,
}

/// One answer of the model.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// What it thinks first; signed, so that a client which changes it is refused (Messages only).
    pub thinking: Option<String>,
    /// What it says before it calls.
    pub text: Option<String>,
    /// The calls it makes, all in this turn.
    pub calls: Vec<Call>,
    /// The usage it reports; `None` for an estimate from the sizes.
    pub usage: Option<Usage>,
    /// The error that is sent instead of all of this.
    pub(super) failure: Option<Failure>,
}

impl Turn {
    /// Says a text.
    pub fn say(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Calls a tool.
    pub fn call(name: impl Into<String>, input: Value) -> Self {
        Self::default().and_call(name, input)
    }

    /// Answers with an error of a status and of the provider's type, such as 529 and `overloaded_error`.
    pub fn fail(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        let failure = Failure { status, kind: kind.into(), message: message.into() };
        Self { failure: Some(failure), ..Self::default() }
    }

    /// Calls one more tool in the same turn.
    #[must_use]
    pub fn and_call(mut self, name: impl Into<String>, input: Value) -> Self {
        self.calls.push(Call { name: name.into(), input });
        self
    }

    /// Says a text before the calls.
    #[must_use]
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Thinks before the text.
    #[must_use]
    pub fn thinking(mut self, thinking: impl Into<String>) -> Self {
        self.thinking = Some(thinking.into());
        self
    }

    /// Reports a usage.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }
}

type Reader = dyn Fn(&Request) -> Turn + Send + Sync;

#[derive(Clone)]
enum Step {
    Fixed(Turn),
    Read(Arc<Reader>),
}

/// The answers of a scripted model, turn by turn; after the last it says "Done.".
///
/// Which turn is asked for follows from the request ([`Request::turn`]), so the script has no state: a retry gets the
/// same answer, several conversations may run at once. A request that offers no tools is a side request (a title, a
/// summary) and gets [`Self::aside`]'s text.
#[derive(Clone)]
pub struct Script {
    steps: Vec<Step>,
    aside: String,
    max_piece_bytes: Option<usize>,
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

impl Script {
    /// A model that only says "Done.".
    pub fn new() -> Self {
        Self { steps: Vec::new(), aside: "ok".to_owned(), max_piece_bytes: None }
    }

    /// Adds a turn that says a text.
    #[must_use]
    pub fn say(self, text: impl Into<String>) -> Self {
        self.turn(Turn::say(text))
    }

    /// Adds a turn that calls one tool.
    #[must_use]
    pub fn call(self, name: impl Into<String>, input: Value) -> Self {
        self.turn(Turn::call(name, input))
    }

    /// Adds a turn.
    #[must_use]
    pub fn turn(mut self, turn: Turn) -> Self {
        self.steps.push(Step::Fixed(turn));
        self
    }

    /// Adds a turn that depends on the request. If the closure panics, the client gets a 400 with the message, which
    /// is among the request's complaints too.
    #[must_use]
    pub fn then(mut self, read: impl Fn(&Request) -> Turn + Send + Sync + 'static) -> Self {
        self.steps.push(Step::Read(Arc::new(read)));
        self
    }

    /// Sets the answer to requests without tools; "ok" unless set.
    #[must_use]
    pub fn aside(mut self, text: impl Into<String>) -> Self {
        self.aside = text.into();
        self
    }

    /// Cuts streams into pieces of at most so many bytes, anywhere: within events, lines and characters. Unless set,
    /// an event is a piece.
    #[must_use]
    pub fn pieces(mut self, max_bytes: usize) -> Self {
        self.max_piece_bytes = Some(max_bytes.max(1));
        self
    }

    /// Reads a script from JSON: a list of turns, each `{"say": "text"}`, `{"call": {"name": "bash", "input": {}}}`,
    /// `{"calls": [..]}`, or several of these keys together.
    ///
    /// # Errors
    /// If the value has another shape; the error names the turn.
    pub fn from_json(value: &Value) -> Result<Self, ScriptError> {
        let turns = value.as_array().ok_or(ScriptError::NotAList)?;
        let mut script = Self::new();
        for (index, turn) in turns.iter().enumerate() {
            script = script.turn(parse_turn(turn).ok_or(ScriptError::NotATurn { index })?);
        }
        Ok(script)
    }

    /// The turn that a request gets.
    pub(super) fn play(&self, request: &Request) -> Turn {
        if request.offered_tools().is_empty() {
            return Turn::say(&self.aside);
        }
        match self.steps.get(request.turn()) {
            Some(Step::Fixed(turn)) => turn.clone(),
            Some(Step::Read(read)) => read(request),
            None => Turn::say("Done."),
        }
    }

    pub(super) fn max_piece_bytes(&self) -> Option<usize> {
        self.max_piece_bytes
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Script").field("turns", &self.steps.len()).finish_non_exhaustive()
    }
}

/// Why a JSON value is no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The value is not a list.
    #[error("a script is a JSON list of turns")]
    NotAList,
    /// An element of the list is no turn.
    #[error(
        "turn {index} of the script is none: use {{\"say\": \"text\"}}, {{\"call\": {{\"name\": \"bash\", \"input\": {{}}}}}} or {{\"calls\": [..]}}"
    )]
    NotATurn {
        /// The index in the list, from 0.
        index: usize,
    },
}

fn parse_turn(value: &Value) -> Option<Turn> {
    let members = value.as_object()?;
    if members.is_empty() {
        return None;
    }
    let mut turn = Turn::default();
    for (key, value) in members {
        match key.as_str() {
            "say" => turn.text = Some(value.as_str()?.to_owned()),
            "think" => turn.thinking = Some(value.as_str()?.to_owned()),
            "call" => turn.calls.push(parse_call(value)?),
            "calls" => {
                for call in value.as_array()? {
                    turn.calls.push(parse_call(call)?);
                }
            }
            _ => return None,
        }
    }
    Some(turn)
}

fn parse_call(value: &Value) -> Option<Call> {
    let name = text(value, "name");
    let input = value.get("input")?.clone();
    (!name.is_empty()).then(|| Call { name: name.to_owned(), input })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Script, ScriptError, parse_turn};
    use crate::upstream::Turn;

    #[test]
    fn turns_are_read_from_json() {
        assert_eq!(parse_turn(&json!({ "say": "hi" })), Some(Turn::say("hi")));
        let call = json!({ "say": "look", "calls": [{ "name": "a", "input": {} }, { "name": "b", "input": "text" }] });
        let expected = Turn::call("a", json!({})).and_call("b", json!("text")).saying("look");
        assert_eq!(parse_turn(&call), Some(expected));
        assert_eq!(Script::from_json(&json!({})).unwrap_err(), ScriptError::NotAList);
        for wrong in
            [json!({}), json!({ "tell": "x" }), json!({ "call": { "name": "a" } }), json!({ "say": 1 })]
        {
            let error = Script::from_json(&json!([{ "say": "hi" }, wrong])).unwrap_err();
            assert_eq!(error, ScriptError::NotATurn { index: 1 });
        }
    }
}
