//! Names of sessions, as a person types them.

use std::{collections::HashMap, path::Path};

use super::find::{self, Candidate};

/// What names a session at the command line: a short id if it lies in a client's own folder, else its file.
pub(crate) fn of_path(path: &Path) -> String {
    let own = find::all();
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let whole_of = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_it = |found: &find::Found| whole_of(&found.path) == whole;
    match own.iter().find(|found| is_it(found)) {
        Some(found) => Ids::of_all().short(&found.path),
        None => quoted(&path.display().to_string()),
    }
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let word = if word.starts_with('-') { format!("./{word}") } else { word.to_owned() };
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Short ids: parts of files' names that no other file's name has.
pub(crate) struct Ids {
    /// Windows of names by their length, and how many names have each.
    windows: [(usize, HashMap<String, u32>); 4],
}

/// Lengths of short ids.
const LENGTHS: [usize; 4] = [8, 13, 18, 23];

impl Ids {
    pub(crate) fn of(found: &[Candidate]) -> Self {
        let windows = LENGTHS.map(|length| {
            let mut counts: HashMap<String, u32> = HashMap::new();
            for candidate in found {
                let name = stem(&candidate.path);
                let mut own: Vec<&str> = (0..name.len()).filter_map(|at| name.get(at..at + length)).collect();
                own.sort_unstable();
                own.dedup();
                for window in own {
                    *counts.entry(window.to_owned()).or_default() += 1;
                }
            }
            (length, counts)
        });
        Self { windows }
    }

    /// Those of all sessions of this machine's clients.
    pub(crate) fn of_all() -> Self {
        Self::of(&find::all().into_iter().map(Candidate::from).collect::<Vec<_>>())
    }

    /// The shortest beginning of the id in a file's name that only this name has; else all of the name.
    pub(crate) fn short(&self, path: &Path) -> String {
        let name = stem(path);
        let id = id_of(&name);
        let short = self.windows.iter().find_map(|(length, counts)| {
            let window = id.get(..*length)?;
            (counts.get(window) == Some(&1)).then_some(window)
        });
        short.unwrap_or(&name).to_owned()
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The id in a file's name: what stands behind a time.
fn id_of(name: &str) -> &str {
    // Pi writes `TIME_ID`.
    if let Some((time, id)) = name.rsplit_once('_')
        && time.starts_with(|c: char| c.is_ascii_digit())
    {
        return id;
    }
    // Codex writes `rollout-YYYY-MM-DDTHH-MM-SS-ID`, Gemini CLI `session-YYYY-MM-DDTHH-MM-ID`.
    let parts = match name.split_once('-') {
        Some(("rollout", _)) => 7,
        Some(("session", _)) => 6,
        _ => return name,
    };
    name.splitn(parts, '-').last().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use std::{path::PathBuf, time::UNIX_EPOCH};

    use recto::wire::Format;

    use super::*;

    fn candidate(name: &str) -> Candidate {
        let path = PathBuf::from(format!("/x/{name}.jsonl"));
        find::Found { format: Format::ClaudeCode, path, bytes: 0, changed: UNIX_EPOCH, of_sub_agent: false }
            .into()
    }

    #[test]
    fn ids_are_short_and_no_other_name_has_them() {
        let names = [
            "3fa2c1d0-1111-4222-8333-444455556666",
            "3fa2c1d0-1112-4222-8333-444455556666",
            "rollout-2026-01-02T18-39-45-019b7f94-51b4-7593-922e-ba12b5b73b52",
            "2025-12-09T00-52-54-397Z_d97339c6-6c10-4827-846b-9ff1d9c3dc37",
            "session-2025-09-01T10-20-abcdef12",
            "ses_3fa2c1d0",
        ];
        let found: Vec<Candidate> = names.iter().map(|name| candidate(name)).collect();
        let ids = Ids::of(&found);
        let short: Vec<String> = found.iter().map(|found| ids.short(&found.path)).collect();
        assert_eq!(short, ["3fa2c1d0-1111", "3fa2c1d0-1112", "019b7f94", "d97339c6", "abcdef12", "ses_3fa2"]);
        for (id, own) in short.iter().zip(&names) {
            assert_eq!(names.iter().filter(|name| name.contains(&**id)).collect::<Vec<_>>(), [own]);
        }
    }
}
