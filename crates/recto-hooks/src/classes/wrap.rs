//! Shell lines that are run by `recto run`, so that what they print is kept whole where the client would cut it first.

use super::{rule::starts_with, shell::Line};

/// What `sh` reads otherwise than the shells that agents run lines in.
const OTHER_SHELLS: [&str; 13] =
    ["<(", ">(", "[[", "$'", "$\"", "<<", "|&", "&>", "**", "{", "$(<", ">& ", "time "];

/// The line that has `runner` (the shell words of `recto run` with its options) run `line`, if that is one pipeline that begins with
/// one of `commands` (a program and, behind blanks, arguments that it has) and means the same to any shell.
///
/// A line of several commands stays: what it does to the shell itself (`cd`, variables) would be lost.
///
/// ```
/// use recto_hooks::classes::wrapped;
/// let named = ["cargo test".to_owned()];
/// let line = wrapped("cargo test -- 'a b' 2>&1", &named, "recto run --max-bytes 4000");
/// assert_eq!(line.as_deref(), Some(r"recto run --max-bytes 4000 --shell 'cargo test -- '\''a b'\'' 2>&1'"));
/// assert_eq!(wrapped("cd api && cargo test", &named, "recto run"), None);
/// assert_eq!(wrapped("cargo build", &named, "recto run"), None);
/// ```
#[must_use]
pub fn wrapped(line: &str, commands: &[String], runner: &str) -> Option<String> {
    if commands.is_empty() || line.contains('\n') || OTHER_SHELLS.iter().any(|sign| line.contains(sign)) {
        return None;
    }
    let read = Line::of(line);
    let start = read.only_start().filter(|_| !read.is_open())?;
    // `>&1` is any shell's, `>&file` is not.
    let is_other = line.match_indices(">&").any(|(at, _)| {
        !line.get(at + 2..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
    });
    if is_other {
        return None;
    }
    let is_named = commands.iter().any(|command| starts_with(start, command));
    is_named.then(|| format!("{runner} --shell '{}'", line.replace('\'', r"'\''")))
}
