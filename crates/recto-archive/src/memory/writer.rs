use std::sync::Arc;

use super::{Journal, Shared};
use crate::{ArchiveError, Digest, RunId, Writer};

/// Bytes that are flushed without being asked.
const FLUSH_BYTES: usize = 64 << 10;

/// Writes a run whose journal is in memory.
pub(super) struct MemoryWriter {
    shared: Arc<Shared>,
    run: RunId,
    flushed_bytes: u64,
    buffer: Vec<u8>,
}

impl MemoryWriter {
    pub(super) fn new(shared: Arc<Shared>, run: RunId) -> Self {
        Self { shared, run, flushed_bytes: 0, buffer: Vec::new() }
    }
}

impl Writer for MemoryWriter {
    fn run_id(&self) -> &RunId {
        &self.run
    }

    fn write(&mut self, chunk: &[u8]) -> Result<(), ArchiveError> {
        self.buffer.extend_from_slice(chunk);
        if self.buffer.len() >= FLUSH_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ArchiveError> {
        let now = self.shared.now();
        let mut state = self.shared.state();
        let record = state.runs.get_mut(&self.run);
        let Some((Journal::Open { bytes, .. }, updated)) =
            record.map(|record| (&mut record.journal, &mut record.updated_unix_ms))
        else {
            return Err(ArchiveError::RunLost { run: self.run.clone() });
        };
        *updated = now;
        bytes.append(&mut self.buffer);
        self.flushed_bytes = bytes.len() as u64;
        Ok(())
    }

    fn flushed_bytes(&self) -> u64 {
        self.flushed_bytes
    }

    fn unflushed(&self) -> &[u8] {
        &self.buffer
    }

    fn finish(mut self: Box<Self>) -> Result<Digest, ArchiveError> {
        self.flush()?;
        let now = self.shared.now();
        self.shared.state().finish(&self.run, now)
    }
}

impl Drop for MemoryWriter {
    fn drop(&mut self) {
        let _ = self.flush();
        if let Some(record) = self.shared.state().runs.get_mut(&self.run)
            && let Journal::Open { live, .. } = &mut record.journal
        {
            *live = false;
        }
    }
}
