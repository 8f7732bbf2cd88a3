//! The rows that bytes hang on: being written, whole, or to be deleted.

use rusqlite::{Connection, OptionalExtension, Row};

use super::failure::Failure;
use crate::{Digest, Kind, Scope};

pub(super) const WRITING: i64 = 0;
pub(super) const WHOLE: i64 = 1;
pub(super) const DEAD: i64 = 2;

/// An object is deleted at once if it takes no more than this; the rest is left for `gc`, which goes step by step.
const DELETE_AT_ONCE_BYTES: u64 = 32 << 20;

/// A whole object.
pub(super) struct Whole {
    pub(super) id: i64,
    pub(super) bytes: u64,
    stored_bytes: u64,
}

pub(super) fn begin(connection: &Connection, now: u64) -> Result<i64, Failure> {
    connection
        .prepare_cached(
            "INSERT INTO objects (state, bytes, stored_bytes, updated_unix_ms) VALUES (?1, 0, 0, ?2)",
        )?
        .execute((WRITING, now))?;
    Ok(connection.last_insert_rowid())
}

/// Notes how much of an object is written; `false` if it is not being written any more.
pub(super) fn advance(
    connection: &Connection,
    id: i64,
    bytes: u64,
    stored_bytes: u64,
    now: u64,
) -> Result<bool, Failure> {
    let changed = connection
        .prepare_cached(
            "UPDATE objects SET bytes = ?2, stored_bytes = ?3, updated_unix_ms = ?4 WHERE id = ?1 AND state = ?5",
        )?
        .execute((id, bytes, stored_bytes, now, WRITING))?;
    Ok(changed == 1)
}

pub(super) fn whole(connection: &Connection, digest: &Digest) -> Result<Option<Whole>, Failure> {
    let mut select =
        connection.prepare_cached("SELECT id, bytes, stored_bytes FROM objects WHERE sha256 = ?1")?;
    let whole = |row: &Row<'_>| Ok(Whole { id: row.get(0)?, bytes: row.get(1)?, stored_bytes: row.get(2)? });
    Ok(select.query_row([digest], whole).optional()?)
}

/// Makes a written object the one that has this digest. One that had it before dies, whoever holds it: the newer bytes
/// were hashed just now.
pub(super) fn settle(connection: &Connection, id: i64, digest: &Digest, now: u64) -> Result<(), Failure> {
    if let Some(older) = whole(connection, digest)? {
        kill(connection, older.id)?;
        if older.stored_bytes <= DELETE_AT_ONCE_BYTES {
            delete(connection, older.id)?;
        }
    }
    connection
        .prepare_cached("UPDATE objects SET state = ?2, sha256 = ?3, updated_unix_ms = ?4 WHERE id = ?1")?
        .execute((id, WHOLE, digest, now))?;
    Ok(())
}

pub(super) fn kill(connection: &Connection, id: i64) -> Result<(), Failure> {
    connection
        .prepare_cached("UPDATE objects SET state = ?2, sha256 = NULL WHERE id = ?1")?
        .execute((id, DEAD))?;
    Ok(())
}

fn delete(connection: &Connection, id: i64) -> Result<(), Failure> {
    connection.prepare_cached("DELETE FROM chunks WHERE object = ?1")?.execute([id])?;
    connection.prepare_cached("DELETE FROM objects WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Notes that a scope holds bytes, again if they were gone.
pub(super) fn hold(
    connection: &Connection,
    scope: &Scope,
    digest: &Digest,
    kind: Kind,
    bytes: u64,
    now: u64,
) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "INSERT INTO holdings (scope, sha256, kind, bytes, put_unix_ms, used_unix_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5)
             ON CONFLICT (scope, sha256) DO UPDATE SET kind = min(kind, excluded.kind),
                 put_unix_ms = excluded.put_unix_ms, used_unix_ms = excluded.used_unix_ms, gone = NULL",
        )?
        .execute((scope, digest, kind, bytes, now))?;
    Ok(())
}

/// Gives up an object that is being written.
pub(super) fn discard(connection: &Connection, id: i64) -> Result<(), Failure> {
    let is_whole = "SELECT 1 FROM objects WHERE id = ?1 AND state = ?2";
    if connection.prepare_cached(is_whole)?.exists((id, WHOLE))? {
        return Ok(());
    }
    delete(connection, id)
}
