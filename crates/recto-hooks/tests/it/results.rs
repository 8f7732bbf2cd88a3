//! The law of answers: what is replaced is a text that was read, and everything else stays as it was.

use proptest::prelude::*;
use recto_hooks::claude::Event;
use serde_json::{Value, json};

/// What stands in the place of every text.
const VIEW: &str = "[a view]";

/// Reads a result as the tool's, replaces every text, and holds the answer to the law. Says how many texts there were; `None`, if the
/// result is one that stands.
pub(crate) fn check(tool: &str, input: &Value, response: &Value) -> Option<usize> {
    let event = json!({
        "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": input, "tool_response": response, "session_id": "s",
    });
    let text = event.to_string();
    let event = Event::parse(&text).unwrap();
    assert_eq!((&*event.name(), &*event.tool()), ("PostToolUse", tool));
    let mut result = event.result().ok()?;
    let texts = result.texts().len();
    for text in result.texts_mut() {
        text.replace(VIEW.to_owned());
    }
    let answer: Value = serde_json::from_str(&result.answer().unwrap()).unwrap();
    let updated = &answer["hookSpecificOutput"]["updatedToolOutput"];
    let mut replaced = 0;
    same_but_for_texts(response, updated, &mut replaced);
    assert_eq!(replaced, texts, "{updated}");
    Some(texts)
}

/// Compares two values; counts the places where a text, or a list of texts, became the view.
fn same_but_for_texts(before: &Value, after: &Value, replaced: &mut usize) {
    match (before, after) {
        (_, Value::String(view)) if before.is_string() && view.ends_with(VIEW) => *replaced += 1,
        (Value::Array(_), Value::Array(lines)) if *lines == [json!(VIEW)] => *replaced += 1,
        (Value::Array(before), Value::Array(after)) => {
            assert_eq!(before.len(), after.len());
            before.iter().zip(after).for_each(|(before, after)| same_but_for_texts(before, after, replaced));
        }
        (Value::Object(before), Value::Object(after)) => {
            // What names the client's own file goes with the text that came from it.
            let names = |object: &serde_json::Map<String, Value>| -> Vec<String> {
                object.keys().filter(|name| !name.starts_with("persistedOutput")).cloned().collect()
            };
            assert_eq!(names(before), names(after));
            for name in names(before) {
                same_but_for_texts(&before[&name], &after[&name], replaced);
            }
        }
        _ => assert_eq!(before, after),
    }
}

#[test]
fn results_of_each_tool() {
    let files = json!({ "mode": "files_with_matches", "numFiles": 2, "filenames": ["a", "b"] });
    let cases = [
        (
            "Bash",
            json!({ "stdout": "a", "stderr": "b", "interrupted": false, "later": [1, { "x": 2 }] }),
            Some(2),
        ),
        (
            "Bash",
            json!({ "stdout": "a", "stderr": "", "persistedOutputPath": "/p", "persistedOutputSize": 9 }),
            Some(2),
        ),
        (
            "Read",
            json!({ "type": "text", "file": { "filePath": "/p", "content": "a\nb", "startLine": 7, "later": null } }),
            Some(1),
        ),
        ("Grep", files, Some(1)),
        ("mcp__s__t", json!("text"), Some(1)),
        (
            "mcp__s__t",
            json!([{ "type": "text", "text": "a" }, { "type": "resource_link", "uri": "u" }, { "type": "text", "text": "b" }]),
            Some(2),
        ),
        (
            "mcp__s__t",
            json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }], "_meta": { "k": 1 } }),
            Some(2),
        ),
        ("mcp__s__t", json!([]), Some(0)),
        (
            "mcp__s__t",
            json!({ "content": [{ "type": "text", "text": "a" }], "structuredContent": { "rows": [] } }),
            None,
        ),
        ("mcp__s__t", json!(3), None),
        ("Bash", json!("text"), None),
        ("Read", json!({ "type": "image", "file": { "base64": "x" } }), None),
        ("Agent", json!({ "status": "completed", "content": [{ "type": "text", "text": "a" }] }), None),
    ];
    for (tool, response, texts) in cases {
        assert_eq!(check(tool, &json!({}), &response), texts, "{tool} {response}");
    }
}

/// Any JSON, with names that the shapes know among its members.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~\n\u{e9}\u{1f600}\"\\\\]{0,12}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        Just("stdout"),
        Just("stderr"),
        Just("type"),
        Just("text"),
        Just("file"),
        Just("content"),
        Just("filenames"),
        Just("mode"),
        Just("structuredContent"),
        Just("result"),
        Just("isImage"),
        Just("startLine"),
        Just("other"),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|members| Value::Object(
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #[test]
    fn any_result_keeps_the_law(tool in prop_oneof![
        Just("Bash"), Just("Read"), Just("Grep"), Just("Glob"), Just("WebFetch"), Just("mcp__s__t"), Just("Other"),
    ], input in value(), response in value()) {
        check(tool, &input, &response);
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "[{}\\[\\]\",:a-z0-9 ]{0,80}") {
        if let Ok(event) = Event::parse(&text) {
            let _ = (event.call(), event.result().is_ok(), event.unchanged_file());
        }
    }
}
