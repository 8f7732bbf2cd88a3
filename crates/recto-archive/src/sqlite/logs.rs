//! Appending to logs, reading, listing and removing them.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension};

use super::events::{self, Reader};
use super::failure::Failure;
use super::store::Store;
use super::{leases, originals, schema};
use crate::{ArchiveError, Digest, LogId, LogStat, MAX_BATCH_BYTES, Scope, lease, logs, retention};

/// Events that are deleted in one transaction.
const DELETE_EVENTS: u32 = 4_096;

/// The row of a log that was not removed.
struct Found {
    id: i64,
    events: u64,
}

/// `None`: it was never begun.
fn find(connection: &Connection, scope: &Scope, log: &LogId) -> Result<Option<Found>, Failure> {
    let mut select =
        connection.prepare_cached("SELECT id, events, gone FROM logs WHERE scope = ?1 AND name = ?2")?;
    let found = select
        .query_row((scope, log), |row| {
            Ok((Found { id: row.get(0)?, events: row.get(1)? }, row.get::<_, Option<String>>(2)?))
        })
        .optional()?;
    match found {
        None => Ok(None),
        Some((found, None)) => Ok(Some(found)),
        Some((_, Some(why))) => Err(ArchiveError::log_gone(log, &why).into()),
    }
}

pub(super) fn append(
    store: &Store,
    scope: &Scope,
    log: &LogId,
    expected: u64,
    fence: Option<u64>,
    events: &[&[u8]],
    keeps: &[Digest],
) -> Result<u64, ArchiveError> {
    logs::check_batch(log, events, keeps)?;
    store.check_writable()?;
    let packed = events::pack(events).map_err(|failure| failure.at(store.path(), store.busy_timeout))?;
    store.write(|connection| {
        // Under the lock: a time from before it was had may be that of a lease that has run out since.
        let now = store.now();
        let found = find(connection, scope, log)?;
        lease::admit(log, leases::newest(connection, scope, log)?, fence, now)?;
        logs::check_end(log, expected, found.as_ref().map_or(0, |found| found.events))?;
        for digest in keeps {
            originals::needed(connection, scope, digest)?;
        }
        let id = match found {
            Some(found) => found.id,
            None => begin(connection, scope, log, now)?,
        };
        let mut insert = connection.prepare_cached(
            "INSERT INTO events (log, number, bytes, sha256_64, coding, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let (mut end, mut bytes) = (expected, 0);
        for event in &packed {
            insert.execute((id, end, event.bytes, event.sum, event.coding, &*event.body))?;
            end += 1;
            bytes += event.bytes;
        }
        connection
            .prepare_cached(
                "UPDATE logs SET events = ?2, bytes = bytes + ?3, last_unix_ms = ?4 WHERE id = ?1",
            )?
            .execute((id, end, bytes, now))?;
        let mut keep =
            connection.prepare_cached("INSERT OR IGNORE INTO log_keeps (log, sha256) VALUES (?1, ?2)")?;
        for digest in keeps {
            keep.execute((id, digest))?;
        }
        Ok(end)
    })
}

fn begin(connection: &Connection, scope: &Scope, log: &LogId, now: u64) -> Result<i64, Failure> {
    connection
        .prepare_cached(
            "INSERT INTO logs (scope, name, events, bytes, first_unix_ms, last_unix_ms)
             VALUES (?1, ?2, 0, 0, ?3, ?3)",
        )?
        .execute((scope, log, now))?;
    Ok(connection.last_insert_rowid())
}

pub(super) fn read(
    store: &Store,
    scope: &Scope,
    log: &LogId,
    from: u64,
    limit: u32,
) -> Result<Vec<(u64, Vec<u8>)>, ArchiveError> {
    let whose = || events::whose(log, store.path());
    store.read(|connection| {
        if !schema::has_logs(connection)? {
            return Ok(Vec::new());
        }
        let Some(found) = find(connection, scope, log)? else { return Ok(Vec::new()) };
        if from >= found.events || limit == 0 {
            return Ok(Vec::new());
        }
        let mut select = connection.prepare_cached(&format!(
            "SELECT {} FROM events WHERE log = ?1 AND number >= ?2 ORDER BY number LIMIT ?3",
            events::COLUMNS
        ))?;
        let mut rows = select.query((found.id, from, limit))?;
        let mut reader = Reader::new(from, &whose);
        let mut left = MAX_BATCH_BYTES as u64;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            let (number, event) = reader.next(row)?;
            let bytes = event.len() as u64;
            if bytes > left {
                return Ok(read);
            }
            left -= bytes;
            read.push((number, event));
        }
        reader.check_end(found.events.min(from.saturating_add(u64::from(limit))))?;
        Ok(read)
    })
}

pub(super) fn list(
    store: &Store,
    scope: &Scope,
    after: Option<&LogId>,
    limit: u32,
) -> Result<Vec<LogStat>, ArchiveError> {
    store.read(|connection| {
        if !schema::has_logs(connection)? {
            return Ok(Vec::new());
        }
        let mut select = connection.prepare_cached(
            "SELECT name, events, bytes, first_unix_ms, last_unix_ms FROM logs
             WHERE scope = ?1 AND name > ?2 AND gone IS NULL ORDER BY name LIMIT ?3",
        )?;
        let stats = select.query_map((scope, after.map_or("", LogId::as_str), limit), |row| {
            Ok(LogStat {
                log: row.get(0)?,
                events: row.get(1)?,
                bytes: row.get(2)?,
                first_unix_ms: row.get(3)?,
                last_unix_ms: row.get(4)?,
            })
        })?;
        Ok(stats.collect::<Result<_, _>>()?)
    })
}

pub(super) fn remove(store: &Store, scope: &Scope, log: &LogId) -> Result<(), ArchiveError> {
    store.write(|connection| {
        let found = match find(connection, scope, log) {
            Ok(found) => found.ok_or_else(|| ArchiveError::no_log(log))?,
            Err(Failure::Archive(ArchiveError::Gone { .. })) => return Ok(()),
            Err(failure) => return Err(failure),
        };
        connection.execute(
            "UPDATE logs SET gone = ?2, bytes = 0 WHERE id = ?1",
            (found.id, retention::log_reason(store.now())),
        )?;
        connection.execute("DELETE FROM log_keeps WHERE log = ?1", [found.id])?;
        Ok(())
    })?;
    sweep(store)
}

/// Deletes the events of logs that were removed, step by step, so that others can write between the steps.
pub(super) fn sweep(store: &Store) -> Result<(), ArchiveError> {
    loop {
        let deleted = store.write(|connection| {
            let mut delete = connection.prepare_cached(
                "DELETE FROM events WHERE id IN (SELECT e.id FROM logs l JOIN events e ON e.log = l.id
                     WHERE l.gone IS NOT NULL LIMIT ?1)",
            )?;
            Ok(delete.execute([DELETE_EVENTS])?)
        })?;
        if deleted == 0 {
            return Ok(());
        }
    }
}

/// What the rules of retention leave, and to whom.
pub(super) fn kept(connection: &Connection) -> Result<BTreeSet<(Scope, Digest)>, Failure> {
    if !schema::has_logs(connection)? {
        return Ok(BTreeSet::new());
    }
    let mut select =
        connection.prepare_cached("SELECT l.scope, k.sha256 FROM log_keeps k JOIN logs l ON l.id = k.log")?;
    let kept = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(kept.collect::<Result<_, _>>()?)
}

/// All logs of all scopes together.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) logs: u64,
    pub(super) events: u64,
    pub(super) bytes: u64,
}

pub(super) fn sums(connection: &Connection) -> Result<Sums, Failure> {
    if !schema::has_logs(connection)? {
        return Ok(Sums::default());
    }
    let mut select = connection.prepare_cached(
        "SELECT count(*), coalesce(sum(events), 0), coalesce(sum(bytes), 0) FROM logs WHERE gone IS NULL",
    )?;
    let sums = select
        .query_row([], |row| Ok(Sums { logs: row.get(0)?, events: row.get(1)?, bytes: row.get(2)? }))?;
    Ok(sums)
}
