//! The times of a log's lines, and gaps in them.

use recto_outline::{Kind, Outline, Role, UnitId};

use super::Leaves;

/// A log's times stand within so many bytes of its lines' beginnings.
const HEAD_BYTES: usize = 48;
/// Lines with times below which no rhythm is known.
const LEAST_TIMES: u32 = 12;
/// A gap is a step this many times the mean of the others.
const TIMES: i64 = 16;
/// A line is at most so many seconds before the one above it, where threads write: an earlier one is of the next day.
const HALF_A_DAY_S: i64 = 43_200;

/// The line after which time passes without a line as nowhere else, and the line behind the gap.
pub(super) fn gap(outline: &Outline<'_>, leaves: &Leaves) -> Option<[UnitId; 2]> {
    let mut last: Option<(i64, UnitId)> = None;
    let mut days = 0;
    let (mut count, mut sum, mut largest) = (0_u32, 0_i64, (0_i64, UnitId::ROOT, UnitId::ROOT));
    for &id in &leaves.shown {
        let unit = outline.unit(id);
        if unit.role != Role::Line || unit.kind == Kind::Blank {
            continue;
        }
        let text = outline.text(id);
        let Some(Stamp { seconds, has_date, .. }) = Stamp::of(text) else { continue };
        let mut at = seconds + days;
        if let Some((before, other)) = last {
            if !has_date && at + HALF_A_DAY_S < before {
                days += 2 * HALF_A_DAY_S;
                at += 2 * HALF_A_DAY_S;
            }
            let step = at - before;
            // Lines out of order have no rhythm; those of one second go on.
            if step > 0 {
                sum += step;
                if step > largest.0 {
                    largest = (step, other, id);
                }
            }
            count += 1;
        }
        last = Some((at, id));
    }
    let others = (sum - largest.0) / i64::from(count.max(2) - 1);
    (count >= LEAST_TIMES && largest.0 / others.max(1) >= TIMES).then_some([largest.1, largest.2])
}

/// A time that a line begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp<'l> {
    seconds: i64,
    has_date: bool,
    /// As it stands in the line, without parts of seconds: letters, digits, blanks, `-`, `/` and `:`.
    pub(crate) text: &'l [u8],
}

impl<'l> Stamp<'l> {
    /// The time in a line's head: of `2026-01-31T12:00:05`, `Jan 31 12:00:05`, `12:00:05`.
    pub(crate) fn of(line: &'l [u8]) -> Option<Self> {
        let head = line.get(..HEAD_BYTES).unwrap_or(line);
        let (clock, time) = clock(head)?;
        let day = day_of(head.get(..clock).unwrap_or_default());
        let (day, from) = day.map_or((0, clock), |(day, from)| (day, from));
        let seconds = day * 2 * HALF_A_DAY_S + time;
        Some(Self { seconds, has_date: from < clock, text: head.get(from..clock + 8)? })
    }
}

/// Where a clock stands in a line's head, and the seconds that it shows.
fn clock(head: &[u8]) -> Option<(usize, i64)> {
    let colon = memchr::memchr(b':', head)?;
    let start = colon.checked_sub(2)?;
    let clock = head.get(start..start + 8)?;
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *clock else { return None };
    let two = |tens: u8, ones: u8| {
        (tens.is_ascii_digit() && ones.is_ascii_digit())
            .then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
    };
    let time = two(h1, h2)? * 3_600 + two(m1, m2)? * 60 + two(s1, s2)?;
    Some((start, time))
}

/// The day that the bytes before a clock name, counted in months of 31 days (only steps between days matter), and where its name
/// begins.
fn day_of(before: &[u8]) -> Option<(i64, usize)> {
    let date = before.trim_ascii_end();
    let date = date.strip_suffix(b"T").unwrap_or(date);
    let number = |digits: &[u8]| {
        digits
            .iter()
            .try_fold(0_i64, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
    };
    if let Some([year @ .., b'-' | b'/', m1, m2, b'-' | b'/', d1, d2]) =
        date.len().checked_sub(10).and_then(|at| date.get(at..))
    {
        let day = (number(year)? * 12 + number(&[*m1, *m2])?) * 31 + number(&[*d1, *d2])?;
        return Some((day, date.len() - 10));
    }
    let (month, day) = date.split_at_checked(date.iter().rposition(|byte| *byte == b' ')?)?;
    let month = month.trim_ascii_end();
    let from = month.len().checked_sub(3)?;
    let name = month.get(from..)?;
    let names: [&[u8]; 12] =
        [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    let month = i64::try_from(names.iter().position(|known| *known == name)?).ok()?;
    Some((month * 31 + number(day.trim_ascii())?, from))
}

#[cfg(test)]
mod tests {
    use recto_outline::{ContentType, Encoding, Fuel, outline_as};

    use super::*;

    #[test]
    fn times_of_several_kinds() {
        let day = 2 * HALF_A_DAY_S;
        for (before, after, step) in [
            (&b"2026-01-31T23:59:58.123Z INFO"[..], &b"2026-02-01T00:00:01Z INFO"[..], 3),
            (b"[2026/03/01 10:00:00] a", b"[2026/03/02 10:00:00] b", day),
            (b"Jan  2 03:04:05 host", b"Jan 12 03:04:06 host", 10 * day + 1),
            (b"12:00:00,123 x", b"13:00:00,123 x", 3_600),
        ] {
            let (before, after) = (Stamp::of(before).expect("a time"), Stamp::of(after).expect("a time"));
            assert_eq!(after.seconds - before.seconds, step);
        }
        assert!(Stamp::of(b"no time: here").is_none());
        assert!(Stamp::of(b"1:2").is_none());
        for (line, text) in [
            (&b"[2026-01-31T23:59:58.123Z] INFO"[..], &b"2026-01-31T23:59:58"[..]),
            (b"<6>Jan  2 03:04:05 host", b"Jan  2 03:04:05"),
            (b"I 12:00:00,123 x", b"12:00:00"),
        ] {
            assert_eq!(Stamp::of(line).expect("a time").text, text);
        }
    }

    #[test]
    fn the_largest_step_is_a_gap_where_the_others_are_even() {
        let mut log = String::new();
        for second in (0..40).map(|line| if line < 25 { line } else { line + 300 }) {
            log.push_str(&format!(
                "23:{:02}:{:02} INFO request {second} served\n",
                50 + second / 60,
                second % 60
            ));
        }
        let outline =
            outline_as(log.as_bytes(), Some(ContentType::Log), Encoding::Utf8, &mut Fuel::unlimited());
        let outline = outline.expect("an outline");
        let leaves = Leaves { shown: outline.each().map(|(id, _)| id).collect(), last: Vec::new() };
        let found = gap(&outline, &leaves).expect("a gap");
        assert!(outline.text(found[0]).ends_with(b"request 24 served"));
        assert!(outline.text(found[1]).ends_with(b"request 325 served"));
    }
}
