//! Level 3: a tool that calls, a tool that looks up, and a map of one line a tool.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::{
    directory::{Directory, Entry},
    ledger::{Detail, WireTool},
    level::{Draft, Note, short_tool},
    map::{self, MapStyle},
    options::CodeStyle,
    signature::{names_line, signature_line},
};

/// The tool that calls.
pub(crate) const CALL: &str = "t";

/// The tool that looks up.
pub(crate) const LOOK_UP: &str = "q";

/// Letters and digits of short codes: no vowels, so that no word comes about, and none that look alike.
const SHORT_ALPHABET: &[u8; 27] = b"bcdfghjkmnpqrstvwxz23456789";

/// What the map is made of.
pub(crate) struct Plan<'a> {
    /// How lines are written.
    pub(crate) style: MapStyle,
    /// What stands for a tool.
    pub(crate) codes: CodeStyle,
    /// How each tool is offered, by its code.
    pub(crate) details: &'a BTreeMap<&'a str, Detail>,
    /// Whether the tools that are offered as themselves are made too; not where only the map is weighed.
    pub(crate) whole: bool,
}

/// Writes the two tools, the native ones, and the map: what was sent before stays, what is new follows it.
pub(crate) fn build(draft: &mut Draft, directory: &Directory, plan: &Plan<'_>) {
    let is_first = draft.tools.is_empty();
    if is_first {
        draft.tools.extend([call_tool(), look_up_tool()]);
        draft.preamble.push_str(header(plan));
    }
    let gone: Vec<String> = draft
        .notes
        .iter()
        .map(|note| note.code.clone())
        .filter(|code| draft.known(code).is_some_and(|known| known.removed && known.detail != Detail::Search))
        .collect();
    let mut taken: BTreeSet<String> = draft.entries.iter().filter_map(|entry| entry.short.clone()).collect();
    if plan.codes == CodeStyle::Short {
        let codes = draft
            .entries
            .iter()
            .map(|entry| &entry.code)
            .chain(directory.removed().iter().map(|removed| &removed.code));
        taken.extend(codes.cloned());
        taken.extend(directory.entries().iter().map(|entry| entry.code().to_owned()));
        taken.extend(draft.shorts.values().cloned());
    }
    let (mut again, mut added, mut hidden) = (Vec::new(), Vec::new(), 0_usize);
    for entry in directory.entries() {
        let known = draft
            .known(entry.code())
            .map(|known| (known.detail, known.sent.clone(), known.removed, known.short.clone()));
        let detail = known.as_ref().map_or_else(|| plan.detail(entry), |known| known.0);
        if detail == Detail::Native {
            if plan.whole {
                draft.offer(entry, short_tool(entry));
            }
            continue;
        }
        let line = line(entry, detail);
        let short = match &known {
            Some(known) => known.3.clone(),
            None => (plan.codes == CodeStyle::Short).then(|| {
                draft.shorts.get(entry.code()).cloned().unwrap_or_else(|| short_code(entry, &taken))
            }),
        };
        taken.extend(short.clone());
        match known {
            Some((_, sent, false, _)) if sent == line => continue,
            Some((_, _, removed, _)) => {
                let message = if removed { "there again" } else { "changed: its new line counts" };
                draft.notes.push(Note::new(entry.code(), message));
                if detail != Detail::Search {
                    again.push((entry, detail, short.clone()));
                }
            }
            None if detail == Detail::Search => hidden += 1,
            None => added.push((entry, detail, short.clone())),
        }
        draft.set(entry, detail, line, short);
    }
    let preamble = &mut draft.preamble;
    if !gone.is_empty() {
        preamble.push_str(&format!("# No longer there: {}\n", gone.join(", ")));
    }
    if !again.is_empty() {
        preamble.push_str("# These lines replace those above:\n");
        write_segments(preamble, &again, plan.style);
    }
    if !added.is_empty() {
        if !is_first {
            preamble.push_str("# Added:\n");
        }
        write_segments(preamble, &added, plan.style);
    }
    if hidden > 0 {
        preamble.push_str(&format!("# q finds {hidden} more.\n"));
    }
}

impl Plan<'_> {
    fn detail(&self, entry: &Entry) -> Detail {
        let plain = if self.style == MapStyle::Signature { Detail::Signature } else { Detail::Required };
        self.details.get(entry.code()).copied().unwrap_or(plain)
    }
}

type Planned<'a> = (&'a Entry, Detail, Option<String>);

/// One segment for each detail, the richest first.
fn write_segments(preamble: &mut String, planned: &[Planned<'_>], style: MapStyle) {
    for detail in [Detail::Signature, Detail::Required, Detail::Name] {
        let lines: Vec<map::Line<'_>> = planned
            .iter()
            .filter(|line| line.1 == detail)
            .map(|(entry, _, short)| map::Line {
                short: short.as_deref(),
                code: entry.code(),
                tool: entry.tool(),
            })
            .collect();
        if lines.is_empty() {
            continue;
        }
        match detail {
            Detail::Name => {
                for line in &lines {
                    preamble.extend(line.short.map(|short| format!("{short} ")));
                    preamble.push_str(line.code);
                    preamble.push('\n');
                }
            }
            Detail::Signature => {
                let segment = map::append(preamble, &lines, MapStyle::Signature);
                preamble.push_str(&segment);
            }
            _ => {
                let style = if style == MapStyle::Explicit { style } else { MapStyle::NamesRequired };
                let segment = map::append(preamble, &lines, style);
                preamble.push_str(&segment);
            }
        }
    }
}

/// What is said of a tool, all in one: what a change is noticed by.
pub(crate) fn line(entry: &Entry, detail: Detail) -> String {
    match detail {
        Detail::Signature => signature_line(entry.tool(), Some(entry.code())),
        Detail::Required => names_line(entry.tool(), Some(entry.code()), false),
        Detail::Search | Detail::Name | Detail::Native => entry.code().to_owned(),
    }
}

/// What stands above the map.
fn header(plan: &Plan<'_>) -> &'static str {
    let has_signatures =
        plan.style == MapStyle::Signature || plan.details.values().any(|detail| *detail == Detail::Signature);
    match (has_signatures, plan.codes) {
        (false, CodeStyle::Name) => {
            "# Tools, one a line: name(required arguments). Call one with t; q tells all arguments, or finds tools.\n"
        }
        (false, CodeStyle::Short) => {
            "# Tools, one a line: code name(required arguments). Call a code with t; q tells all arguments, or finds tools.\n"
        }
        (true, CodeStyle::Name) => {
            "# Tools, one a line: ?=optional, :type (else string), $x=group of arguments, …=more values. Call one with t; q tells more.\n"
        }
        (true, CodeStyle::Short) => {
            "# Tools, one a line, code first: ?=optional, :type (else string), $x=group of arguments, …=more values. Call a code with t; q tells more.\n"
        }
    }
}

pub(crate) fn call_tool() -> WireTool {
    meta_tool(
        CALL,
        "Calls tool f with arguments a.",
        json!({"type": "object", "properties": {"f": {"type": "string"}, "a": {"type": "object"}}, "required": ["f"]}),
    )
}

pub(crate) fn look_up_tool() -> WireTool {
    meta_tool(
        LOOK_UP,
        "Describes tool c, or finds tools by words s.",
        json!({"type": "object", "properties": {"c": {"type": "string"}, "s": {"type": "string"}}}),
    )
}

fn meta_tool(name: &str, description: &str, input_schema: serde_json::Value) -> WireTool {
    WireTool {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema,
        strict: false,
        operations: BTreeMap::new(),
        shape: None,
        rest: serde_json::Map::new(),
        written: None,
    }
}

/// A few characters for a tool: of a hash over its server and name, more of them while they are another one's.
fn short_code(entry: &Entry, taken: &BTreeSet<String>) -> String {
    let mut hash = Sha256::new();
    hash.update(entry.tool().server().unwrap_or_default());
    hash.update([0]);
    hash.update(entry.tool().name());
    // Two tools of one name on one server differ by their codes.
    hash.update([0]);
    hash.update(entry.code());
    let digest = hash.finalize();
    let letters: String = digest
        .iter()
        .map(|&byte| {
            char::from(SHORT_ALPHABET.get(usize::from(byte) % SHORT_ALPHABET.len()).copied().unwrap_or(b'b'))
        })
        .collect();
    (3..=letters.len())
        .filter_map(|length| letters.get(..length))
        .find(|code| !taken.contains(*code))
        .unwrap_or(&letters)
        .to_owned()
}

/// Whether a tool can be offered beside the two tools of the map.
pub(crate) fn can_be_native(code: &str) -> bool {
    code != CALL && code != LOOK_UP
}
