use std::{
    fs::{self, File},
    io::{self, Cursor, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use recto_wire::{Document, Format, Layout, Value};

/// Longest file of which the id of a session or message is read.
const MOST_HEAD_BYTES: u64 = 1 << 20;
/// Files of one session.
const MOST_FILES: usize = 1 << 20;

/// A file of a transcript.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    /// The message that its folder is named after.
    pub(super) message: Option<String>,
    /// What is in it, if it is no file.
    pub(super) held: Option<Arc<[u8]>>,
}

/// What is read of a part.
#[derive(Debug)]
pub(super) enum Source {
    File(File),
    Held(Cursor<Arc<[u8]>>),
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(into),
            Self::Held(held) => held.read(into),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Held(held) => held.seek(to),
        }
    }
}

impl Part {
    pub(super) fn open(&self) -> io::Result<Source> {
        match &self.held {
            Some(held) => Ok(Source::Held(Cursor::new(Arc::clone(held)))),
            None => File::open(&self.path).map(Source::File),
        }
    }

    /// Its bytes, if that can be said.
    pub(super) fn length(&self) -> Option<u64> {
        match &self.held {
            Some(held) => Some(held.len() as u64),
            None => self.path.metadata().ok().map(|about| about.len()),
        }
    }
}

/// How what begins so is laid out: some formats are written as lines, or as one document.
pub(super) fn layout(format: Format, head: &[u8], is_whole: bool) -> Layout {
    match (format, format.layout()) {
        (Format::ClaudeCode | Format::Codex | Format::Pi, layout) => layout,
        (Format::OpenCode, layout) => match Document::parse(head) {
            Ok(file) if file.root().get("messages").is_none() => layout,
            // A file of one session, message or part is short.
            Err(_) if !is_whole && !head.starts_with(b"{\"info\"") => Layout::Document,
            _ => Layout::Document,
        },
        _ => {
            let mut lines =
                head.split(|byte| *byte == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace));
            let first = lines.next().unwrap_or_default();
            let is_object = |line: &[u8]| line.first() == Some(&b'{') && Document::parse(line).is_ok();
            let has_more = lines.next().is_some() || !is_whole;
            if is_object(first) && has_more { Layout::Lines } else { Layout::Document }
        }
    }
}

/// The files of the session that `path` is of.
pub(super) fn of(path: &Path, layout: Layout) -> io::Result<Vec<Part>> {
    let own = Part { path: path.to_owned(), message: None, held: None };
    if layout != Layout::Files {
        return Ok(vec![own]);
    }
    let mut parts = vec![own];
    // storage/session/PROJECT/SESSION.json
    let storage = path.parent().and_then(Path::parent).filter(|folder| folder.ends_with("session"));
    let (Some(storage), Some(session)) = (storage.and_then(Path::parent), id(path)?) else {
        return Ok(parts);
    };
    if !is_plain(&session) {
        return Ok(parts);
    }
    let flat = json_files(&storage.join("part"))?;
    for message in json_files(&storage.join("message").join(&session))? {
        let id = id(&message)?.filter(|id| is_plain(id));
        parts.push(Part { path: message, message: None, held: None });
        let Some(id) = id else { continue };
        for path in json_files(&storage.join("part").join(&id))? {
            parts.push(Part { path, message: Some(id.clone()), held: None });
        }
        // An older layout has the parts of all messages in one folder.
        for path in &flat {
            if member(path, "messageID")?.as_deref() == Some(&*id) {
                parts.push(Part { path: path.clone(), message: Some(id.clone()), held: None });
            }
        }
        if parts.len() > MOST_FILES {
            return Err(io::Error::other(format!("more than {MOST_FILES} files in one session")));
        }
    }
    Ok(parts)
}

/// Whether an id from a file is one name of a folder, and no way out of it.
fn is_plain(id: &str) -> bool {
    !id.is_empty() && id != "." && id != ".." && !id.contains(['/', '\\', '\0'])
}

/// The JSON files of a folder by their names; none if there is no such folder.
fn json_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        // A link leads to a file that nobody named.
        let is_file = entry.file_type()?.is_file();
        if path.extension().is_some_and(|extension| extension == "json") && is_file {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn id(path: &Path) -> io::Result<Option<String>> {
    member(path, "id")
}

/// A text that stands at the top of a small JSON file.
fn member(path: &Path, name: &str) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_HEAD_BYTES).read_to_end(&mut bytes)?;
    let Ok(document) = Document::parse(&bytes) else { return Ok(None) };
    Ok(document.root().get(name).and_then(Value::text).map(|text| text.into_owned()))
}
