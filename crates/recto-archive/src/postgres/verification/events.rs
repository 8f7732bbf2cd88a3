//! Reading all logs: every number there once, every event what was appended.

use crate::event_rows::{self, Check, Stage};
use crate::postgres::columns::count;
use crate::postgres::failure::Failure;
use crate::postgres::logs;
use crate::postgres::pool::Repeat;
use crate::postgres::session::Session;
use crate::postgres::store::Store;
use crate::{ArchiveError, Damage, Digest, LogId, VerifyReport};

const NEXT_LOG: &str = include_str!("../sql/next_log.sql");
const LOG_END: &str = include_str!("../sql/log_end.sql");
const STRAY_EVENTS: &str = include_str!("../sql/stray_events.sql");
const STRAY_KEEPS: &str = include_str!("../sql/stray_keeps.sql");

/// Events fetched at once, of 64 MiB at most.
const STEP_EVENTS: u32 = 1_024;

/// Adds all logs to the report, and gives the length of the events that were read.
pub(super) async fn verify(
    store: &Store,
    report: &mut VerifyReport,
    mut passed: impl FnMut(u64),
) -> Result<u64, ArchiveError> {
    let (mut after, mut done_bytes) = (0_i64, 0_u64);
    while let Some((id, log)) = following(store, after).await? {
        let whose = || event_rows::whose(&log, &store.place);
        let mut check = Check::new(&whose);
        if let Err(error) = log.parse::<LogId>() {
            check.name(format!("a log in {}: {error}", store.place));
        }
        let stage = loop {
            let from = check.from();
            let stepped = store.call(Repeat::Yes, async move |session| {
                let row = session.one(LOG_END, &[&id]).await?;
                let events = logs::fetch(session, id, from, STEP_EVENTS).await?;
                // Events that are missing may be so because the log was removed just now.
                let is_gone =
                    if events.is_empty() { session.one(LOG_END, &[&id]).await?.try_get(2)? } else { false };
                Ok((count(&row, 0)?, count(&row, 1)?, events, is_gone))
            });
            let (end, bytes, events, is_gone) = match stepped.await {
                Ok(stepped) => stepped,
                Err(error @ (ArchiveError::Corrupt { .. } | ArchiveError::Engine { .. })) => {
                    check.damaged.push(format!("{}: {error}", whose()));
                    break Stage::Read;
                }
                Err(error) => return Err(error),
            };
            if events.is_empty() {
                if !is_gone {
                    check.end(end, bytes);
                }
                break if is_gone { Stage::Removed } else { Stage::Read };
            }
            let before = check.bytes;
            events.iter().for_each(|event| check.take(&event.row()));
            done_bytes = done_bytes.saturating_add(check.bytes.saturating_sub(before));
            passed(done_bytes);
        };
        if stage == Stage::Read {
            report.logs += 1;
            report.events += check.from();
        }
        report.damaged.extend(check.damaged.into_iter().map(|what| Damage { digest: None, what }));
        after = id;
    }
    let strays = store.call(Repeat::Yes, strays).await?;
    report.damaged.extend(strays.into_iter().map(|what| Damage { digest: None, what }));
    Ok(done_bytes)
}

/// The log that follows, with its name as it stands there: it may be damaged itself.
async fn following(store: &Store, after: i64) -> Result<Option<(i64, String)>, ArchiveError> {
    store
        .call(Repeat::Yes, async move |session: &Session| {
            let Some(row) = session.row(NEXT_LOG, &[&after]).await? else { return Ok(None) };
            Ok(Some((row.try_get(0)?, row.try_get(1)?)))
        })
        .await
}

/// Finds events of no log, and originals that a log keeps and its scope has not.
async fn strays(session: &Session) -> Result<Vec<String>, Failure> {
    let strays = count(&session.one(STRAY_EVENTS, &[]).await?, 0)?;
    let mut found = Vec::new();
    if strays > 0 {
        found.push(format!("{strays} events belong to no log"));
    }
    for row in session.rows(STRAY_KEEPS, &[]).await? {
        let (log, digest): (String, Digest) = (row.try_get(0)?, row.try_get(1)?);
        found.push(format!("log {log} keeps original {digest}, which is not there"));
    }
    Ok(found)
}
