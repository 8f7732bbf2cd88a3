//! Logs as all stores see them: their names, what an append may hold, and what is told of a log.

use std::fmt;
use std::str::FromStr;

use crate::{ArchiveError, Digest};

/// Longest event, in bytes.
pub const MAX_EVENT_BYTES: usize = 16 << 20;
/// Most bytes of all events of one append together; also of what one read gives.
pub const MAX_BATCH_BYTES: usize = 64 << 20;
/// Most events of one append, and most originals that it keeps.
pub const MAX_BATCH_EVENTS: usize = 65_536;

/// Names a log, and the lease that guards it.
///
/// A name has 1 to 200 bytes: ASCII letters, digits and `- _ . : / @ + %` (by which anything else can be escaped).
///
/// ```
/// use recto_archive::LogId;
/// let log: LogId = "session/0b6f".parse()?;
/// assert_eq!(log.as_str(), "session/0b6f");
/// assert!("two words".parse::<LogId>().is_err());
/// # Ok::<(), recto_archive::ArchiveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogId(String);

impl LogId {
    /// Longest name, in bytes.
    pub const MAX_BYTES: usize = 200;

    /// Checks a name.
    ///
    /// # Errors
    /// [`ArchiveError::InvalidLog`] when it is empty, too long or holds another character.
    pub fn new(name: impl Into<String>) -> Result<Self, ArchiveError> {
        let name = name.into();
        let why = if name.is_empty() {
            "it is empty"
        } else if name.len() > Self::MAX_BYTES {
            "it has more than 200 bytes"
        } else if !name.bytes().all(is_plain) {
            "only ASCII letters, digits and - _ . : / @ + % are allowed"
        } else {
            return Ok(Self(name));
        };
        Err(ArchiveError::InvalidLog { text: name.chars().take(40).collect(), why })
    }

    /// Gives the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.:/@+%".contains(&byte)
}

impl fmt::Display for LogId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl FromStr for LogId {
    type Err = ArchiveError;

    fn from_str(name: &str) -> Result<Self, ArchiveError> {
        Self::new(name)
    }
}

/// Describes a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogStat {
    /// Its name.
    pub log: LogId,
    /// How many events it has: also the sequence number of the next.
    pub events: u64,
    /// Their length.
    pub bytes: u64,
    /// When its first events were appended, by the archive's clock.
    pub first_unix_ms: u64,
    /// When its last events were appended, by the archive's clock.
    pub last_unix_ms: u64,
}

/// Checks what can be known of an append before the store is asked.
pub(crate) fn check_batch(log: &LogId, events: &[&[u8]], keeps: &[Digest]) -> Result<(), ArchiveError> {
    let within = |what: &dyn Fn() -> String, found: usize, least: u64, most: usize| {
        let (found, most) = (found as u64, most as u64);
        if (least..=most).contains(&found) {
            return Ok(());
        }
        Err(ArchiveError::OutOfBounds { what: what(), found, least, most })
    };
    within(&|| format!("events to append to log {log} at once"), events.len(), 1, MAX_BATCH_EVENTS)?;
    within(&|| format!("originals to keep for log {log} at once"), keeps.len(), 0, MAX_BATCH_EVENTS)?;
    for (number, event) in events.iter().enumerate() {
        within(
            &|| format!("bytes of event {number} to append to log {log}"),
            event.len(),
            0,
            MAX_EVENT_BYTES,
        )?;
    }
    let bytes = events.iter().map(|event| event.len()).fold(0, usize::saturating_add);
    within(&|| format!("bytes to append to log {log} at once"), bytes, 0, MAX_BATCH_BYTES)
}

/// Checks that a log ends where an append expects it to.
pub(crate) fn check_end(log: &LogId, expected: u64, found: u64) -> Result<(), ArchiveError> {
    if expected == found {
        return Ok(());
    }
    Err(ArchiveError::Conflict { log: log.clone(), expected, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for name in ["a", "session/0b6f-77", "A.b_c:d@e+f%20", &"x".repeat(200)] {
            assert_eq!(name.parse::<LogId>().unwrap().to_string(), name);
        }
        for name in ["", " ", "a b", "a\0", "a'b", "ü", "a\\b", &"x".repeat(201)] {
            let refused = LogId::new(name);
            assert!(matches!(refused, Err(ArchiveError::InvalidLog { .. })), "{name:?}");
        }
    }

    #[test]
    fn a_batch_has_bounds() {
        let log = LogId::new("log").unwrap();
        let message = |events: &[&[u8]], keeps: &[Digest]| {
            check_batch(&log, events, keeps).map_err(|error| error.to_string())
        };
        let (largest, larger) = (vec![0; MAX_EVENT_BYTES], vec![0; MAX_EVENT_BYTES + 1]);
        assert_eq!(message(&[b"", &largest], &[]), Ok(()));
        assert_eq!(
            message(&[b"a", &larger], &[]).unwrap_err(),
            "bytes of event 1 to append to log log: 16777217, where 0 to 16777216 are taken"
        );
        assert!(message(&[], &[]).unwrap_err().contains("1 to 65536"));
        assert!(message(&[&largest[..]; 4], &[]).is_ok());
        assert!(message(&[&largest, &largest, &largest, &largest, b"a"], &[]).is_err());
        assert!(message(&vec![&b""[..]; MAX_BATCH_EVENTS + 1], &[]).is_err());
        assert!(message(&[b"a"], &vec![Digest([0; 32]); MAX_BATCH_EVENTS + 1]).is_err());
    }
}
