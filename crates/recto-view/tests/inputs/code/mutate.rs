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
    /// Inserts a byte that has a meaning in some format: a quote, bracket, comma, line end, backslash, tab.
    Punctuation(u8),
    /// Writes the 64 bytes from the place on a second time.
    Repeat,
    /// Deletes up to 16 bytes from the place on.
    Delete,
    /// Turns every `\n` from the place on into `\r`, as old files have it.
    CarriageReturns,
    /// Turns every `\n` from the place on into `\r\n`.
    CrLf,
    /// Puts a UTF-8 byte order mark before everything, whatever the place.
    ByteOrderMark,
    /// Encodes everything as UTF-16LE with a byte order mark, whatever the place; invalid UTF-8 becomes U+FFFD.
    Utf16,
}

/// Byte sequences that are not UTF-8, each for a reason of its own: a byte that never occurs, a continuation without a
/// start, an overlong `/`, a surrogate, a code point past the last, a character cut short.
pub const INVALID_UTF8: [&[u8]; 6] =
    [b"\xff", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\x92"];

const PUNCTUATION: &[u8] = b"\"'{}[],:\n\r\t\\|;<`";

impl Change {
    /// One of each change, for tests that try them all.
    pub const EACH: [Self; 14] = [
        Self::Truncate,
        Self::Behead,
        Self::FlipBit(7),
        Self::InvalidUtf8(0),
        Self::Nul,
        Self::LoneSurrogateEscape,
        Self::AnsiColour,
        Self::Punctuation(0),
        Self::Repeat,
        Self::Delete,
        Self::CarriageReturns,
        Self::CrLf,
        Self::ByteOrderMark,
        Self::Utf16,
    ];
}

impl Mutation {
    /// Draws a mutation: any change, anywhere.
    pub fn random(prng: &mut Prng) -> Self {
        let detail = prng.below(256) as u8;
        let change = match Change::EACH[prng.index(Change::EACH.len())] {
            Change::FlipBit(_) => Change::FlipBit(detail % 8),
            Change::InvalidUtf8(_) => Change::InvalidUtf8(detail),
            Change::Punctuation(_) => Change::Punctuation(detail),
            change => change,
        };
        Self { at_per_mille: prng.below(1_001) as u16, change }
    }

    /// Changes the bytes; any input will do, an empty one too.
    pub fn apply(self, bytes: &mut Vec<u8>) {
        let at = (bytes.len() as u128 * u128::from(self.at_per_mille.min(1_000)) / 1_000) as usize;
        match self.change {
            Change::Truncate => bytes.truncate(at),
            Change::Behead => drop(bytes.drain(..at)),
            Change::FlipBit(bit) => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Change::InvalidUtf8(index) => {
                insert(bytes, at, INVALID_UTF8[usize::from(index) % INVALID_UTF8.len()])
            }
            Change::Nul => bytes.insert(at, 0),
            Change::LoneSurrogateEscape => insert(bytes, at, b"\\ud83d"),
            Change::AnsiColour => insert(bytes, at, b"\x1b[31mred\x1b[0m"),
            Change::Punctuation(index) => {
                bytes.insert(at, PUNCTUATION[usize::from(index) % PUNCTUATION.len()])
            }
            Change::Repeat => {
                let again = bytes[at..bytes.len().min(at + 64)].to_vec();
                insert(bytes, at, &again);
            }
            Change::Delete => {
                let end = bytes.len().min(at + 16);
                drop(bytes.drain(at..end));
            }
            Change::CarriageReturns => {
                bytes[at..].iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r');
            }
            Change::CrLf => {
                let tail = bytes.split_off(at);
                for byte in tail {
                    if byte == b'\n' {
                        bytes.push(b'\r');
                    }
                    bytes.push(byte);
                }
            }
            Change::ByteOrderMark => insert(bytes, 0, b"\xef\xbb\xbf"),
            Change::Utf16 => {
                let text = String::from_utf8_lossy(bytes);
                *bytes =
                    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
            }
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    drop(bytes.splice(at..at, piece.iter().copied()));
}
