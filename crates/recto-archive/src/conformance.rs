//! The suite that every implementation of [`Archive`] has to pass.
//!
//! Each function takes a fresh, empty archive and panics where it breaks a law of the trait. An implementation writes
//! `recto_archive::conformance_tests!(make);` in its integration tests, with a function `make` that gives a [`Fixture`].
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test suite fails by panicking"
)]

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::ManualClock;
use crate::{Archive, Digest, Ref, Scope, Target, block_on};

pub mod leases;
pub mod logs;
pub mod names;
pub mod originals;
pub mod retention;
pub mod runs;
pub mod scopes;

/// A fresh archive and the clock it goes by.
pub struct Fixture {
    /// Empty at first.
    pub archive: Arc<dyn Archive>,
    /// The archive's clock, set to [`START_UNIX_MS`].
    pub clock: Arc<ManualClock>,
    /// What has to live as long as the archive: its folder, its server.
    pub keep: Box<dyn Any + Send + Sync>,
    /// Logs and leases go by a clock that nobody can set, as of a server: then the suite waits where time has to pass, a
    /// few seconds altogether, and leaves out what turns the clock back.
    pub is_server_clock: bool,
}

/// 2026-11-30 00:00 UTC.
pub const START_UNIX_MS: u64 = 20_787 * 86_400_000;

impl Fixture {
    /// Makes the clock and has `open` open the archive with it.
    pub fn new<K: Any + Send + Sync>(open: impl FnOnce(Arc<ManualClock>) -> (Arc<dyn Archive>, K)) -> Self {
        let clock = Arc::new(ManualClock::new(START_UNIX_MS));
        let (archive, keep) = open(Arc::clone(&clock));
        Self { archive, clock, keep: Box::new(keep), is_server_clock: false }
    }

    /// Says that logs and leases go by a clock that nobody can set.
    #[must_use]
    pub fn with_server_clock(mut self) -> Self {
        self.is_server_clock = true;
        self
    }

    /// Lets time pass for logs and leases, by whichever clock they go.
    fn let_pass(&self, seconds: u64) {
        let time = Duration::from_secs(seconds);
        self.clock.advance(time);
        if self.is_server_clock {
            std::thread::sleep(time);
        }
    }

    /// Lets time pass for retention.
    fn let_days_pass(&self, days: u32) {
        self.clock.advance(Duration::from_secs(86_400) * days);
    }

    fn turnable_clock(&self) -> Option<&ManualClock> {
        (!self.is_server_clock).then_some(&self.clock)
    }

    fn put(&self, bytes: &[u8]) -> Digest {
        block_on(self.archive.put(&Scope::local(), bytes)).expect("put")
    }

    fn get(&self, digest: &Digest) -> Result<Vec<u8>, crate::ArchiveError> {
        block_on(self.archive.get(&Scope::local(), digest, 0..u64::MAX))
    }

    fn issue(&self, target: &Target) -> Ref {
        block_on(self.archive.issue(&Scope::local(), target)).expect("issue")
    }

    fn resolve(&self, name: &Ref) -> Option<Target> {
        block_on(self.archive.resolve(&Scope::local(), name)).expect("resolve")
    }

    fn view(&self, original: &[u8], policy: &str, map: &[u8]) -> Target {
        let original = self.put(original);
        let map = block_on(self.archive.put_map(&Scope::local(), map)).expect("put_map");
        Target::View { original, policy: Digest::of(policy.as_bytes()), map }
    }
}

/// Gives bytes that look random and are the same every time (xorshift64, Marsaglia 2003).
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Gives lines as a log has them, which compress as a log does.
pub fn log_lines(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + 100);
    let mut line = seed;
    while bytes.len() < length {
        line += 1;
        let text = format!(
            "2026-11-30T00:00:{:02}Z INFO request={line} status={} path=/items/{}\n",
            line % 60,
            200 + line % 5,
            line * 7 % 1013
        );
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Makes one `#[test]` of each function of the suite; the argument is a function that gives a [`Fixture`].
#[macro_export]
macro_rules! conformance_tests {
    ($make:ident) => {
        $crate::conformance_tests! { $make;
            originals {
                putting_again_changes_nothing, what_was_never_put_is_not_found, ranges_are_slices,
                an_empty_original_is_an_original, a_large_original_comes_back, bytes_put_as_both_kinds_are_an_original,
                originals_are_listed_page_by_page, everything_verifies, threads_lose_nothing
            }
            names {
                a_name_is_known_beforehand, issuing_again_gives_the_same_name, a_name_needs_its_original_and_map,
                a_collision_takes_three_digits, a_reserved_name_takes_its_second_map, later_maps_change_nothing,
                names_are_found_by_their_beginning, names_are_listed_page_by_page
            }
            scopes {
                another_scope_sees_nothing, equal_bytes_are_stored_once, names_collide_only_within_a_scope,
                runs_belong_to_their_scope
            }
            runs {
                a_finished_run_is_an_original, flushed_bytes_can_be_read, an_abandoned_run_is_adopted,
                adopting_is_idempotent_and_safe, a_live_run_is_left_alone, small_flushes_and_long_writes_tile,
                an_empty_run_is_an_empty_original, a_run_of_known_bytes_is_stored_once
            }
            retention {
                without_rules_nothing_goes, age_leaves_word_and_putting_restores, a_dry_run_removes_nothing,
                reading_keeps_an_original, size_removes_the_longest_unused, a_recent_put_stays, live_runs_stay,
                another_scopes_removal_is_not_felt,
                what_was_just_put_is_never_missed
            }
            logs {
                events_come_back_in_order, a_conflict_says_where_the_log_ends, a_batch_is_all_or_nothing,
                large_events_come_back, logs_are_listed_page_by_page, logs_belong_to_their_scope,
                what_a_log_keeps_stays, a_removed_log_is_gone, concurrent_appenders_lose_and_double_nothing
            }
            leases {
                a_live_lease_is_held, a_lease_runs_out, a_lease_that_nobody_took_can_be_renewed,
                a_released_lease_is_free, a_stale_fence_is_refused, without_a_lease_one_waits_for_those_that_live,
                leases_belong_to_their_scope, leases_have_bounds, a_clock_turned_back_gives_no_lease_to_two,
                one_of_many_is_granted_it
            }
        }
    };
    ($make:ident; $($module:ident { $($test:ident),* $(,)? })*) => {
        $(mod $module {
            $(#[test]
            fn $test() {
                $crate::conformance::$module::$test(&super::$make());
            })*
        })*
    };
}
