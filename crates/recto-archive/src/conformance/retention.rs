//! What is removed, what stays, and what is said of it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::{Fixture, noise};
use crate::clock::Clock;
use crate::{ArchiveError, Digest, GcReport, Retention, Scope, Target, block_on};

const DAY: Duration = Duration::from_secs(86_400);

fn max_age(days: u32) -> Retention {
    Retention { max_age: Some(DAY * days), ..Retention::default() }
}

fn gc(fixture: &Fixture, rules: &Retention) -> GcReport {
    block_on(fixture.archive.gc(rules, false)).unwrap()
}

/// Years alone remove nothing.
pub fn without_rules_nothing_goes(fixture: &Fixture) {
    let digest = fixture.put(b"old");
    fixture.clock.advance(DAY * 4000);
    assert_eq!(gc(fixture, &Retention::default()).removed, []);
    assert_eq!(fixture.get(&digest).unwrap(), b"old");
}

/// A name whose original is removed says when and why; it works again when the same bytes are put again.
pub fn age_leaves_word_and_putting_restores(fixture: &Fixture) {
    let bytes = noise(1, 5_000_000);
    let target = fixture.view(&bytes, "policy", b"map");
    let (name, digest) = (fixture.issue(&target), Digest::of(&bytes));
    fixture.clock.advance(DAY * 31);
    let report = gc(fixture, &max_age(30));
    let why = "removed on 2026-12-31 by rule max-age 30d";
    assert_eq!(report.removed.len(), 1, "the map stays: {report:?}");
    assert_eq!((report.removed[0].digest, report.removed[0].bytes), (digest, 5_000_000));
    assert_eq!(report.removed[0].why, why);
    assert!(report.freed_bytes > 0);
    let described = block_on(fixture.archive.describe()).unwrap();
    assert_eq!(described.source_bytes, 3);
    assert!(described.occupied_bytes < 1_000_000, "{described:?}");

    assert_eq!(fixture.resolve(&name), Some(Target::Gone { why: why.to_owned() }));
    match fixture.get(&digest) {
        Err(ArchiveError::Gone { why: said, .. }) => assert_eq!(said, why),
        other => panic!("{:?}", other.map(|bytes| bytes.len())),
    }
    assert_eq!(block_on(fixture.archive.stat(&Scope::local(), &digest)).unwrap(), None);
    // The name stands, for its view and nothing else.
    assert_eq!(fixture.issue(&target), name);
    assert_eq!(gc(fixture, &max_age(30)).removed, []);

    assert_eq!(fixture.put(&bytes), digest);
    assert_eq!(fixture.resolve(&name), Some(target));
    assert!(fixture.get(&digest).unwrap() == bytes);
}

/// A dry run says what would go.
pub fn a_dry_run_removes_nothing(fixture: &Fixture) {
    let digest = fixture.put(&noise(1, 10_000));
    let _abandoned = block_on(fixture.archive.begin(&Scope::local(), "left")).map(drop);
    fixture.clock.advance(DAY * 31);
    let planned = block_on(fixture.archive.gc(&max_age(30), true)).unwrap();
    assert!(planned.dry_run);
    assert!(fixture.get(&digest).is_ok());
    // That reading was a use, so another one is needed before it goes.
    fixture.clock.advance(DAY * 31);
    let done = gc(fixture, &max_age(30));
    assert!(!done.dry_run);
    assert_eq!((planned.removed.len(), planned.removed_runs.len()), (1, 1));
    assert_eq!(planned.removed_runs, done.removed_runs);
    assert_eq!((planned.removed[0].digest, planned.freed_bytes), (done.removed[0].digest, done.freed_bytes));
}

/// Reading and issuing are uses.
pub fn reading_keeps_an_original(fixture: &Fixture) {
    let (read, issued, unused) = (fixture.put(b"read"), fixture.put(b"issued"), fixture.put(b"unused"));
    fixture.clock.advance(DAY * 20);
    block_on(fixture.archive.get(&Scope::local(), &read, 0..1)).unwrap();
    fixture.issue(&Target::Original(issued));
    fixture.clock.advance(DAY * 20);
    let gone: Vec<Digest> = gc(fixture, &max_age(30)).removed.iter().map(|removed| removed.digest).collect();
    assert_eq!(gone, [unused]);
}

/// A size limit takes the longest unused first, and no more than it must.
pub fn size_removes_the_longest_unused(fixture: &Fixture) {
    let originals: Vec<Digest> = (0..6)
        .map(|seed| {
            fixture.clock.advance(DAY);
            fixture.put(&noise(seed, 100_000))
        })
        .collect();
    fixture.clock.advance(DAY);
    block_on(fixture.archive.get(&Scope::local(), &originals[0], 0..1)).unwrap();
    let rules = Retention { max_bytes: Some(350_000), keep: vec![originals[1]], ..Retention::default() };
    let report = gc(fixture, &rules);
    let gone: Vec<Digest> = report.removed.iter().map(|removed| removed.digest).collect();
    assert_eq!(gone, originals[2..5]);
    assert!(report.kept_bytes <= 350_000 && report.kept_bytes > 290_000, "{report:?}");
    assert_eq!(report.removed[0].why, "removed on 2026-12-07 by rule max-bytes 350000");
    for kept in [0, 1, 5] {
        assert!(fixture.get(&originals[kept]).is_ok());
    }
}

/// What was put within the last ten minutes stays under any rule, also when it was first put long ago.
pub fn a_recent_put_stays(fixture: &Fixture) {
    let rules = Retention { max_age: Some(Duration::ZERO), max_bytes: Some(0), ..Retention::default() };
    let digest = fixture.put(b"recent");
    fixture.clock.advance(DAY);
    fixture.put(b"recent");
    for _ in 0..10 {
        fixture.clock.advance(Duration::from_secs(59));
        assert_eq!(gc(fixture, &rules).removed, []);
    }
    fixture.clock.advance(Duration::from_secs(600));
    assert_eq!(gc(fixture, &rules).removed.len(), 1);
    assert!(matches!(fixture.get(&digest), Err(ArchiveError::Gone { .. })));
}

/// A run whose writer lives stays, however long it has been silent; an abandoned one goes, and adopting it says so.
pub fn live_runs_stay(fixture: &Fixture) {
    let (archive, scope) = (&fixture.archive, Scope::local());
    let mut live = block_on(archive.begin(&scope, "live")).unwrap();
    let mut left = block_on(archive.begin(&scope, "left")).unwrap();
    live.write(b"a").unwrap();
    live.flush().unwrap();
    left.write(b"b").unwrap();
    let abandoned = left.run_id().clone();
    drop(left);
    fixture.clock.advance(DAY * 31);
    let rules = Retention { max_bytes: Some(0), ..max_age(30) };
    assert_eq!(gc(fixture, &rules).removed_runs, std::slice::from_ref(&abandoned));
    match block_on(archive.adopt(&scope, &abandoned)) {
        Err(ArchiveError::Gone { why, .. }) => assert!(why.contains("max-age 30d"), "{why}"),
        other => panic!("{other:?}"),
    }
    live.write(b"c").unwrap();
    assert_eq!(live.finish().unwrap(), Digest::of(b"ac"));
    assert_eq!(fixture.get(&Digest::of(b"ac")).unwrap(), b"ac");
}

/// Age is each scope's own: what one let go by, another that used it still has.
pub fn another_scopes_removal_is_not_felt(fixture: &Fixture) {
    let (archive, other) = (&fixture.archive, Scope::new("other").unwrap());
    let digest = fixture.put(b"shared");
    let name = fixture.issue(&Target::Original(digest));
    fixture.clock.advance(DAY * 20);
    block_on(archive.put(&other, b"shared")).unwrap();
    assert_eq!(block_on(archive.issue(&other, &Target::Original(digest))).unwrap(), name);
    fixture.clock.advance(DAY * 20);
    let report = gc(fixture, &max_age(30));
    assert_eq!(report.removed.iter().map(|removed| &removed.scope).collect::<Vec<_>>(), [&Scope::local()]);
    assert_eq!(report.freed_bytes, 0);
    assert!(matches!(fixture.get(&digest), Err(ArchiveError::Gone { .. })));
    assert_eq!(block_on(archive.get(&other, &digest, 0..9)).unwrap(), b"shared");
    assert!(matches!(fixture.resolve(&name), Some(Target::Gone { .. })));
    assert_eq!(block_on(archive.resolve(&other, &name)).unwrap(), Some(Target::Original(digest)));
    assert_eq!(block_on(archive.refs(&other, None, 9)).unwrap(), [(name, Target::Original(digest))]);
}

/// Counts a thread that has ended.
struct Done<'d>(&'d AtomicU32);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// While originals are removed all the time, what was put within ten minutes can be issued, read and resolved.
pub fn what_was_just_put_is_never_missed(fixture: &Fixture) {
    let (archive, clock, scope) = (&fixture.archive, &fixture.clock, Scope::local());
    let rules = Retention { max_age: Some(Duration::ZERO), ..Retention::default() };
    let done = AtomicU32::new(0);
    let checked = AtomicU32::new(0);
    std::thread::scope(|threads| {
        for thread in 0..3_u64 {
            let (scope, done, checked) = (&scope, &done, &checked);
            threads.spawn(move || {
                // Counted even if it fails: nobody waits for it for ever.
                let _done = Done(done);
                for turn in 0..60 {
                    // A few originals that come again and again, often just when they go.
                    let bytes = noise(turn % 5 + thread % 2, 20_000);
                    let since = clock.now_unix_ms();
                    let digest = block_on(archive.put(scope, &bytes)).unwrap();
                    let name = block_on(archive.issue(scope, &Target::Original(digest)));
                    let got = block_on(archive.get(scope, &digest, 0..u64::MAX));
                    let target = name.as_ref().map(|name| block_on(archive.resolve(scope, name)).unwrap());
                    if clock.now_unix_ms() - since < 600_000 {
                        assert!(got.unwrap() == bytes);
                        assert_eq!(target.unwrap(), Some(Target::Original(digest)));
                        checked.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        let mut removed = 0;
        while done.load(Ordering::Relaxed) < 3 {
            // The others come to write in between.
            std::thread::yield_now();
            clock.advance(Duration::from_secs(97));
            removed += block_on(archive.gc(&rules, false)).unwrap().removed.len();
        }
        clock.advance(DAY);
        removed += block_on(archive.gc(&rules, false)).unwrap().removed.len();
        assert!(removed >= 5, "nothing was removed: {removed}");
    });
    assert!(checked.into_inner() > 20);
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
}
