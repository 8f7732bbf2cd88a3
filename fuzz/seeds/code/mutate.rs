//! Bytes broken the ways that files are broken in practice.
//!
//! A [`Mutation`] is a plain value, so a failing one can be printed, stored and applied again; where in the input it
//! strikes is a fraction of its length, so the same one fits inputs of any size.
//!
//! ```
//! use recto_testkit::mutate::{Change, Mutation};
//!
//! let mut bytes = b"{\"a\":1}".to_vec();
//! Mutation { at_per_mille: 500, change: Change::Truncate }.apply(&mut bytes);
//! assert_eq!(bytes, b"{\"a");
//! ```

use crate::Prng;

/// One change at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mutation {
    /// Where, in thousandths of the input's length; 1,000 and more is the end.
    pub at_per_mille: u16,
    /// What happens there.
    pub change: Change,
}

/// What a mutation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// Drops all from the place on.
    Truncate,
    /// Drops all before the place.
    Behead,
    /// Flips one bit (0 to 7) of the byte at the place.
    FlipBit(u8),
    /// Inserts one of the [`INVALID_UTF8`] sequences, by index modulo their count.
    InvalidUtf8(u8),
    /// Inserts a byte of 0.
    Nul,
    /// Inserts the six characters `\ud83d`: half of a surrogate pair, escaped.
    LoneSurrogateEscape,
    /// Inserts a terminal colour sequence, its text and its reset.
    AnsiColour,
