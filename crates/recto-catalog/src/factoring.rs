//! Definitions with what they share written once, without loss.

mod decoding;
mod encoding;
mod prefixes;

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::{
    error::CatalogError,
    tool::{Shape, Tool},
};

/// The version of the encoding that is written, and the only one that is read.
const VERSION: u64 = 1;

/// What an encoding starts with: its version.
const MARK: &str = "recto_tools";

/// The key of an object that stands for something in the table. An object of the tools' own with this key alone has one `$` more.
const REFERENCE: &str = "$";

/// How many bytes the tools of one encoding and its table may take in all when they are written out.
pub const MAX_DECODED_BYTES: u64 = 256 << 20;

/// Writes tools with what they have in common written once: equal parts of definitions (parameters, enums, `$defs`, texts) and what
/// texts begin with.
///
/// The result is `{"recto_tools": 1, "table": [...], "tools": [[shape, server, definition], ...]}`. In the table and the definitions
/// `{"$": 3}` stands for what is at place 3 of the table, and `{"$": [3, "x"]}` for the text there with `x` behind it; what is in the
/// table refers to smaller places only. It depends on the tools and their order alone. [`decode_tools`] gives the tools back, byte for
/// byte, as long as they take no more than [`MAX_DECODED_BYTES`].
///
/// ```
/// use recto_catalog::{Tool, decode_tools, encode_tools};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"owner": {"type": "string", "description": "Owner of the repository"}}});
/// let tools = [Tool::new("a", "Reads.", schema.clone())?, Tool::new("b", "Writes.", schema)?];
/// let encoded = encode_tools(&tools);
/// assert_eq!(encoded["tools"][1][2]["inputSchema"], json!({"$": 0}));
/// assert_eq!(decode_tools(&encoded)?, tools);
/// # Ok::<(), recto_catalog::CatalogError>(())
/// ```
#[must_use]
pub fn encode_tools(tools: &[Tool]) -> Value {
    encoding::encode(tools)
}

/// Reads what [`encode_tools`] has written.
///
/// # Errors
/// If it is no such encoding, of another version, refers to what is not there, or would take more than [`MAX_DECODED_BYTES`].
pub fn decode_tools(encoded: &Value) -> Result<Vec<Tool>, CatalogError> {
    decoding::decode(encoded).map_err(|message| CatalogError::Encoding { message })
}

const SHAPES: [(Shape, &str); 5] = [
    (Shape::Mcp, "mcp"),
    (Shape::Anthropic, "anthropic"),
    (Shape::OpenAiChat, "openai"),
    (Shape::OpenAiResponses, "openai-responses"),
    (Shape::Gemini, "gemini"),
];

/// Whether a key is written with one more `$` in front when it stands alone.
fn is_escaped(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte == b'$')
}
