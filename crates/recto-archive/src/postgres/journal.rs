//! The writer of a run: bytes that are safe as soon as they are flushed.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use tokio_postgres::error::SqlState;

use super::columns::int;
use super::failure::Failure;
use super::objects::{self, Columns};
use super::pool::Repeat;
use super::runs;
use super::store::Store;
use crate::digest::DigestBuilder;
use crate::packing::{self, Packer};
use crate::{ArchiveError, Digest, RunId, Scope, Writer};

const BEGIN: &str = include_str!("sql/begin_run.sql");
const BEGUN: &str = "SELECT object FROM recto.runs WHERE id = $1";

/// Bytes that are flushed without being asked. A chunk that has as many is complete; a shorter one is written again with
/// what follows, so that many small flushes do not make many small chunks.
const FLUSH_BYTES: usize = 64 << 10;

pub(super) struct JournalWriter {
    store: Arc<Store>,
    run: RunId,
    object: i64,
    lock: i64,
    is_finished: bool,
    packer: Packer,
    digest: DigestBuilder,
    /// Bytes in complete chunks, which are not touched any more, and what they take.
    complete_bytes: u64,
    complete_stored_bytes: u64,
    /// What follows them. The first `flushed` bytes of it are safe.
    tail: Vec<u8>,
    flushed: usize,
}

/// Begins a run.
pub(super) async fn begin(
    store: &Arc<Store>,
    scope: &Scope,
    label: &str,
) -> Result<Box<dyn Writer>, ArchiveError> {
    store.check_writable()?;
    let packer = Packer::new().map_err(|error| store.explain(Failure::Compression(error)))?;
    let lock = take_lock(store).await?;
    let run = RunId::from_store(format!("{lock:016x}"));
    let (scope, label, id, now) = (scope.clone(), label.as_bytes().to_vec(), run.clone(), store.now());
    let begun = store.call(Repeat::Yes, async move |session| {
        let row = match session.one(BEGIN, &[&id, &lock, &scope, &label, &int(now)]).await {
            // The first of two times has done it: nobody else has this number.
            Err(Failure::Engine(error)) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
                session.one(BEGUN, &[&id]).await?
            }
            row => row?,
        };
        Ok(row.try_get::<_, i64>(0)?)
    });
    let object = match begun.await {
        Ok(object) => object,
        Err(error) => {
            release(store, lock).await;
            return Err(error);
        }
    };
    Ok(Box::new(JournalWriter {
        store: Arc::clone(store),
        run,
        object,
        lock,
        is_finished: false,
        packer,
        digest: DigestBuilder::default(),
        complete_bytes: 0,
        complete_stored_bytes: 0,
        tail: Vec::new(),
        flushed: 0,
    }))
}

/// Takes the lock of a run that nobody knows yet, and gives its number. It comes first: a run without one would look
/// abandoned.
async fn take_lock(store: &Store) -> Result<i64, ArchiveError> {
    loop {
        // The standard library's hasher begins with random bits of the system's.
        let number = RandomState::new().build_hasher().finish().cast_signed();
        let taken = store.ask_pool(async move |pool| {
            let held = std::rc::Rc::clone(&pool.held);
            held.take(number).await
        });
        if store.answer(taken).await? {
            return Ok(number);
        }
    }
}

async fn release(store: &Store, lock: i64) {
    // With the connection it is gone too.
    let _ = store.answer(store.ask_pool(async move |pool| pool.held.release(lock).await)).await;
}

impl JournalWriter {
    fn unflushed_bytes(&self) -> usize {
        self.tail.len() - self.flushed
    }

    fn lost(&self) -> ArchiveError {
        ArchiveError::RunLost { run: self.run.clone() }
    }

    fn complete(&mut self, bytes: u64, stored_bytes: u64) {
        let more = usize::try_from(bytes - self.complete_bytes).unwrap_or(usize::MAX);
        self.tail.drain(..more.min(self.tail.len()));
        self.complete_bytes = bytes;
        self.complete_stored_bytes = stored_bytes;
    }
}

impl Writer for JournalWriter {
    fn run_id(&self) -> &RunId {
        &self.run
    }

    fn write(&mut self, chunk: &[u8]) -> Result<(), ArchiveError> {
        let mut result = Ok(());
        // A long chunk is taken piece by piece, so that memory stays bounded while the server takes them.
        for piece in chunk.chunks(crate::CHUNK_BYTES) {
            self.digest.update(piece);
            self.tail.extend_from_slice(piece);
            if result.is_ok() && self.unflushed_bytes() >= FLUSH_BYTES {
                result = self.flush();
            }
        }
        result
    }

    fn flush(&mut self) -> Result<(), ArchiveError> {
        if self.unflushed_bytes() == 0 {
            return Ok(());
        }
        let packed = self
            .packer
            .pack(self.complete_bytes, &self.tail)
            .map_err(|error| self.store.explain(Failure::Compression(error)))?;
        let last = packed.last().map_or((0, 0), |last| (last.length, last.frame.len() as u64));
        let all_bytes = self.complete_bytes + self.tail.len() as u64;
        let all_stored_bytes = self.complete_stored_bytes + packing::stored_bytes(&packed);
        let columns = Columns::from(packed);
        let written = objects::extend(&self.store, self.object, columns, all_bytes, all_stored_bytes);
        if !self.store.wait(written)? {
            return Err(self.lost());
        }
        // Only the last chunk can be short.
        match last {
            (length, stored) if length < FLUSH_BYTES as u64 => {
                self.complete(all_bytes - length, all_stored_bytes - stored);
            }
            _ => self.complete(all_bytes, all_stored_bytes),
        }
        self.flushed = self.tail.len();
        Ok(())
    }

    fn flushed_bytes(&self) -> u64 {
        self.complete_bytes + self.flushed as u64
    }

    fn unflushed(&self) -> &[u8] {
        self.tail.get(self.flushed..).unwrap_or_default()
    }

    fn finish(mut self: Box<Self>) -> Result<Digest, ArchiveError> {
        self.flush()?;
        let digest = std::mem::take(&mut self.digest).finish();
        let (run, object, now) = (self.run.clone(), self.object, self.store.now());
        let finished = self
            .store
            .ask(Repeat::Yes, async move |session| runs::finish(session, &run, object, &digest, now).await);
        if !self.store.wait(finished)? {
            return Err(self.lost());
        }
        self.is_finished = true;
        Ok(digest)
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = self.flush();
        }
        crate::block_on(release(&self.store, self.lock));
    }
}
