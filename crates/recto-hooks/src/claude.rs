//! Claude Code: the events of its hooks, and answers that it takes.
//!
//! Seen in 2.1.197: `updatedToolOutput` must parse by the tool's own schema, else the original stands; failing shell commands raise
//! `PostToolUseFailure`, whose text no hook can replace; what a shell prints beyond about 30 kB is kept in a file that
//! `persistedOutputPath` names, and the model is shown its beginning.

mod result;
mod saved;

use std::borrow::Cow;

use serde_json::value::RawValue;

pub use self::result::ToolResult;
use self::result::Unknown;
use crate::{
    HookError,
    classes::Call,
    members::{Members, string},
};

/// An event of a hook, read lazily: what is not asked for is not decoded.
#[derive(Debug)]
pub struct Event<'a> {
    members: Members<'a>,
    /// The tool's input, where the event has an object as one.
    input: Members<'a>,
}

impl<'a> Event<'a> {
    /// Reads an event as it stands on stdin.
    ///
    /// # Errors
    /// [`HookError::Event`] if it is no JSON object.
    pub fn parse(text: &'a str) -> Result<Self, HookError> {
        let members: Members<'a> = serde_json::from_str(text)?;
        let input = members.raw("tool_input").and_then(|raw| Members::parse(raw).ok()).unwrap_or_default();
        Ok(Self { members, input })
    }

    /// The event's name, such as `PostToolUse`.
    #[must_use]
    pub fn name(&self) -> Cow<'a, str> {
        self.text("hook_event_name")
    }

    /// The tool's name; empty where the event is about none.
    #[must_use]
    pub fn tool(&self) -> Cow<'a, str> {
        self.text("tool_name")
    }

    /// The session's id.
    #[must_use]
    pub fn session(&self) -> Cow<'a, str> {
        self.text("session_id")
    }

    /// The path of the session's file.
    #[must_use]
    pub fn transcript(&self) -> Cow<'a, str> {
        self.text("transcript_path")
    }

    /// Why a session begins, for the event `SessionStart`.
    #[must_use]
    pub fn source(&self) -> Cow<'a, str> {
        self.text("source")
    }

    /// The call, as far as the class of its result hangs on it.
    #[must_use]
    pub fn call(&self) -> Call<'a> {
        Call {
            tool: self.tool(),
            paths: self.input.paths(),
            command: self.input.string("command"),
            is_ranged: ["offset", "limit", "pages"].iter().any(|name| self.input.raw(name).is_some()),
            by_program: self.by_program(),
        }
    }

    /// The arguments of the call, as they stand.
    #[must_use]
    pub fn arguments(&self) -> Option<&'a RawValue> {
        self.members.raw("tool_input")
    }

    /// The tool's output, by the shape of the tool.
    ///
    /// # Errors
    /// [`HookError::Shape`] if it is none that is known, [`HookError::NotText`] if it is no text: the original stands.
    pub fn result(&self) -> Result<ToolResult<'a>, HookError> {
        let tool = || self.tool().into_owned();
        let Some(response) = self.members.raw("tool_response") else {
            return Err(HookError::Shape { tool: tool(), what: "there is none" });
        };
        let result = ToolResult::read(&self.tool(), response).map_err(|unknown| match unknown {
            Unknown::Shape(what) => HookError::Shape { tool: tool(), what },
            Unknown::NotText(what) => HookError::NotText { tool: tool(), what },
        })?;
        Ok(result.or_saved_in(self.saved_results().as_deref()))
    }

    /// The folder into which the client puts results of this session that are too long for it.
    fn saved_results(&self) -> Option<String> {
        let transcript = self.transcript();
        let session = transcript.strip_suffix(".jsonl").filter(|path| path.starts_with('/'))?;
        Some(format!("{session}/tool-results/"))
    }

    /// The file of which the client says that it is as it was read before, instead of showing it.
    #[must_use]
    pub fn unchanged_file(&self) -> Option<String> {
        let response = Members::parse(self.members.raw("tool_response")?).ok()?;
        if self.tool() != "Read" {
            return None;
        }
        if response.string("type").as_deref() != Some("file_unchanged") {
            return None;
        }
        Members::parse(response.raw("file")?).ok()?.string("filePath").map(Cow::into_owned)
    }

    /// Whether the command goes on in the background, so that what it prints is asked for while it runs.
    #[must_use]
    pub fn is_in_background(&self) -> bool {
        self.input.is("run_in_background", "true")
    }

    /// Programmatic calls name their caller as the API does: `{"caller": {"type": "code_execution_20250825"}}`.
    fn by_program(&self) -> bool {
        let caller = self.members.raw("caller").or_else(|| self.input.raw("caller"));
        let kind = caller.and_then(|raw| Members::parse(raw).ok()?.string("type").or_else(|| string(raw)));
        kind.is_some_and(|kind| kind != "direct")
    }

    fn text(&self, name: &str) -> Cow<'a, str> {
        self.members.string(name).unwrap_or_default()
    }
}

/// The answer that refuses a call, with the reason for the model.
///
/// # Errors
/// Never: a text has JSON.
pub fn denial(reason: &str) -> Result<String, HookError> {
    answer(&serde_json::json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }))
}

/// The answer that gives a file whole, as the tool `Read` would.
///
/// # Errors
/// Never: texts have JSON.
pub fn whole_file(path: &str, content: &str) -> Result<String, HookError> {
    let lines = content.split('\n').count();
    answer(&serde_json::json!({
        "hookEventName": "PostToolUse",
        "updatedToolOutput": { "type": "text", "file": {
            "filePath": path, "content": content, "numLines": lines, "startLine": 1, "totalLines": lines,
        } },
    }))
}

/// The answer that adds a text to a result, which stands.
///
/// # Errors
/// Never: a text has JSON.
pub fn note(text: &str) -> Result<String, HookError> {
    answer(&serde_json::json!({ "hookEventName": "PostToolUse", "additionalContext": text }))
}

/// The answer that adds a text to what the model reads at the start of a session.
///
/// # Errors
/// Never: a text has JSON.
pub fn context(text: &str) -> Result<String, HookError> {
    answer(&serde_json::json!({ "hookEventName": "SessionStart", "additionalContext": text }))
}

/// The answer that runs another shell line instead; all other arguments of the call stay as they are, and so do its permissions.
///
/// # Errors
/// [`HookError::Shape`] if the call has no shell line.
pub fn other_command(event: &Event<'_>, line: &str) -> Result<String, HookError> {
    let raw = event
        .arguments()
        .ok_or(HookError::Shape { tool: event.tool().into_owned(), what: "no arguments" })?;
    let mut input = Members::parse(raw)?;
    input.set("command", crate::members::json(line)?);
    #[derive(serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer<'a> {
        hook_event_name: &'static str,
        updated_input: Members<'a>,
    }
    answer(&Answer { hook_event_name: "PreToolUse", updated_input: input })
}

fn answer(specific: &impl serde::Serialize) -> Result<String, HookError> {
    #[derive(serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer<'a, S> {
        hook_specific_output: &'a S,
    }
    Ok(serde_json::to_string(&Answer { hook_specific_output: specific })?)
}
