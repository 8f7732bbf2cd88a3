//! A server that goes away and comes back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recto_archive::conformance::{log_lines, noise};
use recto_archive::{
    Archive, ArchiveError, Digest, LogId, PostgresOptions, RunState, Scope, Target, block_on,
};
use recto_testkit::postgres::{self, Stop};

use super::open_at;

/// Everything goes on after a restart, in the same handles; a run that was being written is still its writer's.
#[test]
fn an_archive_outlives_its_server() {
    let Some(cluster) = postgres::cluster() else { return };
    let database = cluster.database();
    let (archive, other, scope) = (open_at(&database), open_at(&database), Scope::local());
    let log = LogId::new("log").unwrap();
    for (turn, how) in (0_u64..).zip([Stop::Fast, Stop::Immediate]) {
        let bytes = noise(turn, 3_000_000);
        let digest = block_on(archive.put(&scope, &bytes)).unwrap();
        let name = block_on(archive.issue(&scope, &Target::Original(digest))).unwrap();
        let mut writer = block_on(archive.begin(&scope, "long")).unwrap();
        writer.write(b"before, ").unwrap();
        writer.flush().unwrap();
        assert_eq!(
            block_on(archive.append(&scope, &log, turn * 2, None, &[b"before"], &[])).unwrap(),
            turn * 2 + 1
        );

        cluster.stop(how);
        cluster.start_again();

        assert!(block_on(archive.get(&scope, &digest, 0..u64::MAX)).unwrap() == bytes);
        assert_eq!(block_on(other.resolve(&scope, &name)).unwrap(), Some(Target::Original(digest)));
        assert_eq!(
            block_on(archive.append(&scope, &log, turn * 2 + 1, None, &[b"after"], &[])).unwrap(),
            turn * 2 + 2
        );
        let since = Instant::now();
        while block_on(other.runs(&scope)).unwrap()[0].state == RunState::Abandoned {
            assert!(since.elapsed() < Duration::from_secs(5), "the lock was not taken again");
            std::thread::sleep(Duration::from_millis(20));
        }
        let refused = block_on(other.adopt(&scope, writer.run_id()));
        assert!(matches!(refused, Err(ArchiveError::RunLive { .. })), "{refused:?}");
        writer.write(b"after").unwrap();
        assert_eq!(writer.finish().unwrap(), Digest::of(b"before, after"));
    }
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
}

/// While the server is away calls wait for it, for as long as they were told to, and then say that it is away.
#[test]
fn calls_wait_for_a_server_that_restarts() {
    let Some(cluster) = postgres::cluster() else { return };
    let database = cluster.database();
    let archive = open_at(&database);
    let scope = Scope::local();
    let digest = block_on(archive.put(&scope, b"kept")).unwrap();
    let hasty = PostgresOptions::new().connect_timeout(Duration::from_millis(300));
    let hasty = hasty.open(&database.url()).unwrap();
    block_on(hasty.get(&scope, &digest, 0..9)).unwrap();
    cluster.stop(Stop::Fast);
    let since = Instant::now();
    let error = block_on(hasty.get(&scope, &digest, 0..9)).unwrap_err();
    assert!(matches!(error, ArchiveError::Unreachable { .. }), "{error}");
    assert!((250..3_000).contains(&since.elapsed().as_millis()), "{:?}", since.elapsed());
    std::thread::scope(|threads| {
        let waiting = threads.spawn(|| block_on(archive.get(&scope, &digest, 0..9)));
        std::thread::sleep(Duration::from_millis(200));
        assert!(!waiting.is_finished());
        cluster.start_again();
        assert_eq!(waiting.join().unwrap().unwrap(), b"kept");
    });
}

/// Connections that break in the middle of work, again and again: no event is lost or doubled that was said to be safe, and
/// what was put is there.
#[test]
fn broken_connections_lose_and_double_nothing() {
    let Some(database) = postgres::database() else { return };
    let archive = Arc::new(open_at(&database));
    let (scope, log) = (Scope::local(), LogId::new("log").unwrap());
    let name = database.value("SELECT current_database()");
    let break_all = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    );
    let (mut end, mut events, mut unsure) = (0, 0_u64, 0);
    std::thread::scope(|threads| {
        let worker = threads.spawn(|| {
            let mut put = Vec::new();
            for turn in 0..25_u64 {
                let bytes = log_lines(turn * 1000, if turn % 10 == 0 { 5_000_000 } else { 50_000 });
                put.push((block_on(archive.put(&scope, &bytes)).unwrap(), bytes));
                let mut writer = loop {
                    match block_on(archive.begin(&scope, "run")) {
                        Ok(writer) => break writer,
                        Err(ArchiveError::Unreachable { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                };
                let bytes = noise(turn, 100_000);
                bytes.chunks(9_000).for_each(|piece| writer.write(piece).unwrap());
                put.push((writer.finish().unwrap(), bytes));
            }
            put
        });
        while !worker.is_finished() {
            std::thread::sleep(Duration::from_millis(7));
            database.execute(&break_all);
            loop {
                let event = format!("event {events}");
                match block_on(archive.append(&scope, &log, end, None, &[event.as_bytes()], &[])) {
                    Ok(next) => end = next,
                    Err(ArchiveError::Unreachable { .. }) => {
                        // It may have been made or not: the log says which.
                        unsure += 1;
                        end += block_on(archive.read(&scope, &log, end, 9)).unwrap().len() as u64;
                        if end == events {
                            continue;
                        }
                    }
                    Err(error) => panic!("{error}"),
                }
                events += 1;
                break;
            }
        }
        for (digest, bytes) in worker.join().unwrap() {
            assert_eq!(digest, Digest::of(&bytes));
            assert!(block_on(archive.get(&scope, &digest, 0..u64::MAX)).unwrap() == bytes);
        }
    });
    assert_eq!(end, events, "{unsure} unsure");
    let read = block_on(archive.read(&scope, &log, 0, 60_000)).unwrap();
    let wanted: Vec<_> = (0..events).map(|number| (number, format!("event {number}").into_bytes())).collect();
    assert!(read == wanted);
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
}
