//! What an archive tells whoever runs it.

use super::columns::count;
use super::pool::Repeat;
use super::schema;
use super::session::Session;
use super::store::Store;
use crate::{ArchiveError, Description, Health, Mode};

const DESCRIBE: &str = include_str!("sql/describe.sql");
const LOG_SUMS: &str = include_str!("sql/log_sums.sql");
const HEALTH: &str = include_str!("sql/health.sql");
const ABANDONED: &str = include_str!("sql/abandoned_runs.sql");

/// Dead bytes are worth a word from this many on.
const DEAD_BYTES: u64 = 16 << 20;

pub(super) async fn describe(store: &Store) -> Result<Description, ArchiveError> {
    let mode = store.mode;
    store
        .call(Repeat::Yes, async move |session: &Session| {
            let row = session.one(DESCRIBE, &[]).await?;
            let logs = session.one(LOG_SUMS, &[]).await?;
            // Packagers add their own words to the number.
            let version: String = row.try_get(3)?;
            let version = version.split_ascii_whitespace().next().unwrap_or_default();
            Ok(Description {
                engine: format!("PostgreSQL {version}"),
                schema: schema::newest(),
                path: None,
                mode,
                originals: count(&row, 0)?,
                source_bytes: count(&row, 1)?,
                stored_bytes: count(&row, 2)?,
                logs: count(&logs, 0)?,
                events: count(&logs, 1)?,
                event_bytes: count(&logs, 2)?,
                occupied_bytes: count(&row, 4)?,
            })
        })
        .await
}

pub(super) async fn health(store: &Store) -> Result<Health, ArchiveError> {
    let mut notes = Vec::new();
    match store.mode {
        Mode::ReadWrite => {}
        mode => notes.push(format!("{} is open {mode}: nothing can be stored", store.place)),
    }
    let asked = store.call(Repeat::Yes, async |session: &Session| {
        let row = session.one(HEALTH, &[]).await?;
        let abandoned = count(&session.one(ABANDONED, &[]).await?, 0)?;
        Ok((count(&row, 0)?, row.try_get::<_, String>(1)?, abandoned))
    });
    let (dead_bytes, fsync, abandoned) = asked.await?;
    if dead_bytes > DEAD_BYTES {
        let mib = dead_bytes >> 20;
        notes.push(format!("{mib} MiB are no longer needed: a removal by retention gives them back"));
    }
    if abandoned > 0 {
        notes.push(format!("{abandoned} runs were abandoned and can be adopted"));
    }
    if fsync == "off" {
        notes.push("a power failure may destroy all: the server runs with fsync = off".to_owned());
    }
    Ok(Health { notes })
}
