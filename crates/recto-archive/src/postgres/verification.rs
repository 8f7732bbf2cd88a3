//! Reading everything to see whether it is still what it was.

use super::columns::count;
use super::failure::Failure;
use super::objects;
use super::pool::Repeat;
use super::session::Session;
use super::store::Store;
use crate::digest::DigestBuilder;
use crate::packing;
use crate::{ArchiveError, Damage, Digest, VerifyProgress, VerifyReport};

mod events;

const CONTENTS: &str = include_str!("sql/contents.sql");
const CONTENT: &str = include_str!("sql/content.sql");
const MISSING: &str = include_str!("sql/missing.sql");
const TOTAL: &str = "SELECT (SELECT coalesce(sum(bytes), 0) FROM recto.contents)::bigint
    + (SELECT coalesce(sum(bytes), 0) FROM recto.logs WHERE gone IS NULL)::bigint";

pub(super) async fn verify(
    store: &Store,
    progress: &(dyn Fn(VerifyProgress) + Send + Sync),
) -> Result<VerifyReport, ArchiveError> {
    let total = async |session: &Session| count(&session.one(TOTAL, &[]).await?, 0);
    let total_bytes = store.call(Repeat::Yes, total).await?;
    let mut report = VerifyReport::default();
    let event_bytes = events::verify(store, &mut report, |done_bytes| {
        progress(VerifyProgress { done_bytes, total_bytes });
    });
    let event_bytes = event_bytes.await?;
    let mut after = Vec::new();
    loop {
        let page = store.call(Repeat::Yes, async move |session| {
            let rows = session.rows(CONTENTS, &[&after]).await?;
            rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<Digest>, Failure>>()
        });
        let page = page.await?;
        let Some(last) = page.last() else { break };
        after = last.as_bytes().to_vec();
        for digest in page {
            let mut done_bytes = event_bytes.saturating_add(report.bytes);
            let checked = check(store, &digest, |piece_bytes| {
                done_bytes += piece_bytes;
                progress(VerifyProgress { done_bytes, total_bytes });
            });
            match checked.await {
                Ok(bytes) => {
                    report.originals += 1;
                    report.bytes += bytes;
                }
                // Removed meanwhile.
                Err(ArchiveError::NotFound { .. }) => {}
                Err(error @ (ArchiveError::Corrupt { .. } | ArchiveError::Engine { .. })) => {
                    report.originals += 1;
                    report.damaged.push(Damage { digest: Some(digest), what: error.to_string() });
                }
                Err(error) => return Err(error),
            }
        }
    }
    report.damaged.extend(missing(store).await?);
    report.damaged.sort_by_key(|damage| damage.digest);
    progress(VerifyProgress { done_bytes: total_bytes, total_bytes });
    Ok(report)
}

/// Gives the length of bytes that are sound.
async fn check(store: &Store, digest: &Digest, mut passed: impl FnMut(u64)) -> Result<u64, ArchiveError> {
    let whose = format!("original {digest} in {}", store.place);
    let wanted = *digest;
    let find = async move |session: &Session| {
        let row =
            session.row(CONTENT, &[&wanted]).await?.ok_or_else(|| ArchiveError::no_original(&wanted))?;
        Ok(((), row.try_get(0)?, count(&row, 1)?))
    };
    let mut found = DigestBuilder::default();
    let sink = |piece: Option<&[u8]>| match piece {
        Some(piece) => {
            found.update(piece);
            passed(piece.len() as u64);
        }
        None => found = DigestBuilder::default(),
    };
    let ((), bytes) = objects::read(store, 0..u64::MAX, &whose, find, sink).await?;
    if found.finish() == *digest {
        return Ok(bytes);
    }
    Err(packing::corrupt("the stored bytes do not have their SHA-256".to_owned(), &whose, 0, bytes))
}

/// Finds what a scope holds and nobody stores.
async fn missing(store: &Store) -> Result<Vec<Damage>, ArchiveError> {
    let digests = store.call(Repeat::Yes, async |session| {
        let rows = session.rows(MISSING, &[]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<Digest>, Failure>>()
    });
    let damage =
        |digest| Damage { digest: Some(digest), what: format!("original {digest}: its bytes are missing") };
    Ok(digests.await?.into_iter().map(damage).collect())
}
