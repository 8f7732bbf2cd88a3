//! The register of runs: beginning, finishing, adopting.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension};

use super::chunks;
use super::failure::Failure;
use super::locks::{self, AdopterLock};
use super::objects;
use super::store::Store;
use crate::digest::DigestBuilder;
use crate::packing;
use crate::{ArchiveError, Digest, Kind, Run, RunId, RunState, Scope};

/// Registers a run and gives the object that its bytes go to.
pub(super) fn insert(
    connection: &Connection,
    run: &RunId,
    scope: &Scope,
    label: &str,
    now: u64,
) -> Result<i64, Failure> {
    let object = objects::begin(connection, now)?;
    connection
        .prepare_cached(
            "INSERT INTO runs (id, scope, label, started_unix_ms, object) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((run, scope, label, now, object))?;
    Ok(object)
}

/// Makes a run an original; `false` if somebody else has ended it.
pub(super) fn finish(
    connection: &Connection,
    run: &RunId,
    scope: &Scope,
    digest: &Digest,
    bytes: u64,
    now: u64,
) -> Result<bool, Failure> {
    let object: Option<i64> = connection
        .prepare_cached("SELECT object FROM runs WHERE id = ?1 AND object IS NOT NULL")?
        .query_row([run], |row| row.get(0))
        .optional()?;
    let Some(object) = object else { return Ok(false) };
    connection
        .prepare_cached("UPDATE runs SET object = NULL, ended_unix_ms = ?2, sha256 = ?3 WHERE id = ?1")?
        .execute((run, now, digest))?;
    objects::settle(connection, object, digest, now)?;
    objects::hold(connection, scope, digest, Kind::Original, bytes, now)?;
    Ok(true)
}

/// Where a run stands.
enum Standing {
    Open { object: i64, bytes: u64 },
    Finished(Digest),
    Gone(String),
}

fn standing(connection: &Connection, scope: &Scope, run: &RunId) -> Result<Standing, Failure> {
    let mut select = connection.prepare_cached(
        "SELECT r.object, o.bytes, r.sha256, r.gone FROM runs r LEFT JOIN objects o ON o.id = r.object
         WHERE r.id = ?1 AND r.scope = ?2",
    )?;
    let found = select
        .query_row((run, scope), |row| {
            if let Some(digest) = row.get(2)? {
                return Ok(Standing::Finished(digest));
            }
            if let Some(why) = row.get(3)? {
                return Ok(Standing::Gone(why));
            }
            Ok(Standing::Open { object: row.get(0)?, bytes: row.get(1)? })
        })
        .optional()?;
    found.ok_or_else(|| ArchiveError::no_run(run).into())
}

pub(super) fn list(store: &Store, scope: &Scope) -> Result<Vec<Run>, ArchiveError> {
    let mut runs = store.read(|connection| {
        let mut select = connection.prepare_cached(
            "SELECT r.id, r.label, r.started_unix_ms, o.bytes FROM runs r JOIN objects o ON o.id = r.object
             WHERE r.scope = ?1 ORDER BY r.started_unix_ms, r.id",
        )?;
        let runs = select.query_map([scope], |row| {
            let state = RunState::Abandoned;
            Ok(Run {
                id: row.get(0)?,
                label: row.get(1)?,
                started_unix_ms: row.get(2)?,
                bytes: row.get(3)?,
                state,
            })
        })?;
        Ok(runs.collect::<Result<Vec<_>, _>>()?)
    })?;
    for run in &mut runs {
        if locks::is_live(store.path(), &run.id) {
            run.state = RunState::Live;
        }
    }
    Ok(runs)
}

pub(super) fn read(
    store: &Store,
    scope: &Scope,
    run: &RunId,
    range: &Range<u64>,
) -> Result<Vec<u8>, ArchiveError> {
    store.read(|connection| match standing(connection, scope, run)? {
        Standing::Open { object, bytes } => {
            let whose = format!("run {run} in {}", store.path().display());
            chunks::read_to_vec(connection, object, packing::clip(range, bytes), &whose)
        }
        Standing::Finished(_) | Standing::Gone(_) => Err(ArchiveError::no_run(run).into()),
    })
}

pub(super) fn adopt(store: &Store, scope: &Scope, run: &RunId) -> Result<Digest, ArchiveError> {
    let ended = |standing| match standing {
        Standing::Finished(digest) => Ok(Err(digest)),
        Standing::Gone(why) => Err(ArchiveError::Gone { what: format!("run {run}"), why }),
        Standing::Open { object, bytes } => Ok(Ok((object, bytes))),
    };
    if let Err(digest) = ended(store.read(|connection| standing(connection, scope, run))?)? {
        return Ok(digest);
    }
    store.check_writable()?;
    let Some(lock) = AdopterLock::take(store.path(), run)? else {
        let lock = locks::writer_path(store.path(), run).display().to_string();
        return Err(ArchiveError::RunLive { run: run.clone(), lock });
    };
    // Another adopter may have ended it while this one waited.
    let digest = match ended(store.read(|connection| standing(connection, scope, run))?)? {
        Err(digest) => digest,
        Ok((object, bytes)) => {
            let whose = format!("run {run} in {}", store.path().display());
            let mut digest = DigestBuilder::default();
            store.read(|connection| {
                chunks::read(connection, object, 0..bytes, &whose, |piece| digest.update(piece))
            })?;
            let digest = digest.finish();
            store.write(|connection| finish(connection, run, scope, &digest, bytes, store.now()))?;
            digest
        }
    };
    lock.remove();
    Ok(digest)
}
