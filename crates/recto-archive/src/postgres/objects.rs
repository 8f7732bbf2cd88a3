//! Bytes as rows: writing chunks, and reading them one by one while the server still sends.

use std::ops::Range;

use tokio::sync::mpsc;

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

/// Chunks that are on their way from the server and not yet looked at.
const CHUNKS_AHEAD: usize = 4;

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

/// What a reading consists of.
pub(super) enum Part<H> {
    /// What is read, and which of its bytes; comes again if the reading has to begin anew.
    Begin(H, Range<u64>),
    Chunk {
        start: u64,
        length: u64,
        frame: Vec<u8>,
    },
}

/// Finds an object by `find`, which tells what is known of it, its number and its length, and hands the bytes of it that lie
/// in `range` to `sink`, piece by piece; `None` clears what the sink has. `whose` names it in errors.
pub(super) async fn read<H: Clone + Send + 'static>(
    store: &Store,
    range: Range<u64>,
    whose: &str,
    find: impl AsyncFn(&Session) -> Result<(H, i64, u64), Failure> + Clone + Send + 'static,
    mut sink: impl FnMut(Option<&[u8]>),
) -> Result<(H, u64), ArchiveError> {
    let mut damaged = None;
    loop {
        let (parts, mut received) = mpsc::channel(CHUNKS_AHEAD);
        let (find, wanted) = (find.clone(), range.clone());
        let sent = store.ask(Repeat::Yes, async move |session| {
            let (head, object, bytes) = find(session).await?;
            let range = packing::clip(&wanted, bytes);
            if parts.send(Part::Begin((head, object, bytes), range.clone())).await.is_err()
                || range.is_empty()
            {
                return Ok(());
            }
            send_chunks(session, object, range, &parts).await
        });
        let mut unpacker = Unpacker::new(0..0).map_err(|error| store.explain(Failure::Compression(error)))?;
        let mut begun = None;
        let mut result = Ok(());
        while let Some(part) = received.recv().await {
            match part {
                Part::Begin(head, range) => {
                    unpacker =
                        Unpacker::new(range).map_err(|error| store.explain(Failure::Compression(error)))?;
                    begun = Some(head);
                    sink(None);
                }
                Part::Chunk { start, length, frame } => match unpacker.push(start, length, &frame, whose) {
                    Ok(piece) => sink(Some(piece)),
                    Err(error) => {
                        result = Err(error);
                        break;
                    }
                },
            }
        }
        drop(received);
        let answer = store.answer(sent).await;
        let Some((head, object, bytes)) = begun else {
            answer?;
            return Err(store.explain(Failure::Ended));
        };
        if result.is_ok() {
            answer?;
            result = unpacker.finish(whose);
        }
        match result {
            Ok(()) => return Ok((head, bytes)),
            // Between finding and reading another object may have taken its place, and this one may have been deleted.
            Err(error) if damaged == Some(object) => return Err(error),
            Err(_) => damaged = Some(object),
        }
    }
}

async fn send_chunks<H>(
    session: &Session,
    object: i64,
    range: Range<u64>,
    parts: &mpsc::Sender<Part<H>>,
) -> Result<(), Failure> {
    let rows = session.stream(CHUNKS, &[&object, &int(range.start), &int(range.end)]).await?;
    let mut rows = std::pin::pin!(rows);
    while let Some(row) = session.next(&mut rows).await? {
        let length = u64::try_from(row.try_get::<_, i32>(1)?).unwrap_or(0);
        let part = Part::Chunk { start: columns::count(&row, 0)?, length, frame: row.try_get(2)? };
        if parts.send(part).await.is_err() {
            // Nobody wants the rest.
            break;
        }
    }
    Ok(())
}
