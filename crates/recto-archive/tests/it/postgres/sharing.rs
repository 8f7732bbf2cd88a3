//! Several archives on one database, and sessions that get in each other's way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use recto_archive::clock::ManualClock;
use recto_archive::conformance::{START_UNIX_MS, log_lines, noise};
use recto_archive::{
    Archive, ArchiveError, Digest, PostgresOptions, Ref, Retention, RunState, Scope, Target, block_on,
};
use recto_testkit::postgres;

use super::{open, open_at};

/// What one has stored another has at once.
#[test]
fn what_one_stores_another_has() {
    let Some((database, first)) = open() else { return };
    let (second, scope) = (open_at(&database), Scope::local());
    let digest = block_on(first.put(&scope, b"shared")).unwrap();
    assert_eq!(block_on(second.get(&scope, &digest, 0..9)).unwrap(), b"shared");
    let name = block_on(second.issue(&scope, &Target::Original(digest))).unwrap();
    assert_eq!(block_on(first.resolve(&scope, &name)).unwrap(), Some(Target::Original(digest)));
    let mut writer = block_on(first.begin(&scope, "a label\0 of any bytes")).unwrap();
    writer.write(b"live").unwrap();
    writer.flush().unwrap();
    let runs = block_on(second.runs(&scope)).unwrap();
    assert_eq!((runs[0].state, runs[0].bytes), (RunState::Live, 4));
    assert_eq!(runs[0].label, "a label\0 of any bytes");
    let refused = block_on(second.adopt(&scope, &runs[0].id));
    assert!(matches!(refused, Err(ArchiveError::RunLive { .. })), "{refused:?}");
    drop(writer);
    assert_eq!(block_on(second.adopt(&scope, &runs[0].id)).unwrap(), Digest::of(b"live"));
}

/// Putters of the same bytes, short and long, and a removal that runs all the time: whatever was put just now is there, and
/// nothing is left that nobody needs.
#[test]
fn putters_and_a_removal_do_not_harm_each_other() {
    let Some(database) = postgres::database() else { return };
    let clock = Arc::new(ManualClock::new(START_UNIX_MS));
    let open =
        || PostgresOptions::new().clock(clock.clone()).max_connections(3).open(&database.url()).unwrap();
    let (is_over, removed) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        let putters: Vec<_> = (0..4_u64)
            .map(|putter| {
                let (archive, is_over) = (open(), &is_over);
                threads.spawn(move || {
                    // Two of the four share a scope.
                    let scope = Scope::new(format!("scope {}", putter / 2)).unwrap();
                    for turn in 0..20_u64 {
                        let bytes = match turn % 4 {
                            0 => log_lines(turn % 3, 4_500_000),
                            which => noise(which, 30_000),
                        };
                        // The clock runs so fast that a long put may count as left over; then it says so, and is made again.
                        let put = |_| match block_on(archive.put(&scope, &bytes)) {
                            Err(ArchiveError::Corrupt { what, .. }) if what.contains("left over") => None,
                            put => Some(put.unwrap()),
                        };
                        let digest = (0..50).find_map(put).unwrap();
                        // The clock stands still while it is looked for.
                        match block_on(archive.get(&scope, &digest, 0..u64::MAX)) {
                            Ok(got) => assert!(got == bytes),
                            Err(ArchiveError::Gone { .. }) => assert!(!is_over.load(Ordering::Relaxed)),
                            Err(error) => panic!("{error}"),
                        }
                        let issued = block_on(archive.issue(&scope, &Target::Original(digest)));
                        assert!(matches!(issued, Ok(_) | Err(ArchiveError::Gone { .. })), "{issued:?}");
                    }
                })
            })
            .collect();
        let remover = open();
        let rules = Retention { max_age: Some(Duration::ZERO), max_bytes: Some(0), ..Retention::default() };
        while putters.iter().any(|putter| !putter.is_finished()) {
            clock.advance(Duration::from_secs(500));
            removed.fetch_add(block_on(remover.gc(&rules, false)).unwrap().removed.len(), Ordering::Relaxed);
        }
    });
    is_over.store(true, Ordering::Relaxed);
    assert!(removed.into_inner() > 5);
    let archive = open();
    let report = block_on(archive.verify(&|_| {})).unwrap();
    assert!(report.is_sound(), "{:?}", report.damaged);
    clock.advance(Duration::from_secs(86_400));
    let rules = Retention { max_bytes: Some(0), ..Retention::default() };
    block_on(archive.gc(&rules, false)).unwrap();
    for table in ["chunks", "objects", "contents"] {
        assert_eq!(database.value(&format!("SELECT count(*) FROM recto.{table}")), "0", "{table}");
    }
}

/// Issuers of the same and of colliding names get one name for each target.
#[test]
fn issuers_agree() {
    let Some((database, archive)) = open() else { return };
    let scope = Scope::local();
    let original = block_on(archive.put(&scope, b"an original whose views collide\n")).unwrap();
    let map = block_on(archive.put_map(&scope, b"map")).unwrap();
    // Two policies whose views have the same 15 digits.
    let targets = [8_577_642_u64, 22_535_779].map(|number| {
        let mut policy = Digest([0; 32]);
        policy.0[..8].copy_from_slice(&number.to_be_bytes());
        Target::View { original, policy, map }
    });
    for _ in 0..10 {
        database.execute("TRUNCATE recto.refs");
        let issue = |turn: usize| {
            let archive = open_at(&database);
            block_on(archive.issue(&scope, &targets[turn % 2])).unwrap()
        };
        let names: Vec<Ref> = std::thread::scope(|threads| {
            let issuers: Vec<_> = (0..6).map(|turn| threads.spawn(move || issue(turn))).collect();
            issuers.into_iter().map(|issuer| issuer.join().unwrap()).collect()
        });
        let mut lengths: Vec<usize> = names[..2].iter().map(|name| name.digits().len()).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [15, 18], "{names:?}");
        for (turn, name) in names.iter().enumerate() {
            assert_eq!(name, &names[turn % 2]);
            assert_eq!(block_on(archive.resolve(&scope, name)).unwrap().as_ref(), Some(&targets[turn % 2]));
        }
    }
}

/// Who waits too long for another session is told so, and readers do not wait.
#[test]
fn a_busy_store_says_so() {
    let Some((database, archive)) = open() else { return };
    let scope = Scope::local();
    let digest = block_on(archive.put(&scope, b"kept")).unwrap();
    let name = block_on(archive.issue(&scope, &Target::Original(digest))).unwrap();
    let hurried =
        PostgresOptions::new().busy_timeout(Duration::from_millis(80)).open(&database.url()).unwrap();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            database
                .execute("BEGIN; LOCK TABLE recto.holdings IN EXCLUSIVE MODE; SELECT pg_sleep(1.5); COMMIT");
        });
        let locked = "SELECT count(*) FROM pg_locks WHERE relation = 'recto.holdings'::regclass AND mode = 'ExclusiveLock'";
        while database.value(locked) == "0" {
            std::thread::yield_now();
        }
        let since = Instant::now();
        let error = block_on(hurried.put(&scope, b"new")).unwrap_err();
        assert!(matches!(error, ArchiveError::Busy { waited_ms: 80, .. }), "{error}");
        assert_eq!(block_on(hurried.get(&scope, &digest, 0..9)).unwrap(), b"kept");
        assert!(block_on(hurried.resolve(&scope, &name)).unwrap().is_some());
        assert!(since.elapsed() < Duration::from_millis(1_000), "{:?}", since.elapsed());
    });
    block_on(hurried.put(&scope, b"new")).unwrap();
}

/// A put that was killed half-way leaves bytes that nobody can see, and retention clears them away.
#[test]
fn leftovers_of_a_killed_put_are_removed() {
    let Some((database, archive)) = open() else { return };
    let kept = block_on(archive.put(&Scope::local(), b"kept")).unwrap();
    database.execute(
        "WITH object AS (
             INSERT INTO recto.objects (state, bytes, stored_bytes, updated_unix_ms) VALUES (0, 9, 9, 0) RETURNING id
         )
         INSERT INTO recto.chunks SELECT id, 0, 9, '\\x00' FROM object",
    );
    block_on(archive.gc(&Retention::default(), false)).unwrap();
    assert_eq!(database.value("SELECT count(*) FROM recto.chunks"), "1");
    assert_eq!(database.value("SELECT count(*) FROM recto.objects"), "1");
    assert_eq!(block_on(archive.get(&Scope::local(), &kept, 0..9)).unwrap(), b"kept");
}

/// A second copy of the same bytes takes the place of the first, which goes at once.
#[test]
fn equal_bytes_of_others_leave_one_copy() {
    let Some((database, archive)) = open() else { return };
    let bytes = log_lines(1, 6_000_000);
    for scope in ["a", "b", "c"] {
        block_on(archive.put(&Scope::new(scope).unwrap(), &bytes)).unwrap();
    }
    assert_eq!(database.value("SELECT count(*) FROM recto.objects"), "1");
    assert_eq!(database.value("SELECT count(*) FROM recto.chunks"), "6");
}

/// A writer whose run was ended by somebody else is told, and what it had flushed is what they have.
#[test]
fn a_writer_whose_run_was_ended_is_told() {
    let Some((database, archive)) = open() else { return };
    let scope = Scope::local();
    let mut writer = block_on(archive.begin(&scope, "taken")).unwrap();
    writer.write(b"before").unwrap();
    writer.flush().unwrap();
    // Its lock goes with its connection, and somebody is fast.
    let run = writer.run_id().clone();
    let other = open_at(&database);
    database
        .execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted");
    let since = Instant::now();
    let digest = loop {
        match block_on(other.adopt(&scope, &run)) {
            Ok(digest) => break digest,
            Err(ArchiveError::RunLive { .. }) if since.elapsed() < Duration::from_secs(5) => {
                database.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted",
                );
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(digest, Digest::of(b"before"));
    writer.write(b" after").unwrap();
    assert!(matches!(writer.flush(), Err(ArchiveError::RunLost { .. })));
    assert!(matches!(writer.finish(), Err(ArchiveError::RunLost { .. })));
    assert_eq!(block_on(other.get(&scope, &digest, 0..99)).unwrap(), b"before");
}
