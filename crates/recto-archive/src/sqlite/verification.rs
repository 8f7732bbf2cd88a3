//! Reading everything to see whether it is still what it was.

use rusqlite::OptionalExtension;

use super::failure::Failure;
use super::store::Store;
use super::{chunks, logs, objects};
use crate::digest::DigestBuilder;
use crate::{ArchiveError, Damage, Digest, VerifyProgress, VerifyReport};

mod events;

pub(super) fn verify(
    store: &Store,
    progress: &(dyn Fn(VerifyProgress) + Send + Sync),
) -> Result<VerifyReport, ArchiveError> {
    let mut report = VerifyReport { damaged: check_structure(store)?, ..VerifyReport::default() };
    let total_bytes = store.read(|connection| {
        let mut sum =
            connection.prepare_cached("SELECT coalesce(sum(bytes), 0) FROM objects WHERE state = ?1")?;
        let source_bytes: u64 = sum.query_row([objects::WHOLE], |row| row.get(0))?;
        Ok(source_bytes.saturating_add(logs::sums(connection)?.bytes))
    })?;
    let event_bytes = events::verify(store, &mut report, |done_bytes| {
        progress(VerifyProgress { done_bytes, total_bytes });
    })?;
    let mut after: Vec<u8> = Vec::new();
    loop {
        let next = store.read(|connection| {
            let mut select = connection
                .prepare_cached("SELECT sha256 FROM objects WHERE sha256 > ?1 ORDER BY sha256 LIMIT 1")?;
            Ok(select.query_row([&after], |row| row.get::<_, Digest>(0)).optional()?)
        })?;
        let Some(digest) = next else { break };
        let mut done_bytes = event_bytes.saturating_add(report.bytes);
        match check_object(store, &digest, |piece_bytes| {
            done_bytes += piece_bytes;
            progress(VerifyProgress { done_bytes, total_bytes });
        }) {
            // Removed meanwhile.
            Ok(None) => {}
            Ok(Some(bytes)) => {
                report.originals += 1;
                report.bytes += bytes;
            }
            Err(error @ (ArchiveError::Corrupt { .. } | ArchiveError::Engine { .. })) => {
                report.originals += 1;
                report.damaged.push(Damage { digest: Some(digest), what: error.to_string() });
            }
            Err(error) => return Err(error),
        }
        after = digest.as_bytes().to_vec();
    }
    report.damaged.extend(missing(store)?);
    report.damaged.sort_by_key(|damage| damage.digest);
    progress(VerifyProgress { done_bytes: total_bytes, total_bytes });
    Ok(report)
}

/// Has the engine look at its own pages.
fn check_structure(store: &Store) -> Result<Vec<Damage>, ArchiveError> {
    let found = store.read(|connection| {
        let mut check = connection.prepare("PRAGMA quick_check(20)")?;
        let lines = check.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(lines)
    });
    let damage = |what| Damage { digest: None, what };
    match found {
        Ok(lines) => Ok(lines.into_iter().filter(|line| line != "ok").map(damage).collect()),
        Err(error @ ArchiveError::Corrupt { .. }) => Ok(vec![damage(error.to_string())]),
        Err(error) => Err(error),
    }
}

/// Gives the length of an object that is sound, `None` if it is not there.
pub(super) fn check_object(
    store: &Store,
    digest: &Digest,
    mut passed: impl FnMut(u64),
) -> Result<Option<u64>, ArchiveError> {
    let whose = format!("original {digest} in {}", store.path().display());
    store.read(|connection| {
        let Some(object) = objects::whole(connection, digest)? else { return Ok(None) };
        let mut found = DigestBuilder::default();
        chunks::read(connection, object.id, 0..object.bytes, &whose, |piece| {
            found.update(piece);
            passed(piece.len() as u64);
        })?;
        if found.finish() == *digest {
            return Ok(Some(object.bytes));
        }
        Err(chunks::corrupt("the stored bytes do not have their SHA-256".to_owned(), &whose, 0, object.bytes))
    })
}

/// Finds what a scope holds and nobody stores.
fn missing(store: &Store) -> Result<Vec<Damage>, ArchiveError> {
    store.read(|connection| {
        let mut select = connection.prepare_cached(
            "SELECT DISTINCT sha256 FROM holdings WHERE gone IS NULL AND sha256 NOT IN
                 (SELECT sha256 FROM objects WHERE sha256 IS NOT NULL)",
        )?;
        let digests = select.query_map([], |row| row.get::<_, Digest>(0))?.collect::<Result<Vec<_>, _>>()?;
        let damage = |digest| Damage {
            digest: Some(digest),
            what: format!("original {digest}: its bytes are missing"),
        };
        Ok::<_, Failure>(digests.into_iter().map(damage).collect())
    })
}
