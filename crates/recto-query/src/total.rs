//! Exact sums and averages of decimal numbers.

use crate::decimal::Decimal;

/// Decimal digits of one limb.
const LIMB_DIGITS: i64 = 9;
/// Limbs behind the point: 360 digits, finer than any number of 64 bits in binary.
const FRACTION_LIMBS: usize = 40;
/// Limbs before the point: 405 digits.
const WHOLE_LIMBS: usize = 45;
const LIMBS: usize = FRACTION_LIMBS + WHOLE_LIMBS;
/// Digits behind the point that a small sum has.
const SMALL_PLACES: i64 = 12;
/// Digits that an average has beyond those of its numbers.
const MORE_PLACES: usize = 6;

/// A sum. Numbers from ten to the power of 404 on, or with digits finer than ten to the power of -360, are left out and counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Total {
    /// What fits, in units of 10^-12.
    small: i128,
    /// The rest: signed limbs of nine digits, carried over at the end.
    large: Option<Box<[i64; LIMBS]>>,
    /// Digits behind the point of the finest number.
    places: usize,
    pub(crate) count: u64,
    pub(crate) left_out: u64,
}

impl Total {
    pub(crate) fn add(&mut self, number: &Decimal<'_>) {
        let (digits, magnitude) = number.parts();
        let length = number.len() as i64;
        // Zeros at the end say nothing, unless they stand before the point.
        let zeros = number.parts().0.rev().take_while(|digit| *digit == 0).count() as i64;
        let is_zero = zeros == length;
        let lowest = magnitude.saturating_sub(length - 1).saturating_add(zeros);
        if !is_zero && (magnitude >= 404 || lowest < -360) {
            self.left_out += 1;
            return;
        }
        self.count += 1;
        if is_zero {
            return;
        }
        self.places = self.places.max(usize::try_from(-lowest).unwrap_or(0));
        let counted = usize::try_from(length - zeros).unwrap_or(0);
        if magnitude < 17 && lowest >= -SMALL_PLACES {
            let mantissa = digits.take(counted).fold(0_i128, |sum, digit| sum * 10 + i128::from(digit));
            let scaled = mantissa * 10_i128.pow(u32::try_from(lowest + SMALL_PLACES).unwrap_or(0));
            // Each is below 10^30, so that 10^8 of them and more fit.
            let signed = if number.is_negative { -scaled } else { scaled };
            if let Some(sum) = self.small.checked_add(signed) {
                self.small = sum;
                return;
            }
        }
        let limbs = self.large.get_or_insert_with(|| Box::new([0; LIMBS]));
        let digits = number.parts().0.take(counted);
        add_digits(limbs, digits, magnitude, number.is_negative);
    }

    /// The digits of the sum, most significant first, with its sign: as many behind the point as [`Self::places`].
    fn digits(&self) -> (bool, Vec<u8>) {
        let Some(large) = self.large.as_deref() else {
            let unit = 1 + usize::try_from(SMALL_PLACES).unwrap_or(0);
            let text = format!("{:0unit$}", self.small.unsigned_abs());
            // The digits cut off are zeros: no number is finer than `places`.
            let kept = (text.len() + self.places).saturating_sub(unit - 1);
            return (self.small < 0, text.bytes().take(kept).map(|digit| digit - b'0').collect());
        };
        let mut limbs = *large;
        let small = self.small.unsigned_abs().to_string();
        let magnitude = small.len() as i64 - 1 - SMALL_PLACES;
        add_digits(&mut limbs, small.bytes().map(|digit| digit - b'0'), magnitude, self.small < 0);
        let is_negative = carry(&mut limbs);
        let mut digits = Vec::with_capacity(LIMBS * 9);
        for limb in limbs.iter().rev() {
            let text = format!("{limb:09}");
            digits.extend(text.bytes().map(|digit| digit - b'0'));
        }
        digits.truncate(WHOLE_LIMBS * 9 + self.places);
        let zeros = digits.iter().take(WHOLE_LIMBS * 9 - 1).take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
        (is_negative, digits)
    }

    /// The sum in decimal, without zeros at its end.
    pub(crate) fn text(&self) -> String {
        let (is_negative, digits) = self.digits();
        written(is_negative, &digits, self.places)
    }

    /// The average: exact where it ends within six digits more than its numbers have, else rounded there, half away from zero.
    pub(crate) fn average(&self) -> Option<String> {
        let divisor = u128::from((self.count > 0).then_some(self.count)?);
        let (is_negative, mut digits) = self.digits();
        let places = self.places + MORE_PLACES;
        digits.extend([0; MORE_PLACES]);
        let mut rest = 0_u128;
        for digit in &mut digits {
            let value = rest * 10 + u128::from(*digit);
            *digit = u8::try_from(value / divisor).unwrap_or(9);
            rest = value % divisor;
        }
        if rest * 2 >= divisor {
            let mut carried = true;
            for digit in digits.iter_mut().rev() {
                if !carried {
                    break;
                }
                carried = *digit == 9;
                *digit = if carried { 0 } else { *digit + 1 };
            }
            if carried {
                digits.insert(0, 1);
            }
        }
        Some(written(is_negative, &digits, places))
    }
}

/// Adds digits, the first of which stands for ten to the power of `magnitude`.
fn add_digits(limbs: &mut [i64; LIMBS], digits: impl Iterator<Item = u8>, magnitude: i64, is_negative: bool) {
    for (digit, power) in digits.zip((0..).map(|back| magnitude - back)) {
        let place = power + FRACTION_LIMBS as i64 * LIMB_DIGITS;
        let Some(limb) = usize::try_from(place / LIMB_DIGITS).ok().and_then(|index| limbs.get_mut(index))
        else {
            continue;
        };
        let weight = 10_i64.pow(u32::try_from(place % LIMB_DIGITS).unwrap_or(0));
        let value = i64::from(digit) * weight;
        *limb = limb.saturating_add(if is_negative { -value } else { value });
    }
}

/// Carries limbs over, so that each is from 0 to 999,999,999; says whether the number is negative.
fn carry(limbs: &mut [i64; LIMBS]) -> bool {
    const BASE: i64 = 1_000_000_000;
    let pass = |limbs: &mut [i64; LIMBS]| {
        let mut over = 0_i64;
        for limb in limbs.iter_mut() {
            let value = limb.saturating_add(over);
            *limb = value.rem_euclid(BASE);
            over = value.div_euclid(BASE);
        }
        over < 0
    };
    let before = *limbs;
    if !pass(limbs) {
        return false;
    }
    *limbs = before.map(|limb| -limb);
    pass(limbs);
    true
}

fn written(is_negative: bool, digits: &[u8], places: usize) -> String {
    let point = digits.len().saturating_sub(places);
    let (whole, fraction) = digits.split_at(point);
    let text = |digits: &[u8]| digits.iter().map(|digit| char::from(b'0' + digit)).collect::<String>();
    let whole = text(whole);
    let whole = whole.trim_start_matches('0');
    let fraction = text(fraction);
    let fraction = fraction.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let sign = if is_negative && (whole != "0" || !fraction.is_empty()) { "-" } else { "" };
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(numbers: &[&str]) -> Total {
        let mut total = Total::default();
        for number in numbers {
            total.add(&Decimal::read(number.as_bytes()).unwrap());
        }
        total
    }

    #[test]
    fn sums_and_averages_are_exact() {
        for (numbers, sum, average) in [
            (&["0.1", "0.2"][..], "0.3", "0.15"),
            (&["1", "2", "4"], "7", "2.333333"),
            (&["1", "1", "0"], "2", "0.666667"),
            (&["-1", "-1", "0"], "-2", "-0.666667"),
            (&["9007199254740993", "1"], "9007199254740994", "4503599627370497"),
            (&["1e300", "1", "-1e300"], "1", "0.333333"),
            (&["-5", "2.50", "2.5"], "0", "0"),
            (&["1e-300"], "", ""),
            (&["-0.0", "0"], "0", "0"),
            (&["1.005", "1.005"], "2.01", "1.005"),
            (&["99999999999999999999.99", "0.01"], "100000000000000000000", "50000000000000000000"),
            (&["999.9999999", "0.0000001"], "1000", "500"),
            (&["1200"], "1200", "1200"),
            (&["0.000000000001", "-0.000000000003"], "-0.000000000002", "-0.000000000001"),
            (&["0.0000000000001", "1"], "1.0000000000001", "0.50000000000005"),
            (&["1", "1", "1", "1", "1", "1", "0.999998"], "6.999998", "0.999999714286"),
        ] {
            let total = total(numbers);
            if sum.is_empty() {
                assert_eq!(total.text(), format!("0.{}1", "0".repeat(299)));
                continue;
            }
            assert_eq!(total.text(), sum, "{numbers:?}");
            assert_eq!(total.average().unwrap(), average, "{numbers:?}");
        }
        assert_eq!(Total::default().average(), None);
        let beyond = total(&["1e999", "1e-999", "5"]);
        assert_eq!((beyond.left_out, beyond.text().as_str()), (2, "5"));
    }
}
