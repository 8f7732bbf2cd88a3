//! Numbers as they are written: compared digit by digit, so that none is too large or too fine.

use std::cmp::Ordering;

/// A number in JSON's grammar, borrowed from its text. Equal numbers may be written differently: `1`, `1.0`, `10e-1`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal<'s> {
    pub(crate) is_negative: bool,
    /// The digits before the point, from the first that counts; those behind it.
    whole: &'s [u8],
    fraction: &'s [u8],
    /// The power of ten of the first digit in `whole` and `fraction` together that is not 0; saturating.
    magnitude: i64,
    is_zero: bool,
}

impl<'s> Decimal<'s> {
    /// Reads a text that is a number in whole: JSON's grammar, so no `+`, no leading zeros, no blanks.
    pub(crate) fn read(text: &'s [u8]) -> Option<Self> {
        let first = *text.first()?;
        if first != b'-' && !first.is_ascii_digit() {
            return None;
        }
        let is_negative = first == b'-';
        let rest = text.get(usize::from(is_negative)..)?;
        let (whole, rest) = digits(rest);
        if whole.is_empty() || (whole.len() > 1 && whole.first() == Some(&b'0')) {
            return None;
        }
        let (fraction, rest) = match rest.split_first() {
            Some((b'.', rest)) => {
                let (fraction, rest) = digits(rest);
                if fraction.is_empty() {
                    return None;
                }
                (fraction, rest)
            }
            _ => (&[][..], rest),
        };
        let exponent = match rest.split_first() {
            None => 0,
            Some((b'e' | b'E', rest)) => exponent(rest)?,
            Some(_) => return None,
        };
        let all = || whole.iter().chain(fraction);
        let zeros = all().take_while(|digit| **digit == b'0').count();
        let is_zero = zeros == whole.len() + fraction.len();
        let place = whole.len() as i64 - 1 - zeros as i64;
        let skipped = zeros.min(whole.len());
        Some(Self {
            is_negative: is_negative && !is_zero,
            whole: whole.get(skipped..)?,
            fraction: fraction.get(zeros - skipped..)?,
            magnitude: exponent.saturating_add(place),
            is_zero,
        })
    }

    /// The digits from the first that counts, and the power of ten of that first one.
    pub(crate) fn parts(&self) -> (impl DoubleEndedIterator<Item = u8> + 's, i64) {
        (self.whole.iter().chain(self.fraction).map(|digit| digit - b'0'), self.magnitude)
    }

    /// How many digits there are.
    pub(crate) fn len(&self) -> usize {
        self.whole.len() + self.fraction.len()
    }

    /// Compares values, exactly. Beyond ten to the power of 10^18, numbers of the same digits are alike.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.compare_size(other),
            (true, true) => other.compare_size(self),
        }
    }

    fn compare_size(&self, other: &Self) -> Ordering {
        match (self.is_zero, other.is_zero) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        self.magnitude.cmp(&other.magnitude).then_with(|| {
            let (mut left, mut right) = (self.parts().0, other.parts().0);
            loop {
                match (left.next(), right.next()) {
                    (None, None) => return Ordering::Equal,
                    (left, right) => match left.unwrap_or(0).cmp(&right.unwrap_or(0)) {
                        Ordering::Equal => {}
                        unequal => return unequal,
                    },
                }
            }
        })
    }
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

/// An exponent, held within ±10^18.
fn exponent(text: &[u8]) -> Option<i64> {
    const MOST: i64 = 1_000_000_000_000_000_000;
    let (is_negative, text) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    if text.is_empty() {
        return None;
    }
    let mut value: i64 = 0;
    for byte in text {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.saturating_mul(10).saturating_add(i64::from(byte - b'0')).min(MOST);
    }
    Some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(left: &str, right: &str) -> Ordering {
        let read = |text: &'static [u8]| Decimal::read(text).unwrap();
        read(left.to_owned().leak().as_bytes()).compare(&read(right.to_owned().leak().as_bytes()))
    }

    #[test]
    fn numbers_compare_by_value() {
        let rising = [
            "-1e400",
            "-12.5",
            "-12",
            "-1e-7",
            "0",
            "1e-400",
            "0.001",
            "0.0010000000000000000000001",
            "1",
            "9007199254740992",
            "9007199254740993",
            "1e16",
            "123456789012345678901234567890",
            "1e999999999999999999",
        ];
        for (at, left) in rising.iter().enumerate() {
            for (other, right) in rising.iter().enumerate() {
                assert_eq!(compare(left, right), at.cmp(&other), "{left} {right}");
            }
        }
        for (left, right) in
            [("1", "1.0"), ("10e-1", "1"), ("-0", "0e5"), ("0.00", "-0.0"), ("1200", "12E+2")]
        {
            assert_eq!(compare(left, right), Ordering::Equal, "{left} {right}");
        }
    }

    #[test]
    fn what_is_no_number_is_a_text() {
        for text in [
            "",
            "-",
            "+1",
            "007",
            "1.",
            ".5",
            "1e",
            "1e+",
            "0x1",
            "1 ",
            " 1",
            "NaN",
            "1,5",
            "2024-01-01",
            "1.2.3",
        ] {
            assert!(Decimal::read(text.as_bytes()).is_none(), "{text:?}");
        }
    }
}
