//! The one door to the time of day.
//!
//! Nothing else in the workspace's libraries reads a wall clock; tests put a [`ManualClock`] here.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tells the time of day.
pub trait Clock: Send + Sync {
    /// Gives the milliseconds since 1970-01-01 00:00 UTC.
    fn now_unix_ms(&self) -> u64;
}

/// Reads the machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the door that the ban points to")]
    fn now_unix_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// Shows the time it was set to.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// Starts at `unix_ms`.
    pub fn new(unix_ms: u64) -> Self {
        Self(AtomicU64::new(unix_ms))
    }

    /// Moves the time forward.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(u64::try_from(by.as_millis()).unwrap_or(u64::MAX), Ordering::SeqCst);
    }

    /// Sets the time, backwards too, as somebody may do to a machine's clock.
    pub fn set(&self, unix_ms: u64) {
        self.0.store(unix_ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_unix_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Prints the UTC date of a time, as in `2026-11-30`.
///
/// Howard Hinnant's `civil_from_days` (<https://howardhinnant.github.io/date_algorithms.html>), for days after 1970.
pub(crate) fn utc_date(unix_ms: u64) -> String {
    let days = unix_ms / 86_400_000 + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_796_040_000, "2026-11-30"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(utc_date(seconds * 1000), date);
        }
    }

    #[test]
    fn a_manual_clock_moves_only_when_told() {
        let clock = ManualClock::new(5);
        clock.advance(Duration::from_secs(2));
        assert_eq!(clock.now_unix_ms(), 2005);
        clock.set(7);
        assert_eq!(clock.now_unix_ms(), 7);
        assert!(SystemClock.now_unix_ms() > 1_700_000_000_000);
    }
}
