//! What was shown of tool results and asked for again: one line for each, in a file of its own beside the archive.
//!
//! It is no part of the archive, so that a hook whose archive is locked can still say so, and so that a line costs no transaction.
//! It holds names of tools, sizes and refs, never what a tool printed: whatever comes from outside is capped here. Lines are appended
//! whole by one write each: several processes may write at once, and a line that a full disk cut is passed over. What a session needs
//! of its views is in [`Sessions`].

pub(crate) mod file;
mod sessions;
pub(crate) mod text;

use std::{
    borrow::Cow,
    fs::OpenOptions,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use recto::archive::clock::{Clock as _, SystemClock};
use serde::{Deserialize, Serialize};

pub(crate) use self::sessions::{Needed, Sessions, View};
use self::text::plain;
use crate::{settings::Settings, store};

/// The file is set aside at this length, and the one set aside before is dropped: some 100,000 lines stay.
const MOST_BYTES: u64 = 16 << 20;

/// A field of a line is no longer.
const MOST_TEXT_BYTES: usize = 200;

/// Nor is the path of a file that was read.
const MOST_PATH_BYTES: usize = 400;

/// What happened to a result, or was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum What {
    /// A view was given.
    View,
    /// It stands as it was, by its class, size or shape.
    Whole,
    /// It stands as it was since something went wrong.
    Failed,
    /// A call was refused, as a note stood in its arguments.
    Denied,
    /// Something was asked for by ref.
    Recall,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    pub(crate) agent: String,
    pub(crate) tool: String,
    pub(crate) what: What,
    /// Bytes that the tool gave.
    #[serde(default)]
    pub(crate) bytes: u64,
    /// Bytes that the model was given.
    #[serde(default)]
    pub(crate) shown: u64,
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<String>,
    /// Why it stands, or was refused.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) why: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) session: String,
    /// The session's own file, which is written down for the session only.
    #[serde(skip)]
    pub(crate) transcript: String,
    /// The file that was read, where the tool reads files.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) file: String,
}

impl Line {
    pub(crate) fn new(agent: &str, tool: &str, what: What) -> Self {
        Self {
            at: SystemClock.now_unix_ms(),
            agent: agent.to_owned(),
            tool: tool.to_owned(),
            what,
            bytes: 0,
            shown: 0,
            reference: None,
            why: String::new(),
            session: String::new(),
            transcript: String::new(),
            file: String::new(),
        }
    }

    /// The line without anything that is long, or that a terminal would obey.
    fn fit(mut self) -> Self {
        let texts = [&mut self.agent, &mut self.tool, &mut self.why, &mut self.session];
        for text in texts.into_iter().chain(&mut self.reference) {
            fit(text, MOST_TEXT_BYTES);
        }
        fit(&mut self.file, MOST_PATH_BYTES);
        self
    }
}

fn fit(text: &mut String, max_bytes: usize) {
    if let Cow::Owned(plain) = plain(text) {
        *text = plain;
    }
    text.truncate(text.floor_char_boundary(max_bytes));
}

/// The files of one archive.
#[derive(Clone, Debug)]
pub(crate) struct Usage {
    path: PathBuf,
    sessions: Sessions,
    /// The settings' folder, where it must be nobody else's.
    shared: Option<PathBuf>,
}

impl Usage {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self { shared: store::folder_in_shared(settings), ..Self::beside(&store::path(settings)) }
    }

    fn beside(store: &Path) -> Self {
        let mut name = store.as_os_str().to_owned();
        name.push("-usage");
        Self { path: name.into(), sessions: Sessions::beside(store), shared: None }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line.
    pub(crate) fn record(&self, line: &Line) -> io::Result<()> {
        self.is_own(true)?;
        let mut text = serde_json::to_vec(&line.clone().fit())?;
        text.push(b'\n');
        let is_long = file::append(&self.path, &text)? > MOST_BYTES;
        // Another writer may have set it aside meanwhile: a short one must not take the place of that.
        if is_long && self.path.symlink_metadata().is_ok_and(|about| about.len() > MOST_BYTES) {
            std::fs::rename(&self.path, self.set_aside())?;
        }
        Ok(())
    }

    /// Writes the views among lines down for their sessions.
    pub(crate) fn keep_for_sessions(&self, lines: &[Line]) -> io::Result<()> {
        self.is_own(true)?;
        lines.iter().try_for_each(|line| self.sessions.add(line))
    }

    /// The views of each session.
    pub(crate) fn sessions(&self) -> io::Result<&Sessions> {
        self.is_own(false)?;
        Ok(&self.sessions)
    }

    /// Hands every line to `each`, oldest first, and gives the number of those that cannot be read: they were cut, or are of a later
    /// recto.
    pub(crate) fn read(&self, mut each: impl FnMut(Line)) -> io::Result<u64> {
        self.is_own(false)?;
        let mut unread = 0;
        for path in [self.set_aside(), self.path.clone()] {
            file::lines(&path, |line| {
                match line.and_then(|line| serde_json::from_slice::<Line>(line).ok()) {
                    Some(line) => each(line.fit()),
                    None => unread += 1,
                }
            })?;
        }
        Ok(unread)
    }

    /// Tries whether lines can be written: the file is opened, and another one beside it is filled and removed.
    pub(crate) fn can_be_written(&self) -> io::Result<()> {
        const BLOCK: [u8; 4_096] = [0; 4_096];
        self.is_own(false)?;
        let Some(folder) = self.path.parent().filter(|folder| folder.exists()) else { return Ok(()) };
        match file::open(&self.path, OpenOptions::new().append(true)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => tempfile::NamedTempFile::new_in(folder)?.write_all(&BLOCK),
        }
    }

    fn is_own(&self, may_be_made: bool) -> io::Result<()> {
        self.shared.as_deref().map_or(Ok(()), |folder| store::is_own(folder, may_be_made))
    }

    fn set_aside(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".old");
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn usage() -> (tempfile::TempDir, Usage) {
        let folder = tempfile::tempdir().unwrap();
        let usage = Usage::beside(&folder.path().join("a/recto.db"));
        (folder, usage)
    }

    fn read(usage: &Usage) -> Vec<Line> {
        let mut lines = Vec::new();
        usage.read(|line| lines.push(line)).unwrap();
        lines
    }

    #[test]
    fn lines_come_back_and_cut_ones_are_passed_over() {
        let (_folder, usage) = usage();
        assert!(read(&usage).is_empty());
        let first = Line {
            bytes: 9,
            reference: Some("r:123456789012345".into()),
            ..Line::new("claude", "Bash", What::View)
        };
        usage.record(&first).unwrap();
        std::fs::OpenOptions::new()
            .append(true)
            .open(&usage.path)
            .unwrap()
            .write_all(b"{\"at\":1,\n\xff\n")
            .unwrap();
        let second = Line { why: "too slow".into(), ..Line::new("pi", "bash", What::Failed) };
        usage.record(&second).unwrap();
        assert_eq!(read(&usage), [first, second]);
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&usage.path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn many_writers_lose_no_line() {
        let (_folder, usage) = usage();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let usage = &usage;
                scope.spawn(move || {
                    for _ in 0..50 {
                        usage.record(&Line::new("claude", &format!("tool{writer}"), What::Whole)).unwrap();
                    }
                });
            }
        });
        assert_eq!(read(&usage).len(), 400);
    }

    #[test]
    fn a_long_file_is_set_aside() {
        let (_folder, usage) = usage();
        usage.record(&Line::new("claude", "Bash", What::Whole)).unwrap();
        File::options().append(true).open(&usage.path).unwrap().set_len(MOST_BYTES).unwrap();
        usage.record(&Line::new("claude", "Bash", What::Whole)).unwrap();
        usage.record(&Line::new("claude", "Read", What::Whole)).unwrap();
        assert!(usage.path.metadata().unwrap().len() < 1_000);
        assert_eq!(read(&usage).last().unwrap().tool, "Read");
    }
}
