//! Numbers and padding straight into a byte vector: the formatting machinery would be most of a generator's time.

const TWO_DIGITS: &[u8; 200] =
    b"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/// Writes a number in decimal.
pub(super) fn number(out: &mut Vec<u8>, value: u64) {
    padded(out, value, 1, b'0');
}

/// Writes a number in decimal, at least `width` (20 at most) bytes wide.
pub(super) fn padded(out: &mut Vec<u8>, mut value: u64, width: usize, fill: u8) {
    let mut digits = [fill; 20];
    let mut at = digits.len();
    while value >= 100 {
        let pair = (value % 100) as usize * 2;
        value /= 100;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&TWO_DIGITS[pair..pair + 2]);
    }
    if value >= 10 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&TWO_DIGITS[value as usize * 2..value as usize * 2 + 2]);
    } else {
        at -= 1;
        digits[at] = b'0' + value as u8;
    }
    out.extend_from_slice(&digits[at.min(digits.len() - width)..]);
}

/// Writes hundredths as a decimal fraction with two places.
pub(super) fn hundredths(out: &mut Vec<u8>, value: u64) {
    number(out, value / 100);
    out.push(b'.');
    padded(out, value % 100, 2, b'0');
}

/// Writes a number in lower-case hexadecimal, exactly `digits` digits of its low end.
pub(super) fn hex(out: &mut Vec<u8>, value: u64, digits: u32) {
    for digit in (0..digits).rev() {
        out.push(b"0123456789abcdef"[(value >> (digit * 4)) as usize & 15]);
    }
}

/// Writes text and pads it with spaces to a width.
pub(super) fn column(out: &mut Vec<u8>, text: &[u8], width: usize) {
    out.extend_from_slice(text);
    out.resize(out.len() + width.saturating_sub(text.len()), b' ');
}

#[cfg(test)]
mod tests {
    use super::{hex, hundredths, number, padded};

    #[test]
    fn writes_what_the_standard_formatter_writes() {
        for value in [0, 7, 10, 99, 100, 101, 999, 1_000, 65_535, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            number(&mut out, value);
            out.push(b' ');
            padded(&mut out, value, 6, b'0');
            out.push(b' ');
            padded(&mut out, value, 9, b' ');
            out.push(b' ');
            hex(&mut out, value, 16);
            assert_eq!(String::from_utf8(out).unwrap(), format!("{value} {value:06} {value:9} {value:016x}"));
        }
        let mut out = Vec::new();
        hundredths(&mut out, 1_207);
        assert_eq!(out, b"12.07");
    }
}
