//! Bytes as rows: frames of at most 1 MiB of source, each decompressed by itself.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension};
use zstd::bulk::{Compressor, Decompressor};

use super::failure::Failure;
use crate::{ArchiveError, CHUNK_BYTES};

/// 330 MB/s at 7x on records; higher levels cost more than they save here.
const LEVEL: i32 = 1;

/// One compressed chunk.
pub(super) struct Chunk {
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) frame: Vec<u8>,
}

/// Compresses chunks one after the other.
pub(super) struct Packer(Compressor<'static>);

impl Packer {
    pub(super) fn new() -> Result<Self, Failure> {
        let mut compressor = Compressor::new(LEVEL).map_err(Failure::Compression)?;
        compressor.include_checksum(true).map_err(Failure::Compression)?;
        Ok(Self(compressor))
    }

    /// Cuts `bytes`, which lie at `start` of their original, into chunks.
    pub(super) fn pack(&mut self, start: u64, bytes: &[u8]) -> Result<Vec<Chunk>, Failure> {
        let mut start = start;
        let mut chunks = Vec::with_capacity(bytes.len().div_ceil(CHUNK_BYTES));
        for piece in bytes.chunks(CHUNK_BYTES) {
            let frame = self.0.compress(piece).map_err(Failure::Compression)?;
            let length = piece.len() as u64;
            chunks.push(Chunk { start, length, frame });
            start += length;
        }
        Ok(chunks)
    }
}

pub(super) fn stored_bytes(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|chunk| chunk.frame.len() as u64).sum()
}

/// Writes chunks over those that begin at the same places.
pub(super) fn write(connection: &Connection, object: i64, chunks: &[Chunk]) -> Result<(), Failure> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO chunks (object, start, length, frame) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (object, start) DO UPDATE SET length = excluded.length, frame = excluded.frame",
    )?;
    for chunk in chunks {
        insert.execute((object, chunk.start, chunk.length, &chunk.frame))?;
    }
    Ok(())
}

/// Hands the bytes in `range` of an object to `sink`, piece by piece; `whose` names the object in errors.
pub(super) fn read(
    connection: &Connection,
    object: i64,
    range: Range<u64>,
    whose: &str,
    mut sink: impl FnMut(&[u8]),
) -> Result<(), Failure> {
    if range.is_empty() {
        return Ok(());
    }
    let mut first = connection.prepare_cached(
        "SELECT start FROM chunks WHERE object = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1",
    )?;
    let mut expected: u64 = first.query_row((object, range.start), |row| row.get(0)).optional()?.unwrap_or(0);
    let mut select = connection.prepare_cached(
        "SELECT start, length, frame FROM chunks WHERE object = ?1 AND start >= ?2 AND start < ?3 ORDER BY start",
    )?;
    let mut rows = select.query((object, expected, range.end))?;
    let mut unpacker = Decompressor::new().map_err(Failure::Compression)?;
    let mut piece = Vec::new();
    while let Some(row) = rows.next()? {
        let (start, length): (u64, u64) = (row.get(0)?, row.get(1)?);
        if start != expected {
            return Err(corrupt("bytes are missing".to_owned(), whose, expected, start));
        }
        let capacity = usize::try_from(length).unwrap_or(usize::MAX);
        if capacity == 0 || capacity > CHUNK_BYTES {
            return Err(corrupt(format!("a chunk claims {length} bytes"), whose, start, start));
        }
        expected = start + length;
        piece.clear();
        piece.reserve(capacity);
        let frame = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        match unpacker.decompress_to_buffer(frame, &mut piece) {
            Ok(size) if size == capacity => {}
            Ok(size) => return Err(corrupt(format!("a chunk gives {size} bytes"), whose, start, expected)),
            Err(error) => {
                return Err(corrupt(
                    format!("a chunk does not decompress ({error})"),
                    whose,
                    start,
                    expected,
                ));
            }
        }
        let clip = |at: u64| usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX).min(capacity);
        sink(piece.get(clip(range.start)..clip(range.end)).unwrap_or_default());
    }
    if expected < range.end {
        return Err(corrupt("bytes are missing".to_owned(), whose, expected, range.end));
    }
    Ok(())
}

/// Reads a range into memory.
pub(super) fn read_to_vec(
    connection: &Connection,
    object: i64,
    range: Range<u64>,
    whose: &str,
) -> Result<Vec<u8>, Failure> {
    // The length is a row's word, not to be trusted with an allocation beyond what a chunk holds.
    let expected = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
    let mut bytes = Vec::with_capacity(expected.min(64 * CHUNK_BYTES));
    read(connection, object, range, whose, |piece| bytes.extend_from_slice(piece))?;
    Ok(bytes)
}

pub(super) fn corrupt(what: String, whose: &str, start: u64, end: u64) -> Failure {
    let place = format!("{whose}, bytes {start} to {end}");
    let advice = "put the same bytes again to heal it; everything else can still be read";
    ArchiveError::Corrupt { what, place, advice }.into()
}

/// Clips a caller's range to the bytes that there are.
pub(super) fn clip(range: &Range<u64>, bytes: u64) -> Range<u64> {
    range.start.min(bytes)..range.end.min(bytes)
}
