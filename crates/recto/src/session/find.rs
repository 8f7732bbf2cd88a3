//! The clients' own folders, and the sessions in them.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use recto::wire::Format;

use crate::environment;

/// Folders below each other that are looked into.
const MOST_DEPTH: u32 = 6;
/// Files that are looked at in one client's folder.
const MOST_FILES: usize = 200_000;

/// A client's folder of sessions.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    pub(crate) format: Format,
    pub(crate) path: PathBuf,
}

/// A session's file.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) format: Format,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) changed: SystemTime,
}

/// Where clients keep their sessions, if they do.
pub(crate) fn folders() -> Vec<Folder> {
    let places = [
        (Format::ClaudeCode, environment::claude_folder().map(|folder| folder.join("projects"))),
        (Format::Codex, environment::codex_folder().map(|folder| folder.join("sessions"))),
        (Format::Codex, environment::codex_folder().map(|folder| folder.join("archived_sessions"))),
        (Format::Pi, environment::pi_folder().map(|folder| folder.join("sessions"))),
        (Format::OpenCode, environment::data_folder().map(|folder| folder.join("opencode/storage/session"))),
        (Format::GeminiCli, environment::home().map(|home| home.join(".gemini/tmp"))),
    ];
    let places = places.into_iter().filter_map(|(format, path)| Some(Folder { format, path: path? }));
    places.filter(|folder| folder.path.is_dir()).collect()
}

/// The sessions in a folder, newest first.
pub(crate) fn sessions(folder: &Folder) -> Vec<Found> {
    let mut found = Vec::new();
    let mut open = vec![(folder.path.clone(), 0)];
    let mut seen = 0;
    while let Some((path, depth)) = open.pop() {
        // What cannot be read has no sessions for this person.
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            seen += 1;
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() && depth < MOST_DEPTH && seen < MOST_FILES {
                open.push((entry.path(), depth + 1));
            } else if about.is_file() && is_session(folder.format, &entry.path()) {
                let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.push(Found { format: folder.format, path: entry.path(), bytes: about.len(), changed });
            }
        }
    }
    found.sort_by(|one, other| other.changed.cmp(&one.changed).then_with(|| one.path.cmp(&other.path)));
    found
}

/// All sessions of all clients, newest first.
pub(crate) fn all() -> Vec<Found> {
    let mut found: Vec<Found> = folders().iter().flat_map(sessions).collect();
    found.sort_by(|one, other| other.changed.cmp(&one.changed).then_with(|| one.path.cmp(&other.path)));
    found
}

/// Whether a file of a client's folder is a session by its name.
fn is_session(format: Format, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match format {
        Format::OpenCode => name.ends_with(".json"),
        Format::GeminiCli => {
            name.starts_with("session-") && (name.ends_with(".json") || name.ends_with(".jsonl"))
        }
        _ => name.ends_with(".jsonl"),
    }
}
