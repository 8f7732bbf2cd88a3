//! Where a command's output is kept while it runs: in the archive's journal, else in a spill file, else nowhere, and then it is
//! printed as it comes.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use recto::archive::{Archive, ArchiveError, Digest, RunId, SqliteArchive, Writer, block_on};

use crate::{output, store};

/// What is kept.
pub(crate) enum Kept {
    /// In the archive, under this digest.
    Stored(Digest),
    /// In a file of its own, with its path if it stays.
    Spilled(Vec<u8>, Option<PathBuf>),
    /// Printed already.
    Printed,
}

enum Place<'a> {
    /// Nothing came yet, so there is no journal: a command that cannot be started leaves none.
    Waiting {
        archive: &'a SqliteArchive,
        label: String,
    },
    Journal {
        archive: &'a SqliteArchive,
        writer: Box<dyn Writer>,
        id: RunId,
    },
    Spill {
        file: File,
        path: Option<PathBuf>,
    },
    Through,
}

/// Keeps one stream.
pub(crate) struct Keeper<'a> {
    place: Place<'a>,
    folder: PathBuf,
    is_first: bool,
    is_dirty: bool,
}

impl<'a> Keeper<'a> {
    /// Keeps in the archive's journal; where that cannot be, in a spill file in `folder`.
    pub(crate) fn in_archive(archive: &'a SqliteArchive, label: &str, folder: &Path) -> Self {
        Self::new(Place::Waiting { archive, label: label.to_owned() }, folder)
    }

    /// Begins the journal, with the first bytes.
    fn begin(&mut self) {
        let place = std::mem::replace(&mut self.place, Place::Through);
        let Place::Waiting { archive, label } = place else {
            self.place = place;
            return;
        };
        match block_on(archive.begin(&store::scope(), &label)) {
            Ok(writer) => {
                let id = writer.run_id().clone();
                self.place = Place::Journal { archive, writer, id };
            }
            Err(error) => self.spill(&error.to_string(), &[]),
        }
    }

    /// Keeps in a spill file from the start, because of `why`.
    pub(crate) fn in_spill(why: &str, folder: &Path) -> Self {
        let mut keeper = Self::new(Place::Through, folder);
        keeper.spill(why, &[]);
        keeper
    }

    /// Keeps in a file that is gone afterwards.
    pub(crate) fn for_now(folder: &Path) -> Self {
        let place = match tempfile::tempfile_in(folder) {
            Ok(file) => Place::Spill { file, path: None },
            Err(_) => Place::Through,
        };
        Self::new(place, folder)
    }

    fn new(place: Place<'a>, folder: &Path) -> Self {
        Self { place, folder: folder.to_owned(), is_first: true, is_dirty: false }
    }

    /// Takes bytes as they come. The first are made safe at once.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.begin();
        match &mut self.place {
            Place::Waiting { .. } => {}
            Place::Journal { writer, .. } => {
                let mut outcome = writer.write(bytes);
                if outcome.is_ok() && std::mem::take(&mut self.is_first) {
                    outcome = writer.flush();
                } else {
                    self.is_dirty = true;
                }
                if let Err(error) = outcome {
                    self.leave_journal(&error);
                }
            }
            Place::Spill { file, path } => {
                if let Err(error) = file.write_all(bytes) {
                    let kept = whole(file);
                    output::warn(&format!(
                        "the spill file{} cannot take more ({error}): everything is printed as it comes",
                        shown(path.as_deref())
                    ));
                    self.place = Place::Through;
                    // What the file took of these bytes is in `kept` already; it may be short of the rest.
                    print(&kept);
                }
            }
            Place::Through => print(bytes),
        }
    }

    /// Makes safe what came since the last time.
    pub(crate) fn flush(&mut self) {
        if let Place::Journal { writer, .. } = &mut self.place
            && std::mem::take(&mut self.is_dirty)
            && let Err(error) = writer.flush()
        {
            self.leave_journal(&error);
        }
    }

    /// Ends the stream.
    pub(crate) fn finish(mut self) -> Kept {
        self.flush();
        match self.place {
            Place::Journal { archive, writer, id } => match writer.finish() {
                Ok(digest) => Kept::Stored(digest),
                Err(error) => {
                    // The journal stays; what is in it is read back.
                    let bytes =
                        block_on(archive.read_run(&store::scope(), &id, 0..u64::MAX)).unwrap_or_default();
                    output::warn(&format!("the output is kept as run {id}, but is no original yet: {error}"));
                    Kept::Spilled(bytes, None)
                }
            },
            Place::Spill { mut file, path } => Kept::Spilled(whole(&mut file), path),
            Place::Waiting { .. } => Kept::Spilled(Vec::new(), None),
            Place::Through => Kept::Printed,
        }
    }

    /// The archive takes no more: what it has and what it has not go to a spill file.
    fn leave_journal(&mut self, error: &ArchiveError) {
        let place = std::mem::replace(&mut self.place, Place::Through);
        if let Place::Journal { archive, writer, id } = place {
            let flushed = writer.flushed_bytes();
            let mut kept = block_on(archive.read_run(&store::scope(), &id, 0..flushed)).unwrap_or_default();
            kept.extend_from_slice(writer.unflushed());
            self.spill(&error.to_string(), &kept);
        }
    }

    fn spill(&mut self, why: &str, so_far: &[u8]) {
        let made =
            tempfile::Builder::new().prefix("recto-run-").suffix(".out").tempfile_in(&self.folder).and_then(
                |mut file| {
                    file.write_all(so_far)?;
                    file.keep().map_err(|error| error.error)
                },
            );
        match made {
            Ok((file, path)) => {
                output::warn(&format!("{why}; the output is kept in {} instead", path.display()));
                self.place = Place::Spill { file, path: Some(path) };
            }
            Err(error) => {
                output::warn(&format!(
                    "{why}; nor can it be spilled to {} ({error}): everything is printed as it comes",
                    self.folder.display()
                ));
                self.place = Place::Through;
                print(so_far);
            }
        }
    }
}

fn whole(file: &mut File) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
    if let Err(error) = read {
        output::warn(&format!("the spill file cannot be read back: {error}"));
    }
    bytes
}

fn shown(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| format!(" {}", path.display()))
}

fn print(bytes: &[u8]) {
    if let Err(failure) = output::data(bytes) {
        failure.report();
    }
}
