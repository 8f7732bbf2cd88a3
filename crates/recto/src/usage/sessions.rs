//! The views that each session was shown: a small file a session, in a folder beside the archive.
//!
//! What a session must be told of its views, and what may not be removed while it can go on, hangs on these files and on no other:
//! they are never set aside, and reading one costs the same however much other sessions have done.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs::{self, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use recto::archive::{
    Digest, Ref,
    clock::{Clock as _, SystemClock},
};
use serde::{Deserialize, Serialize};

use super::{Line, What, file, text::capped};

/// Of a longer file its end is read by hooks: some thousand views.
const MOST_READ_BYTES: u64 = 1 << 20;

/// No path of the system is longer.
const MOST_PATH_BYTES: usize = 4_096;

/// A session that was shown something lately may be running, whether its file is there or not.
const RUNNING: Duration = Duration::from_hours(24);

/// A view that a session was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct View {
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    pub(crate) tool: String,
    /// Bytes that the tool gave.
    pub(crate) bytes: u64,
    /// The file that was read, where the tool reads files.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) file: String,
    /// The session's own file: while it is there, what the view leaves out is kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) transcript: String,
}

/// What sessions still need.
#[derive(Debug, Default)]
pub(crate) struct Needed {
    pub(crate) refs: BTreeSet<Ref>,
    /// Files of sessions that are gone.
    gone: Vec<PathBuf>,
}

/// A file that cannot be taken at its word: nobody knows what its session needs.
#[derive(Debug, thiserror::Error)]
#[error("cannot tell what sessions still need: {}: {why}", path.display())]
pub(crate) struct Damaged {
    pub(crate) path: PathBuf,
    why: String,
}

/// The folder of one archive's sessions.
#[derive(Clone, Debug)]
pub(crate) struct Sessions {
    folder: PathBuf,
}

impl Sessions {
    pub(super) fn beside(store: &Path) -> Self {
        let mut name: OsString = store.as_os_str().to_owned();
        name.push("-sessions");
        Self { folder: name.into() }
    }

    /// Writes a line's view down, if the line is one of a view and has a session.
    pub(super) fn add(&self, line: &Line) -> io::Result<()> {
        let session = if line.session.is_empty() { &line.transcript } else { &line.session };
        let (What::View, Some(reference), false) = (line.what, &line.reference, session.is_empty()) else {
            return Ok(());
        };
        let path = |path: &str| if path.len() > MOST_PATH_BYTES { String::new() } else { path.to_owned() };
        let view = View {
            at: line.at,
            reference: reference.clone(),
            tool: capped(&line.tool, super::MOST_TEXT_BYTES).into_owned(),
            bytes: line.bytes,
            // As they are: they are compared, and looked for.
            file: path(&line.file),
            transcript: path(&line.transcript),
        };
        let mut text = serde_json::to_vec(&view)?;
        text.push(b'\n');
        self.is_real()?;
        file::append(&self.file(session), &text).map(|_| ())
    }

    /// The latest views of a session, oldest first.
    pub(crate) fn views(&self, session: &str) -> io::Result<Vec<View>> {
        if session.is_empty() || !self.is_real()? {
            return Ok(Vec::new());
        }
        let mut file = match file::open(&self.file(session), OpenOptions::new().read(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MOST_READ_BYTES)))?;
        let mut text = Vec::new();
        file.take(MOST_READ_BYTES).read_to_end(&mut text)?;
        // The first line may be half a line, and one that was cut says nothing.
        Ok(text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// What sessions still need whose own files are there.
    ///
    /// # Errors
    /// [`Damaged`] at the first file of which a line cannot be read.
    pub(crate) fn needed(&self) -> Result<Needed, Damaged> {
        let damaged = |path: &Path, why: String| Damaged { path: path.to_owned(), why };
        let of_folder = |error: io::Error| damaged(&self.folder, error.to_string());
        let mut needed = Needed::default();
        if !self.is_real().map_err(of_folder)? {
            return Ok(needed);
        }
        let mut transcripts = BTreeMap::new();
        for entry in fs::read_dir(&self.folder).map_err(of_folder)? {
            let path = entry.map_err(of_folder)?.path();
            if !is_name(&path) {
                continue;
            }
            let (mut is_needed, mut unread) = (false, 0_u64);
            let read = file::lines(&path, |line| {
                let view = line.and_then(|line| serde_json::from_slice::<View>(line).ok());
                let Some((name, view)) = view.and_then(|view| Some((view.reference.parse().ok()?, view)))
                else {
                    unread += 1;
                    return;
                };
                if *transcripts.entry(view.transcript).or_insert_with_key(|path| may_be_there(path)) {
                    is_needed = true;
                    needed.refs.insert(name);
                }
            });
            read.map_err(|error| damaged(&path, error.to_string()))?;
            if unread > 0 {
                return Err(damaged(
                    &path,
                    format!("{} cannot be read", crate::output::count(unread, "line")),
                ));
            }
            if !is_needed && !is_recent(&path) {
                needed.gone.push(path);
            }
        }
        Ok(needed)
    }

    /// Removes the files of sessions that are gone, but one that was written since.
    pub(crate) fn forget(needed: &Needed) {
        for path in &needed.gone {
            if !is_recent(path) {
                // It is looked at again next time.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// No text from outside is part of a path.
    fn file(&self, session: &str) -> PathBuf {
        self.folder.join(Digest::of(session.as_bytes()).to_string())
    }

    /// Whether the folder is there; a link in its place is an error.
    fn is_real(&self) -> io::Result<bool> {
        match self.folder.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
            Ok(about) if about.is_dir() => Ok(true),
            Ok(_) => Err(io::Error::other("it is not a folder")),
        }
    }
}

/// Whether the session can go on. Of a path that cannot be looked at nobody knows.
fn may_be_there(transcript: &str) -> bool {
    let path = Path::new(transcript);
    !transcript.is_empty() && (path.is_relative() || path.try_exists().unwrap_or(true))
}

fn is_name(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_recent(path: &Path) -> bool {
    let written = path.symlink_metadata().and_then(|about| about.modified());
    let now = Duration::from_millis(SystemClock.now_unix_ms());
    let age =
        |written: SystemTime| now.saturating_sub(written.duration_since(UNIX_EPOCH).unwrap_or_default());
    written.is_ok_and(|written| age(written) < RUNNING)
}
