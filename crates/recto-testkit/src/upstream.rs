//! A scripted model: a loopback server that speaks the providers' APIs, plays a script and is strict.
//!
//! An agent, an SDK or a proxy under test talks to [`Upstream`] as it would to Anthropic (Messages) or OpenAI
//! (Responses, Chat Completions). Bodies that the real API refuses are refused in the same shape; everything is
//! logged byte for byte.
//!
//! - [`Script`] says what the model answers: turn by turn, or by a closure that reads the [`Request`]. Which turn it
//!   is follows from the request alone, so a retry gets the same answer, and side requests without tools get a plain
//!   one.
//! - [`anthropic::complaints`], [`responses::complaints`] and [`chat::complaints`] are the rules, as pure functions.
//! - [`Request`] is a log entry, with what tests ask of one: results of tools, names of tools, and how much of it a
//!   prompt cache could have reused ([`unchanged_prefix`]).
//! - [`send`] is a small blocking client for tests without an agent.
//!
//! ```
//! use recto_testkit::upstream::{Script, Turn, Upstream, send};
//! use serde_json::json;
//!
//! let script = Script::new().call("bash", json!({ "command": "seq 1 9" })).then(|request| {
//!     let last = request.tool_results().pop().unwrap();
//!     Turn::say(format!("It ends with {}.", last.text.lines().last().unwrap()))
//! });
//! let upstream = Upstream::start(script).unwrap();
//! let body = json!({
//!     "model": "fake-1",
//!     "max_tokens": 100,
//!     "tools": [{ "name": "bash", "input_schema": { "type": "object" } }],
//!     "messages": [{ "role": "user", "content": "Count." }],
//! });
//! let reply = send("POST", &format!("{}/v1/messages", upstream.url()), &[], body.to_string().as_bytes()).unwrap();
//! assert_eq!(reply.json()["content"][0]["name"], "bash");
//! assert_eq!(upstream.requests()[0].tool_names(), ["bash"]);
//! ```

pub mod anthropic;
pub mod chat;
pub mod responses;

mod answer;
mod cache_order;
mod client;
mod dialect;
mod identifier;
mod mention;
mod network;
mod pieces;
mod reading;
mod request;
mod script;
mod server;

pub use answer::Usage;
pub use cache_order::unchanged_prefix;
pub use client::{Reply, send};
pub use dialect::Dialect;
pub use mention::{Mention, first_mention};
pub use network::Network;
pub use request::{OfferedTool, Request, ToolResult};
pub use script::{Call, Script, ScriptError, Turn};
pub use server::{Upstream, UpstreamError};
