//! Putting, getting and listing originals.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, Row};

use super::chunks;
use super::failure::Failure;
use super::objects;
use super::store::Store;
use super::verification;
use crate::packing::{self, Chunk, Packer};
use crate::retention::{PUT_STEP_MS, USED_STEP_MS};
use crate::{ArchiveError, CHUNK_BYTES, Digest, Kind, Scope, Stat};

/// What is put in one transaction; more goes piece by piece, so that other writers need not wait for all of it.
const BATCH_BYTES: usize = 4 * CHUNK_BYTES;

pub(super) fn put(store: &Store, scope: &Scope, kind: Kind, bytes: &[u8]) -> Result<Digest, ArchiveError> {
    store.check_writable()?;
    let digest = Digest::of(bytes);
    let now = store.now();
    let held = store.read(|connection| holding(connection, scope, &digest))?;
    if let Some(held) = held.filter(|held| held.gone.is_none()) {
        // Bytes of one's own that are still sound are not written again; if they are damaged, this heals them.
        if is_sound(store, &digest)? {
            if held.kind <= kind && now.saturating_sub(held.put_unix_ms) <= PUT_STEP_MS {
                return Ok(digest);
            }
            let is_there = store.write(|connection| {
                // Retention may have been faster.
                let is_there = objects::whole(connection, &digest)?.is_some();
                if is_there {
                    objects::hold(connection, scope, &digest, kind, length(bytes), now)?;
                }
                Ok(is_there)
            })?;
            if is_there {
                return Ok(digest);
            }
        }
    }
    write(store, scope, digest, kind, bytes, now)
}

fn is_sound(store: &Store, digest: &Digest) -> Result<bool, ArchiveError> {
    match verification::check_object(store, digest, |_| {}) {
        Ok(bytes) => Ok(bytes.is_some()),
        Err(ArchiveError::Corrupt { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Stores bytes that this scope does not hold. Whether another one does makes no difference: they are compressed and
/// written all the same, so that the time it takes tells nothing.
fn write(
    store: &Store,
    scope: &Scope,
    digest: Digest,
    kind: Kind,
    bytes: &[u8],
    now: u64,
) -> Result<Digest, ArchiveError> {
    let object = write_object(store, bytes, now)?;
    store.write(|connection| {
        let object = match object {
            Written::Packed(ref packed) => {
                let object = objects::begin(connection, now)?;
                chunks::write(connection, object, packed)?;
                objects::advance(connection, object, length(bytes), packing::stored_bytes(packed), now)?;
                object
            }
            Written::Stored(object) => object,
        };
        objects::settle(connection, object, &digest, now)?;
        objects::hold(connection, scope, &digest, kind, length(bytes), now)
    })?;
    Ok(digest)
}

enum Written {
    /// Ready to be stored with the rest.
    Packed(Vec<Chunk>),
    /// Too much for one transaction, and stored already.
    Stored(i64),
}

fn write_object(store: &Store, bytes: &[u8], now: u64) -> Result<Written, ArchiveError> {
    let explain = |error| Failure::Compression(error).at(store.path(), store.busy_timeout);
    let mut packer = Packer::new().map_err(explain)?;
    if bytes.len() <= BATCH_BYTES {
        return Ok(Written::Packed(packer.pack(0, bytes).map_err(explain)?));
    }
    let object = store.write(|connection| objects::begin(connection, now))?;
    let (mut done_bytes, mut stored_bytes) = (0, 0);
    for batch in bytes.chunks(BATCH_BYTES) {
        let packed = packer.pack(done_bytes, batch).map_err(explain)?;
        done_bytes += length(batch);
        stored_bytes += packing::stored_bytes(&packed);
        let result = store.write(|connection| {
            chunks::write(connection, object, &packed)?;
            objects::advance(connection, object, done_bytes, stored_bytes, store.now())
        });
        if let Err(error) = result {
            // Room for the others; if even this fails, `gc` finds it.
            store.write_if_free(|connection| objects::discard(connection, object));
            return Err(error);
        }
    }
    Ok(Written::Stored(object))
}

/// What a scope holds.
pub(super) struct Held {
    pub(super) kind: Kind,
    pub(super) put_unix_ms: u64,
    pub(super) used_unix_ms: u64,
    pub(super) gone: Option<String>,
}

pub(super) fn holding(
    connection: &Connection,
    scope: &Scope,
    digest: &Digest,
) -> Result<Option<Held>, Failure> {
    let mut select = connection.prepare_cached(
        "SELECT kind, put_unix_ms, used_unix_ms, gone FROM holdings WHERE scope = ?1 AND sha256 = ?2",
    )?;
    let held = |row: &Row<'_>| {
        Ok(Held { kind: row.get(0)?, put_unix_ms: row.get(1)?, used_unix_ms: row.get(2)?, gone: row.get(3)? })
    };
    Ok(select.query_row((scope, digest), held).optional()?)
}

/// As [`holding`], where having it is needed.
pub(super) fn needed(connection: &Connection, scope: &Scope, digest: &Digest) -> Result<Held, Failure> {
    match holding(connection, scope, digest)? {
        None => Err(ArchiveError::no_original(digest).into()),
        Some(Held { gone: Some(why), .. }) => {
            Err(ArchiveError::Gone { what: format!("original {digest}"), why }.into())
        }
        Some(held) => Ok(held),
    }
}

pub(super) fn get(
    store: &Store,
    scope: &Scope,
    digest: &Digest,
    range: &Range<u64>,
) -> Result<Vec<u8>, ArchiveError> {
    let whose = format!("original {digest} in {}", store.path().display());
    let (held, bytes) = store.read(|connection| {
        let held = needed(connection, scope, digest)?;
        let Some(object) = objects::whole(connection, digest)? else {
            return Err(packing::corrupt("its bytes are missing".to_owned(), &whose, 0, u64::MAX).into());
        };
        let clipped = packing::clip(range, object.bytes);
        let is_whole = clipped == (0..object.bytes);
        let bytes = chunks::read_to_vec(connection, object.id, clipped, &whose)?;
        if is_whole && Digest::of(&bytes) != *digest {
            let what = "the stored bytes do not have their SHA-256".to_owned();
            return Err(packing::corrupt(what, &whose, 0, object.bytes).into());
        }
        Ok((held, bytes))
    })?;
    let now = store.now();
    if now.saturating_sub(held.used_unix_ms) > USED_STEP_MS {
        store.write_if_free(|connection| touch(connection, scope, digest, now));
    }
    Ok(bytes)
}

/// Notes a use, at most once an hour.
pub(super) fn touch(
    connection: &Connection,
    scope: &Scope,
    digest: &Digest,
    now: u64,
) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "UPDATE holdings SET used_unix_ms = ?3 WHERE scope = ?1 AND sha256 = ?2 AND used_unix_ms < ?4",
        )?
        .execute((scope, digest, now, now.saturating_sub(USED_STEP_MS)))?;
    Ok(())
}

const STAT: &str =
    "SELECT sha256, kind, bytes, put_unix_ms, used_unix_ms FROM holdings WHERE gone IS NULL AND scope = ?1";

fn stat_of(row: &Row<'_>) -> rusqlite::Result<Stat> {
    Ok(Stat {
        digest: row.get(0)?,
        kind: row.get(1)?,
        bytes: row.get(2)?,
        put_unix_ms: row.get(3)?,
        used_unix_ms: row.get(4)?,
    })
}

pub(super) fn stat(store: &Store, scope: &Scope, digest: &Digest) -> Result<Option<Stat>, ArchiveError> {
    store.read(|connection| {
        let mut select = connection.prepare_cached(&format!("{STAT} AND sha256 = ?2"))?;
        Ok(select.query_row((scope, digest), stat_of).optional()?)
    })
}

pub(super) fn list(
    store: &Store,
    scope: &Scope,
    after: Option<&Digest>,
    limit: u32,
) -> Result<Vec<Stat>, ArchiveError> {
    store.read(|connection| {
        let after = after.map_or(&[][..], |digest| digest.as_bytes());
        let mut select =
            connection.prepare_cached(&format!("{STAT} AND sha256 > ?2 ORDER BY sha256 LIMIT ?3"))?;
        Ok(select.query_map((scope, after, limit), stat_of)?.collect::<Result<_, _>>()?)
    })
}

fn length(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}
