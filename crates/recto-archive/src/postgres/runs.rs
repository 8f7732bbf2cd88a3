//! The register of runs: finishing, listing, adopting.

use std::ops::Range;

use super::columns::{count, int};
use super::failure::Failure;
use super::objects;
use super::pool::Repeat;
use super::session::Session;
use super::store::Store;
use crate::digest::DigestBuilder;
use crate::packing::Unpacker;
use crate::{ArchiveError, Digest, Run, RunId, RunState, Scope};

const RUN: &str = include_str!("sql/run.sql");
const RUNS: &str = include_str!("sql/runs.sql");
const FINISH: &str = include_str!("sql/finish_run.sql");
const LOCK_RUN: &str = include_str!("sql/lock_run.sql");
const LOCK_OBJECT: &str = include_str!("sql/lock_object.sql");
const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock($1)";
const FINISHED_AS: &str = "SELECT sha256 FROM recto.runs WHERE id = $1";

/// Where a run stands.
enum Standing {
    Open { object: i64, bytes: u64, lock: i64 },
    Finished(Digest),
    Gone(String),
}

async fn standing(session: &Session, scope: &Scope, run: &RunId) -> Result<Standing, Failure> {
    let row = session.row(RUN, &[run, scope]).await?.ok_or_else(|| ArchiveError::no_run(run))?;
    if let Some(digest) = row.try_get(2)? {
        return Ok(Standing::Finished(digest));
    }
    if let Some(why) = row.try_get(3)? {
        return Ok(Standing::Gone(why));
    }
    Ok(Standing::Open { object: row.try_get(0)?, bytes: count(&row, 1)?, lock: row.try_get(4)? })
}

/// Makes a run an original; `false` if somebody else has ended it.
pub(super) async fn finish(
    session: &Session,
    run: &RunId,
    object: i64,
    digest: &Digest,
    now: u64,
) -> Result<bool, Failure> {
    let row = session.one(FINISH, &[run, digest, &int(now), &object]).await?;
    if row.try_get::<_, i64>(0)? == 1 {
        let older = row.try_get::<_, Option<i64>>(1)?.filter(|older| *older != object);
        objects::delete_older(session, older).await?;
        return Ok(true);
    }
    // The first of two times may have done it, or another with the same bytes.
    let row = session.row(FINISHED_AS, &[run]).await?;
    let finished: Option<Digest> = row.map(|row| row.try_get(0)).transpose()?.flatten();
    Ok(finished.as_ref() == Some(digest))
}

pub(super) async fn list(store: &Store, scope: &Scope) -> Result<Vec<Run>, ArchiveError> {
    let scope = scope.clone();
    store
        .call(Repeat::Yes, async move |session: &Session| {
            let rows = session.rows(RUNS, &[&scope]).await?;
            let run = |row: &tokio_postgres::Row| {
                let is_live: bool = row.try_get(4)?;
                Ok(Run {
                    id: row.try_get(0)?,
                    label: String::from_utf8_lossy(row.try_get(1)?).into_owned(),
                    started_unix_ms: count(row, 2)?,
                    bytes: count(row, 3)?,
                    state: if is_live { RunState::Live } else { RunState::Abandoned },
                })
            };
            rows.iter().map(run).collect()
        })
        .await
}

pub(super) async fn read(
    store: &Store,
    scope: &Scope,
    run: &RunId,
    range: Range<u64>,
) -> Result<Vec<u8>, ArchiveError> {
    let whose = format!("run {run} in {}", store.place);
    let (scope, run) = (scope.clone(), run.clone());
    let mut all = Vec::new();
    let find = async move |session: &Session| match standing(session, &scope, &run).await? {
        Standing::Open { object, bytes, .. } => Ok(((), object, bytes)),
        Standing::Finished(_) | Standing::Gone(_) => Err(ArchiveError::no_run(&run).into()),
    };
    let sink = |piece: Option<&[u8]>| match piece {
        Some(piece) => all.extend_from_slice(piece),
        None => all.clear(),
    };
    objects::read(store, range, &whose, find, sink).await?;
    Ok(all)
}

pub(super) async fn adopt(store: &Store, scope: &Scope, run: &RunId) -> Result<Digest, ArchiveError> {
    let whose = format!("run {run} in {}", store.place);
    let (owner, id) = (scope.clone(), run.clone());
    let looked = store.call(Repeat::Yes, async move |session| standing(session, &owner, &id).await).await?;
    match looked {
        Standing::Finished(digest) => return Ok(digest),
        Standing::Gone(why) => return Err(ArchiveError::Gone { what: format!("run {run}"), why }),
        Standing::Open { .. } => store.check_writable()?,
    }
    let (scope, run, now) = (scope.clone(), run.clone(), store.now());
    store
        .call(Repeat::Yes, async move |session| {
            session.transaction(async || adopt_alone(session, &scope, &run, &whose, now).await).await
        })
        .await
}

/// Adopts within a transaction, so that nobody else does, and no writer that lost its lock goes on.
async fn adopt_alone(
    session: &Session,
    scope: &Scope,
    run: &RunId,
    whose: &str,
    now: u64,
) -> Result<Digest, Failure> {
    session.row(LOCK_RUN, &[run]).await?;
    // Another adopter may have ended it while this one waited.
    let (object, lock) = match standing(session, scope, run).await? {
        Standing::Finished(digest) => return Ok(digest),
        Standing::Gone(why) => return Err(ArchiveError::Gone { what: format!("run {run}"), why }.into()),
        Standing::Open { object, lock, .. } => (object, lock),
    };
    if !session.one(TRY_LOCK, &[&lock]).await?.try_get::<_, bool>(0)? {
        let lock = format!("advisory lock {lock} of the database");
        return Err(ArchiveError::RunLive { run: run.clone(), lock }.into());
    }
    let bytes = session.one(LOCK_OBJECT, &[&object]).await?;
    let bytes = count(&bytes, 0)?;
    let mut digest = DigestBuilder::default();
    let mut unpacker = Unpacker::new(0..bytes).map_err(Failure::Compression)?;
    let mut start = Some(0);
    while let Some(from) = start {
        let page = objects::fetch(session, object, &(from..bytes)).await?;
        objects::unpack(&page, &mut unpacker, whose, |piece| digest.update(piece))?;
        start = page.following;
    }
    unpacker.finish(whose)?;
    let digest = digest.finish();
    if finish(session, run, object, &digest, now).await? {
        return Ok(digest);
    }
    Err(ArchiveError::RunLost { run: run.clone() }.into())
}
