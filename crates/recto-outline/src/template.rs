//! Templates of texts: what is left when what varies is masked.

use crate::words::{digits_as_zeros, hash_words};

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

/// What was made of the last texts that have one template. Texts that differ in nothing but which digits stand in their places have
/// one template, and programs print many of them: they are known by a hash that takes eight bytes at a time.
#[derive(Clone, Debug, Default)]
pub struct Alike {
    /// By the top bits of the hash of a text with zeros for its digits, that hash and what was made of the text.
    known: Vec<(u64, u32)>,
}

impl Alike {
    /// Texts kept in mind, as a power of two: 2 KiB, which stay in the nearest cache.
    const BITS: u32 = 7;

    /// What was made of a text with the same template and the same `salt`, if that is known; else what `make` makes of this one.
    pub fn or_make(&mut self, text: &[u8], salt: u64, make: impl FnOnce() -> u32) -> u32 {
        if self.known.is_empty() {
            self.known = vec![(0, 0); 1 << Self::BITS];
        }
        // Zero stands for nothing known.
        let hash = hash_words(text, salt, digits_as_zeros) | 1;
        match usize::try_from(hash >> (u64::BITS - Self::BITS)).ok().and_then(|slot| self.known.get_mut(slot))
        {
            Some((known, made)) if *known == hash => *made,
            Some(slot) => {
                let made = make();
                *slot = (hash, made);
                made
            }
            None => make(),
        }
    }
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
    use super::{Alike, template};

    #[test]
    fn numbers_do_not_count_and_words_do() {
        assert_eq!(template(b"12:01:07 took 31ms for id a1b2"), template(b"13:44:59 took 5ms for id ff09"));
        assert_ne!(template(b"12:01:07 took 31ms"), template(b"12:01:07 lost 31ms"));
        assert_eq!(template(b"a  b"), template(b"a b"));
        assert_eq!(template(b"read node=a-b status=x"), template(b"read node=c status=y1"));
        assert_ne!(template(b"read node=a"), template(b"wrote node=a"));
        assert_eq!(template(b"call-web-05e478 done"), template(b"call-ios-05e479 done"));
    }

    #[test]
    fn texts_known_by_their_digits_have_one_template() {
        let texts: Vec<String> = (0..900)
            .map(|number| match number % 4 {
                0 => format!("seen 2026-01-{:0>2}T00:00:{:0>2}Z", number % 31, number % 60),
                1 => format!(
                    "replicated {number} rows to eu-{} in {}.5 s",
                    ["west", "east"][number / 4 % 2],
                    number % 10
                ),
                2 => "node=a1 ".repeat(number % 7),
                _ => format!("key {number:x}{}", ["", " é7", "x"][number / 4 % 3]),
            })
            .collect();
        let mut alike = Alike::default();
        let mut templates: Vec<u64> = Vec::new();
        for text in &texts {
            let read = template(text.as_bytes());
            let place = alike.or_make(text.as_bytes(), 0, || {
                templates.push(read);
                u32::try_from(templates.len() - 1).unwrap()
            });
            assert_eq!(templates[place as usize], read, "{text}");
        }
        assert!(templates.len() < texts.len() / 2);
    }

    #[test]
    fn a_salt_tells_equal_texts_apart() {
        let mut alike = Alike::default();
        assert_eq!(alike.or_make(b"took 31 ms", 0, || 1), 1);
        assert_eq!(alike.or_make(b"took 99 ms", 0, || 2), 1);
        assert_eq!(alike.or_make(b"took 31 ms", 1, || 3), 3);
    }
}
