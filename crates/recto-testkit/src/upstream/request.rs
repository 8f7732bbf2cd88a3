//! A request as it was received, judged and answered.

use serde_json::Value;

use super::{Dialect, cache_order};

/// One entry of the log.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The method, in capitals.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Names (lower case) and values of the headers, in the order of arrival.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub body: Vec<u8>,
    /// The body as JSON; null where it is none.
    pub value: Value,
    /// The API that the path belongs to.
    pub dialect: Option<Dialect>,
    /// What the provider would refuse; empty for a valid request.
    pub complaints: Vec<String>,
    /// The status of the answer.
    pub status: u16,
}

/// A tool that a request offers to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfferedTool {
    /// Its name, without the namespace.
    pub name: String,
    /// The namespace around it (Responses only).
    pub namespace: Option<String>,
    /// Whether its input is free text instead of JSON (Responses only).
    pub custom: bool,
}

/// What a tool call came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The identifier of the call.
    pub call_id: String,
    /// The name of the called tool; empty where the request does not hold the call.
    pub tool: String,
    /// The text of the result; several parts are joined by newlines, images are left out.
    pub text: String,
}

impl Request {
    /// The value of the first header of a name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// How many turns the model has had in this conversation: the number of the turn that is asked for, from 0.
    pub fn turn(&self) -> usize {
        self.dialect.map_or(0, |dialect| dialect.turn(&self.value))
    }

    /// The tools offered, in their order, wherever the dialect has them.
    pub fn offered_tools(&self) -> Vec<OfferedTool> {
        self.dialect.map_or_else(Vec::new, |dialect| dialect.offered_tools(&self.value))
    }

    /// The names of [`Self::offered_tools`].
    pub fn tool_names(&self) -> Vec<String> {
        self.offered_tools().into_iter().map(|tool| tool.name).collect()
    }

    /// The first offered name with an ending: agents put the name of a server before the name of its tool.
    pub fn tool_ending_with(&self, ending: &str) -> Option<String> {
        self.tool_names().into_iter().find(|name| name.ends_with(ending))
    }

    /// All results of tools, in their order.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.dialect.map_or_else(Vec::new, |dialect| dialect.tool_results(&self.value))
    }

    /// The text of the last result of a tool.
    pub fn last_tool_result(&self) -> Option<String> {
        self.tool_results().pop().map(|result| result.text)
    }

    /// What a prompt cache reads of this request: tools, system or instructions, messages or input, an element a
    /// line, without cache marks. Empty where the body is not JSON.
    pub fn cache_order(&self) -> Vec<u8> {
        self.dialect.map_or_else(Vec::new, |dialect| cache_order::of(&self.body, dialect.cached_keys()))
    }
}
