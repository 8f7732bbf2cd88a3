//! Transcripts of agents in their files: read in one pass of bounded memory, and written anew with some bytes changed.
//!
//! ```no_run
//! use recto::transcript::Transcript;
//! use recto::session::history::{Observer, Said};
//!
//! struct Nothing;
//! impl Observer for Nothing {
//!     fn text(&mut self, _said: &Said<'_>) -> u64 {
//!         0
//!     }
//! }
//! let transcript = Transcript::open("session.jsonl".as_ref(), None)?;
//! let reading = transcript.read(None, &mut Nothing, &mut |_bytes| {})?;
//! println!("{} calls", reading.history.calls.len());
//! # Ok::<(), recto::transcript::TranscriptError>(())
//! ```

mod about;
pub mod database;
mod files;
mod glance;
mod lines;
mod rewrite;

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use recto_session::{
    Key,
    history::{Builder, History, Observer, Place},
};
use recto_wire::{Format, Layout, Record, WireError};

pub use self::about::About;
pub use self::glance::{Glance, glance};
use self::lines::Lines;
pub use self::rewrite::Rewrite;

/// Longest line that is read; a longer one is passed over, and kept.
pub const MOST_LINE_BYTES: u64 = 128 << 20;

/// Longest document that is read: it is held in memory as a whole.
pub const MOST_DOCUMENT_BYTES: u64 = 256 << 20;

/// First bytes of a file by which its format is known, in steps: most say it in the first.
const STEPS_BYTES: [u64; 3] = [16 << 10, 64 << 10, HEAD_BYTES];
const HEAD_BYTES: u64 = 256 << 10;

/// Why a transcript cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// No format fits.
    #[error("{} is no transcript of a kind that recto knows", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// There is nothing in a file.
    #[error("{} is empty: no session was written to it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A file is in another encoding than UTF-8.
    #[error("{} is in UTF-16; sessions are in UTF-8: iconv -f UTF-16 -t UTF-8 writes it anew", path.display())]
    Utf16 {
        /// The file.
        path: PathBuf,
    },
    /// A database cannot be read, or has not what was asked for.
    #[error("cannot read {}: {why}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A database has several sessions, and none of them was named.
    #[error("{} holds {count} sessions: name one, as {}", path.display(), path.join("ses_...").display())]
    Several {
        /// The database.
        path: PathBuf,
        /// How many.
        count: usize,
    },
    /// A document is not what its format says.
    #[error("{}: {source}", path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: WireError,
    },
    /// A document is too long to be held in memory.
    #[error("{} has {bytes} bytes; a transcript that is one JSON document may have {most}", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// A file was changed while it was read.
    #[error("{} was changed meanwhile at byte {at}: try again when the session rests", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// Where.
        at: u64,
    },
}

/// Takes a record, the bytes that its spans are in, its place, and whether it ends before a line's end.
type Each<'e> = dyn FnMut(&Record, &[u8], Place, bool) + 'e;

/// The files of a session, and their format.
#[derive(Clone, Debug)]
pub struct Transcript {
    format: Format,
    layout: Layout,
    files: Vec<files::Part>,
}

/// What was read of a transcript.
#[derive(Debug)]
pub struct Reading {
    /// Its messages, calls and results.
    pub history: History,
    /// What it says of itself.
    pub about: About,
    /// Bytes of all its files, as far as they were read.
    pub bytes: u64,
    /// Whether the leaf that was asked for is there; if not, the path is that to the newest message.
    pub found_leaf: bool,
}

impl Transcript {
    /// Opens the transcript in a file, or the session that a client's file is about. Without a format it is told from the file's beginning.
    ///
    /// # Errors
    /// [`TranscriptError::Io`], [`TranscriptError::UnknownFormat`].
    pub fn open(path: &Path, format: Option<Format>) -> Result<Self, TranscriptError> {
        let failed = |source| TranscriptError::Io { action: "read", path: path.to_owned(), source };
        if let Some((database, id)) = database::split(path) {
            return Self::in_database(database, id);
        }
        let mut head = Vec::new();
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        file.take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
        if database::is_database(path) {
            return match database::sessions(path)?.as_slice() {
                [only] => Self::open(&only.path, format),
                all => Err(TranscriptError::Several { path: path.to_owned(), count: all.len() }),
            };
        }
        let is_whole = length <= HEAD_BYTES;
        if format.is_none() && is_whole && head.trim_ascii().is_empty() {
            return Err(TranscriptError::Empty { path: path.to_owned() });
        }
        if is_utf16(&head) {
            return Err(TranscriptError::Utf16 { path: path.to_owned() });
        }
        let format = match format.or_else(|| detected(&head)) {
            Some(format) => format,
            // A document is known as a whole only.
            None if !is_whole && length <= MOST_DOCUMENT_BYTES => {
                Format::detect(&std::fs::read(path).map_err(failed)?)
                    .ok_or_else(|| TranscriptError::UnknownFormat { path: path.to_owned() })?
            }
            None => return Err(TranscriptError::UnknownFormat { path: path.to_owned() }),
        };
        let layout = files::layout(format, &head, is_whole);
        Ok(Self { format, layout, files: files::of(path, layout).map_err(failed)? })
    }

    fn in_database(database: &Path, id: &str) -> Result<Self, TranscriptError> {
        let held = Some(database::export(database, id)?.into());
        let part = files::Part { path: database.join(id), message: None, held };
        Ok(Self { format: Format::OpenCode, layout: Layout::Document, files: vec![part] })
    }

    /// Whether it is in a database of its client, which is never written.
    #[must_use]
    pub fn is_in_database(&self) -> bool {
        self.files.iter().any(|part| part.held.is_some())
    }

    /// How its records are laid out.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Its format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The file that it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.files.first().map_or(Path::new(""), |part| &part.path)
    }

    /// All its files, in the order of what is in them.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|part| &*part.path)
    }

    /// Length of its files.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.files.iter().filter_map(files::Part::length).sum()
    }

    /// Reads it once, to the end that it has now. `progress` is told of bytes that were read.
    ///
    /// # Errors
    /// [`TranscriptError::Io`]; of documents [`TranscriptError::Document`] and [`TranscriptError::TooLong`]. Lines that cannot be read are problems of
    /// the history, no errors.
    pub fn read(
        &self,
        leaf: Option<&str>,
        observer: &mut dyn Observer,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Reading, TranscriptError> {
        let mut builder = Builder::new();
        let mut about = About::default();
        let mut total = 0;
        self.records(&mut |record, bytes, place, is_cut| {
            about.take(record, bytes);
            let part = self.files.get(place.file as usize);
            let of = part.and_then(|part| part.message.as_deref()).map(|of| Key::of(&recto_wire::quote(of)));
            builder.push_of(of, record, bytes, place, observer);
            if is_cut {
                builder.last_was_cut();
            }
            progress(place.at + u64::from(place.bytes));
            total += if self.layout == Layout::Document { 0 } else { u64::from(place.bytes) };
        })?;
        if self.layout == Layout::Document {
            total = self.length();
        }
        let leaf = leaf.map(|leaf| Key::of(&recto_wire::quote(leaf)));
        let found_leaf = leaf.is_none_or(|leaf| builder.has_id(leaf));
        Ok(Reading { history: builder.finish(leaf), about, bytes: total, found_leaf })
    }

    /// Hands every record to `each`, with the bytes that its spans are in, their place, and whether they end before a line's end.
    fn records(&self, each: &mut Each<'_>) -> Result<(), TranscriptError> {
        for (number, part) in self.files.iter().enumerate() {
            let file = u32::try_from(number).unwrap_or(u32::MAX);
            let failed = |source| TranscriptError::Io { action: "read", path: part.path.clone(), source };
            if self.layout == Layout::Lines {
                let mut lines = Lines::new(part.open().map_err(failed)?);
                while let Some(line) = lines.next().map_err(failed)? {
                    let record = self.format.line(line.text);
                    each(&record, line.text, Place { file, ..line.place }, line.is_cut);
                }
                continue;
            }
            let bytes = self.whole(part)?;
            let place =
                |line| Place { file, line, at: 0, bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX) };
            if self.layout == Layout::Files {
                let record = self.format.line(&bytes);
                each(&record, &bytes, place(1), false);
                continue;
            }
            let records = self.format.document(&bytes);
            let records =
                records.map_err(|source| TranscriptError::Document { path: part.path.clone(), source })?;
            for (number, record) in records.iter().enumerate() {
                each(record, &bytes, place(u32::try_from(number + 1).unwrap_or(u32::MAX)), false);
            }
        }
        Ok(())
    }

    fn whole(&self, part: &files::Part) -> Result<Vec<u8>, TranscriptError> {
        let failed = |source| TranscriptError::Io { action: "read", path: part.path.clone(), source };
        let mut bytes = Vec::new();
        part.open().map_err(failed)?.take(MOST_DOCUMENT_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_DOCUMENT_BYTES {
            let length = part.length().unwrap_or(bytes.len() as u64);
            return Err(TranscriptError::TooLong {
                path: part.path.clone(),
                bytes: length,
                most: MOST_DOCUMENT_BYTES,
            });
        }
        Ok(bytes)
    }

    /// Gives access to single records.
    #[must_use]
    pub fn places(&self) -> Places<'_> {
        Places { transcript: self, at: None, bytes: Vec::new(), open: None, opened: 0 }
    }
}

/// The format of what begins so, by as little of it as says one.
fn detected(head: &[u8]) -> Option<Format> {
    let length = |most: u64| head.len().min(usize::try_from(most).unwrap_or(usize::MAX));
    STEPS_BYTES.into_iter().find_map(|most| Format::detect(head.get(..length(most))?))
}

/// Whether a text is in UTF-16: by its mark, or by an ASCII character and a zero in turn.
fn is_utf16(head: &[u8]) -> bool {
    let is_pair = |pair: &[u8]| matches!(pair, [0, 1..=0x7f] | [1..=0x7f, 0]);
    head.starts_with(b"\xff\xfe")
        || head.starts_with(b"\xfe\xff")
        || head.len() >= 4 && head.chunks_exact(2).take(8).all(is_pair)
}

/// Reads records again by their places; the last one is kept.
#[derive(Debug)]
pub struct Places<'t> {
    transcript: &'t Transcript,
    /// The place that is kept, with its length.
    at: Option<(u32, u64, u32)>,
    bytes: Vec<u8>,
    /// The file that was read last.
    open: Option<(u32, files::Source)>,
    opened: u64,
}

impl Places<'_> {
    /// The bytes that the spans of what stands at this place are in.
    ///
    /// # Errors
    /// [`TranscriptError::Io`]; [`TranscriptError::Changed`] if the file has become shorter.
    pub fn bytes(&mut self, place: Place) -> Result<&[u8], TranscriptError> {
        let at = (place.file, place.at, place.bytes);
        if self.at != Some(at) {
            self.at = None;
            let Some(part) = self.transcript.files.get(place.file as usize) else {
                return Err(TranscriptError::Changed { path: PathBuf::new(), at: place.at });
            };
            let path = &*part.path;
            let failed = |source| TranscriptError::Io { action: "read", path: path.to_owned(), source };
            let file = match &mut self.open {
                Some((number, file)) if *number == place.file => file,
                open => {
                    self.opened += 1;
                    &mut open.insert((place.file, part.open().map_err(failed)?)).1
                }
            };
            file.seek(SeekFrom::Start(place.at)).map_err(failed)?;
            self.bytes.clear();
            file.take(u64::from(place.bytes)).read_to_end(&mut self.bytes).map_err(failed)?;
            if self.bytes.len() < place.bytes as usize {
                return Err(TranscriptError::Changed { path: path.to_owned(), at: place.at });
            }
            self.at = Some(at);
        }
        Ok(&self.bytes)
    }

    /// How often a file was opened: not again while records of the same one are read.
    #[must_use]
    pub fn opened(&self) -> u64 {
        self.opened
    }
}
