//! Texts inside JSON strings: unescaped, with a way back to the raw bytes.

use std::borrow::Cow;

/// Decoded bytes between two entries of the table of offsets.
const STRIDE: usize = 64;

/// The text of a JSON string (without its quotes), and where each of its bytes stands in the raw bytes.
///
/// ```
/// use recto_outline::DecodedString;
/// let decoded = DecodedString::new(br"a\n[1]");
/// assert_eq!(&*decoded.text, b"a\n[1]");
/// assert_eq!(decoded.raw_offset(2), 3);
/// ```
#[derive(Debug)]
pub struct Decoded<'s> {
    raw: &'s [u8],
    /// The text without escapes; borrowed if there were none.
    pub text: Cow<'s, [u8]>,
    /// Raw offset of the character that begins at or before each multiple of [`STRIDE`], with its decoded offset.
    table: Vec<(u32, u32)>,
}

impl<'s> Decoded<'s> {
    /// Decodes the inside of a string. Lone surrogates become U+FFFD; an unknown escape stands for itself.
    #[must_use]
    pub fn new(raw: &'s [u8]) -> Self {
        if memchr::memchr(b'\\', raw).is_none() {
            return Self { raw, text: Cow::Borrowed(raw), table: Vec::new() };
        }
        let mut text = Vec::with_capacity(raw.len());
        let mut table = Vec::with_capacity(raw.len() / STRIDE + 1);
        let mut at = 0;
        while at < raw.len() {
            if text.len() / STRIDE >= table.len() {
                table.push((crate::span::offset(at), crate::span::offset(text.len())));
            }
            at = step(raw, at, &mut text);
        }
        Self { raw, text: Cow::Owned(text), table }
    }

    /// Where decoded byte `at`, the first of a character, begins in the raw bytes.
    #[must_use]
    pub fn raw_offset(&self, at: u32) -> u32 {
        if self.table.is_empty() {
            return at;
        }
        let entry = (at as usize / STRIDE).min(self.table.len() - 1);
        // An entry may lie just past its multiple, where a character straddles it.
        let (mut raw_at, mut text_at) = self.table[entry];
        if text_at > at && entry > 0 {
            (raw_at, text_at) = self.table[entry - 1];
        }
        let mut scratch = Vec::new();
        let mut raw_at = raw_at as usize;
        let mut text_at = text_at as usize;
        while text_at < at as usize && raw_at < self.raw.len() {
            scratch.clear();
            raw_at = step(self.raw, raw_at, &mut scratch);
            text_at += scratch.len();
        }
        crate::span::offset(raw_at)
    }
}

/// The text of a JSON string (without its quotes), as [`Decoded`] has it, where no way back is needed.
#[must_use]
pub fn decode_json_string(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(mut at) = memchr::memchr(b'\\', raw) else { return Cow::Borrowed(raw) };
    let mut text = Vec::with_capacity(raw.len());
    text.extend_from_slice(raw.get(..at).unwrap_or_default());
    while at < raw.len() {
        at = step(raw, at, &mut text);
        // What stands up to the next escape is copied at once.
        let rest = raw.get(at..).unwrap_or_default();
        let plain = rest.get(..memchr::memchr(b'\\', rest).unwrap_or(rest.len())).unwrap_or_default();
        text.extend_from_slice(plain);
        at += plain.len();
    }
    Cow::Owned(text)
}

/// Decodes the character (or plain byte) at `at` onto `text`; gives where the next one begins.
fn step(raw: &[u8], at: usize, text: &mut Vec<u8>) -> usize {
    let Some(&byte) = raw.get(at) else { return raw.len() };
    if byte != b'\\' {
        text.push(byte);
        return at + 1;
    }
    let Some(&escape) = raw.get(at + 1) else {
        text.push(byte);
        return at + 1;
    };
    let plain = match escape {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'u' => return unicode(raw, at, text),
        other if other < 0x80 => other,
        _ => {
            text.push(byte);
            return at + 1;
        }
    };
    text.push(plain);
    at + 2
}

fn unicode(raw: &[u8], at: usize, text: &mut Vec<u8>) -> usize {
    let Some(first) = hex(raw, at + 2) else {
        text.push(b'\\');
        return at + 1;
    };
    let mut next = at + 6;
    let mut code = first;
    if (0xD800..0xDC00).contains(&first)
        && raw.get(next..next + 2) == Some(b"\\u")
        && let Some(second) = hex(raw, next + 2)
        && (0xDC00..0xE000).contains(&second)
    {
        code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        next += 6;
    }
    let character = char::from_u32(code).unwrap_or('\u{FFFD}');
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    next
}

fn hex(raw: &[u8], at: usize) -> Option<u32> {
    raw.get(at..at + 4)?.iter().try_fold(0, |value, byte| Some(value * 16 + char::from(*byte).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_to_the_escapes() {
        let raw = br"a\nb\u00e9c\ud83d\ude00d\ud800e\\";
        let decoded = Decoded::new(raw);
        assert_eq!(String::from_utf8_lossy(&decoded.text), "a\nb\u{e9}c\u{1F600}d\u{FFFD}e\\");
        for (at, character) in std::str::from_utf8(&decoded.text).unwrap().char_indices() {
            let raw_at = decoded.raw_offset(u32::try_from(at).unwrap()) as usize;
            let mut again = Vec::new();
            step(raw, raw_at, &mut again);
            assert_eq!(again, character.encode_utf8(&mut [0; 4]).as_bytes(), "at {at}");
        }
        let end = u32::try_from(decoded.text.len()).unwrap();
        assert_eq!(decoded.raw_offset(end) as usize, raw.len());
    }

    #[test]
    fn long_texts_use_the_table() {
        let raw = r"x\u00e9\n".repeat(500);
        let decoded = Decoded::new(raw.as_bytes());
        let text = std::str::from_utf8(&decoded.text).unwrap();
        for (index, (at, _)) in text.char_indices().enumerate() {
            let expected = (index / 3) * 9 + [0, 1, 7][index % 3];
            assert_eq!(decoded.raw_offset(u32::try_from(at).unwrap()) as usize, expected);
        }
    }
}
