//! What is to be known of the numbers in a column, gathered in one pass and in constant memory.

use crate::words::{first_word, others_than_digits, repeat, zero_bytes};

/// Numbers sampled of a column: enough for a median.
const MOST_SAMPLES: usize = 64;
/// A number is held in millionths.
const MILLION: i64 = 1_000_000;
/// Numbers further from zero than this are taken for names: they do not fit in millionths.
const MOST: i64 = i64::MAX / MILLION / 2;

/// A number of a column, in millionths, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The number in millionths.
    pub value: i64,
    /// Where its cell or its row begins.
    pub at: u32,
}

/// Smallest and largest numbers of a column, a sample of the others, and whether they come in order.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// How many there are.
    pub count: u32,
    /// How many values are none.
    pub others: u32,
    /// The two smallest, the smallest first; of equal ones the first.
    pub lows: [Placed; 2],
    /// The two largest, the largest first; of equal ones the first.
    pub highs: [Placed; 2],
    /// How many are larger, and how many smaller, than the one before.
    pub rises: u32,
    /// See [`Self::rises`].
    pub falls: u32,
    /// The largest step up, and the number it leads to.
    pub largest_step: Placed,
    /// Where the number before the largest step is.
    pub step_from: u32,
    /// They are times, in microseconds.
    pub are_times: bool,
    /// Some have more than six digits behind the point: those further back are not known.
    pub are_cut: bool,
    /// The sum of all steps up, saturating.
    pub steps: i64,
    /// Every so many numbers one, evenly over the column: of each `stride`, a power of two.
    sample: Vec<Placed>,
    stride: u32,
    last: Placed,
}

impl Numbers {
    /// Begins with the first value of a column; none if that is neither a number nor a time.
    pub(crate) fn new(value: &[u8], at: u32) -> Option<Self> {
        let time = moment(value);
        let placed = Placed { value: number(value).or(time)?, at };
        Some(Self {
            count: 1,
            others: 0,
            lows: [placed; 2],
            highs: [placed; 2],
            rises: 0,
            falls: 0,
            largest_step: Placed { value: 0, at },
            step_from: at,
            are_times: time.is_some(),
            are_cut: is_cut(value),
            steps: 0,
            sample: vec![placed],
            stride: 1,
            last: placed,
        })
    }

    /// Adds the number or time that a value is; says no if too many values are none for the column to be one of numbers.
    pub(crate) fn read(&mut self, value: &[u8], at: u32) -> bool {
        /// So many may be something else anyway, beside one for ten numbers.
        const FEW_OTHERS: u32 = 4;
        self.are_cut = self.are_cut || is_cut(value);
        let number = if self.are_times { moment(value) } else { number(value) };
        if let Some(number) = number {
            self.add(number, at);
            return true;
        }
        self.others += 1;
        self.others <= FEW_OTHERS + self.count / 10
    }

    /// Adds the next number.
    pub(crate) fn add(&mut self, value: i64, at: u32) {
        let placed = Placed { value, at };
        if value > self.highs[1].value || self.count == 1 {
            if value > self.highs[0].value {
                self.highs = [placed, self.highs[0]];
            } else if value < self.highs[0].value {
                self.highs[1] = placed;
            }
        }
        if value < self.lows[1].value || self.count == 1 {
            if value < self.lows[0].value {
                self.lows = [placed, self.lows[0]];
            } else if value > self.lows[0].value {
                self.lows[1] = placed;
            }
        }
        let step = value.saturating_sub(self.last.value);
        if step > 0 {
            self.rises += 1;
            self.steps = self.steps.saturating_add(step);
            if step > self.largest_step.value {
                self.largest_step = Placed { value: step, at };
                self.step_from = self.last.at;
            }
        } else {
            self.falls += u32::from(step < 0);
        }
        self.last = placed;
        if self.is_due() {
            if self.sample.len() == MOST_SAMPLES {
                // Every other one goes, and from now on half as many come.
                let mut index = 0;
                self.sample.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
            if self.is_due() {
                self.sample.push(placed);
            }
        }
        self.count += 1;
    }

    /// Says whether the next number is one of the sample.
    fn is_due(&self) -> bool {
        // The stride is a power of two: no need to divide by it.
        self.count & (self.stride - 1) == 0
    }

    /// Translates the places of the sample.
    pub(crate) fn map_sample(&mut self, map: &mut impl FnMut(u32) -> u32) {
        self.sample.iter_mut().for_each(|placed| placed.at = map(placed.at));
    }

    /// The sample, in the order of the column.
    #[must_use]
    pub fn sample(&self) -> &[Placed] {
        &self.sample
    }

    /// The median of the sample and the median distance from it: a robust centre and spread (median absolute deviation).
    #[must_use]
    pub fn centre(&self) -> (i64, i64) {
        let mut sorted: Vec<i64> = self.sample.iter().map(|placed| placed.value).collect();
        sorted.sort_unstable();
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
        let mut distances: Vec<i64> = sorted.iter().map(|value| (value - median).abs()).collect();
        distances.sort_unstable();
        (median, distances.get(distances.len() / 2).copied().unwrap_or_default())
    }
}

/// Says whether a number has more digits behind its point than are read.
fn is_cut(value: &[u8]) -> bool {
    /// A digit, the point and six digits.
    const LONGEST_WHOLE: usize = 8;
    let digits_behind = |point: usize| value.len() - point - 1;
    value.len() > LONGEST_WHOLE && memchr::memchr(b'.', value).is_some_and(|point| digits_behind(point) > 6)
}

/// Reads a time as ISO 8601 writes it (`2026-01-31T12:00:05.25Z`), quoted or not, in microseconds since the year 0; the zone is not
/// looked at, as it hardly changes within a column.
#[must_use]
pub fn moment(text: &[u8]) -> Option<i64> {
    let text = text.strip_prefix(b"\"").unwrap_or(text);
    if !matches!(text.get(10)?, b'T' | b' ' | b't') {
        return None;
    }
    // The digits stand in pairs: of `2026-01-` at 0, 2 and 5, of `26-01-31` at 6, of `12:00:05` at 0, 3 and 6.
    let years = pairs(first_word(text), BEHIND_YEAR_AND_MONTH, b'-')?;
    let days = pairs(first_word(text.get(2..10)?), BETWEEN_PAIRS, b'-')?;
    let clock = pairs(first_word(text.get(11..19)?), BETWEEN_PAIRS, b':')?;
    let pair = |pairs: u64, at: usize| i64::from((pairs >> (8 * at)) as u8);
    let year = pair(years, 0) * 100 + pair(years, 2);
    let (month, day) = (pair(years, 5), pair(days, 6));
    // Days by the civil calendar, a year beginning in March (Howard Hinnant, "chrono-compatible low-level date algorithms").
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    let seconds = ((days * 24 + pair(clock, 0)) * 60 + pair(clock, 3)) * 60 + pair(clock, 6);
    let mut micros = 0;
    if let Some(places) = text.get(19..).and_then(|rest| rest.strip_prefix(b".")) {
        let mut unit = MILLION;
        for digit in places.iter().take(6).take_while(|digit| digit.is_ascii_digit()) {
            unit /= 10;
            micros += unit * i64::from(digit - b'0');
        }
    }
    Some(seconds * MILLION + micros)
}

/// Places of the separators in `2026-01-`.
const BEHIND_YEAR_AND_MONTH: u64 = 0xFF00_00FF_0000_0000;
/// Places of the separators in `26-01-31` and `12:00:05`.
const BETWEEN_PAIRS: u64 = 0x0000_FF00_00FF_0000;

/// Of each digit in a word and the one behind it the number that they make; none where something else than digits stands between
/// the separators.
fn pairs(word: u64, separators: u64, separator: u8) -> Option<u64> {
    if (word ^ repeat(separator)) & separators != 0 {
        return None;
    }
    let digits = word & !separators | repeat(b'0') & separators;
    if others_than_digits(digits) != 0 {
        return None;
    }
    // What a pair makes is below a hundred: no byte reaches into the next one.
    let digits = digits ^ repeat(b'0');
    Some(digits * 10 + (digits >> 8))
}

/// Reads a decimal number in millionths: digits with at most one point and a sign before them. Digits behind the sixth place are
/// cut. None for anything else, and for numbers too far from zero.
#[must_use]
pub fn number(text: &[u8]) -> Option<i64> {
    if text.len() <= 8 {
        return short_number(text);
    }
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.len() > 20 || !digits.first()?.is_ascii_digit() {
        return None;
    }
    let mut whole = 0_i64;
    let mut rest = digits;
    while let [digit @ b'0'..=b'9', behind @ ..] = rest {
        whole = whole * 10 + i64::from(digit - b'0');
        if whole > MOST {
            return None;
        }
        rest = behind;
    }
    let mut value = whole * MILLION;
    if let [b'.', places @ ..] = rest {
        let mut unit = MILLION;
        for digit in places {
            if !digit.is_ascii_digit() {
                return None;
            }
            unit /= 10;
            value += unit * i64::from(digit - b'0');
        }
        if places.is_empty() {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    Some(if is_negative { -value } else { value })
}

/// As [`number`], of at most eight bytes, all of them at once.
fn short_number(text: &[u8]) -> Option<i64> {
    const POWERS: [i64; 7] = [MILLION, 100_000, 10_000, 1_000, 100, 10, 1];
    let mut word = first_word(text);
    let mut length = text.len();
    let is_negative = text.first() == Some(&b'-');
    if is_negative {
        word >>= 8;
        length -= 1;
    }
    let mut places = 0;
    let points = zero_bytes(word ^ repeat(b'.'));
    if points != 0 {
        let point = points.trailing_zeros() as usize / 8;
        places = length.checked_sub(point + 1).filter(|places| *places > 0 && point > 0)?;
        // What stands behind the point moves up to it.
        let whole = (1 << (8 * point)) - 1;
        word = word & whole | word >> 8 & !whole;
        length -= 1;
    }
    if length == 0 {
        return None;
    }
    // The last digit goes to the top, with zeros for the digits that are not there.
    let room = 8 * (8 - length);
    let digits = word << room | repeat(b'0') & ((1 << room) - 1);
    if others_than_digits(digits) != 0 {
        return None;
    }
    // Pairs, then fours, then all eight (Daniel Lemire, "Quickly parsing eight digits").
    let ones = digits ^ repeat(b'0');
    let pairs = (ones.wrapping_mul(10) + (ones >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    let eight = (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xFFFF_FFFF;
    let value = i64::try_from(eight).ok()? * POWERS.get(places).copied()?;
    Some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_millionths() {
        for (text, value) in [
            ("0", Some(0)),
            ("-12.5", Some(-12_500_000)),
            ("3.1415926535", Some(3_141_592)),
            ("4000000000000", Some(4_000_000_000_000_000_000)),
            ("99999999999999999999", None),
            ("1e5", None),
            ("1.", None),
            (".5", None),
            ("1.2.3", None),
            ("2024-05-01", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(number(text.as_bytes()), value, "{text}");
        }
    }

    #[test]
    fn short_and_long_numbers_are_read_alike() {
        let signs = b"-.0123456789x";
        let mut state = 7_u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let length = (state >> 60) as usize % 9;
            let text: Vec<u8> =
                (0..length).map(|at| signs[(state >> (7 * at)) as usize % signs.len()]).collect();
            // Zeros in front make it long and change nothing, but where no digit stands there.
            let (sign, rest) = text.strip_prefix(b"-").map_or((&b""[..], &text[..]), |rest| (b"-", rest));
            let long = [sign, b"000000000", rest].concat();
            let expected = rest.first().filter(|first| first.is_ascii_digit()).and_then(|_| number(&long));
            assert_eq!(number(&text), expected, "{}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn extremes_and_centre_of_a_column() {
        let mut numbers = Numbers::new(b"0.0005", 0).unwrap();
        for index in 1..10_000_u32 {
            let value = if index == 7_777 { 90_000 } else { i64::from(index * 7 % 1_000) };
            numbers.add(value, index);
        }
        let (median, spread) = numbers.centre();
        assert!((400..600).contains(&median) && (150..350).contains(&spread), "{median} {spread}");
        assert_eq!(numbers.highs[0], Placed { value: 90_000, at: 7_777 });
        assert_eq!((numbers.highs[1].value, numbers.lows[0].value, numbers.lows[1].value), (999, 0, 1));
        assert!(numbers.sample().len() <= MOST_SAMPLES && numbers.sample().len() > MOST_SAMPLES / 4);
        assert_eq!(numbers.count, 10_000);
    }

    #[test]
    fn cut_digits_are_noted_of_the_first_number_and_of_later_ones() {
        let mut numbers = Numbers::new(b"0.123456", 0).unwrap();
        assert!(numbers.read(b"-12.654321", 1) && !numbers.are_cut);
        assert!(numbers.read(b"0.1234567", 2) && numbers.are_cut);
        assert!(numbers.read(b"1", 3) && numbers.are_cut);
        assert!(Numbers::new(b"0.1234567", 0).unwrap().are_cut);
    }

    #[test]
    fn a_gap_in_a_sequence_is_its_largest_step() {
        let mut numbers = Numbers::new(b"0.000001", 0).unwrap();
        for index in 1..100_u32 {
            numbers.add(i64::from(index) + if index < 60 { 1 } else { 500 }, index);
        }
        assert_eq!((numbers.rises, numbers.falls), (99, 0));
        assert_eq!(numbers.largest_step, Placed { value: 500, at: 60 });
        assert_eq!((numbers.steps, numbers.step_from), (598, 59));
    }

    #[test]
    fn times_are_read_in_microseconds() {
        let seconds = |text: &str| moment(text.as_bytes()).map(|micros| micros / 1_000);
        let day = seconds("2024-02-28T00:00:00Z").unwrap();
        assert_eq!(seconds("2024-03-01T00:00:00Z").unwrap() - day, 2 * 86_400_000);
        assert_eq!(seconds("\"2024-02-28 00:01:02.5\"").unwrap() - day, 62_500);
        for none in [
            "2024-02-28",
            "2024-02-28T00:00",
            "abcd-ef-ghTij:kl:mn",
            "2024-02-28T00:00:0x",
            "2024-02-2 T00:00:00",
            "2024-0a-28T00:00:00",
            "2024/02/28T00:00:00",
            "",
        ] {
            assert_eq!(seconds(none), None, "{none}");
        }
    }
}
