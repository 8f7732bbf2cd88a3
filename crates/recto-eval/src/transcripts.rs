//! What agents came back to: of a tool's result, the names, paths and numbers that the agent used later.
//!
//! Sessions of agents say for themselves what mattered: an id that first appears in a tool's result, and that the agent later writes
//! in an answer or in the arguments of a call, had to be there to be written. The forms of sessions differ and change; so they are
//! walked as JSON, and who speaks is told by the few names that all of them use.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    path::Path,
};

use recto_session::policy::names;
use serde_json::Value;

use crate::{
    budget::TokenBudget,
    corpus::Sizes,
    error::EvalError,
    evidence::Evidence,
    report::counted,
    source::{Item, Sample, Set},
    templates::files_below,
};

/// Who wrote a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    Agent,
    Tool,
    Other,
}

/// Texts of a session, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Turn {
    speaker: Speaker,
    text: String,
}

/// Reads the sessions below a folder (JSON, or JSON lines), and asks of each tool result for what the agent used later. Lines that
/// are no JSON are passed over: sessions are cut off in practice.
///
/// # Errors
/// [`EvalError::File`] for what cannot be read; [`EvalError::Nothing`] if no result was come back to.
pub fn read_transcripts(folder: &Path, sizes: Sizes) -> Result<Set, EvalError> {
    let shares = TokenBudget::DEFAULT.into_iter();
    let shares = shares.filter(|budget| matches!(budget, TokenBudget::SharePerMille(_)));
    let name = format!("future references in {}", folder.display());
    let mut set = Set { name, budgets: Some(shares.collect()), ..Set::default() };
    let (mut sessions, mut references, mut skipped) = (0, 0, 0);
    for path in files_below(folder)? {
        if !path.extension().is_some_and(|extension| extension == "json" || extension == "jsonl") {
            continue;
        }
        let bytes = fs::read(&path).map_err(|source| EvalError::File { path: path.clone(), source })?;
        let session = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let found = came_back_to(&turns(&String::from_utf8_lossy(&bytes)));
        sessions += usize::from(!found.is_empty());
        for (number, text, quoted) in found {
            let length = text.len() as u64;
            let sample = Sample::new(format!("{session}, result {number}"), text.into_bytes(), None);
            if sample.tokens < sizes.min_tokens || !(sizes.min_bytes..=sizes.max_bytes).contains(&length) {
                skipped += 1;
                continue;
            }
            references += quoted.len();
            set.items.push(Item {
                sample: set.samples.len(),
                class: "future references".to_owned(),
                question: "What does the agent use later?".to_owned(),
                query: None,
                needs_query: false,
                evidence: Evidence::References(quoted),
            });
            set.samples.push(sample);
        }
    }
    if set.items.is_empty() {
        return Err(EvalError::Nothing { what: folder.display().to_string(), skipped });
    }
    set.remarks.push(format!(
        "{} to {}, in {}; left out: {} of other sizes",
        counted(references, "reference"),
        counted(set.samples.len(), "tool result"),
        counted(sessions, "session"),
        counted(skipped, "result")
    ));
    Ok(set)
}

/// The results that are come back to: their numbers, texts, and what of them is quoted later, in the order of the quotes.
fn came_back_to(turns: &[Turn]) -> Vec<(usize, String, Vec<String>)> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut first_in: HashMap<&str, usize> = HashMap::new();
    let mut quoted: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (at, turn) in turns.iter().enumerate() {
        for name in names(&turn.text) {
            match turn.speaker {
                Speaker::Agent => {
                    // Once quoted it is known, so it counts once.
                    if let Some(result) = first_in.remove(name) {
                        quoted.entry(result).or_default().push(name.to_owned());
                    }
                }
                Speaker::Tool if !seen.contains(name) => {
                    first_in.insert(name, at);
                }
                Speaker::Tool | Speaker::Other => {}
            }
            seen.insert(name);
        }
    }
    quoted
        .into_iter()
        .filter_map(|(at, quoted)| turns.get(at).map(|turn| (at, turn.text.clone(), quoted)))
        .collect()
}

/// The texts of a session: of one JSON value, or of one a line.
fn turns(text: &str) -> Vec<Turn> {
    let mut turns = Vec::new();
    if let Ok(session) = serde_json::from_str::<Value>(text) {
        walk(&session, &mut turns);
        return turns;
    }
    for line in text.lines() {
        if let Ok(entry) = serde_json::from_str::<Value>(line) {
            walk(&entry, &mut turns);
        }
    }
    turns
}

/// Members that hold no text of anybody, or the same text again.
const PASSED_OVER: [&str; 29] = [
    "type",
    "role",
    "id",
    "uuid",
    "parentUuid",
    "parentId",
    "sessionId",
    "requestId",
    "timestamp",
    "signature",
    "thinkingSignature",
    "textSignature",
    "encrypted_content",
    "tool_use_id",
    "tool_call_id",
    "toolCallId",
    "call_id",
    "callID",
    "toolUseResult",
    "model",
    "usage",
    "version",
    "gitBranch",
    "data",
    "details",
    "resultDisplay",
    "slug",
    "messageId",
    "stopReason",
];

fn walk(value: &Value, turns: &mut Vec<Turn>) {
    let mut waiting = vec![(value, Speaker::Other)];
    while let Some((value, speaker)) = waiting.pop() {
        if speaker == Speaker::Tool {
            push_result(value, turns);
            continue;
        }
        match value {
            Value::String(text) => turns.push(Turn { speaker, text: text.clone() }),
            Value::Array(items) => waiting.extend(items.iter().rev().map(|item| (item, speaker))),
            Value::Object(members) => {
                let name = |key: &str| members.get(key).and_then(Value::as_str).unwrap_or_default();
                let Some(speaker) = speaker_of(name("type"), name("role"), speaker) else { continue };
                if speaker == Speaker::Tool {
                    waiting.push((value, speaker));
                    continue;
                }
                for (key, member) in
                    members.iter().rev().filter(|(key, _)| !PASSED_OVER.contains(&key.as_str()))
                {
                    // Some keep a call and its result in one object.
                    let is_result = speaker == Speaker::Agent
                        && matches!(key.as_str(), "result" | "output" | "functionResponse");
                    waiting.push((member, if is_result { Speaker::Tool } else { speaker }));
                }
            }
            _ => {}
        }
    }
}

/// Who speaks in an object; nobody where it repeats what another says.
fn speaker_of(kind: &str, role: &str, outer: Speaker) -> Option<Speaker> {
    let kind = kind.to_ascii_lowercase();
    let role = role.to_ascii_lowercase();
    match kind.as_str() {
        "event_msg" | "progress" | "file-history-snapshot" => return None,
        "tool_result"
        | "toolresult"
        | "function_call_output"
        | "custom_tool_call_output"
        | "local_shell_call_output"
        | "functionresponse" => return Some(Speaker::Tool),
        "tool_use" | "toolcall" | "function_call" | "custom_tool_call" | "local_shell_call" | "tool"
        | "gemini" | "assistant" => return Some(Speaker::Agent),
        _ => {}
    }
    Some(match role.as_str() {
        "tool" | "toolresult" => Speaker::Tool,
        "assistant" | "model" => Speaker::Agent,
        "user" | "system" | "developer" | "human" => Speaker::Other,
        _ => outer,
    })
}

/// All texts of a result, joined.
fn push_result(value: &Value, turns: &mut Vec<Turn>) {
    let mut text = String::new();
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(piece) => {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(piece);
            }
            Value::Array(items) => waiting.extend(items.iter().rev()),
            Value::Object(members) => waiting.extend(
                members
                    .iter()
                    .rev()
                    .filter(|(key, _)| {
                        !PASSED_OVER.contains(&key.as_str()) && *key != "toolName" && *key != "name"
                    })
                    .map(|(_, member)| member),
            ),
            _ => {}
        }
    }
    if !text.is_empty() {
        turns.push(Turn { speaker: Speaker::Tool, text });
    }
}

#[cfg(test)]
mod tests;
