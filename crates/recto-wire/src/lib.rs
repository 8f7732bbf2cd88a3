//! Transcripts of agents and bodies of model APIs, read as byte ranges and never written anew.
//!
//! - A [`Format`] is the form of one client's files, or of one API's messages. It reads a [`Record`] from a line, or all
//!   records of a document.
//! - A record's [`Piece`]s say where the model's texts, calls, results and images stand in its bytes. What is in no piece is the client's own.
//! - A [`Splice`] puts other bytes in the place of some ranges; all that it does not name stays, byte for byte. [`remove_block`] says which
//!   range an item of a list goes with.
//! - [`Document`] is JSON as byte ranges, on which the readers stand; [`quote`] and [`unquote`] go between texts and JSON strings.
//!
//! Everything here is pure, linear in its source and free of recursion over it. What a reader does not know it keeps: an unknown type of
//! line is a record of kind [`RecordKind::Unknown`], a line that is no JSON one of kind [`RecordKind::Malformed`].
//!
//! ```
//! use recto_wire::{Format, RecordKind, Role, Slot, Splice, quote, unquote};
//!
//! let line = br#"{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":[
//!     {"type":"tool_result","tool_use_id":"toolu_1","content":"a\nvery\nlong\nresult"}]}}"#;
//! let record = Format::ClaudeCode.line(line);
//! assert_eq!(record.kind, RecordKind::Message(Role::User));
//! let text = record.pieces.iter().find(|piece| matches!(piece.slot, Slot::Text)).unwrap();
//! assert_eq!(unquote(text.raw.of(line)).unwrap(), "a\nvery\nlong\nresult");
//!
//! let shorter = Splice::new(vec![(text.raw, quote("a result"))])?.apply(line);
//! assert!(shorter.ends_with(br#""tool_use_id":"toolu_1","content":"a result"}]}}"#));
//! # Ok::<(), recto_wire::WireError>(())
//! ```

mod api;
mod claude_attachments;
mod claude_code;
mod codex;
mod data_url;
mod error;
mod format;
mod gemini_cli;
mod json;
mod opencode;
mod pi;
mod piece;
mod record;
mod responses_items;
mod splice;
mod text;

pub use data_url::DataUrl;
pub use error::WireError;
pub use format::{Format, Layout};
pub use json::{Document, JsonKind, Value};
pub use piece::{Piece, Pieces, Slot};
pub use record::{Boundary, Kept, Link, Record, RecordKind, Role};
pub use recto_outline::Span;
pub use splice::{Splice, remove_block, remove_blocks};
pub use text::{quote, unquote};
