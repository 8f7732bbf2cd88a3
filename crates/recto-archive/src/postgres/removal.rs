//! Retention: choosing keeps nobody waiting, marking keeps putters waiting for as long as what was chosen takes, and
//! deleting goes step by step.

use std::collections::BTreeSet;

use super::columns::{count, int};
use super::failure::Failure;
use super::logs;
use super::pool::Repeat;
use super::session::Session;
use super::store::Store;
use crate::retention::{self, Holding};
use crate::{ArchiveError, Digest, GcReport, Removed, Retention, RunId, Scope};

const HOLDINGS: &str = include_str!("sql/holdings.sql");
const MARK_GONE: &str = include_str!("sql/mark_gone.sql");
const DROP_CONTENTS: &str = include_str!("sql/drop_contents.sql");
const MARK_DEAD: &str = include_str!("sql/mark_dead.sql");
const DELETE_CHUNKS: &str = include_str!("sql/delete_chunks.sql");
const DELETE_DEAD: &str = include_str!("sql/delete_dead.sql");
const ALL_RUNS: &str = include_str!("sql/all_runs.sql");
const REMOVE_RUN: &str = include_str!("sql/remove_run.sql");
const FORGET_RUNS: &str = include_str!("sql/forget_runs.sql");
const RUN_LOCK: &str = "SELECT lock FROM recto.runs WHERE id = $1 AND object IS NOT NULL FOR UPDATE";
const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock($1)";
/// Keeps off whoever puts or issues, and lets readers be.
const LOCK_HOLDINGS: &str = "LOCK TABLE recto.holdings IN EXCLUSIVE MODE";

/// Chunks that are deleted in one statement (at most 64 MiB).
const DELETE_AT_ONCE: i64 = 64;
/// An object that nobody has written to for this long is left over from a put that was killed.
const LEFTOVER_MS: u64 = 3_600_000;

/// What a choice is marked by, when what was chosen has not changed since.
struct Chosen {
    report: GcReport,
    /// When each of the removed was put.
    put_unix_ms: Vec<u64>,
}

pub(super) async fn gc(store: &Store, rules: &Retention, dry_run: bool) -> Result<GcReport, ArchiveError> {
    if !dry_run {
        store.check_writable()?;
    }
    let now = store.now();
    let holdings = store.call(Repeat::Yes, holdings).await?;
    let chosen = choose(rules, now, holdings);
    let mut report = if dry_run { chosen.report } else { mark(store, chosen).await? };
    report.dry_run = dry_run;

    let why = retention::run_reason(rules, now);
    for (run, stored_bytes, updated_unix_ms, is_live) in store.call(Repeat::Yes, all_runs).await? {
        if is_live || !retention::removes_run(rules, now, updated_unix_ms) {
            continue;
        }
        if dry_run || remove_run(store, &run, &why, now).await? {
            report.freed_bytes += stored_bytes;
            report.removed_runs.push(run);
        }
    }
    if !dry_run {
        // Left over from a removal that was killed.
        logs::sweep(store).await?;
        sweep(store, now).await?;
    }
    Ok(report)
}

async fn holdings(session: &Session) -> Result<Vec<Holding>, Failure> {
    let rows = session.rows(HOLDINGS, &[]).await?;
    let holding = |row: &tokio_postgres::Row| {
        Ok(Holding {
            scope: row.try_get(0)?,
            digest: row.try_get(1)?,
            kind: row.try_get(2)?,
            put_unix_ms: count(row, 3)?,
            used_unix_ms: count(row, 4)?,
            bytes: count(row, 5)?,
            stored_bytes: count(row, 6)?,
            is_kept: row.try_get(7)?,
        })
    };
    rows.iter().map(holding).collect()
}

fn choose(rules: &Retention, now: u64, holdings: Vec<Holding>) -> Chosen {
    let put: std::collections::BTreeMap<(Scope, Digest), u64> =
        holdings.iter().map(|held| ((held.scope.clone(), held.digest), held.put_unix_ms)).collect();
    let report = retention::choose(rules, now, holdings);
    let put_at = |removed: &Removed| put.get(&(removed.scope.clone(), removed.digest)).copied().unwrap_or(0);
    let put_unix_ms = report.removed.iter().map(put_at).collect();
    Chosen { report, put_unix_ms }
}

/// Marks what was chosen as gone and lets go of its bytes, and leaves out of the report what was spared.
async fn mark(store: &Store, chosen: Chosen) -> Result<GcReport, ArchiveError> {
    let Chosen { mut report, put_unix_ms } = chosen;
    if report.removed.is_empty() {
        return Ok(report);
    }
    let scopes: Vec<Scope> = report.removed.iter().map(|removed| removed.scope.clone()).collect();
    let digests: Vec<Digest> = report.removed.iter().map(|removed| removed.digest).collect();
    let put: Vec<i64> = put_unix_ms.into_iter().map(int).collect();
    let used: Vec<i64> = report.removed.iter().map(|removed| int(removed.used_unix_ms)).collect();
    let whys: Vec<String> = report.removed.iter().map(|removed| removed.why.clone()).collect();
    // Done again it would find nothing to do, and report that.
    let marked = store.call(Repeat::No, async move |session| {
        session
            .transaction(async || {
                session.batch(LOCK_HOLDINGS).await?;
                let mut marked = BTreeSet::new();
                for row in session.rows(MARK_GONE, &[&scopes, &digests, &put, &used, &whys]).await? {
                    marked.insert((row.try_get::<_, Scope>(0)?, row.try_get::<_, Digest>(1)?));
                }
                let freed_bytes = count(&session.one(DROP_CONTENTS, &[&digests]).await?, 0)?;
                Ok((marked, freed_bytes))
            })
            .await
    });
    let (marked, freed_bytes) = marked.await?;
    let all_bytes = report.kept_bytes.saturating_add(report.freed_bytes);
    report.removed.retain(|removed| marked.contains(&(removed.scope.clone(), removed.digest)));
    report.freed_bytes = freed_bytes;
    report.kept_bytes = all_bytes.saturating_sub(freed_bytes);
    Ok(report)
}

type OpenRun = (RunId, u64, u64, bool);

async fn all_runs(session: &Session) -> Result<Vec<OpenRun>, Failure> {
    let rows = session.rows(ALL_RUNS, &[]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, count(row, 1)?, count(row, 2)?, row.try_get(3)?))).collect()
}

/// Removes a run whose lock can be had.
async fn remove_run(store: &Store, run: &RunId, why: &str, now: u64) -> Result<bool, ArchiveError> {
    let (run, why) = (run.clone(), why.to_owned());
    store
        .call(Repeat::No, async move |session| {
            session
                .transaction(async || {
                    let Some(row) = session.row(RUN_LOCK, &[&run]).await? else { return Ok(false) };
                    let lock: i64 = row.try_get(0)?;
                    if !session.one(TRY_LOCK, &[&lock]).await?.try_get::<_, bool>(0)? {
                        return Ok(false);
                    }
                    Ok(session.execute(REMOVE_RUN, &[&run, &why, &int(now)]).await? == 1)
                })
                .await
        })
        .await
}

/// Deletes what nobody needs, step by step, and has the server give its room back.
async fn sweep(store: &Store, now: u64) -> Result<(), ArchiveError> {
    let before = int(now.saturating_sub(retention::FINISHED_RUN_MS));
    let leftover = int(now.saturating_sub(LEFTOVER_MS));
    store
        .call(Repeat::Yes, async move |session| {
            session.execute(FORGET_RUNS, &[&before]).await?;
            session.execute(MARK_DEAD, &[&leftover]).await
        })
        .await?;
    let mut deleted_any = false;
    while store
        .call(Repeat::Yes, async |session| session.execute(DELETE_CHUNKS, &[&DELETE_AT_ONCE]).await)
        .await?
        > 0
    {
        deleted_any = true;
    }
    store.call(Repeat::Yes, async |session| session.execute(DELETE_DEAD, &[]).await).await?;
    if deleted_any {
        // The server would do so itself, later; it may be about to, or this user may have no right to it.
        let vacuumed = store.ask_pool(async |pool| {
            let session = pool.access.connect().await?;
            session.batch("SET statement_timeout = 0; SET lock_timeout = '1s'").await?;
            session.batch("VACUUM (SKIP_LOCKED) recto.chunks").await
        });
        let _ = store.answer(vacuumed).await;
    }
    Ok(())
}
