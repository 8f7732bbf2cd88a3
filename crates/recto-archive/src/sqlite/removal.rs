//! Retention: choosing is quick and locks the store, deleting takes its time and does not.

use rusqlite::Connection;

use super::failure::Failure;
use super::locks::AdopterLock;
use super::store::Store;
use super::{logs, objects};
use crate::retention::{self, Holding};
use crate::{ArchiveError, GcReport, Retention, RunId};

/// Chunks that are deleted in one transaction (at most 64 MiB).
const DELETE_CHUNKS: u32 = 64;
/// Pages that are given back to the file system in one step.
const VACUUM_PAGES: u32 = 2_048;
/// An object that nobody has written to for this long is left over from a put that was killed.
const LEFTOVER_MS: u64 = 3_600_000;

pub(super) fn gc(store: &Store, rules: &Retention, dry_run: bool) -> Result<GcReport, ArchiveError> {
    let now = store.now();
    let abandoned = store.read(|connection| old_runs(connection, rules, now))?;
    if dry_run {
        let mut report = store.read(|connection| Ok(retention::choose(rules, now, holdings(connection)?)))?;
        report.dry_run = true;
        for (run, stored_bytes) in abandoned {
            if !super::locks::is_live(store.path(), &run) {
                report.freed_bytes += stored_bytes;
                report.removed_runs.push(run);
            }
        }
        return Ok(report);
    }

    let mut report = store.write(|connection| {
        let report = retention::choose(rules, now, holdings(connection)?);
        let mut mark = connection.prepare_cached(
            "UPDATE holdings SET gone = ?3 WHERE scope = ?1 AND sha256 = ?2 AND gone IS NULL",
        )?;
        for removed in &report.removed {
            mark.execute((&removed.scope, removed.digest, &removed.why))?;
        }
        kill_unheld(connection, now)?;
        connection.execute(
            "DELETE FROM runs WHERE sha256 IS NOT NULL AND ended_unix_ms < ?1",
            [now.saturating_sub(retention::FINISHED_RUN_MS)],
        )?;
        Ok(report)
    })?;
    for (run, stored_bytes) in abandoned {
        if remove_run(store, &run, &retention::run_reason(rules, now), now)? {
            report.freed_bytes += stored_bytes;
            report.removed_runs.push(run);
        }
    }
    // Left over from a removal that was killed.
    logs::sweep(store)?;
    sweep(store)?;
    Ok(report)
}

fn holdings(connection: &Connection) -> Result<Vec<Holding>, Failure> {
    let kept = logs::kept(connection)?;
    let mut select = connection.prepare_cached(
        "SELECT h.scope, h.sha256, h.kind, h.put_unix_ms, h.used_unix_ms, h.bytes, coalesce(o.stored_bytes, 0)
         FROM holdings h LEFT JOIN objects o ON o.sha256 = h.sha256 WHERE h.gone IS NULL",
    )?;
    let holdings = select.query_map([], |row| {
        let of_scope = (row.get(0)?, row.get(1)?);
        let is_kept = kept.contains(&of_scope);
        let (scope, digest) = of_scope;
        Ok(Holding {
            scope,
            digest,
            is_kept,
            kind: row.get(2)?,
            put_unix_ms: row.get(3)?,
            used_unix_ms: row.get(4)?,
            bytes: row.get(5)?,
            stored_bytes: row.get(6)?,
        })
    })?;
    Ok(holdings.collect::<Result<_, _>>()?)
}

/// Marks objects that no scope holds any more, and those that a killed put left, for deletion.
fn kill_unheld(connection: &Connection, now: u64) -> Result<(), Failure> {
    connection.execute(
        "UPDATE objects SET state = ?1, sha256 = NULL WHERE state = ?2 AND sha256 NOT IN
             (SELECT sha256 FROM holdings WHERE gone IS NULL)",
        (objects::DEAD, objects::WHOLE),
    )?;
    connection.execute(
        "UPDATE objects SET state = ?1 WHERE state = ?2 AND updated_unix_ms < ?3 AND id NOT IN
             (SELECT object FROM runs WHERE object IS NOT NULL)",
        (objects::DEAD, objects::WRITING, now.saturating_sub(LEFTOVER_MS)),
    )?;
    Ok(())
}

fn old_runs(connection: &Connection, rules: &Retention, now: u64) -> Result<Vec<(RunId, u64)>, Failure> {
    let mut select = connection.prepare_cached(
        "SELECT r.id, o.stored_bytes, o.updated_unix_ms FROM runs r JOIN objects o ON o.id = r.object ORDER BY r.id",
    )?;
    let runs = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut old = Vec::new();
    for run in runs {
        let (run, stored_bytes, updated_unix_ms) = run?;
        if retention::removes_run(rules, now, updated_unix_ms) {
            old.push((run, stored_bytes));
        }
    }
    Ok(old)
}

/// Removes a run whose lock can be had.
fn remove_run(store: &Store, run: &RunId, why: &str, now: u64) -> Result<bool, ArchiveError> {
    let Some(lock) = AdopterLock::take(store.path(), run)? else { return Ok(false) };
    let removed = store.write(|connection| {
        connection.execute(
            "UPDATE objects SET state = ?1 WHERE id = (SELECT object FROM runs WHERE id = ?2)",
            (objects::DEAD, run),
        )?;
        let changed = connection.execute(
            "UPDATE runs SET object = NULL, gone = ?2, ended_unix_ms = ?3 WHERE id = ?1 AND object IS NOT NULL",
            (run, why, now),
        )?;
        Ok(changed == 1)
    })?;
    lock.remove();
    Ok(removed)
}

/// Deletes what is dead and gives its room back, step by step, so that others can write between the steps.
fn sweep(store: &Store) -> Result<(), ArchiveError> {
    loop {
        let deleted = store.write(|connection| {
            let deleted = connection
                .prepare_cached(
                    "DELETE FROM chunks WHERE id IN (SELECT c.id FROM objects o JOIN chunks c ON c.object = o.id
                         WHERE o.state = ?1 LIMIT ?2)",
                )?
                .execute((objects::DEAD, DELETE_CHUNKS))?;
            if deleted == 0 {
                connection.execute("DELETE FROM objects WHERE state = ?1", [objects::DEAD])?;
            }
            Ok(deleted)
        })?;
        if deleted == 0 {
            break;
        }
    }
    loop {
        let free = store.maintain(|connection| {
            let free: u32 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
            if free > 0 {
                let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({VACUUM_PAGES})"))?;
                let mut rows = vacuum.query([])?;
                while rows.next()?.is_some() {}
            }
            Ok(free)
        })?;
        if free <= VACUUM_PAGES {
            break;
        }
    }
    // The file shrinks when the log is moved into it; readers may keep that from happening now.
    let _ = store.maintain(|connection| {
        Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    });
    Ok(())
}
