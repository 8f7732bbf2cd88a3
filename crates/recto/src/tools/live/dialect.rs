//! What is said to a provider, whatever its shape.

use recto_catalog::Catalog;
use serde_json::Value;

/// What goes before the conversation.
#[derive(Clone, Debug, Default)]
pub(super) struct Offer {
    pub(super) tools: Vec<Value>,
    /// The system prompt in the provider's shape; null for none.
    pub(super) system: Value,
}

/// A call that a model made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// Empty where the provider pairs calls and results by their order.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Value,
}

/// Tokens that one answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// All that was read, what came from the cache included.
    pub(super) input: u64,
    pub(super) cached: u64,
    /// All that was written, thinking included.
    pub(super) output: u64,
}

/// One answer of a model.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    /// What goes into the history of it: as it was, thinking and its signatures included.
    pub(super) said: Vec<Value>,
    pub(super) calls: Vec<Call>,
    pub(super) text: String,
    pub(super) usage: Usage,
}

/// What a call came to.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) call: Call,
    pub(super) text: String,
    pub(super) is_error: bool,
}

/// A provider's way to hold a conversation.
pub(super) trait Dialect {
    /// The path below the base address.
    fn path(&self, model: &str) -> String;
    /// Tools and system prompt: the caller's own, then the catalogue's.
    fn offer(&self, catalog: &Catalog, system: Option<&str>) -> Offer;
    /// The beginning of the history.
    fn prompt(&self, text: &str) -> Value;
    /// A request.
    fn body(&self, model: &str, offer: &Offer, history: &[Value]) -> Value;
    /// Reads an answer; nothing where it is none.
    fn read(&self, answer: &Value) -> Option<Answer>;
    /// What goes into the history of the results of all calls of one answer.
    fn replies(&self, replies: &[Reply]) -> Vec<Value>;
    /// Changes a body that was refused with a message, if another may be taken.
    fn mended(&self, _body: &mut Value, _message: &str) -> bool {
        false
    }
}

/// A provider's way to count.
pub(super) trait Counting: Dialect {
    /// The path below the base address.
    fn counting_path(&self, model: &str) -> String;
    /// A request to count a prompt behind tools and system prompt.
    fn counting_body(&self, model: &str, offer: &Offer, history: &[Value]) -> Value;
    /// Reads the number.
    fn counted(&self, answer: &Value) -> Option<u64>;
}

/// A system prompt in one text; null for none.
pub(super) fn one_text(system: Option<&str>, preamble: &str) -> Value {
    let parts: Vec<&str> = system.into_iter().chain([preamble]).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { Value::Null } else { parts.join("\n\n").into() }
}

/// Arguments that are JSON as text; the text itself where it is none, for the catalogue to say so.
pub(super) fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Null;
    }
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// The text under a key, or the empty text.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The list under a key, or an empty one.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The number at a pointer, or 0.
pub(super) fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

/// Puts a value under a key, unless it is null or empty.
pub(super) fn set(body: &mut Value, key: &str, value: Value) {
    let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    if let (Value::Object(members), false) = (body, is_empty) {
        members.insert(key.to_owned(), value);
    }
}
