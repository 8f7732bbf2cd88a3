//! Level 2: one tool for each namespace, and one that describes their operations.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::{
    directory::{Directory, Entry},
    ledger::{Detail, WireTool},
    level::{Draft, Note, short_tool},
    names::{marked, plain, short},
    options::Options,
    signature::names_line,
};

/// The tool that tells an operation's arguments.
pub(crate) const DESCRIBE: &str = "describe_op";

/// The name of the tool for tools without a namespace.
const NAMELESS: &str = "tools";

/// Offers the tools of each namespace as operations of one tool. Newcomers of a namespace that was sent already get a tool of their
/// own behind the others: what was sent stays as it is.
pub(crate) fn build(draft: &mut Draft, directory: &Directory, options: &Options, pins: &BTreeSet<String>) {
    if draft.tools.is_empty() {
        draft.tools.push(describe_tool());
    }
    let mut waiting: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    for entry in directory.entries() {
        let known = draft.known(entry.code()).map(|known| known.detail);
        if known == Some(Detail::Native)
            || (known.is_none() && pins.contains(entry.code()) && !is_own(&draft.tools, entry.code()))
        {
            draft.offer(entry, short_tool(entry));
            continue;
        }
        match draft.known(entry.code()) {
            Some(known) => {
                let (sent, was_removed) = (known.sent.clone(), known.removed);
                if sent != names_line(entry.tool(), None, false) {
                    draft.notes.push(Note::new(
                        entry.code(),
                        "changed: the line that was sent stays; calls are checked as it is now",
                    ));
                } else if was_removed {
                    draft.notes.push(Note::new(entry.code(), "there again, as it was"));
                }
                draft.set(entry, Detail::Required, sent, None);
            }
            None => waiting.entry(options.namespace_of(entry.tool())).or_default().push(entry),
        }
    }
    let mut taken: BTreeSet<String> = draft.tools.iter().map(|tool| tool.name.clone()).collect();
    for (namespace, entries) in waiting {
        let alias = options.alias_of(&namespace);
        let alias = if alias.is_empty() { NAMELESS } else { &alias };
        let name = free_name(&short(&plain(alias), &[alias.as_bytes()]), &namespace, &taken);
        taken.insert(name.clone());
        let tool = namespace_tool(name, &namespace, &entries);
        draft.tools.push(tool);
        for entry in entries {
            draft.set(entry, Detail::Required, names_line(entry.tool(), None, false), None);
        }
    }
}

fn free_name(wanted: &str, namespace: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..1_000).map(|number| format!("{wanted}_{number}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(name) && name.len() <= crate::names::MAX_NAME_BYTES)
        .unwrap_or_else(|| marked(wanted, &[namespace.as_bytes(), &taken.len().to_le_bytes()]))
}

fn namespace_tool(name: String, namespace: &str, entries: &[&Entry]) -> WireTool {
    let mut operations = BTreeMap::new();
    let mut lines = Vec::with_capacity(entries.len());
    for entry in entries {
        let operation = [operation(entry, namespace), entry.code()]
            .into_iter()
            .find(|name| !operations.contains_key(*name))
            .map_or_else(
                || marked(entry.code(), &[namespace.as_bytes(), entry.code().as_bytes()]),
                str::to_owned,
            );
        lines.push(names_line(entry.tool(), Some(&operation), false));
        operations.insert(operation, entry.code().to_owned());
    }
    lines.sort();
    let names: Vec<&str> = operations.keys().map(String::as_str).collect();
    WireTool {
        name,
        description: format!("Operations and the args they require:\n{}", lines.join("\n")),
        input_schema: json!({
            "type": "object",
            "properties": {"op": {"type": "string", "enum": names}, "args": {"type": "object"}},
            "required": ["op"],
        }),
        strict: false,
        operations,
        shape: None,
        rest: serde_json::Map::new(),
        written: None,
    }
}

/// Whether a name is that of a namespace's tool, or of the one that describes.
fn is_own(tools: &[WireTool], name: &str) -> bool {
    name == DESCRIBE || tools.iter().any(|tool| tool.name == name && !tool.operations.is_empty())
}

/// The name of a tool within its namespace.
fn operation<'a>(entry: &'a Entry, namespace: &str) -> &'a str {
    let code = entry.code();
    let rest = code.strip_prefix(&*plain(namespace)).and_then(|rest| rest.strip_prefix('_'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(code)
}

fn describe_tool() -> WireTool {
    WireTool {
        name: DESCRIBE.to_owned(),
        description: "Tells all arguments of an operation.".to_owned(),
        input_schema: json!({"type": "object", "properties": {"op": {"type": "string"}}, "required": ["op"]}),
        strict: false,
        operations: BTreeMap::new(),
        shape: None,
        rest: serde_json::Map::new(),
        written: None,
    }
}
