use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::Path,
};

use recto_wire::{Document, Format, Layout, Record, Value};

use super::{About, MOST_DOCUMENT_BYTES, STEPS_BYTES, TranscriptError, database, files, is_utf16};

/// Longest document of a known format that is looked into: it cannot be read in part.
const MOST_GLANCED_BYTES: u64 = 1 << 20;

/// What the beginning of a file says of its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// Its format.
    pub format: Format,
    /// What it says; `last_time` is only that of what was looked at.
    pub about: About,
}

/// Looks at the beginning of a session's file, 256 KiB of it at most (1 MiB of a document), and no further than to the first prompt. What may be a
/// document, and does not say of which format in its beginning, is read as a whole.
///
/// `None` if no format fits, or if there is nothing in it: if [`Transcript::open`](super::Transcript::open) fails.
///
/// # Errors
/// [`TranscriptError::Io`].
pub fn glance(path: &Path, format: Option<Format>) -> Result<Option<Glance>, TranscriptError> {
    let failed = |source| TranscriptError::Io { action: "read", path: path.to_owned(), source };
    if let Some((database, id)) = database::split(path) {
        let about = database::glance(database, id)?;
        return Ok(about.map(|about| Glance { format: Format::OpenCode, about }));
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut head = Vec::new();
    let mut taken = 0;
    let mut about = About::default();
    let mut known = format;
    for most in STEPS_BYTES {
        let room = most.saturating_sub(head.len() as u64);
        let read = (&mut file).take(room).read_to_end(&mut head).map_err(failed)? as u64;
        let is_whole = read < room;
        if is_whole && head.trim_ascii().is_empty() || is_utf16(&head) || database::is_database(path) {
            return Ok(None);
        }
        known = known.or_else(|| Format::detect(&head));
        if let Some(format) = known {
            if files::layout(format, &head, is_whole) != Layout::Lines {
                return whole(&mut file, format).map_err(failed);
            }
            while let Some(line) = next_line(head.get(taken..).unwrap_or_default(), is_whole) {
                about.take(&format.line(line), line);
                taken += line.len() + 1;
                if about.title.is_some() && about.id.is_some() && about.folder.is_some() {
                    return Ok(Some(Glance { format, about }));
                }
            }
        }
        if is_whole {
            break;
        }
    }
    match known {
        Some(format) => Ok(Some(Glance { format, about })),
        // A document is known as a whole only.
        None if head.first().is_some_and(|first| matches!(first, b'{' | b'[')) => {
            file.rewind().map_err(failed)?;
            let mut bytes = Vec::new();
            (&mut file).take(MOST_DOCUMENT_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
            let format =
                (bytes.len() as u64 <= MOST_DOCUMENT_BYTES).then(|| Format::detect(&bytes)).flatten();
            drop(bytes);
            format.map_or(Ok(None), |format| whole(&mut file, format).map_err(failed))
        }
        None => Ok(None),
    }
}

/// The first line, if all of it is there.
fn next_line(bytes: &[u8], is_whole: bool) -> Option<&[u8]> {
    match memchr::memchr(b'\n', bytes) {
        Some(end) => bytes.get(..end),
        None => Some(bytes).filter(|line| is_whole && !line.is_empty()),
    }
}

/// Looks at a document, if it is short.
fn whole(file: &mut File, format: Format) -> std::io::Result<Option<Glance>> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(MOST_GLANCED_BYTES + 1).read_to_end(&mut bytes)?;
    let mut about = About::default();
    if bytes.len() as u64 <= MOST_GLANCED_BYTES {
        let records: Vec<Record> = match format {
            Format::OpenCode => Document::parse(&bytes)
                .ok()
                .filter(|file| file.root().get("messages").is_none())
                .map(|_| vec![format.line(&bytes)])
                .or_else(|| format.document(&bytes).ok())
                .unwrap_or_default(),
            _ => format.document(&bytes).unwrap_or_default(),
        };
        for record in &records {
            about.take(record, &bytes);
        }
        if format == Format::OpenCode && about.title.is_none() {
            let document = Document::parse(&bytes).ok();
            let title = document.as_ref().and_then(|file| file.root().get("title")).and_then(Value::text);
            about.title = title.as_deref().and_then(super::about::title);
        }
    }
    Ok(Some(Glance { format, about }))
}
