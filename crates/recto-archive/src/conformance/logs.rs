//! Logs: they grow by whole batches, at their end, and never lose or double an event.

use std::time::Duration;

use super::{Fixture, log_lines, noise};
use crate::{
    ArchiveError, Digest, LogId, LogStat, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, MAX_EVENT_BYTES, Retention,
    Scope, block_on,
};

const DAY: Duration = Duration::from_secs(86_400);

fn named(name: &str) -> LogId {
    LogId::new(name).unwrap()
}

impl Fixture {
    fn append(&self, log: &LogId, expected: u64, events: &[&[u8]]) -> Result<u64, ArchiveError> {
        block_on(self.archive.append(&Scope::local(), log, expected, None, events, &[]))
    }

    fn append_keeping(&self, log: &LogId, expected: u64, keeps: &[Digest]) -> Result<u64, ArchiveError> {
        block_on(self.archive.append(&Scope::local(), log, expected, None, &[b"event"], keeps))
    }

    fn read(&self, log: &LogId) -> Vec<Vec<u8>> {
        let read = block_on(self.archive.read(&Scope::local(), log, 0, u32::MAX)).unwrap();
        let numbers: Vec<u64> = read.iter().map(|(number, _)| *number).collect();
        assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "numbers have no gap: {numbers:?}");
        read.into_iter().map(|(_, event)| event).collect()
    }

    fn logs(&self) -> Vec<LogStat> {
        block_on(self.archive.logs(&Scope::local(), None, 1000)).unwrap()
    }
}

fn old(days: u32) -> Retention {
    Retention { max_age: Some(DAY * days), ..Retention::default() }
}

/// What was appended is read back, in order, from any number on; a log that was never begun is empty.
pub fn events_come_back_in_order(fixture: &Fixture) {
    let log = named("log");
    assert_eq!(fixture.read(&log), [b""; 0]);
    assert_eq!(fixture.append(&log, 0, &[b"a"]).unwrap(), 1);
    assert_eq!(fixture.append(&log, 1, &[b"", b"c\0\xff", b"d"]).unwrap(), 4);
    assert_eq!(fixture.read(&log), [&b"a"[..], b"", b"c\0\xff", b"d"]);
    let read = |from, limit| block_on(fixture.archive.read(&Scope::local(), &log, from, limit)).unwrap();
    assert_eq!(read(2, 1), [(2, b"c\0\xff".to_vec())]);
    assert_eq!(read(3, 9), [(3, b"d".to_vec())]);
    for (from, limit) in [(4, 9), (5, 9), (u64::MAX, 9), (1 << 63, 9), (0, 0)] {
        assert_eq!(read(from, limit), [], "{from} {limit}");
    }
}

/// An append elsewhere than at the end appends nothing, and is told where the end is.
pub fn a_conflict_says_where_the_log_ends(fixture: &Fixture) {
    let log = named("log");
    for expected in [1, 7, u64::MAX] {
        let refused = fixture.append(&log, expected, &[b"a"]);
        assert!(matches!(refused, Err(ArchiveError::Conflict { found: 0, .. })), "{refused:?}");
    }
    assert_eq!(fixture.logs(), []);
    fixture.append(&log, 0, &[b"a", b"b"]).unwrap();
    for wrong in [0, 1, 3, 1 << 63, u64::MAX] {
        match fixture.append(&log, wrong, &[b"c", b"d"]) {
            Err(ArchiveError::Conflict { log: which, expected, found }) => {
                assert_eq!((which, expected, found), (log.clone(), wrong, 2));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fixture.read(&log), [b"a", b"b"]);
    assert_eq!(fixture.append(&log, 2, &[b"c"]).unwrap(), 3);
}

/// A batch that cannot be appended whole leaves nothing: too large, too many, none, or with an original that is not there.
pub fn a_batch_is_all_or_nothing(fixture: &Fixture) {
    let log = named("log");
    fixture.append(&log, 0, &[b"a"]).unwrap();
    let too_large = vec![7; MAX_EVENT_BYTES + 1];
    let too_many = vec![&b"x"[..]; MAX_BATCH_EVENTS + 1];
    for events in [&[][..], &[&b"b"[..], &too_large], &too_many] {
        let refused = fixture.append(&log, 1, events);
        assert!(matches!(refused, Err(ArchiveError::OutOfBounds { .. })), "{refused:?}");
    }
    let missing = Digest::of(b"never put");
    for (log, expected) in [(&log, 1), (&named("new"), 0)] {
        let refused = fixture.append_keeping(log, expected, &[fixture.put(b"there"), missing]);
        assert!(matches!(refused, Err(ArchiveError::NotFound { .. })), "{refused:?}");
    }
    assert_eq!(fixture.read(&log), [b"a"]);
    assert_eq!(fixture.logs().len(), 1);
    assert_eq!(fixture.append(&log, 1, &[b"b"]).unwrap(), 2);
}

/// The largest events come back, and a read gives no more than its bound of them at once.
pub fn large_events_come_back(fixture: &Fixture) {
    let log = named("log");
    let events = [
        noise(1, MAX_EVENT_BYTES),
        log_lines(2, MAX_EVENT_BYTES),
        noise(3, 100_000),
        log_lines(4, 100_000),
        vec![0; MAX_EVENT_BYTES],
    ];
    for (number, event) in (0..).zip(&events) {
        assert_eq!(fixture.append(&log, number, &[event]).unwrap(), number + 1);
    }
    let batch: Vec<&[u8]> = vec![&events[4]; MAX_BATCH_BYTES / MAX_EVENT_BYTES];
    assert_eq!(fixture.append(&log, 5, &batch).unwrap(), 9);
    let (mut seen, mut answers) = (Vec::new(), 0);
    loop {
        let from = seen.len() as u64;
        let page = block_on(fixture.archive.read(&Scope::local(), &log, from, u32::MAX)).unwrap();
        if page.is_empty() {
            break;
        }
        answers += 1;
        assert!(page.iter().map(|(_, event)| event.len()).sum::<usize>() <= MAX_BATCH_BYTES);
        seen.extend(page.into_iter().map(|(_, event)| event));
    }
    assert!(seen[..5] == events && seen[5..].iter().all(|event| event == &events[4]));
    assert_eq!((seen.len(), answers), (9, 2));
    let stat = fixture.logs().remove(0);
    assert_eq!(stat.bytes, 7 * MAX_EVENT_BYTES as u64 + 200_000);
}

/// Logs are listed by name, page by page, with their lengths and times.
pub fn logs_are_listed_page_by_page(fixture: &Fixture) {
    let scope = Scope::local();
    for name in ["b/2", "a", "b/1", "B"] {
        fixture.append(&named(name), 0, &[b"12345"]).unwrap();
    }
    fixture.let_pass(1);
    fixture.append(&named("a"), 1, &[b"678", b"9"]).unwrap();
    let first = block_on(fixture.archive.logs(&scope, None, 3)).unwrap();
    let names = |page: &[LogStat]| page.iter().map(|stat| stat.log.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&first), ["B", "a", "b/1"]);
    let rest = block_on(fixture.archive.logs(&scope, Some(&first[2].log), 3)).unwrap();
    assert_eq!(names(&rest), ["b/2"]);
    assert_eq!((first[1].events, first[1].bytes), (3, 9));
    let lasted_ms = first[1].last_unix_ms - first[1].first_unix_ms;
    assert!((1000..60_000).contains(&lasted_ms), "{lasted_ms}");
    assert_eq!((first[0].events, first[0].bytes), (1, 5));
    assert_eq!(first[0].first_unix_ms, first[0].last_unix_ms);
    let described = block_on(fixture.archive.describe()).unwrap();
    assert_eq!((described.logs, described.events, described.event_bytes), (4, 6, 24));
}

/// A scope's logs are its own: the same name is another log elsewhere.
pub fn logs_belong_to_their_scope(fixture: &Fixture) {
    let (archive, log) = (&fixture.archive, named("log"));
    let other = Scope::new("somebody else").unwrap();
    fixture.append(&log, 0, &[b"secret", b"events"]).unwrap();
    assert_eq!(block_on(archive.read(&other, &log, 0, 9)).unwrap(), []);
    assert_eq!(block_on(archive.logs(&other, None, 9)).unwrap(), []);
    assert!(matches!(block_on(archive.remove_log(&other, &log)), Err(ArchiveError::NotFound { .. })));
    let original = fixture.put(b"secret");
    let append = |expected, keeps: &[Digest]| {
        block_on(archive.append(&other, &log, expected, None, &[b"other"], keeps))
    };
    assert!(matches!(append(0, &[original]), Err(ArchiveError::NotFound { .. })));
    assert!(matches!(append(2, &[]), Err(ArchiveError::Conflict { found: 0, .. })));
    assert_eq!(append(0, &[]).unwrap(), 1);
    block_on(archive.remove_log(&other, &log)).unwrap();
    assert_eq!(fixture.read(&log), [b"secret", b"events"]);
    assert_eq!(fixture.append(&log, 2, &[b"more"]).unwrap(), 3);
}

/// What a log keeps stays with its scope, whatever the rules say, until the log is removed.
pub fn what_a_log_keeps_stays(fixture: &Fixture) {
    let (archive, log, other) = (&fixture.archive, named("log"), Scope::new("other").unwrap());
    let [kept, later, loose] = [1, 2, 3].map(|seed| fixture.put(&noise(seed, 20_000)));
    block_on(archive.put(&other, &noise(1, 20_000))).unwrap();
    let map = block_on(archive.put_map(&Scope::local(), b"map")).unwrap();
    fixture.append_keeping(&log, 0, &[kept, map, kept]).unwrap();
    fixture.append_keeping(&log, 1, &[later]).unwrap();
    fixture.append_keeping(&named("second"), 0, &[later]).unwrap();
    fixture.let_days_pass(40);
    let rules = Retention { max_bytes: Some(0), remove_maps: true, ..old(30) };
    let planned = block_on(archive.gc(&rules, true)).unwrap();
    let report = block_on(archive.gc(&rules, false)).unwrap();
    let gone: Vec<_> = report.removed.iter().map(|removed| (removed.scope.clone(), removed.digest)).collect();
    let mut expected = vec![(Scope::local(), loose), (other.clone(), kept)];
    expected.sort_by_key(|(_, digest)| *digest);
    assert_eq!(gone, expected);
    assert_eq!(planned.removed, report.removed);
    assert!(fixture.get(&kept).unwrap() == noise(1, 20_000));
    assert!(matches!(block_on(archive.get(&other, &kept, 0..9)), Err(ArchiveError::Gone { .. })));
    // One that is gone cannot be kept any more.
    let refused = fixture.append_keeping(&log, 2, &[loose]);
    assert!(matches!(refused, Err(ArchiveError::Gone { .. })), "{refused:?}");

    block_on(archive.remove_log(&Scope::local(), &log)).unwrap();
    fixture.let_days_pass(40);
    let report = block_on(archive.gc(&rules, false)).unwrap();
    let mut gone: Vec<_> = report.removed.iter().map(|removed| removed.digest).collect();
    gone.sort();
    let mut expected = [kept, map];
    expected.sort();
    assert_eq!(gone, expected);
    assert!(fixture.get(&later).is_ok(), "the other log keeps it");
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
}

/// A log that was removed is gone for good: neither its name nor its numbers are used again.
pub fn a_removed_log_is_gone(fixture: &Fixture) {
    let (archive, scope, log) = (&fixture.archive, Scope::local(), named("log"));
    let refused = block_on(archive.remove_log(&scope, &log));
    assert!(matches!(refused, Err(ArchiveError::NotFound { .. })), "{refused:?}");
    fixture.append(&log, 0, &[b"a", b"b"]).unwrap();
    fixture.append(&named("left"), 0, &[b"c"]).unwrap();
    for _ in 0..2 {
        block_on(archive.remove_log(&scope, &log)).unwrap();
    }
    match block_on(archive.read(&scope, &log, 0, 9)) {
        Err(ArchiveError::Gone { what, why }) => {
            assert_eq!(what, "log log");
            assert!(why.starts_with("removed on 20"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    for expected in [0, 2] {
        assert!(matches!(fixture.append(&log, expected, &[b"d"]), Err(ArchiveError::Gone { .. })));
    }
    assert_eq!(fixture.logs().len(), 1);
    let described = block_on(archive.describe()).unwrap();
    assert_eq!((described.logs, described.events, described.event_bytes), (1, 1, 1));
    let report = block_on(archive.verify(&|_| {})).unwrap();
    assert!(report.is_sound(), "{:?}", report.damaged);
    assert_eq!((report.logs, report.events), (1, 1));
}

/// Appenders that try again where the log ends lose nothing and double nothing, and no batch is torn.
pub fn concurrent_appenders_lose_and_double_nothing(fixture: &Fixture) {
    const BATCHES: usize = 25;
    let (archive, log) = (&fixture.archive, named("log"));
    let conflicts = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|threads| {
        for writer in 0..8_usize {
            let (log, conflicts) = (&log, &conflicts);
            threads.spawn(move || {
                let (scope, mut end) = (Scope::local(), 0);
                for batch in 0..BATCHES {
                    let events: Vec<String> =
                        (0..=batch % 3).map(|part| format!("{writer} {batch} {part}")).collect();
                    let events: Vec<&[u8]> = events.iter().map(String::as_bytes).collect();
                    loop {
                        match block_on(archive.append(&scope, log, end, None, &events, &[])) {
                            Ok(next) => {
                                assert_eq!(next, end + events.len() as u64);
                                end = next;
                                break;
                            }
                            Err(ArchiveError::Conflict { found, .. }) => {
                                assert!(found > end, "a log does not shrink");
                                end = found;
                                conflicts.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            }
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            });
        }
    });
    assert!(conflicts.into_inner() > 0, "nobody met anybody");
    let read: Vec<String> =
        fixture.read(&log).into_iter().map(|event| String::from_utf8(event).unwrap()).collect();
    for writer in 0..8 {
        let prefix = format!("{writer} ");
        let mine: Vec<&String> = read.iter().filter(|event| event.starts_with(&prefix)).collect();
        let wanted: Vec<String> = (0..BATCHES)
            .flat_map(|batch| (0..=batch % 3).map(move |part| format!("{writer} {batch} {part}")))
            .collect();
        assert!(mine.into_iter().eq(&wanted), "events of writer {writer}");
    }
    for (place, event) in read.iter().enumerate().filter(|(_, event)| event.ends_with(" 1")) {
        let before = &read[place - 1];
        assert!(
            before.ends_with(" 0") && before[..before.len() - 2] == event[..event.len() - 2],
            "a batch is torn: {before} | {event}"
        );
    }
}
