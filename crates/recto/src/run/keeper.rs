//! Where a command's output is kept while it runs: in the archive's journal, else in a spill file, else nowhere, and then it is
//! printed as it comes.

use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
};

use recto::archive::{Archive, ArchiveError, Digest, RunId, Writer, block_on};

use super::{process::Stream, spill::Spill};
use crate::{
    failure::{Failure, Outcome},
    output, store,
};

/// Bytes of a journal read at once.
const PIECE_BYTES: u64 = 4 << 20;

/// What is kept, once the command has ended.
#[derive(Debug)]
pub(crate) enum Kept {
    /// It printed nothing.
    Nothing,
    /// In the archive, under this digest.
    Stored { digest: Digest, bytes: u64 },
    /// In the archive's journal, which could not be made an original.
    Journal { id: RunId, bytes: u64, why: String },
    /// In a file, because of `why`; without a reason, because nothing was to be stored.
    Spilled { spill: Spill, why: Option<String> },
    /// Printed already.
    Printed,
}

/// Where output goes when the first of it comes: a command that cannot be started leaves no journal and no file.
enum Plan<'a> {
    Archive(&'a dyn Archive, String),
    Spill(String),
    ForNow,
}

enum Place<'a> {
    Waiting(Plan<'a>),
    Journal { archive: &'a dyn Archive, writer: Box<dyn Writer>, id: RunId, is_dirty: bool },
    Spill { spill: Spill, why: Option<String> },
    Through,
}

/// Keeps one stream.
pub(crate) struct Keeper<'a> {
    place: Place<'a>,
    stream: Stream,
    folder: PathBuf,
    written_bytes: u64,
    cannot_print: bool,
}

impl<'a> Keeper<'a> {
    /// Keeps in the archive's journal; where that cannot be, in a spill file in `folder`.
    pub(crate) fn in_archive(archive: &'a dyn Archive, label: &str, stream: Stream, folder: &Path) -> Self {
        Self::new(Plan::Archive(archive, label.to_owned()), stream, folder)
    }

    /// Keeps in a spill file from the start, because of `why`.
    pub(crate) fn in_spill(why: &str, stream: Stream, folder: &Path) -> Self {
        Self::new(Plan::Spill(why.to_owned()), stream, folder)
    }

    /// Keeps in a file that is gone afterwards.
    pub(crate) fn for_now(stream: Stream, folder: &Path) -> Self {
        Self::new(Plan::ForNow, stream, folder)
    }

    fn new(plan: Plan<'a>, stream: Stream, folder: &Path) -> Self {
        let place = Place::Waiting(plan);
        Self { place, stream, folder: folder.to_owned(), written_bytes: 0, cannot_print: false }
    }

    /// Takes bytes as they come. The first are made safe at once.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        if matches!(self.place, Place::Waiting(_)) {
            self.begin();
        }
        let is_first = self.written_bytes == 0;
        self.written_bytes += bytes.len() as u64;
        match &mut self.place {
            Place::Waiting(_) => {}
            Place::Journal { writer, is_dirty, .. } => {
                *is_dirty = !is_first;
                let written =
                    writer.write(bytes).and_then(|()| if is_first { writer.flush() } else { Ok(()) });
                if let Err(error) = written {
                    self.leave_journal(&error);
                }
            }
            Place::Spill { spill, .. } => {
                if let Err(error) = spill.write(bytes) {
                    self.leave_spill(&error);
                    self.print(bytes);
                }
            }
            Place::Through => self.print(bytes),
        }
    }

    /// Makes safe what came since the last time.
    pub(crate) fn flush(&mut self) {
        if let Place::Journal { writer, is_dirty, .. } = &mut self.place
            && std::mem::take(is_dirty)
            && let Err(error) = writer.flush()
        {
            self.leave_journal(&error);
        }
    }

    /// Ends the stream.
    pub(crate) fn finish(mut self) -> Kept {
        self.flush();
        let bytes = self.written_bytes;
        match self.place {
            Place::Waiting(_) => Kept::Nothing,
            Place::Journal { writer, id, .. } => match writer.finish() {
                Ok(digest) => Kept::Stored { digest, bytes },
                Err(error) => Kept::Journal { id, bytes, why: error.to_string() },
            },
            Place::Spill { spill, why } => Kept::Spilled { spill, why },
            Place::Through => Kept::Printed,
        }
    }

    /// Takes up its place, with the first bytes.
    fn begin(&mut self) {
        let place = std::mem::replace(&mut self.place, Place::Through);
        let Place::Waiting(plan) = place else {
            self.place = place;
            return;
        };
        match plan {
            Plan::Archive(archive, label) => match block_on(archive.begin(&store::scope(), &label)) {
                Ok(writer) => {
                    let id = writer.run_id().clone();
                    self.place = Place::Journal { archive, writer, id, is_dirty: false };
                }
                Err(error) => self.spill(Some(error.to_string())),
            },
            Plan::Spill(why) => self.spill(Some(why)),
            Plan::ForNow => self.spill(None),
        }
    }

    /// Begins a spill file; where there can be none, what comes is printed from now on.
    fn spill(&mut self, why: Option<String>) {
        let made = match why {
            Some(_) => Spill::that_stays(&self.folder),
            None => Spill::for_now(&self.folder),
        };
        self.place = match made {
            Ok(spill) => Place::Spill { spill, why },
            Err(error) => {
                let because = why.map_or_else(String::new, |why| format!("{why}; "));
                output::warn(&format!(
                    "{because}no file can be made in {} either ({error}): everything is printed as it comes",
                    self.folder.display()
                ));
                Place::Through
            }
        };
    }

    /// The archive takes no more: what it has and what it has not go to a spill file.
    fn leave_journal(&mut self, error: &ArchiveError) {
        let place = std::mem::replace(&mut self.place, Place::Through);
        let Place::Journal { archive, writer, id, .. } = place else {
            self.place = place;
            return;
        };
        self.spill(Some(error.to_string()));
        let flushed = writer.flushed_bytes();
        let read = in_pieces(flushed, &mut |range| {
            self.put(&block_on(archive.read_run(&store::scope(), &id, range))?);
            Ok(())
        });
        if let Err(error) = read {
            output::warn(&format!(
                "what came first ({}) cannot be read back: {error}; look for run {id} with `recto store runs`",
                output::size(flushed)
            ));
        }
        self.put(writer.unflushed());
    }

    /// Writes to the spill file or prints.
    fn put(&mut self, bytes: &[u8]) {
        if let Place::Spill { spill, .. } = &mut self.place {
            let Err(error) = spill.write(bytes) else { return };
            self.leave_spill(&error);
        }
        self.print(bytes);
    }

    /// The spill file takes no more: what it has is printed, and so is what comes.
    fn leave_spill(&mut self, error: &io::Error) {
        let Place::Spill { spill, .. } = std::mem::replace(&mut self.place, Place::Through) else { return };
        let path = spill.path().map_or_else(String::new, |path| format!(" {}", path.display()));
        output::warn(&format!(
            "the file{path} cannot take more ({error}): everything is printed as it comes"
        ));
        match spill.read(&mut |piece| self.print(piece)) {
            Ok(()) => spill.remove(),
            Err(error) => output::warn(&format!("what the file{path} took cannot be read back: {error}")),
        }
    }

    fn print(&mut self, bytes: &[u8]) {
        if self.cannot_print {
            return;
        }
        if let Err(failure) = print(bytes, self.stream) {
            failure.report();
            self.cannot_print = true;
        }
    }
}

/// Prints a piece of output where it belongs.
pub(crate) fn print(bytes: &[u8], stream: Stream) -> Outcome<()> {
    match stream {
        Stream::Out => output::data(bytes),
        Stream::Err => {
            // Like stdout: whoever read has seen enough.
            let _ = io::Write::write_all(&mut io::stderr().lock(), bytes);
            Ok(())
        }
    }
}

/// Reads what has `bytes` in ranges that fit into memory.
fn in_pieces(
    bytes: u64,
    read: &mut dyn FnMut(Range<u64>) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    let mut at = 0;
    while at < bytes {
        let end = (at + PIECE_BYTES).min(bytes);
        read(at..end)?;
        at = end;
    }
    Ok(())
}

impl Kept {
    /// Counts the bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Nothing | Self::Printed => 0,
            Self::Stored { bytes, .. } | Self::Journal { bytes, .. } => *bytes,
            Self::Spilled { spill, .. } => spill.bytes(),
        }
    }

    /// Gives all bytes to `take`, piece by piece; `archive` is the one that they were kept in.
    pub(crate) fn read(&self, archive: Option<&dyn Archive>, take: &mut dyn FnMut(&[u8])) -> Outcome<()> {
        let scope = store::scope();
        match (self, archive) {
            (Self::Stored { digest, bytes }, Some(archive)) => in_pieces(*bytes, &mut |range| {
                take(&block_on(archive.get(&scope, digest, range))?);
                Ok(())
            })?,
            (Self::Journal { id, bytes, .. }, Some(archive)) => in_pieces(*bytes, &mut |range| {
                take(&block_on(archive.read_run(&scope, id, range))?);
                Ok(())
            })?,
            (Self::Spilled { spill, .. }, _) => spill.read(take).map_err(|error| {
                Failure::job(format!("the output cannot be read back from its file: {error}"))
            })?,
            _ => {}
        }
        Ok(())
    }
}
