//! The clients' own folders, and the sessions in them.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, Metadata},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use recto::{
    transcript::{
        Glance, TranscriptError,
        database::{self, Listed},
        glance,
    },
    wire::Format,
};

use crate::{environment, output};

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
    /// Whether its client says that another session called it.
    pub(crate) of_sub_agent: bool,
}

impl Found {
    /// A session in a database.
    fn listed(listed: Listed) -> Self {
        Self {
            format: Format::OpenCode,
            path: listed.path,
            bytes: listed.bytes,
            changed: SystemTime::UNIX_EPOCH + Duration::from_millis(listed.changed_unix_ms),
            of_sub_agent: listed.is_of_sub_agent,
        }
    }

    /// Whether it is the conversation of a sub-agent, which another session called.
    pub(crate) fn is_of_sub_agent(&self) -> bool {
        self.of_sub_agent || is_of_sub_agent(&self.path)
    }
}

/// Where clients keep their sessions, if they do.
pub(crate) fn folders() -> Vec<Folder> {
    places().into_iter().filter(|folder| folder.path.exists()).collect()
}

/// Where sessions are looked for.
pub(crate) fn places() -> Vec<Folder> {
    let places = [
        (Format::ClaudeCode, environment::claude_folder().map(|folder| folder.join("projects"))),
        (Format::Codex, environment::codex_folder().map(|folder| folder.join("sessions"))),
        (Format::Codex, environment::codex_folder().map(|folder| folder.join("archived_sessions"))),
        (Format::Pi, environment::pi_folder().map(|folder| folder.join("sessions"))),
        (Format::OpenCode, environment::data_folder().map(|folder| folder.join("opencode/opencode.db"))),
        (Format::OpenCode, environment::data_folder().map(|folder| folder.join("opencode/storage/session"))),
        (Format::GeminiCli, environment::home().map(|home| home.join(".gemini/tmp"))),
    ];
    places.into_iter().filter_map(|(format, path)| Some(Folder { format, path: path? })).collect()
}

/// The sessions in a folder, newest first.
pub(crate) fn sessions(folder: &Folder) -> Vec<Found> {
    if folder.path.is_file() {
        let listed = database::sessions(&folder.path).unwrap_or_else(|error| {
            output::warn(&error.to_string());
            Vec::new()
        });
        let mut found: Vec<Found> = listed.into_iter().map(Found::listed).collect();
        newest_first(&mut found, |found| (found.changed, &found.path));
        return found;
    }
    let own = |path: PathBuf, about: &Metadata| {
        let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        is_session(folder.format, &path).then_some(Found {
            format: folder.format,
            path,
            bytes: about.len(),
            changed,
            of_sub_agent: false,
        })
    };
    let mut found = walk(&folder.path, own);
    newest_first(&mut found, |found| (found.changed, &found.path));
    found
}

/// All sessions of all clients, newest first.
pub(crate) fn all() -> Vec<Found> {
    let mut found: Vec<Found> = folders().iter().flat_map(sessions).collect();
    // opencode left the files of sessions that it took into its database.
    let taken: HashSet<OsString> = found
        .iter()
        .filter(|found| database::is_in_database(&found.path))
        .filter_map(|found| Some(found.path.file_name()?.to_owned()))
        .collect();
    if !taken.is_empty() {
        let is_copy = |found: &Found| {
            found.format == Format::OpenCode
                && found.path.extension().is_some()
                && found.path.file_stem().is_some_and(|id| taken.contains(id))
        };
        found.retain(|found| !is_copy(found));
    }
    newest_first(&mut found, |found| (found.changed, &found.path));
    found
}

/// A file that may be a session.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// None: to be told from what is in it.
    pub(crate) format: Option<Format>,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) changed: SystemTime,
    pub(crate) of_sub_agent: bool,
}

impl From<Found> for Candidate {
    fn from(found: Found) -> Self {
        let Found { format, path, bytes, changed, of_sub_agent } = found;
        Self { format: Some(format), path, bytes, changed, of_sub_agent }
    }
}

impl Candidate {
    /// A file that is named.
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        if let Some(database) = path.parent().filter(|_| database::is_in_database(path)) {
            let listed = database::sessions(database).map_err(std::io::Error::other)?;
            let own = listed.into_iter().find(|listed| listed.path == path);
            return own
                .map(|listed| Found::listed(listed).into())
                .ok_or_else(|| std::io::ErrorKind::NotFound.into());
        }
        let about = path.metadata()?;
        let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let path = path.to_owned();
        Ok(Self { format: None, path, bytes: about.len(), changed, of_sub_agent: false })
    }

    /// Whether it is the conversation of a sub-agent, which another session called.
    pub(crate) fn is_of_sub_agent(&self) -> bool {
        self.of_sub_agent || is_of_sub_agent(&self.path)
    }
}

/// Whether a file is the conversation of a sub-agent by its name: Claude Code writes `agent-ID.jsonl`.
pub(crate) fn is_of_sub_agent(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let id = name.strip_prefix("agent-").and_then(|name| name.strip_suffix(".jsonl"));
    id.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
}

/// Looks at the beginning of a session's file; `None` if it is none. Where it does not say its format itself, it is `own`, that of the client in
/// whose folder it lies.
pub(crate) fn look(path: &Path, own: Option<Format>) -> Result<Option<Glance>, TranscriptError> {
    match (glance(path, None)?, own) {
        (None, Some(own)) => glance(path, Some(own)),
        (seen, _) => Ok(seen),
    }
}

/// The client in whose folder a session's file lies.
pub(crate) fn format_of(path: &Path) -> Option<Format> {
    if database::is_in_database(path) {
        return Some(Format::OpenCode);
    }
    let path = path.canonicalize().ok()?;
    let is_in = |folder: &Folder| folder.path.canonicalize().is_ok_and(|folder| path.starts_with(folder));
    let folder = folders().into_iter().find(is_in)?;
    is_session(folder.format, &path).then_some(folder.format)
}

/// The files of any folder that may be sessions by their names, newest first.
pub(crate) fn candidates(folder: &Path) -> Vec<Candidate> {
    if folder.is_file() {
        let folder = Folder { format: Format::OpenCode, path: folder.to_owned() };
        return sessions(&folder).into_iter().map(Candidate::from).collect();
    }
    let own = |path: PathBuf, about: &Metadata| {
        let is_json = path.extension().is_some_and(|extension| extension == "json" || extension == "jsonl");
        let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        is_json.then_some(Candidate { format: None, path, bytes: about.len(), changed, of_sub_agent: false })
    };
    let mut found = walk(folder, own);
    newest_first(&mut found, |found| (found.changed, &found.path));
    found
}

fn newest_first<T>(found: &mut [T], by: impl Fn(&T) -> (SystemTime, &PathBuf)) {
    found.sort_by(|one, other| {
        let ((one_changed, one_path), (other_changed, other_path)) = (by(one), by(other));
        other_changed.cmp(&one_changed).then_with(|| one_path.cmp(other_path))
    });
}

/// The files below a folder that `own` takes.
fn walk<T>(folder: &Path, own: impl Fn(PathBuf, &Metadata) -> Option<T>) -> Vec<T> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    let mut seen = 0;
    while let Some((path, depth)) = open.pop() {
        // In opencode's storage the messages and parts stand beside the sessions.
        let is_storage = path.join("session").is_dir() && path.join("message").is_dir();
        // What cannot be read has no sessions for this person.
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            seen += 1;
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() && depth < MOST_DEPTH && seen < MOST_FILES {
                if !is_storage || entry.file_name() == "session" {
                    open.push((entry.path(), depth + 1));
                }
            } else if about.is_file() && !is_storage {
                found.extend(own(entry.path(), &about));
            }
        }
    }
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
