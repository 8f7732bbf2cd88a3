//! The map of a catalogue: a line for each tool.
//!
//! A segment of the map is written at once and never changed. In style `signature` it begins with what its lines have in common
//! (`vocabulary`): names that mostly stand for one kind of value (`int: page,perPage`), and parameters that occur together, in
//! groups (`$a=owner,repo`, chosen in `groups`). A segment that is added later uses those of the segments before it, and
//! adds such as change no meaning there. `read` proves
//! that nothing is lost: it gives every line back with its parameters, required or not, and their kinds. Their order within a line
//! means nothing.

mod groups;
mod vocabulary;

#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};

use crate::{
    signature::{Signature, names_line, quoted, written},
    tool::Tool,
};
use vocabulary::Vocabulary;

/// What a line of the map says of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MapStyle {
    /// Its code and the names of what it requires: `name(a,b)`.
    #[default]
    #[serde(rename = "name+required")]
    NamesRequired,
    /// The same, with `()` on tools that require nothing.
    Explicit,
    /// All of its parameters and what they are: `name(a,b?:int)`.
    Signature,
}

impl fmt::Display for MapStyle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NamesRequired => "name+required",
            Self::Explicit => "explicit",
            Self::Signature => "signature",
        })
    }
}

/// What begins a remark: a line of the map that is of no tool. No tool's line begins so.
pub(crate) const REMARK: char = '#';

/// A tool, as it stands in the map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// What stands in front of it, where codes are short.
    pub(crate) short: Option<&'a str>,
    /// What it is called.
    pub(crate) code: &'a str,
    pub(crate) tool: &'a Tool,
}

/// Writes a segment that stands behind `before`, in the words of that and its own: lines, each with its line break. It depends on the
/// set of lines alone as far as they come sorted.
pub(crate) fn append(before: &str, lines: &[Line<'_>], style: MapStyle) -> String {
    let mut text = String::new();
    match style {
        MapStyle::NamesRequired | MapStyle::Explicit => {
            for line in lines {
                begin(line.short, &mut text);
                text.push_str(&names_line(line.tool, Some(line.code), style == MapStyle::Explicit));
                text.push('\n');
            }
        }
        MapStyle::Signature => {
            let signatures = lines.iter().map(|line| Signature::of(line.tool, Some(line.code)));
            let lines: Vec<_> = lines.iter().map(|line| line.short).zip(signatures).collect();
            write_signatures(before, &lines, &mut text);
        }
    }
    text
}

/// Writes signatures, each with the short code in front of it, where it has one.
fn write_signatures(before: &str, lines: &[(Option<&str>, Signature)], text: &mut String) {
    let (known, mentioned) = said(before);
    let signatures: Vec<&Signature> = lines.iter().map(|(_, signature)| signature).collect();
    let (vocabulary, added) = known.extended(&signatures, &mentioned);
    for line in added {
        text.push_str(&line);
        text.push('\n');
    }
    for (short, signature) in lines {
        begin(*short, text);
        // A line of a tool never begins as a remark does.
        match signature.name.starts_with(REMARK) {
            true => text.push_str(&quoted(&signature.name)),
            false => text.push_str(&written(&signature.name)),
        }
        let items = vocabulary.items(&signature.parameters);
        if !items.is_empty() {
            text.push('(');
            text.push_str(&items.join(","));
            text.push(')');
        }
        text.push('\n');
    }
}

fn begin(short: Option<&str>, text: &mut String) {
    if let Some(short) = short {
        text.push_str(short);
        text.push(' ');
    }
}

/// The vocabulary of a map, and the names of parameters that its lines mention: what a name stands for there must not change.
fn said(before: &str) -> (Vocabulary, BTreeSet<String>) {
    let (mut vocabulary, mut mentioned) = (Vocabulary::default(), BTreeSet::new());
    for line in before.lines().filter(|line| !line.starts_with(REMARK)) {
        if vocabulary.read_line(line) == Some(true) {
            continue;
        }
        if let Some(signature) = read_line(&vocabulary, without_short(line)) {
            mentioned.extend(signature.parameters.into_iter().map(|parameter| parameter.name));
        }
    }
    (vocabulary, mentioned)
}

/// A tool's line without the short code in front of it. A name that holds a space is quoted.
fn without_short(line: &str) -> &str {
    match line.split_once(' ') {
        Some((short, rest)) if short.bytes().all(|byte| byte.is_ascii_alphanumeric()) => rest,
        _ => line,
    }
}

fn read_line(vocabulary: &Vocabulary, line: &str) -> Option<Signature> {
    Signature::read(line, |cursor, parameters| vocabulary.read_item(cursor, parameters))
}

/// Reads a map back: each line with what it says in full. `None` if this is no map.
#[cfg(test)]
pub(crate) fn read(text: &str) -> Option<Vec<Signature>> {
    let (mut vocabulary, mut signatures) = (Vocabulary::default(), Vec::new());
    for line in text.lines().filter(|line| !line.starts_with(REMARK)) {
        if !vocabulary.read_line(line)? {
            signatures.push(read_line(&vocabulary, without_short(line))?);
        }
    }
    Some(signatures)
}
