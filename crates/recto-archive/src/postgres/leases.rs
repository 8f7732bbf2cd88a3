//! Leases: the law is [`crate::lease`]'s, the time the server's, and this keeps what they say.

use super::columns::{count, int};
use super::failure::Failure;
use super::pool::Repeat;
use super::session::Session;
use super::store::Store;
use crate::lease::{self, Standing};
use crate::{ArchiveError, Lease, LogId, Scope};

const LOG: &str = include_str!("sql/log.sql");
const GRANT: &str = include_str!("sql/grant.sql");
const NOW: &str = "SELECT recto.now_unix_ms()";

/// Changes what is kept of a name's newest lease, if it has not changed between reading and writing it.
async fn change(
    store: &Store,
    scope: &Scope,
    name: &LogId,
    change: impl Fn(&LogId, Option<Standing>, u64) -> Result<Standing, ArchiveError> + Send + 'static,
) -> Result<Lease, ArchiveError> {
    store.check_writable()?;
    let (scope, name) = (scope.clone(), name.clone());
    // Once it was written down, another time would find it changed.
    store
        .call(Repeat::No, async move |session| {
            loop {
                let (newest, now) = newest(session, &scope, &name).await?;
                session.has_only_read();
                let changed = change(&name, newest, now)?;
                let old = newest.unwrap_or(Standing { fence: 0, until_unix_ms: 0 });
                let written = session
                    .execute(
                        GRANT,
                        &[
                            &scope,
                            &name,
                            &int(old.fence),
                            &int(old.until_unix_ms),
                            &int(changed.fence),
                            &int(changed.until_unix_ms),
                        ],
                    )
                    .await?;
                if written == 1 {
                    return Ok(changed.lease(&name));
                }
            }
        })
        .await
}

/// Gives a name's newest lease, if one was granted, and the time.
async fn newest(session: &Session, scope: &Scope, name: &LogId) -> Result<(Option<Standing>, u64), Failure> {
    let Some(row) = session.row(LOG, &[scope, name]).await? else {
        return Ok((None, count(&session.one(NOW, &[]).await?, 0)?));
    };
    Ok((standing(&row)?, count(&row, 5)?))
}

/// Reads the newest lease from the row of its name.
pub(super) fn standing(row: &tokio_postgres::Row) -> Result<Option<Standing>, Failure> {
    let standing = Standing { fence: count(row, 3)?, until_unix_ms: count(row, 4)? };
    Ok((standing.fence > 0).then_some(standing))
}

pub(super) async fn grant(
    store: &Store,
    scope: &Scope,
    name: &LogId,
    seconds: u32,
) -> Result<Lease, ArchiveError> {
    change(store, scope, name, move |name, newest, now| lease::grant(name, newest, now, seconds)).await
}

pub(super) async fn renew(
    store: &Store,
    scope: &Scope,
    name: &LogId,
    fence: u64,
    seconds: u32,
) -> Result<Lease, ArchiveError> {
    change(store, scope, name, move |name, newest, now| lease::renew(name, newest, fence, now, seconds)).await
}

pub(super) async fn release(
    store: &Store,
    scope: &Scope,
    name: &LogId,
    fence: u64,
) -> Result<(), ArchiveError> {
    change(store, scope, name, move |name, newest, _| lease::release(name, newest, fence)).await.map(drop)
}
