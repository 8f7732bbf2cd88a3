//! Extensions of other agents: they ask with the texts of a result and get texts back, and keep their own shapes to themselves.
//!
//! The question is `{"tool", "input", "texts", "session"?, "byProgram"?, "persisted"?}`, the last a file that holds the whole of a text
//! of which the agent shows a part, `{"path", "text"}`; the answer has one entry for each text, `null` where it
//! stands as it is: `{"texts": [null, "..."]}`. To ask about a call before it is made, `texts` is left out: the answer is then
//! `{"deny": "reason"}` if the call must not be made.
//!
//! Before a request they ask with all results that are in it, [`Shown`]: `{"session", "results": [{"id", "nth"?, "texts"}]}`. The answer names those
//! of which a text was replaced earlier, by their places in the question, and says of how many calls of the session anything was decided: `{"results": [{"at", "texts": [null, "..."]}],
//! "decided": 1}`; an empty text goes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{HookError, Persisted, Text, classes::Call, members::Members};

/// A question of an extension.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question<'a> {
    /// The tool's name.
    #[serde(borrow)]
    tool: Cow<'a, str>,
    /// The call's arguments.
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    /// The texts of the result.
    #[serde(borrow, default)]
    texts: Option<Vec<Cow<'a, str>>>,
    /// The session's file or id.
    #[serde(borrow, default)]
    session: Cow<'a, str>,
    /// Whether a program made the call.
    #[serde(default)]
    by_program: bool,
    #[serde(default)]
    persisted: Option<Persisted>,
}

impl<'a> Question<'a> {
    /// Reads a question; members that are not known are passed over.
    ///
    /// # Errors
    /// [`HookError::Event`].
    pub fn parse(text: &'a str) -> Result<Self, HookError> {
        Ok(serde_json::from_str(text)?)
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The session's file or id; empty if the extension names none.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The call's arguments.
    #[must_use]
    pub fn arguments(&self) -> Option<&'a RawValue> {
        self.input
    }

    /// The call, as far as the class of its result hangs on it.
    #[must_use]
    pub fn call(&self) -> Call<'a> {
        let input = self.input.and_then(|raw| Members::parse(raw).ok()).unwrap_or_default();
        let any = |names: &[&str]| names.iter().find_map(|name| input.string(name));
        Call {
            tool: self.tool.clone(),
            paths: input.paths(),
            command: any(&["command", "cmd", "script"]),
            is_ranged: ["offset", "limit", "start_line", "end_line", "view_range"]
                .iter()
                .any(|name| input.raw(name).is_some()),
            by_program: self.by_program,
        }
    }

    /// The file that holds the whole of a text, if the agent shows a part of it.
    #[must_use]
    pub fn persisted(&self) -> Option<&Persisted> {
        self.persisted.as_ref()
    }

    /// The texts of the result; `None` if the question is about a call before it is made.
    #[must_use]
    pub fn into_texts(self) -> Option<Vec<Text<'a>>> {
        self.texts.map(|texts| texts.into_iter().map(Text::new).collect())
    }
}

/// The results that stand in a request.
#[derive(Debug, Deserialize)]
pub struct Shown<'a> {
    /// The session's file or id.
    #[serde(borrow)]
    pub session: Cow<'a, str>,
    /// The results, in their order.
    #[serde(borrow)]
    pub results: Vec<ShownResult<'a>>,
}

/// A result in a request.
#[derive(Debug, Deserialize)]
pub struct ShownResult<'a> {
    /// The id of its call.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// How many others of that id come before it, where not all results are asked about.
    #[serde(default)]
    pub nth: Option<u32>,
    /// Its texts.
    #[serde(borrow)]
    pub texts: Vec<Cow<'a, str>>,
}

/// What stands in the place of a result's texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The result's place in the question.
    pub at: usize,
    /// A text for each of the result's; `None` for one that stands.
    pub texts: Vec<Option<String>>,
}

impl<'a> Shown<'a> {
    /// Reads a question; members that are not known are passed over.
    ///
    /// # Errors
    /// [`HookError::Event`].
    pub fn parse(text: &'a str) -> Result<Self, HookError> {
        Ok(serde_json::from_str(text)?)
    }
}

/// The answer about a request. `decided` counts the calls of the session of which anything was decided.
///
/// # Errors
/// Never: texts have JSON.
pub fn standing(results: &[Standing], decided: usize) -> Result<String, HookError> {
    #[derive(Serialize)]
    struct Answer<'s> {
        results: &'s [Standing],
        decided: usize,
    }
    Ok(serde_json::to_string(&Answer { results, decided })?)
}

/// The answer about a result.
///
/// # Errors
/// Never: texts have JSON.
pub fn answer(texts: &[Text<'_>]) -> Result<String, HookError> {
    #[derive(Serialize)]
    struct Answer<'t> {
        texts: Vec<Option<&'t str>>,
    }
    Ok(serde_json::to_string(&Answer { texts: texts.iter().map(Text::replacement).collect() })?)
}

/// The answer about a call that must not be made.
///
/// # Errors
/// Never: a text has JSON.
pub fn denial(reason: &str) -> Result<String, HookError> {
    Ok(serde_json::to_string(&serde_json::json!({ "deny": reason }))?)
}
