use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, BufReader, BufWriter, Read, Write},
    path::Path,
};

use recto_session::history::Place;
use recto_wire::{Layout, Span, Splice, WireError};

use super::{Transcript, TranscriptError};

/// The length of what stands at a place, and the changes to it.
type Edits = (u32, Vec<(Span, Vec<u8>)>);

/// Changes to a transcript's files; all that is not named stays, byte for byte.
#[derive(Clone, Debug, Default)]
pub struct Rewrite {
    edits: BTreeMap<(u32, u64), Edits>,
    removed: BTreeSet<(u32, u64)>,
    added: BTreeMap<(u32, u64), Vec<Vec<u8>>>,
}

impl Rewrite {
    /// Puts other bytes in the place of a span of what stands at `place`.
    pub fn replace(&mut self, place: Place, span: Span, with: Vec<u8>) {
        let own = self.edits.entry((place.file, place.at)).or_insert_with(|| (place.bytes, Vec::new()));
        own.1.push((span, with));
    }

    /// Takes a line away. Only of formats of lines.
    pub fn remove_line(&mut self, place: Place) {
        self.removed.insert((place.file, place.at));
    }

    /// Puts a line behind the one at `place`. Only of formats of lines.
    pub fn add_line(&mut self, place: Place, line: Vec<u8>) {
        self.added.entry((place.file, place.at)).or_default().push(line);
    }

    /// Whether nothing is changed.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.edits.is_empty() && self.removed.is_empty() && self.added.is_empty()
    }

    /// The numbers of the files that are changed.
    #[must_use]
    pub fn files(&self) -> BTreeSet<u32> {
        let keys = self.edits.keys().chain(self.removed.iter()).chain(self.added.keys());
        keys.map(|(file, _)| *file).collect()
    }

    /// Writes a file of the transcript with its changes. It is read once, in pieces.
    ///
    /// # Errors
    /// [`TranscriptError::Io`]; [`TranscriptError::Document`] if changes overlap; [`TranscriptError::Changed`] if the file has become shorter.
    pub fn write(
        &self,
        transcript: &Transcript,
        file: u32,
        to: &mut dyn Write,
    ) -> Result<(), TranscriptError> {
        let path = transcript.files.get(file as usize).map_or(Path::new(""), |part| &part.path);
        let failed = |source| TranscriptError::Io { action: "copy", path: path.to_owned(), source };
        let overlap = |source: WireError| TranscriptError::Document { path: path.to_owned(), source };
        let changed = |at| TranscriptError::Changed { path: path.to_owned(), at };
        let part = transcript.files.get(file as usize).ok_or_else(|| changed(0))?;
        let mut source = BufReader::with_capacity(256 << 10, part.open().map_err(failed)?);
        let mut to = BufWriter::with_capacity(256 << 10, to);
        let own = |at: &(u32, u64)| at.0 == file;
        let mut places: BTreeSet<u64> = BTreeSet::new();
        places.extend(self.edits.keys().filter(|at| own(at)).map(|at| at.1));
        places.extend(self.removed.iter().filter(|at| own(at)).map(|at| at.1));
        places.extend(self.added.keys().filter(|at| own(at)).map(|at| at.1));
        let mut at = 0;
        let is_lines = transcript.layout == Layout::Lines;
        for place in places {
            copy(&mut source, place - at, &mut to)
                .map_err(failed)?
                .then_some(())
                .ok_or_else(|| changed(place))?;
            at = place;
            if let Some((length, edits)) = self.edits.get(&(file, place)) {
                let mut record = Vec::new();
                (&mut source).take(u64::from(*length)).read_to_end(&mut record).map_err(failed)?;
                if record.len() < *length as usize {
                    return Err(changed(place));
                }
                at += u64::from(*length);
                if !self.removed.contains(&(file, place)) {
                    let spliced = Splice::new(edits.clone()).map_err(overlap)?;
                    to.write_all(&spliced.apply(&record)).map_err(failed)?;
                }
            }
            if !is_lines {
                continue;
            }
            let mut end = Vec::new();
            io::BufRead::read_until(&mut source, b'\n', &mut end).map_err(failed)?;
            at += end.len() as u64;
            if !self.removed.contains(&(file, place)) {
                to.write_all(&end).map_err(failed)?;
                if !end.ends_with(b"\n") && self.added.contains_key(&(file, place)) {
                    to.write_all(b"\n").map_err(failed)?;
                }
            }
            for line in self.added.get(&(file, place)).into_iter().flatten() {
                to.write_all(line).and_then(|()| to.write_all(b"\n")).map_err(failed)?;
            }
        }
        io::copy(&mut source, &mut to).map_err(failed)?;
        to.flush().map_err(failed)
    }
}

/// Copies so many bytes; says whether they were there.
fn copy(source: &mut impl Read, bytes: u64, to: &mut impl Write) -> io::Result<bool> {
    Ok(io::copy(&mut source.take(bytes), to)? == bytes)
}
