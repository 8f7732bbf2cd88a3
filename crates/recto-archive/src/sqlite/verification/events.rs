//! Reading all logs: every number there once, every event what was appended.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::event_rows::{Check, Stage};
use crate::sqlite::events;
use crate::sqlite::failure::Failure;
use crate::sqlite::schema;
use crate::sqlite::store::Store;
use crate::{ArchiveError, Damage, Digest, LogId, VerifyReport};

/// Events read in one transaction (each may be 16 MiB, of which one at a time is held).
const STEP_EVENTS: u32 = 256;

/// Adds all logs to the report, and gives the length of the events that were read.
pub(super) fn verify(
    store: &Store,
    report: &mut VerifyReport,
    mut passed: impl FnMut(u64),
) -> Result<u64, ArchiveError> {
    if !store.read(schema::has_logs)? {
        return Ok(0);
    }
    let (mut after, mut done_bytes) = (0_i64, 0_u64);
    while let Some((id, log)) = store.read(|connection| following(connection, after))? {
        let whose = || events::whose(&log, store.path());
        let mut check = Check::new(&whose);
        if let Err(error) = log.parse::<LogId>() {
            check.name(format!("a log in {}: {error}", store.path().display()));
        }
        let stage = loop {
            let before = check.bytes;
            let stepped = store.read(|connection| step(connection, &mut check, id));
            done_bytes = done_bytes.saturating_add(check.bytes.saturating_sub(before));
            passed(done_bytes);
            match stepped {
                Ok(Stage::Reading) => {}
                Ok(stage) => break stage,
                Err(error @ (ArchiveError::Corrupt { .. } | ArchiveError::Engine { .. })) => {
                    check.damaged.push(format!("{}: {error}", whose()));
                    break Stage::Read;
                }
                Err(error) => return Err(error),
            }
        };
        if stage == Stage::Read {
            report.logs += 1;
            report.events += check.from();
        }
        report.damaged.extend(check.damaged.into_iter().map(|what| Damage { digest: None, what }));
        after = id;
    }
    report.damaged.extend(store.read(strays)?.into_iter().map(|what| Damage { digest: None, what }));
    Ok(done_bytes)
}

/// The log that follows, with its name as it stands there: it may be damaged itself.
fn following(connection: &Connection, after: i64) -> Result<Option<(i64, String)>, Failure> {
    let mut select =
        connection.prepare_cached("SELECT id, name FROM logs WHERE id > ?1 ORDER BY id LIMIT 1")?;
    Ok(select.query_row([after], |row| Ok((row.get(0)?, text(row, 1)?))).optional()?)
}

fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(String::from_utf8_lossy(row.get_ref(column)?.as_bytes()?).into_owned())
}

/// Checks the next events of a log.
fn step(connection: &Connection, check: &mut Check<'_>, id: i64) -> Result<Stage, Failure> {
    let (end, bytes, gone): (u64, u64, bool) = connection
        .prepare_cached("SELECT events, bytes, gone IS NOT NULL FROM logs WHERE id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    if gone {
        return Ok(Stage::Removed);
    }
    let mut select = connection.prepare_cached(&format!(
        "SELECT {} FROM events WHERE log = ?1 AND number >= ?2 ORDER BY number LIMIT ?3",
        events::COLUMNS
    ))?;
    let mut rows = select.query((id, check.from(), STEP_EVENTS))?;
    let mut found_rows = 0;
    while let Some(row) = rows.next()? {
        found_rows += 1;
        check.take(&events::row(row)?);
    }
    if found_rows == STEP_EVENTS {
        return Ok(Stage::Reading);
    }
    check.end(end, bytes);
    Ok(Stage::Read)
}

/// Finds events of no log, and originals that a log keeps and its scope has not.
fn strays(connection: &Connection) -> Result<Vec<String>, Failure> {
    let strays: u64 = connection
        .prepare_cached("SELECT count(*) FROM events WHERE log NOT IN (SELECT id FROM logs)")?
        .query_row([], |row| row.get(0))?;
    let mut found = Vec::new();
    if strays > 0 {
        found.push(format!("{strays} events belong to no log"));
    }
    let mut select = connection.prepare_cached(
        "SELECT l.name, k.sha256 FROM logs l JOIN log_keeps k ON k.log = l.id
         WHERE l.gone IS NULL AND NOT EXISTS
             (SELECT 1 FROM holdings h WHERE h.scope = l.scope AND h.sha256 = k.sha256 AND h.gone IS NULL)
         ORDER BY l.name, k.sha256",
    )?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (log, digest): (String, Digest) = (text(row, 0)?, row.get(1)?);
        found.push(format!("log {log} keeps original {digest}, which is not there"));
    }
    Ok(found)
}
