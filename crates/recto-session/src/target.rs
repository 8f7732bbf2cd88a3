//! What a call is about: the file that it reads or changes, and which lines of it.

use std::borrow::Cow;

use recto_wire::{Document, JsonKind, Value};

use crate::key::Key;

/// What a call does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Shows it, or some lines of it.
    Read,
    /// Changes a part of it.
    Edit,
    /// Writes it anew.
    Write,
}

/// Lines of a file, from 1, both ends counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    /// The first.
    pub first: u64,
    /// The last; `u64::MAX` for the rest of the file.
    pub last: u64,
}

impl Lines {
    /// All of a file.
    pub const ALL: Self = Self { first: 1, last: u64::MAX };

    /// Whether `other` lies inside.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// No more than so many lines from the first: what a result that has so many shows in fact.
    pub(crate) fn cut_to(self, count: u64) -> Self {
        Self { first: self.first, last: self.last.min(self.first.saturating_add(count.max(1) - 1)) }
    }

    /// What both have.
    #[must_use]
    pub fn common(self, other: Self) -> Option<Self> {
        let both = Self { first: self.first.max(other.first), last: self.last.min(other.last) };
        (both.first <= both.last).then_some(both)
    }
}

/// The file of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its path, as the call writes it.
    pub path: Key,
    /// What is done.
    pub act: Act,
    /// Which lines are meant; all where the call does not say.
    pub lines: Lines,
}

/// What a call says of itself, as far as others ask: the file, the shell line.
#[derive(Debug, Default)]
pub(crate) struct Arguments<'a> {
    pub(crate) path: Option<Cow<'a, str>>,
    pub(crate) command: Option<Cow<'a, str>>,
    offset: Option<u64>,
    limit: Option<u64>,
    last: Option<u64>,
}

/// Names of arguments that hold a file's path.
const PATHS: [&str; 7] =
    ["file_path", "filePath", "notebook_path", "absolute_path", "relative_path", "path", "filename"];
/// And a shell line.
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

impl<'a> Arguments<'a> {
    pub(crate) fn of(root: Value<'a>) -> Self {
        let mut arguments = Self::default();
        if root.kind() != JsonKind::Object {
            return arguments;
        }
        let first = |names: &[&str]| names.iter().find_map(|name| root.get(name));
        arguments.path = first(&PATHS).and_then(Value::text);
        arguments.command = first(&COMMANDS).and_then(|command| match command.kind() {
            JsonKind::Array => {
                let words: Vec<Cow<'_, str>> = command.items().filter_map(Value::text).collect();
                // A shell and its option stand before the line.
                match words.as_slice() {
                    [_, option, line] if option.starts_with('-') => Some(line.clone()),
                    words => Some(Cow::Owned(words.join(" "))),
                }
            }
            _ => command.text(),
        });
        let number = |names: &[&str]| first(names).and_then(Value::number);
        arguments.offset = number(&["offset", "start_line", "startLine", "line_start"]);
        arguments.limit = number(&["limit", "line_count"]);
        arguments.last = number(&["end_line", "endLine", "line_end"]);
        if let Some(range) = root.get("view_range") {
            let mut ends = range.items().filter_map(Value::number);
            (arguments.offset, arguments.last) = (ends.next(), ends.next());
        }
        arguments
    }

    /// The file that the call is about, if it says so.
    pub(crate) fn target(&self, tool: &str) -> Option<Target> {
        if let Some(command) = &self.command {
            return of_shell(command);
        }
        let path = Key::of(plain_path(self.path.as_deref()?).as_bytes());
        let tool = tool.rsplit("__").next().unwrap_or(tool).to_ascii_lowercase();
        let act = match tool.as_str() {
            "read" | "view" | "cat" | "read_file" | "readfile" | "view_file" | "read_text_file"
            | "notebookread" => Act::Read,
            "write" | "write_file" | "writefile" | "create" | "create_file" | "write_to_file" => Act::Write,
            "edit" | "multiedit" | "edit_file" | "replace" | "str_replace" | "str_replace_editor"
            | "patch" | "apply_patch" | "notebookedit" | "insert" | "update" | "replace_in_file" => Act::Edit,
            _ => return None,
        };
        let first = self.offset.unwrap_or(1).max(1);
        let last = match (self.last, self.limit) {
            (Some(last), _) => last,
            (None, Some(limit)) => first.saturating_add(limit).saturating_sub(1),
            (None, None) => u64::MAX,
        };
        let lines = if act == Act::Read { Lines { first, last: last.max(first) } } else { Lines::ALL };
        Some(Target { path, act, lines })
    }
}

/// A path without a leading `./`.
fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// The file that a plain shell line shows: `cat F`, `sed -n 'A,Bp' F`, `head -N F`, `nl F`; nothing where the line does more.
fn of_shell(line: &str) -> Option<Target> {
    let mut line = line.trim();
    if let Some((before, rest)) = line.split_once("&&")
        && before.trim_start().starts_with("cd ")
    {
        line = rest.trim();
    }
    if line.contains(['|', ';', '&', '>', '<', '$', '`', '(', '*', '?', '\n', '\\']) {
        return None;
    }
    let words: Vec<&str> = line
        .split_whitespace()
        .map(|word| word.trim_matches(|quote| quote == '\'' || quote == '"'))
        .collect();
    let read = |path: &str, lines| {
        Some(Target { path: Key::of(plain_path(path).as_bytes()), act: Act::Read, lines })
    };
    match words.as_slice() {
        ["cat" | "nl" | "less", path] | ["cat", "-n" | "-A", path] | ["nl", "-ba", path]
            if !path.starts_with('-') =>
        {
            read(path, Lines::ALL)
        }
        ["sed", "-n", range, path] => {
            let (first, last) = range.strip_suffix('p')?.split_once(',')?;
            read(path, Lines { first: first.parse().ok()?, last: last.parse().ok()? })
        }
        ["head", count, path] => read(
            path,
            Lines { first: 1, last: count.strip_prefix('-')?.trim_start_matches('n').parse().ok()? },
        ),
        ["head", "-n", count, path] => read(path, Lines { first: 1, last: count.parse().ok()? }),
        _ => None,
    }
}

/// The arguments of a call: an object, or JSON in a string.
pub(crate) fn with_arguments<T>(raw: &[u8], then: impl FnOnce(Arguments<'_>) -> T) -> T {
    let Ok(document) = Document::parse(raw) else { return then(Arguments::default()) };
    if let Some(inside) = document.root().text() {
        return match Document::parse(inside.as_bytes()) {
            Ok(document) => then(Arguments::of(document.root())),
            // A tool that takes a text: a patch, a script.
            Err(_) => then(Arguments { command: Some(inside), ..Arguments::default() }),
        };
    }
    then(Arguments::of(document.root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(tool: &str, arguments: &str) -> Option<(Act, u64, u64)> {
        with_arguments(arguments.as_bytes(), |arguments| arguments.target(tool))
            .map(|target| (target.act, target.lines.first, target.lines.last))
    }

    #[test]
    fn files_are_told_from_arguments_and_plain_commands() {
        assert_eq!(target("Read", r#"{"file_path":"/a.rs"}"#), Some((Act::Read, 1, u64::MAX)));
        assert_eq!(target("read", r#"{"path":"a","offset":10,"limit":5}"#), Some((Act::Read, 10, 14)));
        assert_eq!(target("view", r#"{"path":"a","view_range":[3,9]}"#), Some((Act::Read, 3, 9)));
        assert_eq!(target("Edit", r#"{"file_path":"a","old_string":"x"}"#), Some((Act::Edit, 1, u64::MAX)));
        assert_eq!(
            target("shell", r#""{\"command\":[\"bash\",\"-lc\",\"sed -n '5,9p' src/a.rs\"]}""#),
            Some((Act::Read, 5, 9))
        );
        assert_eq!(target("Bash", r#"{"command":"cd /x && cat a.rs"}"#), Some((Act::Read, 1, u64::MAX)));
        assert_eq!(target("Bash", r#"{"command":"cat a | head"}"#), None);
        assert_eq!(target("Bash", r#"{"command":"cargo test"}"#), None);
        assert_eq!(target("Grep", r#"{"path":"src"}"#), None);
    }
}
