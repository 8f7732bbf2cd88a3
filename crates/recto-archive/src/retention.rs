use std::collections::BTreeMap;
use std::time::Duration;

use crate::clock::utc_date;
use crate::{Digest, Kind, RunId, Scope};

/// What was put within this time is never removed: its ref may be on its way to a reader.
pub const GRACE: Duration = Duration::from_secs(600);

/// A use is written down if the one on record is older than this.
pub(crate) const USED_STEP_MS: u64 = 3_600_000;
/// Likewise for a put; added to the grace, as a put may be that much later than the record says.
pub(crate) const PUT_STEP_MS: u64 = 300_000;
/// How long the digest of a finished run is kept for those who adopt it late.
pub(crate) const FINISHED_RUN_MS: u64 = 7 * 86_400_000;

/// Rules by which originals are removed; with none, nothing is.
///
/// What is removed goes whole, the one used longest ago first; "used" is put, issued or read, to within an hour. A name
/// that was issued for it answers [`Target::Gone`](crate::Target::Gone) from then on, and works again when the same
/// bytes are put again. Nothing goes that was put within [`GRACE`], nothing that a log keeps
/// ([`Archive::append`](crate::Archive::append)), and no run whose writer lives. Logs are not removed by rules, and their events are
/// not counted.
///
/// ```
/// use std::time::Duration;
/// use recto_archive::Retention;
/// let rules = Retention { max_age: Some(Duration::from_secs(30 * 86_400)), ..Retention::default() };
/// assert!(rules.max_bytes.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Removes what was not used for this long; also runs that were abandoned that long ago.
    pub max_age: Option<Duration>,
    /// Removes until what is stored takes at most this many bytes, compressed.
    pub max_bytes: Option<u64>,
    /// Originals that stay whatever the rules say.
    pub keep: Vec<Digest>,
    /// Removes span maps by the same rules. They are small and kept otherwise, since a name whose original comes back
    /// needs its map.
    pub remove_maps: bool,
}

/// Says what was removed, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GcReport {
    /// Nothing was removed: this is what would be.
    pub dry_run: bool,
    /// What went, in the order in which it went.
    pub removed: Vec<Removed>,
    /// Abandoned runs that went.
    pub removed_runs: Vec<RunId>,
    /// What was stored for them, compressed.
    pub freed_bytes: u64,
    /// What is still stored, compressed.
    pub kept_bytes: u64,
}

/// One scope's original that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// Whose it was.
    pub scope: Scope,
    /// Which.
    pub digest: Digest,
    /// Its length.
    pub bytes: u64,
    /// When it was last used, to within an hour.
    pub used_unix_ms: u64,
    /// What its refs answer from now on.
    pub why: String,
}

/// What one scope holds, as the rules see it.
#[derive(Clone, Debug)]
pub(crate) struct Holding {
    pub(crate) scope: Scope,
    pub(crate) digest: Digest,
    pub(crate) kind: Kind,
    pub(crate) put_unix_ms: u64,
    pub(crate) used_unix_ms: u64,
    pub(crate) bytes: u64,
    pub(crate) stored_bytes: u64,
    /// One of the scope's logs keeps it.
    pub(crate) is_kept: bool,
}

/// Chooses what goes: by age holding by holding, then by size all holdings of the same bytes together.
pub(crate) fn choose(rules: &Retention, now_unix_ms: u64, holdings: Vec<Holding>) -> GcReport {
    let grace_ms = millis(GRACE).saturating_add(PUT_STEP_MS);
    let mut by_digest: BTreeMap<Digest, Vec<Holding>> = BTreeMap::new();
    let mut kept_bytes: u64 = 0;
    for holding in holdings {
        let of_digest = by_digest.entry(holding.digest).or_default();
        if of_digest.is_empty() {
            kept_bytes = kept_bytes.saturating_add(holding.stored_bytes);
        }
        of_digest.push(holding);
    }

    // The same bytes are spared for all who hold them while one of them has put them just now: no scope's answers
    // then depend on when exactly another's put met the removal.
    by_digest.retain(|digest, held| {
        let last_put = held.iter().map(|holding| holding.put_unix_ms).max().unwrap_or(0);
        let is_map = held.iter().all(|holding| holding.kind == Kind::Map);
        now_unix_ms.saturating_sub(last_put) > grace_ms
            && !rules.keep.contains(digest)
            && (rules.remove_maps || !is_map)
    });

    let mut report = GcReport::default();
    if let Some(max_age) = rules.max_age {
        let why = reason(now_unix_ms, &format!("max-age {}", short(max_age)));
        let mut old = Vec::new();
        for held in by_digest.values_mut() {
            let too_old = |holding: &mut Holding| {
                !holding.is_kept && now_unix_ms.saturating_sub(holding.used_unix_ms) > millis(max_age)
            };
            let gone: Vec<Holding> = held.extract_if(.., too_old).collect();
            if let (true, Some(last)) = (held.is_empty(), gone.first()) {
                report.freed_bytes = report.freed_bytes.saturating_add(last.stored_bytes);
            }
            old.extend(gone);
        }
        by_digest.retain(|_, held| !held.is_empty());
        old.sort_by(|a, b| (a.used_unix_ms, a.digest, &a.scope).cmp(&(b.used_unix_ms, b.digest, &b.scope)));
        report.removed.extend(old.into_iter().map(|holding| removed(holding, &why)));
    }
    kept_bytes = kept_bytes.saturating_sub(report.freed_bytes);

    if let Some(max_bytes) = rules.max_bytes {
        let why = reason(now_unix_ms, &format!("max-bytes {max_bytes}"));
        let last_used =
            |held: &Vec<Holding>| held.iter().map(|holding| holding.used_unix_ms).max().unwrap_or(0);
        // What one scope's log keeps gives no room, whoever else lets it go.
        by_digest.retain(|_, held| !held.iter().any(|holding| holding.is_kept));
        let mut oldest_first: Vec<Vec<Holding>> = by_digest.into_values().collect();
        oldest_first.sort_by_key(last_used);
        for held in oldest_first {
            if kept_bytes <= max_bytes {
                break;
            }
            let stored_bytes = held.first().map_or(0, |holding| holding.stored_bytes);
            report.freed_bytes = report.freed_bytes.saturating_add(stored_bytes);
            kept_bytes = kept_bytes.saturating_sub(stored_bytes);
            report.removed.extend(held.into_iter().map(|holding| removed(holding, &why)));
        }
    }
    report.kept_bytes = kept_bytes;
    report
}

/// Tells whether the rules remove a run that was abandoned at this time.
pub(crate) fn removes_run(rules: &Retention, now_unix_ms: u64, updated_unix_ms: u64) -> bool {
    let idle_ms = now_unix_ms.saturating_sub(updated_unix_ms);
    rules.max_age.is_some_and(|max_age| idle_ms > millis(max_age) && idle_ms > millis(GRACE))
}

/// Words why a log is gone.
pub(crate) fn log_reason(now_unix_ms: u64) -> String {
    format!("removed on {} by its owner", utc_date(now_unix_ms))
}

/// Words why a run is gone.
pub(crate) fn run_reason(rules: &Retention, now_unix_ms: u64) -> String {
    reason(now_unix_ms, &format!("max-age {}", short(rules.max_age.unwrap_or_default())))
}

fn removed(holding: Holding, why: &str) -> Removed {
    let Holding { scope, digest, bytes, used_unix_ms, .. } = holding;
    Removed { scope, digest, bytes, used_unix_ms, why: why.to_owned() }
}

fn reason(now_unix_ms: u64, rule: &str) -> String {
    format!("removed on {} by rule {rule}", utc_date(now_unix_ms))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Prints a duration in the largest unit that divides it, as in `30d`.
fn short(duration: Duration) -> String {
    let seconds = duration.as_secs();
    [(86_400, 'd'), (3_600, 'h'), (60, 'm')]
        .into_iter()
        .find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit))
        .map_or_else(|| format!("{seconds}s"), |(unit, letter)| format!("{}{letter}", seconds / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: u64 = 86_400_000;
    const NOW: u64 = 20_787 * DAY_MS;

    fn holding(scope: &str, name: &str, used_days_ago: u64, stored_bytes: u64) -> Holding {
        Holding {
            scope: Scope::new(scope).unwrap(),
            digest: Digest::of(name.as_bytes()),
            kind: Kind::Original,
            put_unix_ms: NOW - 100 * DAY_MS,
            used_unix_ms: NOW - used_days_ago * DAY_MS,
            bytes: stored_bytes * 7,
            stored_bytes,
            is_kept: false,
        }
    }

    fn days(days: u64) -> Option<Duration> {
        Some(Duration::from_secs(days * 86_400))
    }

    #[test]
    fn nothing_goes_without_rules() {
        let report = choose(&Retention::default(), NOW, vec![holding("a", "x", 99, 5)]);
        assert_eq!((report.removed.len(), report.freed_bytes, report.kept_bytes), (0, 0, 5));
    }

    #[test]
    fn age_is_each_scopes_own_and_bytes_go_with_the_last() {
        let rules = Retention { max_age: days(30), ..Retention::default() };
        let held = vec![holding("a", "x", 40, 5), holding("b", "x", 3, 5), holding("a", "y", 50, 7)];
        let report = choose(&rules, NOW, held);
        let gone: Vec<_> = report.removed.iter().map(|r| (r.scope.as_str(), r.digest)).collect();
        assert_eq!(gone, [("a", Digest::of(b"y")), ("a", Digest::of(b"x"))]);
        assert_eq!((report.freed_bytes, report.kept_bytes), (7, 5));
        assert_eq!(report.removed[0].why, "removed on 2026-11-30 by rule max-age 30d");
    }

    #[test]
    fn size_takes_the_longest_unused_first_and_spares_kept_maps_and_recent_puts() {
        let mut map = holding("a", "map", 99, 5);
        map.kind = Kind::Map;
        let mut recent = holding("a", "recent", 98, 5);
        recent.put_unix_ms = NOW - millis(GRACE);
        let held = vec![
            map.clone(),
            recent,
            holding("a", "pinned", 97, 5),
            holding("a", "new", 1, 5),
            holding("b", "old", 40, 5),
            holding("a", "older", 50, 5),
        ];
        let rules =
            Retention { max_bytes: Some(21), keep: vec![Digest::of(b"pinned")], ..Retention::default() };
        let report = choose(&rules, NOW, held.clone());
        let gone: Vec<_> = report.removed.iter().map(|removed| removed.digest).collect();
        assert_eq!(gone, [Digest::of(b"older"), Digest::of(b"old")]);
        assert_eq!((report.freed_bytes, report.kept_bytes), (10, 20));
        let all = Retention { max_bytes: Some(0), remove_maps: true, ..rules };
        assert_eq!(choose(&all, NOW, held).removed[0].digest, map.digest);
    }

    #[test]
    fn what_a_log_keeps_stays_and_others_age_goes_on() {
        let mut kept = holding("a", "x", 40, 5);
        kept.is_kept = true;
        let held = vec![kept, holding("b", "x", 40, 5), holding("a", "y", 40, 7)];
        let by_age = Retention { max_age: days(30), ..Retention::default() };
        let report = choose(&by_age, NOW, held.clone());
        let gone: Vec<_> = report.removed.iter().map(|r| (r.scope.as_str(), r.digest)).collect();
        let (x, y) = (Digest::of(b"x"), Digest::of(b"y"));
        assert_eq!(gone, if x < y { [("b", x), ("a", y)] } else { [("a", y), ("b", x)] });
        assert_eq!((report.freed_bytes, report.kept_bytes), (7, 5));
        let by_size = Retention { max_bytes: Some(0), ..Retention::default() };
        let report = choose(&by_size, NOW, held);
        assert_eq!(report.removed.iter().map(|r| r.digest).collect::<Vec<_>>(), [y]);
        assert_eq!((report.freed_bytes, report.kept_bytes), (7, 5));
    }

    #[test]
    fn durations_print_short() {
        for (seconds, text) in
            [(0, "0s"), (59, "59s"), (3_600, "1h"), (90_000, "25h"), (172_800, "2d"), (60, "1m")]
        {
            assert_eq!(short(Duration::from_secs(seconds)), text);
        }
    }
}
