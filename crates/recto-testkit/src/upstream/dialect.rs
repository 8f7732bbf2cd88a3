//! The APIs that the server speaks, and the one place that chooses between them.

use serde_json::{Value, json};

use super::{
    OfferedTool, ToolResult,
    answer::{Answer, Event},
    anthropic, chat, responses,
};

/// An API of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// Anthropic Messages, `POST /v1/messages` and `/v1/messages/count_tokens`.
    Messages,
    /// OpenAI Responses, `POST /v1/responses`.
    Responses,
    /// OpenAI Chat Completions, `POST /v1/chat/completions`.
    Chat,
}

impl Dialect {
    /// The dialect of a path, whose query does not matter.
    pub fn of_path(path: &str) -> Option<Self> {
        match bare(path) {
            "/v1/messages" | COUNT_TOKENS => Some(Self::Messages),
            "/v1/responses" => Some(Self::Responses),
            "/v1/chat/completions" => Some(Self::Chat),
            _ => None,
        }
    }

    /// What the provider would refuse in a body; empty for a valid one.
    pub fn complaints(self, body: &Value) -> Vec<String> {
        match self {
            Self::Messages => anthropic::complaints(body),
            Self::Responses => responses::complaints(body),
            Self::Chat => chat::complaints(body),
        }
    }

    pub(super) fn offered_tools(self, body: &Value) -> Vec<OfferedTool> {
        match self {
            Self::Messages => anthropic::offered_tools(body),
            Self::Responses => responses::offered_tools(body),
            Self::Chat => chat::offered_tools(body),
        }
    }

    pub(super) fn tool_results(self, body: &Value) -> Vec<ToolResult> {
        match self {
            Self::Messages => anthropic::tool_results(body),
            Self::Responses => responses::tool_results(body),
            Self::Chat => chat::tool_results(body),
        }
    }

    pub(super) fn turn(self, body: &Value) -> usize {
        match self {
            Self::Messages => anthropic::turn(body),
            Self::Responses => responses::turn(body),
            Self::Chat => chat::turn(body),
        }
    }

    pub(super) fn whole(self, answer: &Answer) -> Value {
        match self {
            Self::Messages => anthropic::whole(answer),
            Self::Responses => responses::whole(answer),
            Self::Chat => chat::whole(answer),
        }
    }

    pub(super) fn events(self, answer: &Answer, body: &Value) -> Vec<Event> {
        match self {
            Self::Messages => anthropic::events(answer),
            Self::Responses => responses::events(answer),
            Self::Chat => chat::events(answer, body),
        }
    }

    /// The keys of a body that a prompt cache reads, in its order.
    pub(super) fn cached_keys(self) -> &'static [&'static str] {
        match self {
            Self::Messages => &["tools", "system", "messages"],
            Self::Responses => &["tools", "instructions", "input"],
            Self::Chat => &["tools", "messages"],
        }
    }

    /// An error in the provider's shape.
    pub(super) fn error(self, kind: &str, message: &str) -> Value {
        match self {
            Self::Messages => {
                json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_scripted" })
            }
            Self::Responses | Self::Chat => {
                json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
            }
        }
    }
}

/// The path that only counts the tokens of a Messages body.
pub(super) const COUNT_TOKENS: &str = "/v1/messages/count_tokens";

/// A path without its query.
pub(super) fn bare(path: &str) -> &str {
    path.split('?').next().unwrap_or_default()
}
