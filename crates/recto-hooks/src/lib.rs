//! Agents' hook events: which tool results may become views, what texts they hold, and how an answer is written that the agent
//! takes for its own tool's output.
//!
//! - [`classes`] is the one table, shipped as data, of what is never cut.
//! - [`claude`] reads the events of Claude Code and answers in the shape of each of its tools; [`plain`] does so for the extensions
//!   of other agents, which ask with texts and get texts.
//! - [`notes`] finds recto's own notes in the arguments of a call, before they reach a file.
//! - [`settings`] puts entries into a client's settings file and takes them out again, byte for byte.
//!
//! The crate is pure: it reads no file and makes no view. Whoever carries it (`recto hook`) does both.
//!
//! ```
//! use recto_hooks::{claude::Event, classes::{Call, Class, Table}};
//!
//! let line = r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"kubectl get pods"},
//!     "tool_response":{"stdout":"NAME READY\n","stderr":"","interrupted":false}}"#;
//! let event = Event::parse(line)?;
//! assert_eq!(Table::builtin()?.class(&event.call(), "").class, Class::Ordinary);
//! let mut result = event.result()?;
//! result.texts_mut()[0].replace("a view".to_owned());
//! assert_eq!(result.answer()?, r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"a view","stderr":"","interrupted":false}}}"#);
//! # Ok::<(), recto_hooks::HookError>(())
//! ```

pub mod classes;
pub mod claude;
mod error;
mod members;
pub mod notes;
pub mod plain;
pub mod settings;
mod text;

pub use error::HookError;
pub use text::{Persisted, Text};
