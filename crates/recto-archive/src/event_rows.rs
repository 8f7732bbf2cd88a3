//! Events in the form in which databases keep them: as they are, or compressed where that pays.

use std::borrow::Cow;
use std::io;

use zstd::bulk::{Compressor, Decompressor};

use crate::{ArchiveError, Digest, MAX_EVENT_BYTES};

/// Shorter events hold too little that repeats: a frame of one saves less than its row takes besides.
const COMPRESSED_FROM_BYTES: usize = 512;
/// As of chunks: higher levels cost more than they save.
const LEVEL: i32 = 1;

const PLAIN: i64 = 0;
const ZSTD: i64 = 1;

/// Damaged events that are named of one log.
const MOST_NAMED: usize = 20;

/// One event as it is stored.
pub(crate) struct Packed<'e> {
    pub(crate) bytes: u64,
    pub(crate) sum: i64,
    pub(crate) coding: i64,
    pub(crate) body: Cow<'e, [u8]>,
}

/// Prepares events for their rows, which takes its time before the store is locked.
pub(crate) fn pack<'e>(events: &[&'e [u8]]) -> io::Result<Vec<Packed<'e>>> {
    let mut compressor = None;
    let mut packed = Vec::with_capacity(events.len());
    for event in events {
        let mut one =
            Packed { bytes: event.len() as u64, sum: sum(event), coding: PLAIN, body: Cow::Borrowed(event) };
        if event.len() >= COMPRESSED_FROM_BYTES {
            let compressor = match &mut compressor {
                Some(compressor) => compressor,
                none => none.insert(Compressor::new(LEVEL)?),
            };
            let frame = compressor.compress(event)?;
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

/// An event as a row has it.
pub(crate) struct EventRow<'r> {
    pub(crate) number: u64,
    pub(crate) bytes: u64,
    pub(crate) sum: i64,
    pub(crate) coding: i64,
    pub(crate) body: &'r [u8],
}

/// Reads the rows of one log in their order, and sees that none is missing and each is what was appended.
pub(crate) struct Reader<'w> {
    expected: u64,
    whose: &'w (dyn Fn() -> String + Sync),
    unpacker: Option<Decompressor<'static>>,
}

impl<'w> Reader<'w> {
    /// `whose` names the log in errors.
    pub(crate) fn new(from: u64, whose: &'w (dyn Fn() -> String + Sync)) -> Self {
        Self { expected: from, whose, unpacker: None }
    }

    pub(crate) fn next(&mut self, row: &EventRow<'_>) -> Result<(u64, Vec<u8>), ArchiveError> {
        let number = row.number;
        if number != self.expected {
            return Err(self.corrupt(self.expected, "is missing"));
        }
        let length = usize::try_from(row.bytes).unwrap_or(usize::MAX);
        if length > MAX_EVENT_BYTES {
            return Err(self.corrupt(number, &format!("claims {} bytes", row.bytes)));
        }
        let event = match row.coding {
            PLAIN => row.body.to_vec(),
            ZSTD => match self.unpack(row.body, length) {
                Ok(event) => event,
                Err(error) => return Err(self.corrupt(number, &format!("does not decompress ({error})"))),
            },
            other => return Err(self.corrupt(number, &format!("has the unknown coding {other}"))),
        };
        if event.len() != length || sum(&event) != row.sum {
            return Err(self.corrupt(number, "does not have its SHA-256"));
        }
        self.expected += 1;
        Ok((number, event))
    }

    fn unpack(&mut self, frame: &[u8], length: usize) -> io::Result<Vec<u8>> {
        let unpacker = match &mut self.unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::new()?),
        };
        unpacker.decompress(frame, length)
    }

    /// Sees that the log goes on to where it ends.
    pub(crate) fn check_end(&self, end: u64) -> Result<(), ArchiveError> {
        if self.expected >= end { Ok(()) } else { Err(self.corrupt(self.expected, "is missing")) }
    }

    fn corrupt(&self, number: u64, what: &str) -> ArchiveError {
        let advice = "the other events can still be read, from the one after it on; go on in a new log";
        ArchiveError::Corrupt { what: format!("event {number} {what}"), place: (self.whose)(), advice }
    }
}

/// Names a log in errors.
pub(crate) fn whose(log: &str, place: &str) -> String {
    format!("log {log} in {place}")
}

/// How far the checking of a log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Reading,
    Read,
    /// It was removed meanwhile, or long ago.
    Removed,
}

/// One log that is being checked, row by row.
pub(crate) struct Check<'w> {
    reader: Reader<'w>,
    /// Length of the events that were read.
    pub(crate) bytes: u64,
    pub(crate) damaged: Vec<String>,
}

impl<'w> Check<'w> {
    pub(crate) fn new(whose: &'w (dyn Fn() -> String + Sync)) -> Self {
        Self { reader: Reader::new(0, whose), bytes: 0, damaged: Vec::new() }
    }

    /// Number of the event that comes next.
    pub(crate) fn from(&self) -> u64 {
        self.reader.expected
    }

    pub(crate) fn take(&mut self, row: &EventRow<'_>) {
        if row.number > self.from() {
            let last = row.number - 1;
            self.name(format!("{}: events {} to {last} are missing", self.whose(), self.from()));
            self.reader.expected = row.number;
        }
        match self.reader.next(row) {
            Ok((_, event)) => self.bytes += event.len() as u64,
            Err(error) => {
                self.name(error.to_string());
                self.reader.expected = row.number + 1;
            }
        }
    }

    /// Compares what was read with what is said of the log.
    pub(crate) fn end(&mut self, end: u64, bytes: u64) {
        if self.from() < end {
            self.name(format!("{}: events {} to {} are missing", self.whose(), self.from(), end - 1));
        } else if self.from() > end {
            self.name(format!("{}: it has events beyond its end, {end}", self.whose()));
        } else if self.damaged.is_empty() && self.bytes != bytes {
            self.name(format!("{}: its events have {} bytes, not {bytes}", self.whose(), self.bytes));
        }
    }

    pub(crate) fn name(&mut self, what: String) {
        if self.damaged.len() < MOST_NAMED {
            self.damaged.push(what);
        }
    }

    fn whose(&self) -> String {
        (self.reader.whose)()
    }
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
