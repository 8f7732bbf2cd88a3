//! What was shown of tool results and asked for again: one line for each, in a file of its own beside the archive.
//!
//! It is no part of the archive, so that a hook whose archive is locked can still say so, and so that a line costs no transaction.
//! It holds names of tools, sizes and refs, never what a tool printed. Lines are appended whole by one write each: several processes
//! may write at once, and a line that a full disk cut is passed over.

use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use recto::archive::clock::{Clock as _, SystemClock};
use serde::{Deserialize, Serialize};

use crate::{settings::Settings, store};

/// The file is set aside at this length, and the one set aside before is dropped: some 100,000 lines stay.
const MOST_BYTES: u64 = 16 << 20;

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
    /// The session's file: while it is there, what its views leave out is kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
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
            tool: tool.chars().take(120).collect(),
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
}

/// The file of one archive.
#[derive(Clone, Debug)]
pub(crate) struct Usage {
    path: PathBuf,
}

impl Usage {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self::beside(&store::path(settings))
    }

    fn beside(store: &Path) -> Self {
        let mut name = store.as_os_str().to_owned();
        name.push("-usage");
        Self { path: name.into() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line.
    pub(crate) fn record(&self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        let mut file = match self.open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(folder) = self.path.parent() {
                    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
                }
                self.open()?
            }
            other => other?,
        };
        file.write_all(&text)?;
        if file.metadata().is_ok_and(|about| about.len() > MOST_BYTES) {
            std::fs::rename(&self.path, self.set_aside())?;
        }
        Ok(())
    }

    /// Hands every line to `each`, oldest first.
    pub(crate) fn read(&self, mut each: impl FnMut(Line)) -> io::Result<()> {
        for path in [self.set_aside(), self.path.clone()] {
            let file = match File::open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                other => other?,
            };
            for line in BufReader::new(file).split(b'\n') {
                // A line that was cut, or is of a later recto, says nothing.
                if let Ok(line) = serde_json::from_slice(&line?) {
                    each(line);
                }
            }
        }
        Ok(())
    }

    /// The refs of views in sessions whose files are still there: what they leave out must be kept.
    pub(crate) fn live_refs(&self) -> io::Result<BTreeSet<String>> {
        let mut refs = BTreeSet::new();
        let mut there = std::collections::BTreeMap::new();
        self.read(|line| {
            if let (What::View, Some(name), false) = (line.what, line.reference, line.transcript.is_empty())
                && *there.entry(line.transcript).or_insert_with_key(|path| Path::new(path).exists())
            {
                refs.insert(name);
            }
        })?;
        Ok(refs)
    }

    fn open(&self) -> io::Result<File> {
        OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)
    }

    fn set_aside(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".old");
        name.into()
    }
}

#[cfg(test)]
mod tests {
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
