//! Events as rows: as they are, or compressed where that pays.

use std::borrow::Cow;

use rusqlite::Row;
use zstd::bulk::{Compressor, Decompressor};

use super::failure::Failure;
use crate::{ArchiveError, Digest, LogId, MAX_EVENT_BYTES};

/// Shorter events hold too little that repeats: a frame of one saves less than its row takes besides.
const COMPRESSED_FROM_BYTES: usize = 512;
/// As of chunks: higher levels cost more than they save.
const LEVEL: i32 = 1;

const PLAIN: i64 = 0;
const ZSTD: i64 = 1;

/// One event as it is stored.
pub(super) struct Packed<'e> {
    pub(super) bytes: u64,
    pub(super) sum: i64,
    pub(super) coding: i64,
    pub(super) body: Cow<'e, [u8]>,
}

/// Prepares events for their rows, which takes its time before the store is locked.
pub(super) fn pack<'e>(events: &[&'e [u8]]) -> Result<Vec<Packed<'e>>, Failure> {
    let mut compressor = None;
    let mut packed = Vec::with_capacity(events.len());
    for event in events {
        let mut one =
            Packed { bytes: event.len() as u64, sum: sum(event), coding: PLAIN, body: Cow::Borrowed(event) };
        if event.len() >= COMPRESSED_FROM_BYTES {
            let compressor = match &mut compressor {
                Some(compressor) => compressor,
                none => none.insert(Compressor::new(LEVEL).map_err(Failure::Compression)?),
            };
            let frame = compressor.compress(event).map_err(Failure::Compression)?;
            // An eighth is worth decompressing it each time that it is read.
            if frame.len() < event.len() - event.len() / 8 {
                one.coding = ZSTD;
                one.body = Cow::Owned(frame);
            }
        }
        packed.push(one);
    }
    Ok(packed)
}

fn sum(event: &[u8]) -> i64 {
    let digest = Digest::of(event);
    let (first, _) = digest.as_bytes().split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
    i64::from_be_bytes(*first)
}

/// The columns that [`Reader::next`] reads.
pub(super) const COLUMNS: &str = "number, bytes, sha256_64, coding, body";

/// Reads the rows of one log in their order, and sees that none is missing and each is what was appended.
pub(super) struct Reader<'w> {
    expected: u64,
    whose: &'w dyn Fn() -> String,
    unpacker: Option<Decompressor<'static>>,
}

impl<'w> Reader<'w> {
    /// `whose` names the log in errors.
    pub(super) fn new(from: u64, whose: &'w dyn Fn() -> String) -> Self {
        Self { expected: from, whose, unpacker: None }
    }

    /// Number of the event that comes next.
    pub(super) fn expected(&self) -> u64 {
        self.expected
    }

    pub(super) fn next(&mut self, row: &Row<'_>) -> Result<(u64, Vec<u8>), Failure> {
        let (number, bytes): (u64, u64) = (row.get(0)?, row.get(1)?);
        let (sum_of_it, coding): (i64, i64) = (row.get(2)?, row.get(3)?);
        if number != self.expected {
            return Err(self.corrupt(self.expected, "is missing"));
        }
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        if length > MAX_EVENT_BYTES {
            return Err(self.corrupt(number, &format!("claims {bytes} bytes")));
        }
        let body = row.get_ref(4)?.as_blob().map_err(rusqlite::Error::from)?;
        let event = match coding {
            PLAIN => body.to_vec(),
            ZSTD => {
                let unpacker = match &mut self.unpacker {
                    Some(unpacker) => unpacker,
                    none => none.insert(Decompressor::new().map_err(Failure::Compression)?),
                };
                match unpacker.decompress(body, length) {
                    Ok(event) => event,
                    Err(error) => {
                        return Err(self.corrupt(number, &format!("does not decompress ({error})")));
                    }
                }
            }
            other => return Err(self.corrupt(number, &format!("has the unknown coding {other}"))),
        };
        if event.len() != length || sum(&event) != sum_of_it {
            return Err(self.corrupt(number, "does not have its SHA-256"));
        }
        self.expected += 1;
        Ok((number, event))
    }

    /// Sees that the log goes on to where it ends.
    pub(super) fn check_end(&self, end: u64) -> Result<(), Failure> {
        if self.expected >= end { Ok(()) } else { Err(self.corrupt(self.expected, "is missing")) }
    }

    fn corrupt(&self, number: u64, what: &str) -> Failure {
        let advice = "the other events can still be read, from the one after it on; go on in a new log";
        ArchiveError::Corrupt { what: format!("event {number} {what}"), place: (self.whose)(), advice }.into()
    }
}

/// Names a log in errors.
pub(super) fn whose(log: &LogId, path: &std::path::Path) -> String {
    format!("log {log} in {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_shrinks_is_compressed() {
        let repeated = b"0123456789abcdef".repeat(40);
        let noise: Vec<u8> = (0..64_u8).flat_map(|seed| Digest::of(&[seed]).0).collect();
        let packed = pack(&[b"", b"short", &repeated, &noise]).unwrap();
        let codings: Vec<i64> = packed.iter().map(|one| one.coding).collect();
        assert_eq!(codings, [PLAIN, PLAIN, ZSTD, PLAIN]);
        assert!(packed[2].body.len() < 100 && packed[2].bytes == 640);
        assert_eq!(packed[3].body, noise);
    }
}
