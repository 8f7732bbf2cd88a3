//! Several processes at once, and processes that are killed.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use recto_archive::{
    Archive, ArchiveError, Digest, OpenOptions, Ref, RunId, RunState, Scope, SqliteArchive, Target, block_on,
};
use rusqlite::Connection;

use super::{beside, place};
use crate::child;

/// They also race to make the store.
#[test]
fn eight_processes_lose_nothing() {
    let (_folder, path) = place();
    let children: Vec<_> =
        (0..8).map(|process| child::command(&[], "put", process, &path).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let (archive, scope) = (SqliteArchive::open(&path).unwrap(), Scope::local());
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
    let (_folder, path) = place();
    let (archive, scope) = (SqliteArchive::open(&path).unwrap(), Scope::local());
    let expected: String = (0..60_000).map(child::line).collect();
    for delay_ms in [0, 3, 17, 60, 150, 400] {
        let mut writer = child::command(&[], "write", 0, &path).spawn().unwrap();
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

        assert_eq!(block_on(archive.runs(&scope)).unwrap()[0].state, RunState::Abandoned);
        let digest = block_on(archive.adopt(&scope, &run)).unwrap();
        let bytes = block_on(archive.get(&scope, &digest, 0..u64::MAX)).unwrap();
        assert!(bytes.len() >= flushed_bytes, "{} of {flushed_bytes} bytes", bytes.len());
        assert!(expected.as_bytes().starts_with(&bytes), "not what was written");
        assert_eq!(block_on(archive.adopt(&scope, &run)).unwrap(), digest);
        assert_eq!(block_on(archive.runs(&scope)).unwrap(), []);
    }
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
    let left: Vec<_> = std::fs::read_dir(beside(&path, "-runs")).unwrap().collect();
    assert!(left.is_empty(), "locks are left: {left:?}");
}

/// Who waits too long is told for whom.
#[test]
fn a_busy_store_says_who_holds_it() {
    let (_folder, path) = place();
    let archive = OpenOptions::new().busy_timeout(Duration::from_millis(80)).open(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let since = Instant::now();
    let error = block_on(archive.put(&Scope::local(), b"a")).unwrap_err();
    assert!(since.elapsed() >= Duration::from_millis(70), "{:?}", since.elapsed());
    assert!(matches!(error, ArchiveError::Busy { waited_ms: 80, .. }), "{error}");
    if cfg!(target_os = "linux") {
        assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    }
    other.execute_batch("ROLLBACK").unwrap();
    block_on(archive.put(&Scope::local(), b"a")).unwrap();
}

/// A reader is never kept waiting by a writer, nor made one by what it reads.
#[test]
fn reading_needs_no_lock() {
    let (_folder, path) = place();
    let archive = OpenOptions::new().busy_timeout(Duration::from_millis(80)).open(&path).unwrap();
    let digest = block_on(archive.put(&Scope::local(), b"a")).unwrap();
    let name = block_on(archive.issue(&Scope::local(), &Target::Original(digest))).unwrap();
    let other = Connection::open(&path).unwrap();
    // Its use is due to be written down, which has to be left out.
    other.execute_batch("UPDATE holdings SET used_unix_ms = 0; BEGIN IMMEDIATE").unwrap();
    let since = Instant::now();
    assert_eq!(block_on(archive.get(&Scope::local(), &digest, 0..9)).unwrap(), b"a");
    assert_eq!(block_on(archive.issue(&Scope::local(), &Target::Original(digest))).unwrap(), name);
    assert!(block_on(archive.resolve(&Scope::local(), &name)).unwrap().is_some());
    assert!(since.elapsed() < Duration::from_millis(60), "{:?}", since.elapsed());
    other.execute_batch("ROLLBACK").unwrap();
    block_on(archive.get(&Scope::local(), &digest, 0..9)).unwrap();
    let used: u64 = other.query_row("SELECT used_unix_ms FROM holdings", [], |row| row.get(0)).unwrap();
    assert!(used > 0);
}

/// A put that was killed half-way leaves bytes that nobody can see, and retention clears them away.
#[test]
fn leftovers_of_a_killed_put_are_removed() {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(&path).unwrap();
    let kept = block_on(archive.put(&Scope::local(), b"kept")).unwrap();
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch(
            "INSERT INTO objects (state, bytes, stored_bytes, updated_unix_ms) VALUES (0, 9, 9, 0);
             INSERT INTO chunks (object, start, length, frame) VALUES (last_insert_rowid(), 0, 9, x'00')",
        )
        .unwrap();
    block_on(archive.gc(&recto_archive::Retention::default(), false)).unwrap();
    let rows: u32 = other.query_row("SELECT count(*) FROM chunks", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
    assert_eq!(block_on(archive.get(&Scope::local(), &kept, 0..9)).unwrap(), b"kept");
}
