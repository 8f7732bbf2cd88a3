//! What each client and API writes for the result of a call, and for a text in the place of an image.

use recto::wire::{Document, Format, Span, Value, quote};
use sha2::{Digest as _, Sha256};

/// What stands as the result of a call that has none.
pub(super) const NO_RESULT: &str = "[recto: no result was recorded for this call]";

/// Where an answer goes.
pub(super) enum Answer {
    /// A record behind the call's, with its id if it has one.
    Record { bytes: Vec<u8>, id: Option<Vec<u8>> },
    /// Other bytes in the place of a span of the call's block.
    Inside(Span, Vec<u8>),
    /// Nowhere, and why.
    None(&'static str),
}

/// A call without a result, as JSON strings and values in its record.
pub(super) struct Call<'c> {
    /// The block of the call.
    pub(super) block: &'c [u8],
    /// The id, with its quotes; empty if there is none.
    pub(super) id: &'c [u8],
    /// The tool's name.
    pub(super) tool: &'c str,
    /// The id of the record that the answer follows, if that is not the call's.
    pub(super) follows: Option<&'c [u8]>,
}

/// What answers to the calls of one record are made of.
pub(super) struct Form<'r> {
    format: Format,
    record: Document<'r>,
    /// Of the record.
    hash: Sha256,
}

impl<'r> Form<'r> {
    /// `None` if the record is no JSON.
    pub(super) fn of(format: Format, record: &'r [u8]) -> Option<Self> {
        let hash = Sha256::new_with_prefix(record);
        Some(Self { format, record: Document::parse(record).ok()?, hash })
    }

    /// The answer in the client's own form.
    pub(super) fn answer(&self, call: &Call<'_>) -> Answer {
        let Ok(block) = Document::parse(call.block) else { return Answer::None("its block is no JSON") };
        answer(self, call, block.root())
    }
}

fn answer(form: &Form<'_>, call: &Call<'_>, block: Value<'_>) -> Answer {
    let root = form.record.root();
    let text = json(NO_RESULT);
    let id = String::from_utf8_lossy(call.id).into_owned();
    let tool = json(call.tool);
    let item = |bytes: String| Answer::Record { bytes: bytes.into_bytes(), id: None };
    match form.format {
        Format::OpenCode => in_state(block, &text),
        Format::GeminiCli if block.get("functionCall").is_none() && root.get("uuid").is_none() => {
            beside(call.block, block, &id, &tool, &text)
        }
        _ if call.id.is_empty() => Answer::None("it has no id by which a result could name it"),
        Format::ClaudeCode => claude(form, call, &id, &text),
        Format::Pi => pi(form, call, &id, &tool, &text),
        Format::Codex => codex(root, block, &id, &text),
        Format::GeminiCli => {
            let part = format!(
                r#"{{"functionResponse":{{"id":{id},"name":{tool},"response":{{"error":{text}}}}}}}"#
            );
            if root.get("uuid").is_none() {
                return item(format!(r#"{{"role":"user","parts":[{part}]}}"#));
            }
            let new = uuid(form, call);
            let line = format!(
                r#"{{"uuid":{new},"parentUuid":{},{}"type":"tool_result","message":{{"role":"user","parts":[{part}]}}}}"#,
                call.follows.map_or_else(|| raw(root, "uuid"), |id| String::from_utf8_lossy(id).into_owned()),
                members(root, &["sessionId", "timestamp", "cwd", "version"]),
            );
            Answer::Record { bytes: line.into_bytes(), id: Some(new.into_bytes()) }
        }
        Format::AnthropicMessages => item(format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":{id},"is_error":true,"content":{text}}}]}}"#
        )),
        Format::OpenAiChat => item(format!(r#"{{"role":"tool","tool_call_id":{id},"content":{text}}}"#)),
        Format::OpenAiResponses => item(output_item(block, &id, &text)),
        Format::GeminiContents => {
            let id = if id == tool { String::new() } else { format!(r#""id":{id},"#) };
            item(format!(
                r#"{{"role":"user","parts":[{{"functionResponse":{{{id}"name":{tool},"response":{{"error":{text}}}}}}}]}}"#
            ))
        }
        Format::AiSdk => {
            let value = match block.get("args") {
                Some(_) => format!(r#""result":{text},"isError":true"#),
                None => format!(r#""output":{{"type":"error-text","value":{text}}}"#),
            };
            item(format!(
                r#"{{"role":"tool","content":[{{"type":"tool-result","toolCallId":{id},"toolName":{tool},{value}}}]}}"#
            ))
        }
        _ => Answer::None("this version does not know its form"),
    }
}

/// Claude Code: a line of the person's.
fn claude(form: &Form<'_>, call: &Call<'_>, id: &str, text: &str) -> Answer {
    let root = form.record.root();
    let block = format!(r#"{{"tool_use_id":{id},"type":"tool_result","content":{text},"is_error":true}}"#);
    let own = members(root, &["isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch"]);
    let (new, links) = match root.get("uuid") {
        Some(uuid) => {
            let new = self::uuid(form, call);
            let parent = String::from_utf8_lossy(call.follows.unwrap_or(uuid.raw()));
            let links = format!(r#""parentUuid":{parent},"uuid":{new},"#);
            (Some(new.into_bytes()), links)
        }
        None => (None, String::new()),
    };
    let time = members(root, &["timestamp"]);
    let line =
        format!(r#"{{{links}{own}{time}"type":"user","message":{{"role":"user","content":[{block}]}}}}"#);
    Answer::Record { bytes: line.into_bytes(), id: new }
}

fn pi(form: &Form<'_>, call: &Call<'_>, id: &str, tool: &str, text: &str) -> Answer {
    let root = form.record.root();
    let (new, links) = match root.get("id") {
        Some(own) => {
            let new = short_id(form, call);
            let parent = String::from_utf8_lossy(call.follows.unwrap_or(own.raw()));
            let links = format!(r#""id":{new},"parentId":{parent},"#);
            (Some(new.into_bytes()), links)
        }
        None => (None, String::new()),
    };
    let time = members(root, &["timestamp"]);
    let milliseconds =
        root.at(&["message", "timestamp"]).map_or("0".into(), |time| String::from_utf8_lossy(time.raw()));
    let line = format!(
        r#"{{"type":"message",{links}{time}"message":{{"role":"toolResult","toolCallId":{id},"toolName":{tool},"content":[{{"type":"text","text":{text}}}],"isError":true,"timestamp":{milliseconds}}}}}"#
    );
    Answer::Record { bytes: line.into_bytes(), id: new }
}

fn codex(root: Value<'_>, block: Value<'_>, id: &str, text: &str) -> Answer {
    let item = output_item(block, id, text);
    let is_compacted = root.get("type").is_some_and(|kind| kind.is("compacted"));
    if is_compacted {
        return Answer::None("it stands in what Codex itself compacted");
    }
    let line = match root.get("payload") {
        Some(_) => format!(r#"{{{}"type":"response_item","payload":{item}}}"#, members(root, &["timestamp"])),
        None => item,
    };
    Answer::Record { bytes: line.into_bytes(), id: None }
}

/// An item of the Responses API.
fn output_item(block: Value<'_>, id: &str, text: &str) -> String {
    let kind = block.get("type").and_then(Value::text).unwrap_or_default();
    let kind = match &*kind {
        "custom_tool_call" => "custom_tool_call_output",
        _ => "function_call_output",
    };
    format!(r#"{{"type":"{kind}","call_id":{id},"output":{text}}}"#)
}

/// opencode: a call says in `state` what came of it.
fn in_state(block: Value<'_>, text: &str) -> Answer {
    let Some(state) = block.get("state") else { return Answer::None("it has no state") };
    let member = |name: &str, otherwise: &str| {
        state
            .at(&[name])
            .map_or_else(|| otherwise.to_owned(), |value| String::from_utf8_lossy(value.raw()).into_owned())
    };
    let input = member("input", "{}");
    let start = state.at(&["time", "start"]).map_or("0".into(), |time| String::from_utf8_lossy(time.raw()));
    let made = format!(
        r#"{{"status":"error","input":{input},"error":{text},"time":{{"start":{start},"end":{start}}}}}"#
    );
    Answer::Inside(state.span(), made.into_bytes())
}

/// Gemini CLI: the result stands in the call.
fn beside(bytes: &[u8], block: Value<'_>, id: &str, tool: &str, text: &str) -> Answer {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":{id},"#) };
    let made = format!(r#"[{{"functionResponse":{{{id}"name":{tool},"response":{{"error":{text}}}}}}}]"#);
    match block.get("result") {
        Some(result) => Answer::Inside(result.span(), made.into_bytes()),
        None => Answer::Inside(
            Span::new(bytes.len().saturating_sub(1), bytes.len().saturating_sub(1)),
            format!(r#","result":{made}"#).into_bytes(),
        ),
    }
}

/// A block that says what stood there.
pub(super) fn text_block(format: Format, text: &str) -> Option<Vec<u8>> {
    let text = json(text);
    let block = match format {
        Format::Codex | Format::OpenAiResponses => format!(r#"{{"type":"input_text","text":{text}}}"#),
        Format::GeminiCli | Format::GeminiContents => format!(r#"{{"text":{text}}}"#),
        Format::OpenCode => return None,
        _ => format!(r#"{{"type":"text","text":{text}}}"#),
    };
    Some(block.into_bytes())
}

fn json(text: &str) -> String {
    String::from_utf8_lossy(&quote(text)).into_owned()
}

fn raw(value: Value<'_>, name: &str) -> String {
    value
        .get(name)
        .map_or_else(|| "null".to_owned(), |member| String::from_utf8_lossy(member.raw()).into_owned())
}

/// These members as they stand, each with a comma behind it.
fn members(root: Value<'_>, names: &[&str]) -> String {
    names
        .iter()
        .filter_map(|name| Some((name, root.get(name)?)))
        .map(|(name, value)| format!(r#""{name}":{},"#, String::from_utf8_lossy(value.raw())))
        .collect()
}

/// Sixteen bytes that follow from the call.
fn digest(form: &Form<'_>, call: &Call<'_>) -> String {
    let mut hash = form.hash.clone();
    hash.update(call.id);
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn uuid(form: &Form<'_>, call: &Call<'_>) -> String {
    let hex = digest(form, call);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(r#""{}-{}-4{}-8{}-{}""#, part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

fn short_id(form: &Form<'_>, call: &Call<'_>) -> String {
    format!(r#""{}""#, digest(form, call).get(..8).unwrap_or_default())
}
