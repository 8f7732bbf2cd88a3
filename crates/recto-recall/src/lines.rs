//! The lines of a run, read piece by piece.

use std::ops::Range;

use memchr::memchr;

use crate::{Found, RangeUnit, RecallError, found::PIECE_BYTES, part::Ends};

/// One line, with its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<'l> {
    /// Counted from 1.
    pub(crate) number: u64,
    /// Its bytes in the run.
    pub(crate) range: Range<u64>,
    pub(crate) bytes: &'l [u8],
}

/// Gives the lines of a run one after the other. Memory: two pieces, or the longest line if that is longer.
pub(crate) struct Lines<R> {
    read: R,
    total_bytes: u64,
    buffer: Vec<u8>,
    /// The part of the buffer that was given out.
    taken: usize,
    /// Where the buffer ends in the run.
    read_bytes: u64,
    number: u64,
}

impl<'f> Lines<Box<dyn FnMut(Range<u64>) -> Result<Vec<u8>, RecallError> + 'f>> {
    /// The lines of what was found.
    pub(crate) fn of(found: &'f Found<'_>) -> Self {
        Self::new(found.bytes(), Box::new(|part| found.read(part)))
    }
}

impl<R: FnMut(Range<u64>) -> Result<Vec<u8>, RecallError>> Lines<R> {
    pub(crate) fn new(total_bytes: u64, read: R) -> Self {
        Self { read, total_bytes, buffer: Vec::new(), taken: 0, read_bytes: 0, number: 0 }
    }

    /// The next line.
    pub(crate) fn next_line(&mut self) -> Result<Option<Line<'_>>, RecallError> {
        let mut searched = self.taken;
        let end = loop {
            if let Some(at) = memchr(b'\n', self.buffer.get(searched..).unwrap_or_default()) {
                break searched + at + 1;
            }
            searched = self.buffer.len();
            if self.read_bytes >= self.total_bytes {
                break searched;
            }
            self.buffer.drain(..self.taken);
            searched -= self.taken;
            self.taken = 0;
            let piece_end = self.read_bytes.saturating_add(PIECE_BYTES).min(self.total_bytes);
            let piece = (self.read)(self.read_bytes..piece_end)?;
            self.buffer.extend_from_slice(&piece);
            self.read_bytes = piece_end;
        };
        if end == self.taken {
            return Ok(None);
        }
        let start = self.read_bytes - (self.buffer.len() - self.taken) as u64;
        let bytes = self.buffer.get(self.taken..end).unwrap_or_default();
        self.taken = end;
        self.number += 1;
        Ok(Some(Line { number: self.number, range: start..start + bytes.len() as u64, bytes }))
    }
}

/// The bytes of lines `from` to `to` (from 1, both included) in the run, with their ends. A `to` beyond the last line is the last.
pub(crate) fn line_range<R: FnMut(Range<u64>) -> Result<Vec<u8>, RecallError>>(
    mut lines: Lines<R>,
    (from, to): Ends,
) -> Result<Range<u64>, RecallError> {
    let from = from.unwrap_or(1);
    let mut range = None;
    let mut have = 0;
    while let Some(line) = lines.next_line()? {
        have = line.number;
        if have >= from && to.is_none_or(|to| have <= to) {
            let start = range.map_or(line.range.start, |range: Range<u64>| range.start);
            range = Some(start..line.range.end);
        }
        if Some(have) == to {
            break;
        }
    }
    range.ok_or_else(|| {
        let to = to.map_or_else(String::new, |to| to.to_string());
        RecallError::RangeOutside { unit: RangeUnit::Lines, text: format!("{from}:{to}"), have }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of `text`, read `piece` bytes at a time whatever is asked for.
    fn lines(text: &[u8]) -> Lines<impl FnMut(Range<u64>) -> Result<Vec<u8>, RecallError>> {
        Lines::new(text.len() as u64, |part: Range<u64>| {
            Ok(text[usize::try_from(part.start).unwrap()..usize::try_from(part.end).unwrap()].to_vec())
        })
    }

    fn range(text: &[u8], from: u64, to: Option<u64>) -> Result<Range<u64>, RecallError> {
        line_range(lines(text), (Some(from), to))
    }

    #[test]
    fn lines_are_counted_from_one() {
        let text = b"a\nbb\nccc";
        assert_eq!(range(text, 1, Some(1)).unwrap(), 0..2);
        assert_eq!(range(text, 2, None).unwrap(), 2..8);
        assert_eq!(range(text, 3, Some(9)).unwrap(), 5..8);
        assert!(range(text, 4, None).is_err());
        assert!(range(text, 3, Some(1)).is_err());
        assert!(range(b"", 1, None).is_err());
    }

    #[test]
    fn lines_across_pieces_are_whole() {
        let long = usize::try_from(PIECE_BYTES).unwrap();
        let texts =
            [vec![b'x'; long - 1], vec![b'y'; 2 * long + 5], b"z".to_vec(), Vec::new(), vec![b'w'; 7]];
        let text = texts.join(&b'\n');
        let mut lines = lines(&text);
        let mut start = 0;
        for (index, expected) in texts.iter().enumerate() {
            let line = lines.next_line().unwrap().unwrap();
            assert_eq!((line.number, line.range.start), (index as u64 + 1, start));
            start = line.range.end;
            assert_eq!(line.bytes.strip_suffix(b"\n").unwrap_or(line.bytes), expected.as_slice());
        }
        assert_eq!(lines.next_line().unwrap(), None);
        assert_eq!(start, text.len() as u64);
    }
}
