//! recto as a server.
//!
//! - [`RecallTools`] are the tools by which a model reads what recto left out: what they are called and take
//!   ([`RecallTools::definitions`]), and what they answer ([`RecallTools::call`]). They know no protocol.
//! - [`serve`] offers them over MCP on stdin and stdout; [`list_tools`] is the other side, and asks a server for its tools. The protocol's
//!   library is behind one module, `protocol`.
//!
//! An answer is text, exact and in pages; a question that is wrong is answered in words that a model can act on, and never names
//! a path of the machine.

mod protocol;
mod tools;

pub use protocol::{AskError, Observed, ServeError, list_tools, serve};
pub use tools::{DEFAULT_PAGE_TOKENS, Definition, FEWEST_PAGE_TOKENS, RecallTools, StoreError, ToolAnswer};
