//! The shell line of a hook, and how it is known again.

use std::{fs, path::Path};

use crate::environment;

/// The shell word that runs this recto: its name where that means this one, else its path.
pub(crate) fn program() -> String {
    let own = std::env::current_exe().ok().and_then(|path| fs::canonicalize(path).ok());
    let on_path = environment::on_path("recto").and_then(|path| fs::canonicalize(path).ok());
    match &own {
        Some(own) if on_path.as_ref() != Some(own) => quoted(own),
        _ => "recto".to_owned(),
    }
}

/// The shell line of the hook.
pub(super) fn command(store: Option<&Path>) -> String {
    format!("{}{} hook claude", program(), store_flag(store))
}

/// What names an archive in a shell line, behind the program.
pub(crate) fn store_flag(store: Option<&Path>) -> String {
    store.map(|path| format!(" --store {}", quoted(path))).unwrap_or_default()
}

fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Whether a command is a hook that recto has put in, now or in another version: a program of recto's name, `hook claude`, and
/// nothing else but the flags that a hook may have.
pub(crate) fn is_own(command: &str) -> bool {
    let Some(words) = words(command) else { return false };
    let Some((program, arguments)) = words.split_first() else { return false };
    let mut named = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.split_once('=').map_or(&**argument, |(flag, _)| flag) {
            flag @ ("--store" | "--recall") => {
                if argument == flag && arguments.next().is_none() {
                    return false;
                }
            }
            _ => named.push(&**argument),
        }
    }
    is_recto(program) && named == ["hook", "claude"]
}

/// Whether a program has recto's name, or one that packages give it, such as `recto-0.1` or `.recto-wrapped`.
fn is_recto(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    let name = name.strip_prefix('.').unwrap_or(name);
    name.strip_prefix("recto").is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
}

/// The words of a shell line that runs one program; `None` if it does anything else.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.trim().chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let quoted = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        other => quoted.push(other),
                    }
                }
            }
            '"' => {
                let quoted = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '`' | '(' => return None,
                        '\\' => quoted.push(rest.next()?),
                        other => quoted.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(rest.next()?),
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`' | '\n' | '#' | '*' | '?' => return None,
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_commands() {
        for own in [
            "recto hook claude",
            "/usr/bin/recto hook claude",
            "'/a b/recto' --store '/x y' hook claude",
            "recto --store /x hook claude",
            "recto hook claude --recall tool",
            "recto --store='/x y' hook claude --recall=shell",
            "/opt/recto-0.1 hook claude",
            "/nix/store/x/bin/.recto-wrapped hook claude",
            r"'/it'\''s/recto' hook claude",
            "\"$HOME/a b/recto\" --store \"/x\" hook claude",
        ] {
            assert!(is_own(own), "{own}");
        }
        for other in [
            "rtk hook claude",
            "echo recto hook claude; x",
            "recto gc",
            "directo hook claude",
            "recto hook claude && bell",
            "cd /work/recto && ./other hook claude",
            "rtk --cache /var/recto hook claude",
            "recto-filter; /opt/recto /x/rtk hook claude",
            "rectory hook claude",
            "recto hook claude > /dev/null",
            "recto hook claude --other",
            "recto hook claude --recall",
            "\"$(x)/recto\" hook claude",
            "'recto hook claude",
            "recto 'hook claude'",
            "",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn paths_are_quoted_for_the_shell() {
        assert_eq!(quoted(Path::new("/usr/bin/recto")), "/usr/bin/recto");
        assert_eq!(quoted(Path::new("/it's/a b")), r"'/it'\''s/a b'");
    }
}
