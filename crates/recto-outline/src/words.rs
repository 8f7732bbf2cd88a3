//! Eight bytes at a time, in registers that every machine has.

const EACH: u64 = 0x0101_0101_0101_0101;
const TOP: u64 = 0x80 * EACH;

/// Eight copies of a byte.
pub(crate) const fn repeat(byte: u8) -> u64 {
    EACH * byte as u64
}

/// The high bit of each byte that is zero; of the lowest such byte surely, of higher ones perhaps too
/// (<https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord>).
pub(crate) const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(EACH) & !word & TOP
}

/// The high bit of each byte that is zero, and of no other.
const fn all_zero_bytes(word: u64) -> u64 {
    !(((word & !TOP) + !TOP) | word) & TOP
}

/// Calls `found` with each place of a byte in a text. The delimiters of a row are so near each other that a search by vectors, which
/// begins anew behind each, costs more.
#[inline]
pub(crate) fn each(text: &[u8], byte: u8, mut found: impl FnMut(usize)) {
    let (chunks, rest) = text.as_chunks::<8>();
    let mut at = 0;
    for chunk in chunks {
        let mut places = all_zero_bytes(u64::from_le_bytes(*chunk) ^ repeat(byte));
        while places != 0 {
            found(at + places.trailing_zeros() as usize / 8);
            places &= places - 1;
        }
        at += 8;
    }
    for other in rest {
        if *other == byte {
            found(at);
        }
        at += 1;
    }
}

/// The high bit of each byte that is no ASCII digit.
pub(crate) const fn others_than_digits(word: u64) -> u64 {
    let distance = word ^ repeat(b'0');
    // At least ten away from zero, or not ASCII; no sum reaches into the next byte.
    (((distance & !TOP) + repeat(0x80 - 10)) | distance) & TOP
}

/// The same bytes with `0` for every digit.
pub(crate) const fn digits_as_zeros(word: u64) -> u64 {
    word & !(((!others_than_digits(word) & TOP) >> 7) * 0x0F)
}

/// At most eight bytes as a number, the first one lowest, with zeros behind them; of more bytes the first eight.
#[inline]
pub(crate) fn first_word(bytes: &[u8]) -> u64 {
    if let Some(word) = bytes.first_chunk::<8>() {
        return u64::from_le_bytes(*word);
    }
    // Two loads that overlap: a loop over so few bytes is mispredicted at its end.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (bytes.len() - 4));
        return u64::from(u32::from_le_bytes(*first)) | last;
    }
    match *bytes {
        [] => 0,
        [one] => u64::from(one),
        [first, .., last] => {
            let middle = bytes.get(1).copied().unwrap_or_default();
            u64::from(first) | u64::from(middle) << 8 | u64::from(last) << (8 * (bytes.len() - 1))
        }
    }
}

/// The first eight bytes of a text and its last, as numbers: of up to sixteen bytes these are all.
#[inline]
pub(crate) fn ends(text: &[u8]) -> [u64; 2] {
    let first = first_word(text);
    [first, text.last_chunk::<8>().map_or(first, |last| u64::from_le_bytes(*last))]
}

/// Where `needle` begins in a text of a few words, as most lines are. A search that knows no better would spend more on preparing
/// than on these: it looks for the byte of the needle that stands in fewest texts.
#[inline]
pub(crate) fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    let mut rarest = 0;
    for (at, byte) in needle.iter().enumerate() {
        if needle.get(rarest).is_some_and(|best| frequency(*byte) < frequency(*best)) {
            rarest = at;
        }
    }
    let byte = *needle.get(rarest)?;
    memchr::memchr_iter(byte, text.get(rarest..)?)
        .find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(needle)))
}

/// How often a byte stands in texts, roughly.
const fn frequency(byte: u8) -> u8 {
    match byte {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 3,
        b'a'..=b'z' => 2,
        b'0'..=b'9' | b'.' | b'-' | b'_' | b'/' | b',' => 1,
        _ => 0,
    }
}

/// Hash of the words of a text, each as `map` has it: the same on every machine.
pub(crate) fn hash_words(text: &[u8], salt: u64, map: impl Fn(u64) -> u64) -> u64 {
    let mut state = (text.len() as u64 ^ 0xA076_1D64_78BD_642F).wrapping_add(salt);
    let (chunks, rest) = text.as_chunks::<8>();
    for chunk in chunks {
        state = (state ^ map(u64::from_le_bytes(*chunk))).wrapping_mul(0xE703_7ED1_A0B4_28DB);
        state ^= state >> 32;
    }
    // Of a long text its last eight bytes, some of them for the second time.
    let last = match text.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last),
        None => first_word(rest),
    };
    state = (state ^ map(last)).wrapping_mul(0x8EBC_6AF0_9C88_C6E3);
    state ^ (state >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_told_from_all_other_bytes() {
        for byte in 0..=u8::MAX {
            let word = u64::from_le_bytes([b'7', byte, 0xFF, byte, b'/', b':', byte, b'0']);
            let is_digit = byte.is_ascii_digit();
            let zero = if is_digit { b'0' } else { byte };
            assert_eq!(digits_as_zeros(word).to_le_bytes(), [b'0', zero, 0xFF, zero, b'/', b':', zero, b'0']);
            assert_eq!(others_than_digits(repeat(byte)), if is_digit { 0 } else { TOP });
        }
    }

    #[test]
    fn short_texts_are_read_whole() {
        let text = b"abcdefghijklmnopqrstuvwxyz";
        for length in 0..=8 {
            let mut bytes = [0; 8];
            bytes[..length].copy_from_slice(&text[..length]);
            assert_eq!(first_word(&text[..length]).to_le_bytes(), bytes, "{length}");
        }
        for length in 0..=text.len() {
            let one = &text[..length];
            for at in 0..length {
                let mut other = one.to_vec();
                other[at] = b'!';
                assert!(length > 16 || ends(one) != ends(&other), "{length} {at}");
                assert_ne!(hash_words(one, 0, |word| word), hash_words(&other, 0, |word| word));
            }
        }
    }

    #[test]
    fn each_place_of_a_byte_is_found() {
        let text = b",-,+,,ab,cdefghijk,-----,,,,,,,,,.,";
        for start in 0..text.len() {
            let mut places = Vec::new();
            each(&text[start..], b',', |place| places.push(place));
            let expected: Vec<usize> = memchr::memchr_iter(b',', &text[start..]).collect();
            assert_eq!(places, expected);
        }
    }

    #[test]
    fn needles_are_found_where_they_begin() {
        let text = b"a::b: c -> d\xE2\x94\x80 rows in set";
        for (needle, at) in [
            (&b"::"[..], Some(1)),
            (b": c", Some(4)),
            (b"a", Some(0)),
            (b" rows in set", Some(15)),
            (b"sets", None),
            (b"\xE2\x94", Some(12)),
            (b"", None),
        ] {
            assert_eq!(find(text, needle), at, "{needle:?}");
        }
    }
}
