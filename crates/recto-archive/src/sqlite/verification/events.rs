//! Reading all logs: every number there once, every event what was appended.

use rusqlite::{Connection, OptionalExtension};

use crate::sqlite::events::{self, Reader};
use crate::sqlite::failure::Failure;
use crate::sqlite::schema;
use crate::sqlite::store::Store;
use crate::{ArchiveError, Damage, Digest, LogId, VerifyReport};

/// Events read in one transaction (each may be 16 MiB, of which one at a time is held).
const STEP_EVENTS: u32 = 256;
/// Damaged events that are named of one log.
const MOST_NAMED: usize = 20;

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
        let mut check = Check { from: 0, bytes: 0, ended: None, damaged: Vec::new() };
        while check.ended.is_none() {
            let before = check.bytes;
            match store.read(|connection| check.step(connection, store, id, &log)) {
                Ok(()) => {}
                Err(error @ (ArchiveError::Corrupt { .. } | ArchiveError::Engine { .. })) => {
                    check.damaged.push(format!("{}: {error}", events::whose(&log, store.path())));
                    check.ended = Some(true);
                }
                Err(error) => return Err(error),
            }
            done_bytes = done_bytes.saturating_add(check.bytes.saturating_sub(before));
            passed(done_bytes);
        }
        if check.ended == Some(true) {
            report.logs += 1;
            report.events += check.from;
        }
        report.damaged.extend(check.damaged.into_iter().map(|what| Damage { digest: None, what }));
        after = id;
    }
    report.damaged.extend(store.read(strays)?.into_iter().map(|what| Damage { digest: None, what }));
    Ok(done_bytes)
}

fn following(connection: &Connection, after: i64) -> Result<Option<(i64, LogId)>, Failure> {
    let mut select =
        connection.prepare_cached("SELECT id, name FROM logs WHERE id > ?1 ORDER BY id LIMIT 1")?;
    Ok(select.query_row([after], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// One log that is being checked.
struct Check {
    /// The event that comes next.
    from: u64,
    /// Length of those that were read.
    bytes: u64,
    /// Whether the log was still there at its end.
    ended: Option<bool>,
    damaged: Vec<String>,
}

impl Check {
    fn step(&mut self, connection: &Connection, store: &Store, id: i64, log: &LogId) -> Result<(), Failure> {
        let whose = || events::whose(log, store.path());
        let (end, bytes, gone): (u64, u64, bool) = connection
            .prepare_cached("SELECT events, bytes, gone IS NOT NULL FROM logs WHERE id = ?1")?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        if gone {
            self.ended = Some(false);
            return Ok(());
        }
        let mut select = connection.prepare_cached(&format!(
            "SELECT {} FROM events WHERE log = ?1 AND number >= ?2 ORDER BY number LIMIT ?3",
            events::COLUMNS
        ))?;
        let mut rows = select.query((id, self.from, STEP_EVENTS))?;
        let mut reader = Reader::new(self.from, &whose);
        let mut found_rows = 0;
        while let Some(row) = rows.next()? {
            found_rows += 1;
            let number: u64 = row.get(0)?;
            if number > self.from {
                self.name(format!("{}: events {} to {} are missing", whose(), self.from, number - 1));
                reader = Reader::new(number, &whose);
            }
            match reader.next(row) {
                Ok((_, event)) => self.bytes += event.len() as u64,
                Err(Failure::Archive(error)) => {
                    self.name(error.to_string());
                    reader = Reader::new(number + 1, &whose);
                }
                Err(failure) => return Err(failure),
            }
            self.from = reader.expected();
        }
        if found_rows == STEP_EVENTS {
            return Ok(());
        }
        self.ended = Some(true);
        if self.from < end {
            self.name(format!("{}: events {} to {} are missing", whose(), self.from, end - 1));
        } else if self.from > end {
            self.name(format!("{}: it has events beyond its end, {end}", whose()));
        } else if self.damaged.is_empty() && self.bytes != bytes {
            self.name(format!("{}: its events have {} bytes, not {bytes}", whose(), self.bytes));
        }
        Ok(())
    }

    fn name(&mut self, what: String) {
        if self.damaged.len() < MOST_NAMED {
            self.damaged.push(what);
        }
    }
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
        let (log, digest): (LogId, Digest) = (row.get(0)?, row.get(1)?);
        found.push(format!("log {log} keeps original {digest}, which is not there"));
    }
    Ok(found)
}
