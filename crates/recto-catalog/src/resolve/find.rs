//! Which tool a name stands for: the one with that code, or the only one that can be meant.

use std::borrow::Cow;

use super::text::{ALIKE, listed, quoted, ranked, spelled};
use crate::directory::{Directory, Entry, Removed};

/// How many codes are told where none is meant for sure.
const MAX_TOLD: usize = 5;

/// The longest name that is looked at: longer ones are no names.
const MAX_NAME_BYTES: usize = 512;

/// What models write in front of tools' names.
const PREFIXES: [&str; 7] =
    ["multi_tool_use.", "functions", "default_api", "function", "tools", "tool", "mcp"];

/// Which tool a name stands for.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// The one with that code.
    Exact(&'a Entry),
    /// The one that the name can only be another writing of.
    Spelled(&'a Entry),
    /// A tool that is there no more.
    Removed(&'a Removed),
    /// None, or more than one: their codes.
    Unclear(Vec<&'a str>),
}

/// Finds the tool that a name stands for.
pub(super) fn find<'a>(directory: &'a Directory, written: &str) -> Found<'a> {
    if let Some(entry) = directory.get(written) {
        return Found::Exact(entry);
    }
    if let Some(removed) = directory.gone(written) {
        return Found::Removed(removed);
    }
    if written.len() > MAX_NAME_BYTES {
        return Found::Unclear(Vec::new());
    }
    // As it is written first: what looks like a prefix may be the name of the tool's server.
    let whole = by_writing(directory, &spelled(written));
    let bare = without_prefix(written);
    if bare == written || !matches!(&whole, Found::Unclear(several) if several.is_empty()) {
        return whole;
    }
    match directory.get(bare) {
        Some(entry) => Found::Spelled(entry),
        None => by_writing(directory, &spelled(bare)),
    }
}

/// Finds the only tool, of those that are and those that were, of which this is a writing without separators and case.
fn by_writing<'a>(directory: &'a Directory, writing: &str) -> Found<'a> {
    let is_meant = |code: &str, name: &str, server: Option<&str>| {
        writings(code, name, server).iter().any(|other| other == writing)
    };
    let live: Vec<&Entry> = directory
        .entries()
        .iter()
        .filter(|entry| is_meant(entry.code(), entry.tool().name(), entry.tool().server()))
        .collect();
    let gone: Vec<&Removed> = directory
        .removed()
        .iter()
        .filter(|removed| is_meant(&removed.code, &removed.name, removed.server.as_deref()))
        .collect();
    match (live.as_slice(), gone.as_slice()) {
        ([entry], []) => Found::Spelled(entry),
        ([], [removed, ..]) => Found::Removed(removed),
        _ => Found::Unclear(live.iter().map(|entry| entry.code()).collect()),
    }
}

/// The ways in which a tool may be named, without separators and case. Empty ones stand for nothing.
fn writings(code: &str, name: &str, server: Option<&str>) -> Vec<String> {
    let mut all = vec![spelled(code), spelled(name)];
    if let Some(server) = server {
        all.push(spelled(&format!("{server}_{name}")));
        all.push(spelled(&format!("mcp_{server}_{name}")));
    }
    all.retain(|writing| !writing.is_empty());
    all
}

/// Takes away what models write in front of tools' names and the number that some write behind.
pub(super) fn without_prefix(written: &str) -> &str {
    let mut name = written.trim().trim_matches(['`', '"', '\'']);
    // Some models number their calls behind: `functions.list:9`.
    if PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        && let Some((front, number)) = name.rsplit_once(':')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        name = front;
    }
    for prefix in PREFIXES {
        let Some(rest) = name.strip_prefix(prefix) else { continue };
        let bare = rest.trim_start_matches(['.', ':', '/', '-', '_']);
        // A separator must stand between: `toolbox_list` has no prefix; `mcp_` and `tool_` are often the name's own beginning.
        let separator = rest.get(..rest.len() - bare.len()).unwrap_or_default();
        let is_separated = !separator.is_empty() && !matches!(separator, "_" | "-");
        if (is_separated || prefix.ends_with('.')) && !bare.is_empty() {
            name = bare;
        }
    }
    name
}

/// Tells that no tool is meant for sure, and what to do. `how` is how tools are looked up.
pub(super) fn unclear(directory: &Directory, written: &str, several: &[&str], how: &str) -> String {
    let name = quoted(written);
    if let Some((head, _)) = written.split_once(['(', '{'])
        && let Found::Exact(entry) | Found::Spelled(entry) = find(directory, head.trim())
    {
        return format!(
            "{name} is a call, not a name: pass only {} as the name, and the arguments as an object.",
            quoted(entry.code())
        );
    }
    if let [only] = several {
        return format!(
            "{name} may be {}, or a tool that was removed: write the code of the one that you mean.",
            quoted(only)
        );
    }
    if several.len() > 1 {
        let codes = listed(several.iter().map(|code| quoted(code)));
        return format!("{name} may be any of {codes}: write the one that you mean.");
    }
    let near = nearest(directory, written);
    if near.is_empty() {
        return format!("No tool is called {name}. {how}");
    }
    let near: Vec<String> = near.iter().map(|code| quoted(code)).collect();
    format!("No tool is called {name}. Nearest: {}. {how}", near.join(", "))
}

/// The codes nearest to a name, by the code or by the tool's own name.
fn nearest<'a>(directory: &'a Directory, written: &str) -> Vec<&'a str> {
    let bare: Cow<'_, str> = without_prefix(written).into();
    let mut near = ranked(&bare, directory.entries().iter().map(Entry::code), ALIKE);
    // A server's name in front hides the rest.
    if near.is_empty()
        && let Some((_, last)) = bare.rsplit_once(['.', '/', ':'])
    {
        near = ranked(last, directory.entries().iter().map(Entry::code), ALIKE);
    }
    if near.is_empty()
        && let Some((_, last)) = bare.rsplit_once("__")
    {
        near = ranked(last, directory.entries().iter().map(Entry::code), ALIKE);
    }
    near.truncate(MAX_TOLD);
    near
}

/// Tells that a tool was removed.
pub(super) fn gone(removed: &Removed) -> String {
    let server = removed.server.as_ref().map(|server| format!(" of {}", quoted(server))).unwrap_or_default();
    format!("{}{server} was removed and cannot be called any more: use another tool.", quoted(&removed.code))
}
