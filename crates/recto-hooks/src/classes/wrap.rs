//! Shell lines that are run by `recto run`, so that what they print is kept whole where the client would cut it first.

use super::{rule::starts_with, shell::Line};

/// What `sh` reads otherwise than the shells that agents run lines in.
const OTHER_SHELLS: [&str; 10] = ["<(", ">(", "[[", "$'", "$\"", "<<", "|&", "&>", "**", "{"];

/// The line that runs `line` under `recto run`, if it is one pipeline that begins with one of `commands` (a program and, behind
/// blanks, arguments that it has) and means the same to any shell.
///
/// A line of several commands stays: what it does to the shell itself (`cd`, variables) would be lost.
///
/// ```
/// use recto_hooks::classes::wrapped;
/// let named = ["cargo test".to_owned()];
/// assert_eq!(wrapped("cargo test -- 'a b' 2>&1", &named).as_deref(), Some(r"recto run --shell 'cargo test -- '\\''a b'\\'' 2>&1'"));
/// assert_eq!(wrapped("cd api && cargo test", &named), None);
/// assert_eq!(wrapped("cargo build", &named), None);
/// ```
#[must_use]
pub fn wrapped(line: &str, commands: &[String]) -> Option<String> {
    if commands.is_empty() || line.contains('\n') || OTHER_SHELLS.iter().any(|sign| line.contains(sign)) {
        return None;
    }
    let read = Line::of(line);
    let start = read.only_start()?;
    let is_named = commands.iter().any(|command| starts_with(start, command));
    is_named.then(|| format!("recto run --shell '{}'", line.replace('\'', r"'\''")))
}
