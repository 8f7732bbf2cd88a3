use super::write::{number, padded};

const MILLIS_A_DAY: u64 = 86_400_000;
/// 2026-01-01T00:00:00Z in milliseconds since 1970.
const START_MILLIS: u64 = 1_767_225_600_000;

/// Made-up time for generated records: it starts at a fixed moment and only ever goes on.
pub(super) struct Clock {
    millis: u64,
}

impl Clock {
    pub(super) const fn new() -> Self {
        Self { millis: START_MILLIS }
    }

    pub(super) fn advance_millis(&mut self, millis: u64) {
        self.millis += millis;
    }

    /// Writes the time as RFC 3339 in UTC, to the second.
    pub(super) fn write_seconds(&self, out: &mut Vec<u8>) {
        self.write_date_and_time(out, b'T');
        out.push(b'Z');
    }

    /// Writes the time as RFC 3339 in UTC, to the millisecond.
    pub(super) fn write_millis(&self, out: &mut Vec<u8>) {
        self.write_date_and_time(out, b'T');
        out.push(b'.');
        padded(out, self.millis % 1_000, 3, b'0');
        out.push(b'Z');
    }

    /// Writes the time as syslog does: `Jan  1 00:00:00`.
    pub(super) fn write_syslog(&self, out: &mut Vec<u8>) {
        const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
        let (_, month, day) = civil_date(self.millis / MILLIS_A_DAY);
        let at = (month as usize - 1) * 3;
        out.extend_from_slice(&MONTHS[at..at + 3]);
        out.push(b' ');
        padded(out, day, 2, b' ');
        out.push(b' ');
        self.write_time(out);
    }

    fn write_date_and_time(&self, out: &mut Vec<u8>, between: u8) {
        let (year, month, day) = civil_date(self.millis / MILLIS_A_DAY);
        number(out, year);
        out.push(b'-');
        padded(out, month, 2, b'0');
        out.push(b'-');
        padded(out, day, 2, b'0');
        out.push(between);
        self.write_time(out);
    }

    fn write_time(&self, out: &mut Vec<u8>) {
        let seconds = self.millis % MILLIS_A_DAY / 1_000;
        padded(out, seconds / 3_600, 2, b'0');
        out.push(b':');
        padded(out, seconds / 60 % 60, 2, b'0');
        out.push(b':');
        padded(out, seconds % 60, 2, b'0');
    }
}

/// Year, month and day of a day number since 1970-01-01, by eras of 400 years with the year beginning in March (Howard
/// Hinnant, "chrono-Compatible Low-Level Date Algorithms").
const fn civil_date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::{Clock, civil_date};

    #[test]
    fn knows_the_calendar() {
        assert_eq!(civil_date(0), (1970, 1, 1));
        assert_eq!(civil_date(11_016), (2000, 2, 29));
        assert_eq!(civil_date(20_454), (2026, 1, 1));
        assert_eq!(civil_date(20_512), (2026, 2, 28));
        assert_eq!(civil_date(20_513), (2026, 3, 1));
    }

    #[test]
    fn writes_three_forms() {
        let mut clock = Clock::new();
        clock.advance_millis(31 * 86_400_000 + 3_723_004);
        let mut out = Vec::new();
        clock.write_seconds(&mut out);
        out.push(b'|');
        clock.write_millis(&mut out);
        out.push(b'|');
        clock.write_syslog(&mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "2026-02-01T01:02:03Z|2026-02-01T01:02:03.004Z|Feb  1 01:02:03"
        );
    }
}
