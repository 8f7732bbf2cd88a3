//! Who may hold a lease, and who may append: the one law that all stores share.

use crate::{ArchiveError, LogId};

/// Longest that a lease runs without being renewed.
pub const MAX_LEASE_SECONDS: u32 = 86_400;

/// A lease that was granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What it is for.
    pub name: LogId,
    /// Higher than that of every lease of this name that was granted before.
    pub fence: u64,
    /// When it runs out, by the archive's clock. A holder counts its seconds from before it asked, by its own clock.
    pub until_unix_ms: u64,
}

/// What a store keeps of a name's newest lease, for ever: else a fence could be granted twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) fence: u64,
    /// 0 once it was released.
    pub(crate) until_unix_ms: u64,
}

impl Standing {
    /// Time that goes backwards only makes a lease live longer.
    fn is_live(self, now_unix_ms: u64) -> bool {
        now_unix_ms < self.until_unix_ms
    }

    pub(crate) fn lease(self, name: &LogId) -> Lease {
        Lease { name: name.clone(), fence: self.fence, until_unix_ms: self.until_unix_ms }
    }
}

/// Grants a lease unless one lives.
pub(crate) fn grant(
    name: &LogId,
    newest: Option<Standing>,
    now_unix_ms: u64,
    seconds: u32,
) -> Result<Standing, ArchiveError> {
    let until_unix_ms = end(name, now_unix_ms, seconds)?;
    match newest {
        Some(newest) if newest.is_live(now_unix_ms) => Err(held(name, newest)),
        newest => Ok(Standing { fence: newest.map_or(0, |newest| newest.fence) + 1, until_unix_ms }),
    }
}

/// Lets a lease run anew from now, also when it has run out and nobody else was granted it meanwhile.
pub(crate) fn renew(
    name: &LogId,
    newest: Option<Standing>,
    fence: u64,
    now_unix_ms: u64,
    seconds: u32,
) -> Result<Standing, ArchiveError> {
    let until_unix_ms = end(name, now_unix_ms, seconds)?;
    match newest {
        Some(newest) if newest.fence == fence && newest.until_unix_ms > 0 => {
            Ok(Standing { fence, until_unix_ms })
        }
        _ => Err(ArchiveError::LeaseLost { name: name.clone(), fence }),
    }
}

/// Ends a lease; again, and nothing happens.
pub(crate) fn release(name: &LogId, newest: Option<Standing>, fence: u64) -> Result<Standing, ArchiveError> {
    match newest {
        Some(newest) if newest.fence == fence => Ok(Standing { fence, until_unix_ms: 0 }),
        _ => Err(ArchiveError::LeaseLost { name: name.clone(), fence }),
    }
}

/// Checks that whoever passes this fence may append to the log of this name.
pub(crate) fn admit(
    name: &LogId,
    newest: Option<Standing>,
    fence: Option<u64>,
    now_unix_ms: u64,
) -> Result<(), ArchiveError> {
    match (fence, newest) {
        (None, Some(newest)) if newest.is_live(now_unix_ms) => Err(held(name, newest)),
        (None, _) => Ok(()),
        (Some(fence), newest) => {
            let newest = newest.map_or(0, |newest| newest.fence);
            if fence == newest && fence > 0 {
                return Ok(());
            }
            Err(ArchiveError::StaleFence { log: name.clone(), fence, newest })
        }
    }
}

fn held(name: &LogId, newest: Standing) -> ArchiveError {
    ArchiveError::LeaseHeld { name: name.clone(), until_unix_ms: newest.until_unix_ms }
}

fn end(name: &LogId, now_unix_ms: u64, seconds: u32) -> Result<u64, ArchiveError> {
    if (1..=MAX_LEASE_SECONDS).contains(&seconds) {
        return Ok(now_unix_ms.saturating_add(u64::from(seconds) * 1000));
    }
    let (found, most) = (u64::from(seconds), u64::from(MAX_LEASE_SECONDS));
    Err(ArchiveError::OutOfBounds { what: format!("seconds of a lease of {name}"), found, least: 1, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> LogId {
        LogId::new("log").unwrap()
    }

    #[test]
    fn a_live_lease_is_not_granted_again() {
        let first = grant(&name(), None, 1000, 2).unwrap();
        assert_eq!(first, Standing { fence: 1, until_unix_ms: 3000 });
        // Earlier than the grant: the clock was turned back.
        for now in [0, 999, 1000, 2999] {
            let second = grant(&name(), Some(first), now, 2);
            assert!(matches!(second, Err(ArchiveError::LeaseHeld { until_unix_ms: 3000, .. })), "{now}");
        }
        let second = grant(&name(), Some(first), 3000, 2).unwrap();
        assert_eq!(second, Standing { fence: 2, until_unix_ms: 5000 });
        assert!(renew(&name(), Some(second), 1, 3000, 2).is_err());
        assert!(release(&name(), Some(second), 1).is_err());
    }

    #[test]
    fn a_lease_that_nobody_else_took_can_be_renewed_until_it_is_released() {
        let first = grant(&name(), None, 1000, 2).unwrap();
        assert_eq!(renew(&name(), Some(first), 1, 9000, 5).unwrap().until_unix_ms, 14_000);
        let released = release(&name(), Some(first), 1).unwrap();
        assert_eq!(release(&name(), Some(released), 1).unwrap(), released);
        let lost = renew(&name(), Some(released), 1, 1000, 2);
        assert!(matches!(lost, Err(ArchiveError::LeaseLost { fence: 1, .. })));
        assert_eq!(grant(&name(), Some(released), 1000, 2).unwrap().fence, 2);
        assert!(renew(&name(), None, 0, 0, 1).is_err());
    }

    #[test]
    fn only_the_newest_fence_or_nobodys_is_admitted() {
        let newest = Some(Standing { fence: 7, until_unix_ms: 3000 });
        let ask = |newest, fence, now| admit(&name(), newest, fence, now);
        assert!(ask(None, None, 0).is_ok() && ask(newest, None, 3000).is_ok());
        assert!(ask(newest, Some(7), 0).is_ok() && ask(newest, Some(7), 9000).is_ok());
        assert!(matches!(ask(newest, None, 2999), Err(ArchiveError::LeaseHeld { .. })));
        for fence in [0, 6, 8] {
            let refused = ask(newest, Some(fence), 9000);
            assert!(matches!(refused, Err(ArchiveError::StaleFence { newest: 7, .. })), "{fence}");
        }
        assert!(ask(None, Some(0), 0).is_err() && ask(None, Some(1), 0).is_err());
    }

    #[test]
    fn terms_have_bounds() {
        for seconds in [0, MAX_LEASE_SECONDS + 1] {
            let refused = grant(&name(), None, 0, seconds);
            assert!(matches!(refused, Err(ArchiveError::OutOfBounds { .. })));
        }
        assert!(grant(&name(), None, u64::MAX, MAX_LEASE_SECONDS).is_ok());
    }
}
