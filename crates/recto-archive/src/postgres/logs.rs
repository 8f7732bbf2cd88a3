//! Appending to logs, reading, listing and removing them.

use super::columns::{count, int};
use super::failure::Failure;
use super::leases;
use super::originals;
use super::pool::Repeat;
use super::session::Session;
use super::store::Store;
use crate::event_rows::{self, EventRow, Packed, Reader};
use crate::{
    ArchiveError, Digest, LogId, LogStat, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, Scope, lease, logs, retention,
};

const APPEND: &str = include_str!("sql/append.sql");
const BEGIN: &str = include_str!("sql/begin_log.sql");
const KEEP: &str = include_str!("sql/keep.sql");
const LOG: &str = include_str!("sql/log.sql");
const READ: &str = include_str!("sql/read_events.sql");
const LIST: &str = include_str!("sql/logs.sql");
const REMOVE: &str = include_str!("sql/remove_log.sql");
const DELETE_EVENTS: &str = include_str!("sql/delete_events.sql");
const NOW: &str = "SELECT recto.now_unix_ms()";

/// Events that are deleted in one statement.
const DELETE_AT_ONCE: i64 = 4_096;

/// What is appended, as the columns that a statement takes.
struct Batch {
    scope: Scope,
    log: LogId,
    expected: u64,
    fence: Option<u64>,
    keeps: Vec<Digest>,
    all_bytes: u64,
    bytes: Vec<i64>,
    sums: Vec<i64>,
    codings: Vec<i16>,
    bodies: Vec<Vec<u8>>,
}

impl Batch {
    fn columns(&mut self, packed: Vec<Packed<'_>>) {
        for event in packed {
            self.all_bytes += event.bytes;
            self.bytes.push(int(event.bytes));
            self.sums.push(event.sum);
            self.codings.push(i16::try_from(event.coding).unwrap_or(i16::MAX));
            self.bodies.push(event.body.into_owned());
        }
    }

    fn end(&self) -> u64 {
        self.expected + self.bytes.len() as u64
    }

    /// Appends if the row of the log admits it, in one statement, and gives the log's number.
    async fn append(&self, session: &Session) -> Result<Option<i64>, Failure> {
        let Self { scope, log, bytes, sums, codings, bodies, .. } = self;
        let (expected, all_bytes) = (int(self.expected), int(self.all_bytes));
        let row = if self.expected == 0 && self.fence.is_none() {
            session.row(BEGIN, &[scope, log, &all_bytes, bytes, sums, codings, bodies]).await?
        } else {
            let fence = self.fence.map(int);
            let columns: &[&(dyn tokio_postgres::types::ToSql + Sync)] =
                &[scope, log, &fence, &expected, &all_bytes, bytes, sums, codings, bodies];
            session.row(APPEND, columns).await?
        };
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// Says why nothing was appended; `None` if it would be now.
    async fn refusal(&self, session: &Session) -> Result<Option<ArchiveError>, Failure> {
        let Some(row) = session.row(LOG, &[&self.scope, &self.log]).await? else {
            let admitted = lease::admit(&self.log, None, self.fence, 0);
            return Ok(admitted.and_then(|()| logs::check_end(&self.log, self.expected, 0)).err());
        };
        if let Some(why) = row.try_get::<_, Option<&str>>(2)? {
            return Ok(Some(ArchiveError::log_gone(&self.log, why)));
        }
        let admitted = lease::admit(&self.log, leases::standing(&row)?, self.fence, count(&row, 5)?);
        let end = count(&row, 1)?;
        Ok(admitted.and_then(|()| logs::check_end(&self.log, self.expected, end)).err())
    }

    async fn append_and_keep(&self, session: &Session) -> Result<bool, Failure> {
        if self.keeps.is_empty() {
            return Ok(self.append(session).await?.is_some());
        }
        session
            .transaction(async || {
                let Some(id) = self.append(session).await? else { return Ok(false) };
                session.execute(KEEP, &[&id, &self.scope, &self.keeps]).await?;
                // Those that were there are locked, so that retention leaves them.
                for digest in &self.keeps {
                    originals::needed(session, &self.scope, digest).await?;
                }
                Ok(true)
            })
            .await
    }
}

pub(super) async fn append(
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
    let packed = event_rows::pack(events).map_err(|error| store.explain(Failure::Compression(error)))?;
    let mut keeps = keeps.to_vec();
    keeps.sort_unstable();
    keeps.dedup();
    let mut batch = Batch {
        scope: scope.clone(),
        log: log.clone(),
        expected,
        fence,
        keeps,
        all_bytes: 0,
        bytes: Vec::new(),
        sums: Vec::new(),
        codings: Vec::new(),
        bodies: Vec::new(),
    };
    batch.columns(packed);
    // What may have been appended is not appended again: its caller looks.
    store
        .call(Repeat::No, async move |session| {
            loop {
                if batch.append_and_keep(session).await? {
                    return Ok(batch.end());
                }
                if let Some(refusal) = batch.refusal(session).await? {
                    return Err(refusal.into());
                }
                session.has_only_read();
            }
        })
        .await
}

/// An event that came from the server.
pub(super) struct Sent {
    number: u64,
    bytes: u64,
    sum: i64,
    coding: i64,
    body: Vec<u8>,
}

impl Sent {
    pub(super) fn row(&self) -> EventRow<'_> {
        let Self { number, bytes, sum, coding, ref body } = *self;
        EventRow { number, bytes, sum, coding, body }
    }
}

/// Fetches events of a log from one on.
pub(super) async fn fetch(session: &Session, id: i64, from: u64, limit: u32) -> Result<Vec<Sent>, Failure> {
    let (most_events, most_bytes) = (i64::from(limit).min(MAX_BATCH_EVENTS as i64), MAX_BATCH_BYTES as i64);
    let rows = session.rows(READ, &[&id, &int(from), &most_events, &most_bytes]).await?;
    let sent = |row: tokio_postgres::Row| {
        Ok(Sent {
            number: count(&row, 0)?,
            bytes: count(&row, 1)?,
            sum: row.try_get(2)?,
            coding: i64::from(row.try_get::<_, i16>(3)?),
            body: row.try_get(4)?,
        })
    };
    rows.into_iter().map(sent).collect()
}

pub(super) async fn read(
    store: &Store,
    scope: &Scope,
    log: &LogId,
    from: u64,
    limit: u32,
) -> Result<Vec<(u64, Vec<u8>)>, ArchiveError> {
    let whose = || event_rows::whose(log.as_str(), &store.place);
    let (owner, name) = (scope.clone(), log.clone());
    let fetched = store.call(Repeat::Yes, async move |session| {
        let Some((id, end)) = find(session, &owner, &name).await? else { return Ok(None) };
        if from >= end || limit == 0 {
            return Ok(None);
        }
        let events = fetch(session, id, from, limit).await?;
        // Events that are missing may be so because the log was removed just now.
        let is_complete = events.len() as u64 == u64::from(limit).min(end - from);
        if !is_complete {
            find(session, &owner, &name).await?;
        }
        Ok(Some((events, end)))
    });
    let Some((events, end)) = fetched.await? else { return Ok(Vec::new()) };
    let mut reader = Reader::new(from, &whose);
    let read = events.iter().map(|sent| reader.next(&sent.row())).collect::<Result<Vec<_>, _>>()?;
    // If there is a hole after these, the next reading begins with it.
    if read.is_empty() {
        reader.check_end(end)?;
    }
    Ok(read)
}

/// Gives the number and the end of a log; `None`: it was never begun.
async fn find(session: &Session, scope: &Scope, log: &LogId) -> Result<Option<(i64, u64)>, Failure> {
    let Some(row) = session.row(LOG, &[scope, log]).await? else { return Ok(None) };
    if let Some(why) = row.try_get::<_, Option<&str>>(2)? {
        return Err(ArchiveError::log_gone(log, why).into());
    }
    let end = count(&row, 1)?;
    Ok((end > 0).then_some((row.try_get(0)?, end)))
}

pub(super) async fn list(
    store: &Store,
    scope: &Scope,
    after: Option<&LogId>,
    limit: u32,
) -> Result<Vec<LogStat>, ArchiveError> {
    let (scope, after) = (scope.clone(), after.map_or("", LogId::as_str).to_owned());
    store
        .call(Repeat::Yes, async move |session| {
            let rows = session.rows(LIST, &[&scope, &after, &i64::from(limit)]).await?;
            let stat = |row: &tokio_postgres::Row| {
                Ok(LogStat {
                    log: row.try_get(0)?,
                    events: count(row, 1)?,
                    bytes: count(row, 2)?,
                    first_unix_ms: count(row, 3)?,
                    last_unix_ms: count(row, 4)?,
                })
            };
            rows.iter().map(stat).collect()
        })
        .await
}

pub(super) async fn remove(store: &Store, scope: &Scope, log: &LogId) -> Result<(), ArchiveError> {
    store.check_writable()?;
    let (scope, log) = (scope.clone(), log.clone());
    let removed = store.call(Repeat::Yes, async move |session| {
        let now = count(&session.one(NOW, &[]).await?, 0)?;
        if session.row(REMOVE, &[&scope, &log, &retention::log_reason(now)]).await?.is_some() {
            return Ok(());
        }
        match find(session, &scope, &log).await {
            Ok(_) => Err(ArchiveError::no_log(&log).into()),
            Err(Failure::Archive(ArchiveError::Gone { .. })) => Ok(()),
            Err(failure) => Err(failure),
        }
    });
    removed.await?;
    sweep(store).await
}

/// Deletes the events of logs that were removed, step by step.
pub(super) async fn sweep(store: &Store) -> Result<(), ArchiveError> {
    let delete = async |session: &Session| session.execute(DELETE_EVENTS, &[&DELETE_AT_ONCE]).await;
    while store.call(Repeat::Yes, delete).await? > 0 {}
    Ok(())
}
