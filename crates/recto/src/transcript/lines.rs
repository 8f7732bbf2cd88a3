use std::io::{self, BufRead as _, BufReader, Read as _};

use recto_session::history::Place;

use super::{MOST_LINE_BYTES, files::Source};

/// A line of a file.
pub(super) struct Line<'l> {
    /// Without its end; of a line that is too long, its beginning.
    pub(super) text: &'l [u8],
    /// Where it stands; `bytes` are those of the text.
    pub(super) place: Place,
    /// Whether it is the last one and has no end.
    pub(super) is_cut: bool,
}

/// The lines of a file, one in memory at a time.
pub(super) struct Lines {
    file: BufReader<Source>,
    line: Vec<u8>,
    number: u32,
    at: u64,
}

impl Lines {
    pub(super) fn new(file: Source) -> Self {
        Self { file: BufReader::with_capacity(256 << 10, file), line: Vec::new(), number: 0, at: 0 }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        // What one huge line took is given back.
        self.line.shrink_to(1 << 20);
        let start = self.at;
        let mut read = (&mut self.file).take(MOST_LINE_BYTES).read_until(b'\n', &mut self.line)? as u64;
        if read == 0 {
            return Ok(None);
        }
        let ends = |line: &[u8]| line.last() == Some(&b'\n');
        let is_long = read == MOST_LINE_BYTES && !ends(&self.line);
        let mut is_ended = ends(&self.line);
        if is_long {
            // The beginning is no JSON, so the line is told as malformed.
            self.line.truncate(1 << 10);
            read += self.pass_over(&mut is_ended)?;
        }
        self.at += read;
        self.number = self.number.saturating_add(1);
        let end = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let text = end.strip_suffix(b"\r").unwrap_or(end);
        let bytes = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let place = Place { file: 0, line: self.number, at: start, bytes };
        Ok(Some(Line { text, place, is_cut: !is_ended }))
    }

    fn pass_over(&mut self, is_ended: &mut bool) -> io::Result<u64> {
        let mut passed = 0;
        loop {
            let piece = self.file.fill_buf()?;
            if piece.is_empty() {
                return Ok(passed);
            }
            let end = memchr::memchr(b'\n', piece).map(|at| at + 1);
            let taken = end.unwrap_or(piece.len());
            self.file.consume(taken);
            passed += taken as u64;
            if end.is_some() {
                *is_ended = true;
                return Ok(passed);
            }
        }
    }
}
