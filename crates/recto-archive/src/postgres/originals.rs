//! Putting, getting and listing originals.

use std::ops::Range;

use tokio_postgres::Row;

use super::columns::{count, int};
use super::failure::Failure;
use super::objects::{self, Columns};
use super::pool::Repeat;
use super::session::Session;
use super::store::Store;
use crate::packing::{self, Packer};
use crate::retention::{PUT_STEP_MS, USED_STEP_MS};
use crate::{ArchiveError, CHUNK_BYTES, Digest, Kind, Scope, Stat};

const PUT: &str = include_str!("sql/put.sql");
const BEGIN_OBJECT: &str = include_str!("sql/begin_object.sql");
const SETTLE_OBJECT: &str = include_str!("sql/settle_object.sql");
const HOLD: &str = include_str!("sql/hold.sql");
const HOLDING: &str = include_str!("sql/holding.sql");
const TOUCH: &str = include_str!("sql/touch.sql");
const STAT: &str = include_str!("sql/stat.sql");
const LIST: &str = include_str!("sql/originals.sql");

/// What is put in one statement; more goes piece by piece.
const BATCH_BYTES: usize = 4 * CHUNK_BYTES;

pub(super) async fn put(
    store: &Store,
    scope: &Scope,
    kind: Kind,
    bytes: &[u8],
) -> Result<Digest, ArchiveError> {
    store.check_writable()?;
    let digest = Digest::of(bytes);
    let now = store.now();
    let owner = scope.clone();
    let held = store.call(Repeat::Yes, async move |session| holding(session, &owner, &digest).await).await?;
    // Bytes of one's own that are still sound are not written again; if they are damaged, this heals them.
    if let Some(held) = held.filter(|held| held.gone.is_none())
        && is_sound(store, scope, &digest).await?
    {
        if held.kind <= kind && now.saturating_sub(held.put_unix_ms) <= PUT_STEP_MS {
            return Ok(digest);
        }
        let (scope, bytes) = (scope.clone(), length(bytes));
        let held = store.ask(Repeat::Yes, async move |session| {
            session.execute(HOLD, &[&scope, &digest, &kind, &int(bytes), &int(now)]).await
        });
        // Retention may have been faster.
        if store.answer(held).await? == 1 {
            return Ok(digest);
        }
    }
    write(store, scope, digest, kind, bytes, now).await?;
    Ok(digest)
}

async fn is_sound(store: &Store, scope: &Scope, digest: &Digest) -> Result<bool, ArchiveError> {
    match whole(store, scope, digest, |_| {}).await {
        Ok(_) => Ok(true),
        Err(ArchiveError::Corrupt { .. } | ArchiveError::NotFound { .. } | ArchiveError::Gone { .. }) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Stores bytes that this scope does not hold. Whether another one does makes no difference: they are compressed and
/// written all the same, so that the time it takes tells nothing.
async fn write(
    store: &Store,
    scope: &Scope,
    digest: Digest,
    kind: Kind,
    bytes: &[u8],
    now: u64,
) -> Result<(), ArchiveError> {
    let explain = |error| store.explain(Failure::Compression(error));
    let mut packer = Packer::new().map_err(explain)?;
    let (scope, all_bytes) = (scope.clone(), length(bytes));
    if bytes.len() <= BATCH_BYTES {
        let columns = Columns::from(packer.pack(0, bytes).map_err(explain)?);
        return store
            .call(Repeat::Yes, async move |session| {
                let Columns { starts, lengths, frames, stored_bytes } = &columns;
                let (bytes, stored_bytes) = (int(all_bytes), int(*stored_bytes));
                let older = session
                    .row(
                        PUT,
                        &[&scope, &digest, &kind, &bytes, &stored_bytes, &int(now), starts, lengths, frames],
                    )
                    .await?;
                let older = older.map(|row| row.try_get(0)).transpose()?;
                objects::delete_older(session, older).await
            })
            .await;
    }
    let begun = async move |session: &Session| {
        Ok(session.one(BEGIN_OBJECT, &[&int(now)]).await?.try_get::<_, i64>(0)?)
    };
    let object = store.call(Repeat::Yes, begun).await?;
    let (mut done_bytes, mut stored_bytes, mut on_its_way) = (0, 0, None);
    for batch in bytes.chunks(BATCH_BYTES) {
        // Compressed while the last one is sent.
        let columns = Columns::from(packer.pack(done_bytes, batch).map_err(explain)?);
        done_bytes += length(batch);
        stored_bytes += columns.stored_bytes;
        if let Some(last) = on_its_way.take() {
            store.answer(last).await?;
        }
        on_its_way = Some(objects::extend(store, object, columns, done_bytes, stored_bytes));
    }
    if let Some(last) = on_its_way {
        store.answer(last).await?;
    }
    let settled = store.call(Repeat::Yes, async move |session| {
        let row = session.one(SETTLE_OBJECT, &[&scope, &digest, &kind, &object, &int(now)]).await?;
        let older = row.try_get::<_, Option<i64>>(1)?.filter(|older| *older != object);
        objects::delete_older(session, older).await?;
        // The first of two times may have done it.
        Ok(row.try_get::<_, i64>(0)? == 1 || row.try_get(2)?)
    });
    if settled.await? {
        return Ok(());
    }
    let what = "what was put was cleared away as left over, since it took too long".to_owned();
    Err(packing::corrupt(what, &format!("original {digest} in {}", store.place), 0, all_bytes))
}

/// What a scope holds.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) kind: Kind,
    pub(super) put_unix_ms: u64,
    pub(super) used_unix_ms: u64,
    pub(super) gone: Option<String>,
    /// Number and length of the object that has the bytes.
    pub(super) object: Option<(i64, u64)>,
}

pub(super) async fn holding(
    session: &Session,
    scope: &Scope,
    digest: &Digest,
) -> Result<Option<Held>, Failure> {
    let Some(row) = session.row(HOLDING, &[scope, digest]).await? else { return Ok(None) };
    let object = match row.try_get::<_, Option<i64>>(4)? {
        Some(object) => Some((object, count(&row, 5)?)),
        None => None,
    };
    Ok(Some(Held {
        kind: row.try_get(0)?,
        put_unix_ms: count(&row, 1)?,
        used_unix_ms: count(&row, 2)?,
        gone: row.try_get(3)?,
        object,
    }))
}

/// As [`holding`], where having it is needed.
pub(super) async fn needed(session: &Session, scope: &Scope, digest: &Digest) -> Result<Held, Failure> {
    match holding(session, scope, digest).await? {
        None => Err(ArchiveError::no_original(digest).into()),
        Some(Held { gone: Some(why), .. }) => {
            Err(ArchiveError::Gone { what: format!("original {digest}"), why }.into())
        }
        Some(held) => Ok(held),
    }
}

/// Finds what a scope holds, and the object that has its bytes.
fn finder(
    scope: &Scope,
    digest: &Digest,
    whose: &str,
) -> impl AsyncFn(&Session) -> Result<(u64, i64, u64), Failure> + Clone + Send + 'static {
    let (scope, digest, whose) = (scope.clone(), *digest, whose.to_owned());
    async move |session: &Session| {
        let held = needed(session, &scope, &digest).await?;
        match held.object {
            Some((object, bytes)) => Ok((held.used_unix_ms, object, bytes)),
            None => Err(packing::corrupt("its bytes are missing".to_owned(), &whose, 0, u64::MAX).into()),
        }
    }
}

/// Hands all bytes of an original to `sink` as they come, checks their digest, and gives when they were used last.
async fn whole(
    store: &Store,
    scope: &Scope,
    digest: &Digest,
    mut sink: impl FnMut(Option<&[u8]>),
) -> Result<u64, ArchiveError> {
    let whose = format!("original {digest} in {}", store.place);
    let mut found = crate::digest::DigestBuilder::default();
    let find = finder(scope, digest, &whose);
    let (used_unix_ms, bytes) = objects::read(store, 0..u64::MAX, &whose, find, |piece| {
        match piece {
            Some(piece) => found.update(piece),
            None => found = crate::digest::DigestBuilder::default(),
        }
        sink(piece);
    })
    .await?;
    if found.finish() == *digest {
        return Ok(used_unix_ms);
    }
    Err(packing::corrupt("the stored bytes do not have their SHA-256".to_owned(), &whose, 0, bytes))
}

pub(super) async fn get(
    store: &Store,
    scope: &Scope,
    digest: &Digest,
    range: Range<u64>,
) -> Result<Vec<u8>, ArchiveError> {
    let whose = format!("original {digest} in {}", store.place);
    let mut all = Vec::new();
    let sink = |piece: Option<&[u8]>| match piece {
        Some(piece) => all.extend_from_slice(piece),
        None => all.clear(),
    };
    let find = finder(scope, digest, &whose);
    let (used_unix_ms, bytes) = objects::read(store, range.clone(), &whose, find, sink).await?;
    if packing::clip(&range, bytes) == (0..bytes) && Digest::of(&all) != *digest {
        let what = "the stored bytes do not have their SHA-256".to_owned();
        return Err(packing::corrupt(what, &whose, 0, bytes));
    }
    let now = store.now();
    if now.saturating_sub(used_unix_ms) > USED_STEP_MS {
        touch(store, scope, digest, now).await;
    }
    Ok(all)
}

/// Notes a use, at most once an hour; it may as well be left out.
pub(super) async fn touch(store: &Store, scope: &Scope, digest: &Digest, now: u64) {
    if !store.mode.is_writable() {
        return;
    }
    let (scope, digest) = (scope.clone(), *digest);
    let noted = store.call(Repeat::Yes, async move |session| {
        let before = now.saturating_sub(USED_STEP_MS);
        session.execute(TOUCH, &[&scope, &digest, &int(now), &int(before)]).await
    });
    let _ = noted.await;
}

fn stat_of(row: &Row) -> Result<Stat, Failure> {
    Ok(Stat {
        digest: row.try_get(0)?,
        kind: row.try_get(1)?,
        bytes: count(row, 2)?,
        put_unix_ms: count(row, 3)?,
        used_unix_ms: count(row, 4)?,
    })
}

pub(super) async fn stat(
    store: &Store,
    scope: &Scope,
    digest: &Digest,
) -> Result<Option<Stat>, ArchiveError> {
    let (scope, digest) = (scope.clone(), *digest);
    store
        .call(Repeat::Yes, async move |session| {
            session.row(STAT, &[&scope, &digest]).await?.as_ref().map(stat_of).transpose()
        })
        .await
}

pub(super) async fn list(
    store: &Store,
    scope: &Scope,
    after: Option<&Digest>,
    limit: u32,
) -> Result<Vec<Stat>, ArchiveError> {
    let (scope, after) = (scope.clone(), after.map(|after| after.as_bytes().to_vec()).unwrap_or_default());
    store
        .call(Repeat::Yes, async move |session| {
            let rows = session.rows(LIST, &[&scope, &after, &i64::from(limit)]).await?;
            rows.iter().map(stat_of).collect()
        })
        .await
}

fn length(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}
