//! Leases: one holder at a time, and none that comes too late can write.

use super::Fixture;
use crate::{ArchiveError, Lease, LogId, MAX_LEASE_SECONDS, Scope, block_on};

fn log() -> LogId {
    LogId::new("session/1").unwrap()
}

impl Fixture {
    fn lease(&self, seconds: u32) -> Result<Lease, ArchiveError> {
        block_on(self.archive.lease(&Scope::local(), &log(), seconds))
    }

    fn append_with(&self, fence: Option<u64>, expected: u64) -> Result<u64, ArchiveError> {
        block_on(self.archive.append(&Scope::local(), &log(), expected, fence, &[b"event"], &[]))
    }
}

/// While a lease lives nobody else is granted it; renewed, it lives on.
pub fn a_live_lease_is_held(fixture: &Fixture) {
    let (archive, scope) = (&fixture.archive, Scope::local());
    let lease = fixture.lease(3600).unwrap();
    assert!(lease.fence > 0 && lease.name == log());
    match fixture.lease(1) {
        Err(ArchiveError::LeaseHeld { name, until_unix_ms }) => {
            assert_eq!((name, until_unix_ms), (log(), lease.until_unix_ms));
        }
        other => panic!("{other:?}"),
    }
    fixture.let_pass(1);
    let renewed = block_on(archive.renew(&scope, &log(), lease.fence, 3600)).unwrap();
    assert_eq!(renewed.fence, lease.fence);
    assert!(renewed.until_unix_ms >= lease.until_unix_ms + 1000, "{renewed:?}");
    assert!(matches!(fixture.lease(1), Err(ArchiveError::LeaseHeld { .. })));
    // Another name is another lease.
    assert!(block_on(archive.lease(&scope, &LogId::new("session/2").unwrap(), 1)).is_ok());
}

/// A lease runs out by the archive's clock; the next one has a higher fence.
pub fn a_lease_runs_out(fixture: &Fixture) {
    let (archive, scope) = (&fixture.archive, Scope::local());
    let first = fixture.lease(2).unwrap();
    fixture.let_pass(3);
    let second = fixture.lease(3600).unwrap();
    assert!(second.fence > first.fence);
    let renewed = block_on(archive.renew(&scope, &log(), first.fence, 3600));
    assert!(matches!(renewed, Err(ArchiveError::LeaseLost { .. })), "{renewed:?}");
    let released = block_on(archive.release(&scope, &log(), first.fence));
    assert!(matches!(released, Err(ArchiveError::LeaseLost { .. })), "{released:?}");
    assert!(
        matches!(fixture.lease(1), Err(ArchiveError::LeaseHeld { .. })),
        "it was not the first's to release"
    );
}

/// One that has run out goes on if nobody was granted the next.
pub fn a_lease_that_nobody_took_can_be_renewed(fixture: &Fixture) {
    let (archive, scope) = (&fixture.archive, Scope::local());
    let lease = fixture.lease(1).unwrap();
    fixture.let_pass(2);
    assert_eq!(fixture.append_with(Some(lease.fence), 0).unwrap(), 1);
    block_on(archive.renew(&scope, &log(), lease.fence, 3600)).unwrap();
    assert!(matches!(fixture.lease(1), Err(ArchiveError::LeaseHeld { .. })));
    assert_eq!(fixture.append_with(Some(lease.fence), 1).unwrap(), 2);
}

/// A lease that was released can be had at once, with a higher fence, and cannot be renewed.
pub fn a_released_lease_is_free(fixture: &Fixture) {
    let (archive, scope) = (&fixture.archive, Scope::local());
    let first = fixture.lease(3600).unwrap();
    for _ in 0..2 {
        block_on(archive.release(&scope, &log(), first.fence)).unwrap();
    }
    assert!(block_on(archive.renew(&scope, &log(), first.fence, 9)).is_err());
    assert_eq!(fixture.append_with(None, 0).unwrap(), 1);
    let second = fixture.lease(3600).unwrap();
    assert!(second.fence > first.fence);
    let released = block_on(archive.release(&scope, &log(), first.fence));
    assert!(matches!(released, Err(ArchiveError::LeaseLost { .. })), "{released:?}");
}

/// After a takeover the earlier holder cannot append, not even where the log ends.
pub fn a_stale_fence_is_refused(fixture: &Fixture) {
    let first = fixture.lease(1).unwrap();
    assert_eq!(fixture.append_with(Some(first.fence), 0).unwrap(), 1);
    fixture.let_pass(2);
    // Nobody has been granted the next one yet.
    assert_eq!(fixture.append_with(Some(first.fence), 1).unwrap(), 2);
    let second = fixture.lease(1).unwrap();
    for expected in [0, 2] {
        match fixture.append_with(Some(first.fence), expected) {
            Err(ArchiveError::StaleFence { log: which, fence, newest }) => {
                assert_eq!((which, fence, newest), (log(), first.fence, second.fence));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fixture.append_with(Some(second.fence), 2).unwrap(), 3);
    fixture.let_pass(2);
    let stale = fixture.append_with(Some(first.fence), 3);
    assert!(matches!(stale, Err(ArchiveError::StaleFence { .. })), "for ever: {stale:?}");
}

/// Whoever holds no lease may append while none lives; a fence that was never granted is none.
pub fn without_a_lease_one_waits_for_those_that_live(fixture: &Fixture) {
    assert_eq!(fixture.append_with(None, 0).unwrap(), 1);
    for fence in [0, 1, u64::MAX] {
        let refused = fixture.append_with(Some(fence), 1);
        assert!(matches!(refused, Err(ArchiveError::StaleFence { newest: 0, .. })), "{refused:?}");
    }
    let lease = fixture.lease(2).unwrap();
    match fixture.append_with(None, 1) {
        Err(ArchiveError::LeaseHeld { until_unix_ms, .. }) => assert_eq!(until_unix_ms, lease.until_unix_ms),
        other => panic!("{other:?}"),
    }
    // The fence is looked at before the number is.
    assert!(matches!(fixture.append_with(None, 7), Err(ArchiveError::LeaseHeld { .. })));
    let beyond = fixture.append_with(Some(lease.fence + 1), 1);
    assert!(matches!(beyond, Err(ArchiveError::StaleFence { .. })), "{beyond:?}");
    // Other logs are not guarded by it.
    let other = LogId::new("other").unwrap();
    block_on(fixture.archive.append(&Scope::local(), &other, 0, None, &[b"a"], &[])).unwrap();
    fixture.let_pass(3);
    assert_eq!(fixture.append_with(None, 1).unwrap(), 2);
    assert_eq!(fixture.append_with(Some(lease.fence), 2).unwrap(), 3);
}

/// A scope's leases are its own.
pub fn leases_belong_to_their_scope(fixture: &Fixture) {
    let (archive, other) = (&fixture.archive, Scope::new("somebody else").unwrap());
    for _ in 0..3 {
        let lease = fixture.lease(3600).unwrap();
        block_on(archive.release(&Scope::local(), &log(), lease.fence)).unwrap();
    }
    let mine = fixture.lease(3600).unwrap();
    let theirs = block_on(archive.lease(&other, &log(), 3600)).unwrap();
    assert!(theirs.fence < mine.fence, "its fences tell nothing of others'");
    let lost = block_on(archive.renew(&other, &log(), mine.fence, 9));
    assert!(matches!(lost, Err(ArchiveError::LeaseLost { .. })), "{lost:?}");
    block_on(archive.append(&other, &log(), 0, Some(theirs.fence), &[b"a"], &[])).unwrap();
    assert_eq!(fixture.append_with(Some(mine.fence), 0).unwrap(), 1);
}

/// A lease lasts from a second to a day.
pub fn leases_have_bounds(fixture: &Fixture) {
    for seconds in [0, MAX_LEASE_SECONDS + 1, u32::MAX] {
        let refused = fixture.lease(seconds);
        assert!(matches!(refused, Err(ArchiveError::OutOfBounds { .. })), "{refused:?}");
    }
    let lease = fixture.lease(MAX_LEASE_SECONDS).unwrap();
    let renewed = block_on(fixture.archive.renew(&Scope::local(), &log(), lease.fence, 0));
    assert!(matches!(renewed, Err(ArchiveError::OutOfBounds { .. })), "{renewed:?}");
}

/// A clock that is turned back or leaps gives no lease to two, and no fence twice.
pub fn a_clock_turned_back_gives_no_lease_to_two(fixture: &Fixture) {
    let Some(clock) = fixture.turnable_clock() else { return };
    let first = fixture.lease(60).unwrap();
    let mut newest = first.fence;
    for before_ms in [1, 60_000, super::START_UNIX_MS] {
        clock.set(super::START_UNIX_MS - before_ms);
        assert!(matches!(fixture.lease(60), Err(ArchiveError::LeaseHeld { .. })), "{before_ms}");
        assert!(fixture.append_with(None, 0).is_err());
    }
    // It leaps, somebody takes the lease, and it is put right again.
    clock.set(super::START_UNIX_MS + 100_000_000);
    let second = fixture.lease(60).unwrap();
    assert!(second.fence > newest);
    newest = second.fence;
    clock.set(super::START_UNIX_MS + 1000);
    assert!(matches!(fixture.lease(60), Err(ArchiveError::LeaseHeld { .. })));
    assert!(matches!(fixture.append_with(Some(first.fence), 0), Err(ArchiveError::StaleFence { .. })));
    // Its holder can have it run by the right time.
    let scope = Scope::local();
    let renewed = block_on(fixture.archive.renew(&scope, &log(), newest, 60)).unwrap();
    assert_eq!(renewed.until_unix_ms, super::START_UNIX_MS + 61_000);
    clock.set(super::START_UNIX_MS + 61_000);
    assert!(fixture.lease(60).unwrap().fence > newest);
}

/// Of many who ask at once one is granted it, turn by turn, and their fences rise.
pub fn one_of_many_is_granted_it(fixture: &Fixture) {
    let archive = &fixture.archive;
    let mut newest = 0;
    for _ in 0..5 {
        let granted: Vec<Lease> = std::thread::scope(|threads| {
            let askers: Vec<_> = (0..8)
                .map(|_| threads.spawn(|| block_on(archive.lease(&Scope::local(), &log(), 3600))))
                .collect();
            askers.into_iter().filter_map(|asker| asker.join().unwrap().ok()).collect()
        });
        let [lease] = granted.as_slice() else { panic!("{granted:?}") };
        assert!(lease.fence > newest);
        newest = lease.fence;
        block_on(archive.release(&Scope::local(), &log(), newest)).unwrap();
    }
}
