//! Templates of texts: what is left when what varies is masked.

/// Hash of what is left of a text when words that hold a digit, and those behind `=`, are masked and blanks are folded: texts that
/// one program printed from one place have one template.
#[must_use]
pub fn template(text: &[u8]) -> u64 {
    const PRIME: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = 0xCBF2_9CE4_8422_2325_u64;
    // A word's bytes, turned and joined; a multiplication once a word, not once a byte.
    let mut word = 0_u64;
    let mut seen = 0_u8;
    let mut is_value = false;
    for &byte in text {
        let class = CLASS[usize::from(byte)];
        if is_value && class <= Class::Digit {
            seen = 0;
        } else if class <= Class::Digit {
            word = word.rotate_left(7) ^ u64::from(byte);
            seen |= class as u8;
        } else {
            if seen != 0 {
                let part = if seen & Class::Digit as u8 == 0 { word } else { 1 };
                state = (state ^ part).wrapping_mul(PRIME).rotate_left(29);
                (word, seen) = (0, 0);
            }
            is_value &= class == Class::Other;
            if class == Class::Other && !is_value {
                // `node=a` and `node=b-c` are one template, as `node=1` and `node=2` are.
                is_value = byte == b'=';
                state = (state ^ u64::from(byte)).wrapping_mul(PRIME);
            }
        }
    }
    if seen != 0 {
        state = (state ^ if seen & Class::Digit as u8 == 0 { word } else { 1 }).wrapping_mul(PRIME);
    }
    state ^ (state >> 31)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Class {
    Letter = 1,
    Digit = 2,
    Blank = 4,
    Other = 8,
}

static CLASS: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let value = byte as u8;
        table[byte] = if value.is_ascii_digit() {
            Class::Digit
        } else if value.is_ascii_alphabetic() || matches!(value, b'_' | b'-' | b'.') || value >= 0x80 {
            Class::Letter
        } else if value == b' ' || value == b'\t' {
            Class::Blank
        } else {
            Class::Other
        };
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::template;

    #[test]
    fn numbers_do_not_count_and_words_do() {
        assert_eq!(template(b"12:01:07 took 31ms for id a1b2"), template(b"13:44:59 took 5ms for id ff09"));
        assert_ne!(template(b"12:01:07 took 31ms"), template(b"12:01:07 lost 31ms"));
        assert_eq!(template(b"a  b"), template(b"a b"));
        assert_eq!(template(b"read node=a-b status=x"), template(b"read node=c status=y1"));
        assert_ne!(template(b"read node=a"), template(b"wrote node=a"));
        assert_eq!(template(b"call-web-05e478 done"), template(b"call-ios-05e479 done"));
    }
}
