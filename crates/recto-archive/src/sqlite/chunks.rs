//! Bytes as rows.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension};

use super::failure::Failure;
use crate::packing::{self, Chunk, Unpacker};

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
    let first: u64 = first.query_row((object, range.start), |row| row.get(0)).optional()?.unwrap_or(0);
    let mut select = connection.prepare_cached(
        "SELECT start, length, frame FROM chunks WHERE object = ?1 AND start >= ?2 AND start < ?3 ORDER BY start",
    )?;
    let mut rows = select.query((object, first, range.end))?;
    let mut unpacker = Unpacker::new(range).map_err(Failure::Compression)?;
    while let Some(row) = rows.next()? {
        let frame = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        sink(unpacker.push(row.get(0)?, row.get(1)?, frame, whose)?);
    }
    Ok(unpacker.finish(whose)?)
}

/// Reads a range into memory.
pub(super) fn read_to_vec(
    connection: &Connection,
    object: i64,
    range: Range<u64>,
    whose: &str,
) -> Result<Vec<u8>, Failure> {
    let mut bytes = packing::room_for(&range);
    read(connection, object, range, whose, |piece| bytes.extend_from_slice(piece))?;
    Ok(bytes)
}
