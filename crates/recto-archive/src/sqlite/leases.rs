//! Leases: the law is [`crate::lease`]'s, and this keeps what it says.

use rusqlite::{Connection, OptionalExtension};

use super::failure::Failure;
use super::store::Store;
use crate::lease::{self, Standing};
use crate::{ArchiveError, Lease, LogId, Scope};

pub(super) fn newest(
    connection: &Connection,
    scope: &Scope,
    name: &LogId,
) -> Result<Option<Standing>, Failure> {
    let mut select = connection
        .prepare_cached("SELECT fence, until_unix_ms FROM leases WHERE scope = ?1 AND name = ?2")?;
    let standing = select
        .query_row((scope, name), |row| Ok(Standing { fence: row.get(0)?, until_unix_ms: row.get(1)? }));
    Ok(standing.optional()?)
}

/// Changes what is kept of a name's newest lease; the time is taken when nobody else can change it.
fn change(
    store: &Store,
    scope: &Scope,
    name: &LogId,
    change: impl FnOnce(Option<Standing>, u64) -> Result<Standing, ArchiveError>,
) -> Result<Lease, ArchiveError> {
    store.write(|connection| {
        let changed = change(newest(connection, scope, name)?, store.now())?;
        connection
            .prepare_cached(
                "INSERT INTO leases (scope, name, fence, until_unix_ms) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (scope, name) DO UPDATE SET fence = excluded.fence,
                     until_unix_ms = excluded.until_unix_ms",
            )?
            .execute((scope, name, changed.fence, changed.until_unix_ms))?;
        Ok(changed.lease(name))
    })
}

pub(super) fn grant(store: &Store, scope: &Scope, name: &LogId, seconds: u32) -> Result<Lease, ArchiveError> {
    change(store, scope, name, |newest, now| lease::grant(name, newest, now, seconds))
}

pub(super) fn renew(
    store: &Store,
    scope: &Scope,
    name: &LogId,
    fence: u64,
    seconds: u32,
) -> Result<Lease, ArchiveError> {
    change(store, scope, name, |newest, now| lease::renew(name, newest, fence, now, seconds))
}

pub(super) fn release(store: &Store, scope: &Scope, name: &LogId, fence: u64) -> Result<(), ArchiveError> {
    change(store, scope, name, |newest, _| lease::release(name, newest, fence)).map(drop)
}
