//! Durations and sizes as people write them.

use std::time::Duration;

const SECONDS: [(&str, u64); 4] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];
const BYTES: [(&str, u64); 7] = [
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1_000),
    ("B", 1),
];

/// Reads a duration such as `90s`, `15m`, `12h`, `30d`; a number alone is seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no duration: write a number and s, m, h or d, such as 30s or 30d");
    let (number, unit) = parts(text).ok_or_else(wrong)?;
    let seconds = match unit {
        "ms" => return Ok(Duration::from_millis(number)),
        "" => Some(1),
        unit => SECONDS.iter().find(|(name, _)| *name == unit).map(|(_, seconds)| *seconds),
    };
    let seconds = seconds.and_then(|seconds| number.checked_mul(seconds));
    seconds.map(Duration::from_secs).ok_or_else(wrong)
}

/// Reads a size such as `5000000`, `500kB`, `5GB`, `2GiB`; a number alone is bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("{text:?} is no size: write a number and B, kB, MB, GB, KiB, MiB or GiB, such as 5GB");
    let (number, unit) = parts(text).ok_or_else(wrong)?;
    let size = match unit {
        "" => Some(1),
        unit => BYTES.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).map(|(_, size)| *size),
    };
    size.and_then(|size| number.checked_mul(size)).ok_or_else(wrong)
}

/// Writes a duration so that [`duration`] reads it back.
pub(crate) fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if duration.subsec_millis() > 0 {
        return format!("{}ms", duration.as_millis());
    }
    exact(seconds, &SECONDS).unwrap_or_else(|| format!("{seconds}s"))
}

/// Writes a size so that [`bytes`] reads it back.
pub(crate) fn bytes_text(bytes: u64) -> String {
    exact(bytes, &BYTES).unwrap_or_else(|| format!("{bytes}B"))
}

/// In the largest unit of which it is a whole number.
fn exact(number: u64, units: &[(&str, u64)]) -> Option<String> {
    units
        .iter()
        .find(|(_, size)| number > 0 && number.is_multiple_of(*size))
        .map(|(unit, size)| format!("{}{unit}", number / size))
}

fn parts(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let split = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    Some((number.parse().ok()?, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read() {
        assert_eq!(duration("30d"), Ok(Duration::from_secs(2_592_000)));
        assert_eq!(duration("1500ms"), Ok(Duration::from_millis(1_500)));
        assert_eq!(duration(" 7 "), Ok(Duration::from_secs(7)));
        assert_eq!(bytes("5GB"), Ok(5_000_000_000));
        assert_eq!(bytes("2 MiB"), Ok(2 << 20));
        assert_eq!(bytes("12"), Ok(12));
        for wrong in ["soon", "", "-1s", "1.5h", "99999999999999999d", "5 weeks"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        for wrong in ["5 parsecs", "", "-1", "1.5GB", "99999999999999GB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for seconds in [0, 1, 59, 60, 90, 3_600, 86_400, 2_592_000, 2_592_001] {
            let duration = Duration::from_secs(seconds);
            assert_eq!(super::duration(&duration_text(duration)), Ok(duration));
        }
        for size in [0, 1, 1_000, 1_024, 999_999, 5_000_000_000, 1 << 30] {
            assert_eq!(bytes(&bytes_text(size)), Ok(size));
        }
        assert_eq!(duration_text(Duration::from_secs(2_592_000)), "30d");
        assert_eq!(bytes_text(5_000_000_000), "5GB");
    }
}
