//! Reading JSON that may have any shape: what is absent or of another kind reads as empty.

use serde_json::Value;

/// The text under a key, or the empty text.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The list under a key, or an empty one.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether there is a value under a key that is not null.
pub(super) fn present(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(|found| !found.is_null())
}

/// The texts of a content that is one string or a list of parts with a `text`, joined by newlines.
pub(super) fn joined_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> =
                parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// Whether a name holds only letters, digits, `_` and `-`, and from one to `max_chars` of them.
pub(super) fn is_plain_name(name: &str, max_chars: usize) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=max_chars).contains(&name.len()) && name.bytes().all(plain)
}

/// Counts runs of neighbours that fulfil a condition: the turns of a model whose turn may be several items.
pub(super) fn runs(items: &[Value], belongs: impl Fn(&Value) -> bool) -> usize {
    let mut count = 0;
    let mut inside = false;
    for item in items {
        let belongs_too = belongs(item);
        count += usize::from(belongs_too && !inside);
        inside = belongs_too;
    }
    count
}

/// The values of a list that are there a second time, each once, in order.
pub(super) fn repeated<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = std::collections::BTreeMap::new();
    let mut again = Vec::new();
    for name in names {
        let times = seen.entry(name).or_insert(0_u32);
        *times += 1;
        if *times == 2 {
            again.push(name);
        }
    }
    again
}

/// OpenAI's limit on tools, in Chat Completions and Responses.
pub(super) fn too_many_tools(body: &Value, found: &mut Vec<String>) {
    let count = list(body, "tools").len();
    if count > 128 {
        found.push(format!(
            "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length {count} \
             instead."
        ));
    }
}
