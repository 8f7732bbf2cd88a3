use crate::Digest;

/// Says how far a verification has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyProgress {
    /// Bytes of originals, maps and events checked so far.
    pub done_bytes: u64,
    /// Bytes to check, as counted at the start.
    pub total_bytes: u64,
}

/// Says what a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyReport {
    /// Originals and maps that were checked.
    pub originals: u64,
    /// Their length.
    pub bytes: u64,
    /// Logs that were checked.
    pub logs: u64,
    /// Events in them.
    pub events: u64,
    /// What is damaged, in the order of the digests; damage of the store itself and of logs comes first.
    pub damaged: Vec<Damage>,
}

impl VerifyReport {
    /// Tells whether nothing is damaged.
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty()
    }
}

/// One thing that is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The original or map, unless the store itself or a log is damaged.
    pub digest: Option<Digest>,
    /// What is wrong, and where.
    pub what: String,
}
