use std::{fmt, io, path::PathBuf};

use recto_archive::{ArchiveError, Digest, Ref};
use recto_outline::OutlineError;
use recto_view::ViewError;

use crate::Elisions;

/// What a range of a run is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RangeUnit {
    /// Lines, from 1, both ends included.
    Lines,
    /// Bytes, from 0, the end not included.
    Bytes,
}

impl fmt::Display for RangeUnit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Lines => "lines",
            Self::Bytes => "bytes",
        })
    }
}

/// Says why bytes could not be read back. [`RecallError::advice`] says what to do about it.
///
/// A message about an argument begins with the argument's name: `lines 9:3 ends before it begins`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// What follows the `#` is no number.
    #[error("{text:?} is no number of an elision")]
    ElisionNumber {
        /// The text after the `#`.
        text: String,
    },
    /// The beginning of a ref that is too short to mean one.
    #[error("{text:?} is too short for a ref: give its first {fewest} digits at least")]
    ShortRef {
        /// The text.
        text: String,
        /// How many digits are enough.
        fewest: usize,
    },
    /// The archive refused.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Retention removed what the ref named.
    #[error("what {name} named is no longer kept: {why}")]
    Gone {
        /// The ref.
        name: Ref,
        /// When and by which rule.
        why: String,
    },
    /// The ref is known and its original is not there.
    #[error("the original of {name} is missing")]
    Missing {
        /// The ref.
        name: Ref,
    },
    /// The ref names a whole original, which has no elisions.
    #[error("{name} names a whole original: it has no elision #{asked}")]
    NoElisions {
        /// The ref.
        name: Ref,
        /// What was asked for.
        asked: Elisions,
    },
    /// The stored span map cannot be read.
    #[error("the span map of {name} is damaged: {source}")]
    MapDamaged {
        /// The ref.
        name: Ref,
        /// What is wrong with it, and where.
        source: serde_json::Error,
    },
    /// The span map does not fit its source, or has no such elision.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The bytes that came out have another digest than the original.
    #[error("what was given back is not original {digest}: the stored bytes are damaged")]
    Damaged {
        /// The original's digest.
        digest: Digest,
    },
    /// A file could not be read.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// As in "open".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's own error.
        source: io::Error,
    },
    /// A range that is not written as one.
    #[error("{unit} {text}: write A:B, A: or :B with whole numbers")]
    RangeSyntax {
        /// What is counted.
        unit: RangeUnit,
        /// The text.
        text: String,
    },
    /// Line 0.
    #[error("lines {text}: lines are counted from 1")]
    LineZero {
        /// The text.
        text: String,
    },
    /// A range whose end lies before its start.
    #[error("{unit} {text} ends before it begins")]
    RangeReversed {
        /// What is counted.
        unit: RangeUnit,
        /// The text.
        text: String,
    },
    /// A range of which nothing is there.
    #[error("{unit} {text} lies outside: there are {have} {unit}")]
    RangeOutside {
        /// What is counted.
        unit: RangeUnit,
        /// The range.
        text: String,
        /// How many there are.
        have: u64,
    },
    /// A cursor beyond the end of the answer.
    #[error("cursor {cursor} lies outside: the answer has {have} bytes")]
    CursorOutside {
        /// The cursor.
        cursor: u64,
        /// The bytes of the answer.
        have: u64,
    },
    /// The text is no regular expression.
    #[error("{source}")]
    Pattern {
        /// What is wrong, and where.
        source: regex::Error,
    },
    /// The regular expression is too large.
    #[error("the pattern takes more than {limit_bytes} bytes of memory")]
    PatternTooLarge {
        /// How many it may take.
        limit_bytes: usize,
    },
}

impl RecallError {
    /// Tells whether the question was wrong. Otherwise it was in order and could not be answered.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::ElisionNumber { .. }
            | Self::ShortRef { .. }
            | Self::NoElisions { .. }
            | Self::File { .. }
            | Self::RangeSyntax { .. }
            | Self::LineZero { .. }
            | Self::RangeReversed { .. }
            | Self::RangeOutside { .. }
            | Self::CursorOutside { .. }
            | Self::Pattern { .. }
            | Self::PatternTooLarge { .. } => true,
            Self::Gone { .. } | Self::Missing { .. } | Self::MapDamaged { .. } | Self::Damaged { .. } => {
                false
            }
            Self::Archive(error) => matches!(
                error,
                ArchiveError::InvalidRef { .. }
                    | ArchiveError::AmbiguousRef { .. }
                    | ArchiveError::Foreign { .. }
            ),
            Self::View(error) => matches!(
                error,
                ViewError::NoSuchElision { .. }
                    | ViewError::Version { .. }
                    | ViewError::Outline(OutlineError::TooLarge { .. })
            ),
        }
    }

    /// Says what to do about it, where the message does not say it already.
    #[must_use]
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::ElisionNumber { .. } => Some("write it as in the note: r:123456789012345#3"),
            Self::Archive(ArchiveError::InvalidRef { .. }) => {
                Some("a ref is written as in the note: r:123456789012345, or its first digits")
            }
            Self::Missing { .. } | Self::MapDamaged { .. } | Self::Damaged { .. } => {
                Some("`recto store verify` tells what else is")
            }
            Self::PatternTooLarge { .. } => Some("use smaller counts of repetition"),
            Self::Pattern { .. } => {
                Some("a literal text is written with \\ before each of . ^ $ * + ? ( ) [ ] { } | \\")
            }
            _ => None,
        }
    }
}
