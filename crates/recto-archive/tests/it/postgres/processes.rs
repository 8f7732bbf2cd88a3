//! Several processes at once, and processes that are killed.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use recto_archive::{Archive, ArchiveError, Digest, Ref, RunId, RunState, Scope, Target, block_on};
use recto_testkit::postgres;

use super::{open_at, place};
use crate::child;

/// They also race to make the tables.
#[test]
fn eight_processes_lose_nothing() {
    let Some(database) = postgres::database() else { return };
    let children: Vec<_> = (0..8)
        .map(|process| child::command(&[], "put", process, &place(&database)).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(database.value("SELECT count(*) FROM recto.schema_version"), "1");
    let (archive, scope) = (open_at(&database), Scope::local());
    let mut all = BTreeSet::new();
    for (process, number) in (0..8).flat_map(|process| (0..200).map(move |number| (process, number))) {
        let bytes = child::original(process, number);
        let digest = Digest::of(&bytes);
        all.insert(digest);
        assert_eq!(block_on(archive.get(&scope, &digest, 0..u64::MAX)).unwrap(), bytes);
        let target = block_on(archive.resolve(&scope, &Ref::for_original(&digest))).unwrap();
        assert_eq!(target, Some(Target::Original(digest)));
    }
    assert_eq!(block_on(archive.describe()).unwrap().originals, all.len() as u64);
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
}

/// Kills a writer without warning, at a different moment each time: all that it flushed is there.
#[test]
fn a_killed_writer_loses_nothing_it_flushed() {
    let Some(database) = postgres::database() else { return };
    let (archive, scope) = (open_at(&database), Scope::local());
    let expected: String = (0..60_000).map(child::line).collect();
    for delay_ms in [0, 3, 17, 60, 150, 400] {
        let mut writer = child::command(&[], "write", 0, &place(&database)).spawn().unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
        let run: RunId = lines.find_map(|line| line.strip_prefix("run ")?.parse().ok()).unwrap();
        lines.find(|line| line.starts_with("flushed ")).unwrap();
        assert_eq!(block_on(archive.runs(&scope)).unwrap()[0].state, RunState::Live);
        assert!(matches!(block_on(archive.adopt(&scope, &run)), Err(ArchiveError::RunLive { .. })));

        // Its words are read on another thread, so that it never waits for this one.
        let reader = std::thread::spawn(move || {
            lines.filter_map(|line| line.strip_prefix("flushed ")?.parse::<usize>().ok()).max()
        });
        std::thread::sleep(Duration::from_millis(delay_ms));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let flushed_bytes = reader.join().unwrap().unwrap_or(1);

        // The server notices when it looks at the connection next.
        let since = Instant::now();
        while block_on(archive.runs(&scope)).unwrap()[0].state == RunState::Live {
            assert!(since.elapsed() < Duration::from_secs(5), "the run still looks live");
            std::thread::sleep(Duration::from_millis(5));
        }
        let digest = block_on(archive.adopt(&scope, &run)).unwrap();
        let bytes = block_on(archive.get(&scope, &digest, 0..u64::MAX)).unwrap();
        assert!(bytes.len() >= flushed_bytes, "{} of {flushed_bytes} bytes", bytes.len());
        assert!(expected.as_bytes().starts_with(&bytes), "not what was written");
        assert_eq!(block_on(archive.adopt(&scope, &run)).unwrap(), digest);
        assert_eq!(block_on(archive.runs(&scope)).unwrap(), []);
    }
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
}
