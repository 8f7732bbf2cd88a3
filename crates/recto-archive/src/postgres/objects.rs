//! Bytes as rows: writing chunks, and reading them one by one while the server still sends.

use std::ops::Range;

use tokio_postgres::Row;

use super::columns::{self, int};
use super::failure::Failure;
use super::pool::Repeat;
use super::session::Session;
use super::store::{Pending, Store};
use crate::ArchiveError;
use crate::packing::{self, Chunk, Unpacker};

const CHUNKS: &str = include_str!("sql/chunks.sql");
const EXTEND: &str = include_str!("sql/extend_object.sql");
const DELETE: &str = include_str!("sql/delete_object.sql");

/// An object that another takes the place of is deleted at once if it takes no more than this; the rest is left for `gc`.
const DELETE_AT_ONCE_BYTES: i64 = 32 << 20;

/// Chunks that are fetched at once, of 1 MiB at most: no connection is kept from others for long.
const PAGE_CHUNKS: usize = 16;

/// Chunks as the columns that a statement takes.
pub(super) struct Columns {
    pub(super) starts: Vec<i64>,
    pub(super) lengths: Vec<i32>,
    pub(super) frames: Vec<Vec<u8>>,
    pub(super) stored_bytes: u64,
}

impl From<Vec<Chunk>> for Columns {
    fn from(chunks: Vec<Chunk>) -> Self {
        Self {
            starts: chunks.iter().map(|chunk| int(chunk.start)).collect(),
            lengths: chunks.iter().map(|chunk| i32::try_from(chunk.length).unwrap_or(i32::MAX)).collect(),
            stored_bytes: packing::stored_bytes(&chunks),
            frames: chunks.into_iter().map(|chunk| chunk.frame).collect(),
        }
    }
}

/// Begins to write chunks of an object that is not whole; `false` if it is not being written any more.
pub(super) fn extend(
    store: &Store,
    object: i64,
    columns: Columns,
    bytes: u64,
    stored_bytes: u64,
) -> Pending<bool> {
    let now = store.now();
    store.ask(Repeat::Yes, async move |session| {
        let Columns { starts, lengths, frames, .. } = &columns;
        let row = session
            .one(EXTEND, &[&object, &int(bytes), &int(stored_bytes), &int(now), starts, lengths, frames])
            .await?;
        Ok(row.try_get::<_, i64>(0)? == 1)
    })
}

/// Deletes an object whose bytes another one has now.
pub(super) async fn delete_older(session: &Session, older: Option<i64>) -> Result<(), Failure> {
    if let Some(older) = older {
        session.execute(DELETE, &[&older, &DELETE_AT_ONCE_BYTES]).await?;
    }
    Ok(())
}

/// Some chunks as they came.
pub(super) struct Page {
    chunks: Vec<Sent>,
    /// Where the chunks that follow begin, if there may be more.
    pub(super) following: Option<u64>,
}

struct Sent {
    start: u64,
    length: u64,
    frame: Vec<u8>,
}

/// Fetches the first chunks of an object that hold bytes of a range.
pub(super) async fn fetch(session: &Session, object: i64, range: &Range<u64>) -> Result<Page, Failure> {
    if range.is_empty() {
        return Ok(Page { chunks: Vec::new(), following: None });
    }
    let most = i64::try_from(PAGE_CHUNKS).unwrap_or(i64::MAX);
    let rows = session.rows(CHUNKS, &[&object, &int(range.start), &int(range.end), &most]).await?;
    let sent = |row: &Row| {
        let length = u64::try_from(row.try_get::<_, i32>(1)?).unwrap_or(0);
        Ok(Sent { start: columns::count(row, 0)?, length, frame: row.try_get(2)? })
    };
    let chunks = rows.iter().map(sent).collect::<Result<Vec<_>, Failure>>()?;
    let end = chunks.last().map(|last| last.start.saturating_add(last.length));
    let following =
        end.filter(|end| chunks.len() == PAGE_CHUNKS && (range.start + 1..range.end).contains(end));
    Ok(Page { chunks, following })
}

/// Hands what the chunks hold to `sink`, piece by piece.
pub(super) fn unpack(
    page: &Page,
    unpacker: &mut Unpacker,
    whose: &str,
    mut sink: impl FnMut(&[u8]),
) -> Result<(), ArchiveError> {
    for Sent { start, length, frame } in &page.chunks {
        sink(unpacker.push(*start, *length, frame, whose)?);
    }
    Ok(())
}

/// Finds an object by `find`, which tells what is known of it, its number and its length, and hands the bytes of it that lie
/// in `range` to `sink`, piece by piece; `None` clears what the sink has. `whose` names it in errors.
pub(super) async fn read<H: Send + 'static>(
    store: &Store,
    range: Range<u64>,
    whose: &str,
    find: impl AsyncFn(&Session) -> Result<(H, i64, u64), Failure> + Clone + Send + 'static,
    mut sink: impl FnMut(Option<&[u8]>),
) -> Result<(H, u64), ArchiveError> {
    let mut damaged = None;
    loop {
        let (find, wanted) = (find.clone(), range.clone());
        let found = store.call(Repeat::Yes, async move |session| {
            let (head, object, bytes) = find(session).await?;
            let page = fetch(session, object, &packing::clip(&wanted, bytes)).await?;
            Ok((head, object, bytes, page))
        });
        let (head, object, bytes, page) = found.await?;
        match read_pages(store, object, packing::clip(&range, bytes), page, whose, |piece| sink(Some(piece)))
            .await
        {
            Ok(()) => return Ok((head, bytes)),
            // Between finding and reading another object may have taken its place, and this one may have been deleted.
            Err(ArchiveError::Corrupt { .. }) if damaged != Some(object) => {
                damaged = Some(object);
                sink(None);
            }
            Err(error) => return Err(error),
        }
    }
}

async fn read_pages(
    store: &Store,
    object: i64,
    range: Range<u64>,
    first: Page,
    whose: &str,
    mut sink: impl FnMut(&[u8]),
) -> Result<(), ArchiveError> {
    let explain = |error| store.explain(Failure::Compression(error));
    let mut unpacker = Unpacker::new(range.clone()).map_err(explain)?;
    let mut page = first;
    loop {
        // On its way while this one is unpacked.
        let following = page.following.map(|start| {
            let rest = start..range.end;
            store.ask(Repeat::Yes, async move |session| fetch(session, object, &rest).await)
        });
        unpack(&page, &mut unpacker, whose, &mut sink)?;
        match following {
            Some(following) => page = store.answer(following).await?,
            None => return unpacker.finish(whose),
        }
    }
}
