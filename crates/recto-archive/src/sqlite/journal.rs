//! The writer of a run: bytes that are safe as soon as they are flushed.

use std::sync::Arc;

use super::chunks;
use super::failure::Failure;
use super::locks::WriterLock;
use super::objects;
use super::runs;
use super::store::Store;
use crate::digest::DigestBuilder;
use crate::packing::{self, Packer};
use crate::{ArchiveError, Digest, RunId, Scope, Writer};

/// Bytes that are flushed without being asked. A chunk that has as many is complete; a shorter one is written again with
/// what follows, so that many small flushes do not make many small chunks.
const FLUSH_BYTES: usize = 64 << 10;

pub(super) struct JournalWriter {
    store: Arc<Store>,
    run: RunId,
    scope: Scope,
    object: i64,
    /// Gone once the run is finished.
    lock: Option<WriterLock>,
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
pub(super) fn begin(store: &Arc<Store>, scope: &Scope, label: &str) -> Result<Box<dyn Writer>, ArchiveError> {
    store.check_writable()?;
    let name = store.read(|connection| {
        Ok(connection.query_row("SELECT lower(hex(randomblob(8)))", [], |row| row.get(0))?)
    })?;
    let run = RunId::from_store(name);
    // The lock comes first: a run without one would look abandoned.
    let lock = WriterLock::make(store.path(), &run)?;
    let packer =
        Packer::new().map_err(|error| Failure::Compression(error).at(store.path(), store.busy_timeout))?;
    let begun = store.write(|connection| runs::insert(connection, &run, scope, label, store.now()));
    let object = match begun {
        Ok(object) => object,
        Err(error) => {
            lock.remove();
            return Err(error);
        }
    };
    Ok(Box::new(JournalWriter {
        store: Arc::clone(store),
        run,
        scope: scope.clone(),
        object,
        lock: Some(lock),
        packer,
        digest: DigestBuilder::default(),
        complete_bytes: 0,
        complete_stored_bytes: 0,
        tail: Vec::new(),
        flushed: 0,
    }))
}

impl JournalWriter {
    fn unflushed_bytes(&self) -> usize {
        self.tail.len() - self.flushed
    }

    fn lost(&self) -> ArchiveError {
        ArchiveError::RunLost { run: self.run.clone() }
    }
}

impl Writer for JournalWriter {
    fn run_id(&self) -> &RunId {
        &self.run
    }

    fn write(&mut self, chunk: &[u8]) -> Result<(), ArchiveError> {
        let mut result = Ok(());
        // A long chunk is taken piece by piece, so that memory stays bounded while the store takes them.
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
        let (store, object) = (&self.store, self.object);
        let packed = self
            .packer
            .pack(self.complete_bytes, &self.tail)
            .map_err(|error| Failure::Compression(error).at(store.path(), store.busy_timeout))?;
        let all_bytes = self.complete_bytes + self.tail.len() as u64;
        let all_stored_bytes = self.complete_stored_bytes + packing::stored_bytes(&packed);
        let is_ours = store.write(|connection| {
            chunks::write(connection, object, &packed)?;
            objects::advance(connection, object, all_bytes, all_stored_bytes, store.now())
        })?;
        if !is_ours {
            return Err(self.lost());
        }
        // Only the last chunk can be short.
        match packed.last() {
            Some(last) if (last.length as usize) < FLUSH_BYTES => {
                self.complete(all_bytes - last.length, all_stored_bytes - last.frame.len() as u64);
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
        let (store, bytes) = (&self.store, self.flushed_bytes());
        let finished = store.write(|connection| {
            runs::finish(connection, &self.run, &self.scope, &digest, bytes, store.now())
        })?;
        if !finished {
            return Err(self.lost());
        }
        if let Some(lock) = self.lock.take() {
            lock.remove();
        }
        Ok(digest)
    }
}

impl JournalWriter {
    fn complete(&mut self, bytes: u64, stored_bytes: u64) {
        let more = usize::try_from(bytes - self.complete_bytes).unwrap_or(usize::MAX);
        self.tail.drain(..more.min(self.tail.len()));
        self.complete_bytes = bytes;
        self.complete_stored_bytes = stored_bytes;
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        if self.lock.is_some() {
            let _ = self.flush();
        }
    }
}
