//! Lines of calls, from stdin or a file, in the shapes in which models' APIs give them.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal as _, Read as _},
    path::Path,
};

use recto_catalog::{InexactJson, read_exactly};
use serde_json::Value;

use crate::{
    failure::{Failure, Outcome},
    output,
};

/// Opens the lines of calls. Stdin cannot hold both them and the tools.
pub(crate) fn open(calls: Option<&Path>, tools_are_on_stdin: bool) -> Outcome<Box<dyn BufRead>> {
    match calls.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let file = File::open(path).map_err(|error| Failure::file(path, "open", &error))?;
            Ok(Box::new(BufReader::new(file)))
        }
        None if tools_are_on_stdin => Err(Failure::usage("stdin cannot hold both the tools and the calls")
            .hint("name a file for one of them: `--calls FILE`")),
        None => {
            let stdin = io::stdin().lock();
            if stdin.is_terminal() {
                output::complain(
                    "reading calls from the terminal, one a line; Ctrl-D on a line of its own ends it",
                );
            }
            Ok(Box::new(stdin))
        }
    }
}

/// The longest line that is read.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// Reads the next line that is not blank. One that is no text or too long is an error of its own, and the next one is read.
pub(crate) fn next_line(from: &mut dyn BufRead) -> Outcome<Option<Result<String, String>>> {
    loop {
        let mut line = Vec::new();
        let read = from.take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        let length = read.map_err(|error| Failure::usage(format!("cannot read the calls: {error}")))?;
        if length == 0 {
            return Ok(None);
        }
        if length as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
            return Err(Failure::usage(format!("a line of the calls has more than {MAX_LINE_BYTES} bytes"))
                .hint("write one JSON object a line"));
        }
        // A mark that some editors begin files with is no part of a line.
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        if text.trim_ascii().is_empty() {
            continue;
        }
        return Ok(Some(match std::str::from_utf8(text) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => Err(format!("this line is no UTF-8: {error}")),
        }));
    }
}

/// A call, as a model wrote it.
pub(crate) struct Call {
    /// What the API calls it by, where it says so.
    pub(crate) id: Option<Value>,
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// Why a line is no call.
pub(crate) struct Unread {
    pub(crate) message: String,
    /// Whether the model could write it otherwise; not what its host made of it.
    pub(crate) recoverable: bool,
}

impl Unread {
    /// What the model did not write, or could not write otherwise.
    pub(crate) fn host(message: String) -> Self {
        Self { message, recoverable: false }
    }
}

/// Reads a line as JSON, without loss.
pub(crate) fn value(line: &str) -> Result<Value, Unread> {
    read_exactly(line).map_err(|error| match error {
        InexactJson::NotJson { message } => Unread::host(format!("this line is no JSON: {message}")),
        error => Unread { message: error.to_string(), recoverable: true },
    })
}

/// Reads a call: `{name, args}`, Anthropic's `tool_use`, OpenAI's `function` and `function_call`, or Gemini's `functionCall`.
pub(crate) fn read(line: &str) -> Result<Call, Unread> {
    let mut written = value(line)?;
    let no_call = |what: &str| {
        Unread::host(format!("this line is no call{what}: write {{\"name\": NAME, \"args\": {{...}}}}"))
    };
    let id = ["id", "call_id", "toolCallId", "tool_use_id"].iter().find_map(|key| written.get(key).cloned());
    // `id` of Responses is the item's; a result answers to `call_id`.
    let id = written.get("call_id").cloned().or(id);
    for wrapper in ["function", "functionCall", "function_call"] {
        if let Some(inner) = written.get_mut(wrapper).filter(|inner| inner.is_object()) {
            written = inner.take();
            break;
        }
    }
    let Value::Object(mut members) = written else {
        return Err(no_call(""));
    };
    let id = id.or_else(|| members.get("id").cloned());
    let Some(Value::String(name)) = members.remove("name").or_else(|| members.remove("toolName")) else {
        return Err(no_call(", it has no \"name\""));
    };
    let arguments = ["args", "arguments", "input", "parameters"].iter().find_map(|key| members.remove(*key));
    Ok(Call { id, name, arguments: arguments.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_api_s_call_is_read() {
        for (written, id) in [
            (json!({"name": "a", "args": {"b": 1}}), None),
            (json!({"type": "tool_use", "id": "toolu_1", "name": "a", "input": {"b": 1}}), Some("toolu_1")),
            (
                json!({"id": "call_1", "type": "function", "function": {"name": "a", "arguments": {"b": 1}}}),
                Some("call_1"),
            ),
            (
                json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "a", "arguments": {"b": 1}}),
                Some("call_1"),
            ),
            (json!({"functionCall": {"id": "g", "name": "a", "args": {"b": 1}}}), Some("g")),
            (json!({"toolCallId": "t", "toolName": "a", "input": {"b": 1}}), Some("t")),
        ] {
            let Ok(call) = read(&written.to_string()) else { panic!("{written} is no call") };
            assert_eq!(
                (call.id, call.name, call.arguments),
                (id.map(Value::from), "a".to_owned(), json!({"b": 1}))
            );
        }
        for (line, is_the_model_s) in [
            ("{", false),
            ("[]", false),
            ("{\"nome\": 1}", false),
            (r#"{"name": "a", "args": {"id": 99999999999999999999}}"#, true),
            (r#"{"name": "a", "args": {"b": 1, "b": 2}}"#, true),
        ] {
            assert!(read(line).is_err_and(|unread| unread.recoverable == is_the_model_s), "{line}");
        }
    }
}
