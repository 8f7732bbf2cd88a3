//! Bytes in the form in which databases keep them: zstd frames of at most 1 MiB of source, each decompressed by itself.

use std::io;
use std::ops::Range;

use zstd::bulk::{Compressor, Decompressor};

use crate::{ArchiveError, CHUNK_BYTES};

/// 330 MB/s at 7x on records; higher levels cost more than they save here.
const LEVEL: i32 = 1;

/// One compressed chunk.
pub(crate) struct Chunk {
    pub(crate) start: u64,
    pub(crate) length: u64,
    pub(crate) frame: Vec<u8>,
}

/// Compresses chunks one after the other.
pub(crate) struct Packer(Compressor<'static>);

impl Packer {
    pub(crate) fn new() -> io::Result<Self> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        Ok(Self(compressor))
    }

    /// Cuts `bytes`, which lie at `start` of their original, into chunks.
    pub(crate) fn pack(&mut self, start: u64, bytes: &[u8]) -> io::Result<Vec<Chunk>> {
        let mut start = start;
        let mut chunks = Vec::with_capacity(bytes.len().div_ceil(CHUNK_BYTES));
        for piece in bytes.chunks(CHUNK_BYTES) {
            let frame = self.0.compress(piece)?;
            let length = piece.len() as u64;
            chunks.push(Chunk { start, length, frame });
            start += length;
        }
        Ok(chunks)
    }
}

pub(crate) fn stored_bytes(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|chunk| chunk.frame.len() as u64).sum()
}

/// Puts a range together from the chunks that hold it, which come in the order of their places.
pub(crate) struct Unpacker {
    range: Range<u64>,
    /// Where the next chunk has to begin.
    expected: Option<u64>,
    decompressor: Decompressor<'static>,
    piece: Vec<u8>,
}

impl Unpacker {
    pub(crate) fn new(range: Range<u64>) -> io::Result<Self> {
        Ok(Self { range, expected: None, decompressor: Decompressor::new()?, piece: Vec::new() })
    }

    /// Takes the next chunk and gives what it holds of the range; `whose` names the object in errors.
    pub(crate) fn push(
        &mut self,
        start: u64,
        length: u64,
        frame: &[u8],
        whose: &str,
    ) -> Result<&[u8], ArchiveError> {
        let expected = self.expected.unwrap_or_else(|| start.min(self.range.start));
        if start != expected {
            return Err(corrupt("bytes are missing".to_owned(), whose, expected, start));
        }
        let capacity = usize::try_from(length).unwrap_or(usize::MAX);
        if capacity == 0 || capacity > CHUNK_BYTES {
            return Err(corrupt(format!("a chunk claims {length} bytes"), whose, start, start));
        }
        let end = start.saturating_add(length);
        self.expected = Some(end);
        self.piece.clear();
        self.piece.reserve(capacity);
        match self.decompressor.decompress_to_buffer(frame, &mut self.piece) {
            Ok(size) if size == capacity => {}
            Ok(size) => return Err(corrupt(format!("a chunk gives {size} bytes"), whose, start, end)),
            Err(error) => {
                return Err(corrupt(format!("a chunk does not decompress ({error})"), whose, start, end));
            }
        }
        let clip = |at: u64| usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX).min(capacity);
        Ok(self.piece.get(clip(self.range.start)..clip(self.range.end)).unwrap_or_default())
    }

    /// Makes sure that the range was reached.
    pub(crate) fn finish(&self, whose: &str) -> Result<(), ArchiveError> {
        let expected = self.expected.unwrap_or(self.range.start);
        if !self.range.is_empty() && expected < self.range.end {
            return Err(corrupt("bytes are missing".to_owned(), whose, expected, self.range.end));
        }
        Ok(())
    }
}

pub(crate) fn corrupt(what: String, whose: &str, start: u64, end: u64) -> ArchiveError {
    let place = format!("{whose}, bytes {start} to {end}");
    let advice = "put the same bytes again to heal it; everything else can still be read";
    ArchiveError::Corrupt { what, place, advice }
}

/// Makes room for a range that a row claims to have: its word is not to be trusted with more than some chunks.
pub(crate) fn room_for(range: &Range<u64>) -> Vec<u8> {
    let expected = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
    Vec::with_capacity(expected.min(64 * CHUNK_BYTES))
}

/// Clips a caller's range to the bytes that there are.
pub(crate) fn clip(range: &Range<u64>, bytes: u64) -> Range<u64> {
    range.start.min(bytes)..range.end.min(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[Chunk], range: Range<u64>) -> Result<Vec<u8>, ArchiveError> {
        let mut unpacker = Unpacker::new(range).unwrap();
        let mut bytes = Vec::new();
        for chunk in chunks {
            bytes.extend_from_slice(unpacker.push(chunk.start, chunk.length, &chunk.frame, "x")?);
        }
        unpacker.finish("x").map(|()| bytes)
    }

    #[test]
    fn a_hole_or_a_wrong_length_is_damage() {
        let bytes: Vec<u8> = (0..3 * CHUNK_BYTES).map(|at| (at * 7 % 251) as u8).collect();
        let chunks = || Packer::new().unwrap().pack(0, &bytes).unwrap();
        let all = 0..bytes.len() as u64;
        assert!(read(&chunks(), all.clone()).unwrap() == bytes);
        assert!(read(&chunks()[1..], 1_500_000..1_500_009).unwrap() == bytes[1_500_000..1_500_009]);
        assert_eq!(read(&[], 5..5).unwrap(), b"");
        for missing in 0..3 {
            let mut chunks = chunks();
            chunks.remove(missing);
            assert!(read(&chunks, all.clone()).unwrap_err().to_string().contains("missing"));
        }
        for length in [0, 5, CHUNK_BYTES as u64 - 1, CHUNK_BYTES as u64 + 1, u64::MAX] {
            let mut chunks = chunks();
            chunks[1].length = length;
            assert!(read(&chunks, all.clone()).is_err(), "{length}");
        }
    }
}
