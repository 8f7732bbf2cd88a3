//! Signals that whoever started recto wants ignored: `nohup` does so with SIGHUP, a shell with the SIGINT of what it runs behind.

/// Tells whether a signal was being ignored when recto was started. Asked after a handler was set, it says no.
///
/// Only Linux says so without foreign calls; elsewhere the answer is no.
pub(crate) fn is_ignored(signal: i32) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| mask_has(&status, signal))
}

fn mask_has(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let bit = u32::try_from(signal - 1).ok().and_then(|shift| 1_u64.checked_shl(shift));
    bit.is_some_and(|bit| mask & bit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_is_read_by_signal() {
        let status = "Name:\trecto\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\n";
        assert!(mask_has(status, 1) && mask_has(status, 13));
        for other in [-1, 0, 2, 12, 15, 64, 65, 1_000] {
            assert!(!mask_has(status, other), "{other}");
        }
        assert!(!mask_has("", 1) && !mask_has("SigIgn: what\n", 1));
    }
}
