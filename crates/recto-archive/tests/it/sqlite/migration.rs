//! Stores that an older recto made.

use std::fs;
use std::path::Path;

use recto_archive::conformance::noise;
use recto_archive::{
    Archive, ArchiveError, Digest, LogId, OpenOptions, Ref, Retention, RunId, Scope, SqliteArchive, Target,
    VerifyReport, block_on,
};
use rusqlite::Connection;

use super::place;
use crate::child;

/// A store of schema 1 as its code left it: the first step alone, with the header and the journal mode that all have.
fn store_of_schema_1(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA page_size = 4096; PRAGMA auto_vacuum = incremental;
             PRAGMA application_id = 0x7263746f; PRAGMA journal_mode = wal",
        )
        .unwrap();
    connection.execute_batch(include_str!("../../../src/sqlite/schema/1.sql")).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    let frame = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    for (id, bytes) in [(1, noise(1, 5000)), (2, b"map".to_vec()), (3, b"left".to_vec())] {
        let digest = (id < 3).then(|| Digest::of(&bytes).0);
        let state = u8::from(id < 3);
        connection
            .execute("INSERT INTO objects VALUES (?1, ?2, ?3, ?4, 9, 0)", (id, state, digest, bytes.len()))
            .unwrap();
        connection
            .execute("INSERT INTO chunks VALUES (?1, ?1, 0, ?2, ?3)", (id, bytes.len(), frame(&bytes)))
            .unwrap();
        if let Some(digest) = digest {
            connection
                .execute(
                    "INSERT INTO holdings VALUES ('local', ?1, ?2, ?3, 5, 5, NULL)",
                    (digest, id - 1, bytes.len()),
                )
                .unwrap();
        }
    }
    let (original, policy, map) = (Digest::of(&noise(1, 5000)), Digest::of(b"policy"), Digest::of(b"map"));
    let name = Ref::for_view(&original, &policy);
    connection
        .execute(
            "INSERT INTO refs VALUES ('local', ?1, ?2, ?3, ?4, 0, 5)",
            (name.digits(), original.0, policy.0, map.0),
        )
        .unwrap();
    connection
        .execute("INSERT INTO runs VALUES ('run-1', 'local', 'make', 5, 3, NULL, NULL, NULL)", [])
        .unwrap();
}

fn is_all_there(archive: &SqliteArchive) -> VerifyReport {
    let scope = Scope::local();
    let (original, policy, map) = (Digest::of(&noise(1, 5000)), Digest::of(b"policy"), Digest::of(b"map"));
    assert!(block_on(archive.get(&scope, &original, 0..u64::MAX)).unwrap() == noise(1, 5000));
    assert_eq!(block_on(archive.get(&scope, &map, 0..u64::MAX)).unwrap(), b"map");
    let target = block_on(archive.resolve(&scope, &Ref::for_view(&original, &policy))).unwrap();
    assert_eq!(target, Some(Target::View { original, policy, map }));
    let run: RunId = "run-1".parse().unwrap();
    assert_eq!(block_on(archive.read_run(&scope, &run, 0..9)).unwrap(), b"left");
    let report = block_on(archive.verify(&|_| {})).unwrap();
    assert!(report.is_sound(), "{:?}", report.damaged);
    report
}

fn version(path: &Path) -> u32 {
    Connection::open(path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

#[test]
fn a_store_of_schema_1_is_brought_up_once_and_loses_nothing() {
    let (_folder, path) = place();
    store_of_schema_1(&path);
    let (scope, log) = (Scope::local(), LogId::new("log").unwrap());
    for turn in 0..2 {
        let archive = SqliteArchive::open(&path).unwrap();
        assert_eq!(is_all_there(&archive).events, turn);
        assert_eq!(block_on(archive.describe()).unwrap().schema, 2);
        block_on(archive.append(&scope, &log, turn, None, &[b"event"], &[])).unwrap();
        let lease = block_on(archive.lease(&scope, &log, 9)).unwrap();
        block_on(archive.release(&scope, &log, lease.fence)).unwrap();
        assert_eq!(lease.fence, turn + 1);
    }
    assert_eq!(version(&path), 2);
}

/// What is only read stays as it is; it has no logs, and takes none.
#[test]
fn a_store_of_schema_1_is_read_as_it_is() {
    let (_folder, path) = place();
    store_of_schema_1(&path);
    let before = fs::read(&path).unwrap();
    let archive = OpenOptions::new().read_only(true).open(&path).unwrap();
    let (scope, log) = (Scope::local(), LogId::new("log").unwrap());
    let report = is_all_there(&archive);
    assert_eq!((report.logs, report.originals), (0, 2));
    let described = block_on(archive.describe()).unwrap();
    assert_eq!((described.schema, described.originals, described.events), (1, 2, 0));
    assert_eq!(block_on(archive.read(&scope, &log, 0, 9)).unwrap(), []);
    assert_eq!(block_on(archive.logs(&scope, None, 9)).unwrap(), []);
    let rules = Retention { max_bytes: Some(0), ..Retention::default() };
    assert_eq!(block_on(archive.gc(&rules, true)).unwrap().removed.len(), 1);
    for refused in [
        block_on(archive.append(&scope, &log, 0, None, &[b"a"], &[])).map(drop),
        block_on(archive.lease(&scope, &log, 9)).map(drop),
        block_on(archive.renew(&scope, &log, 1, 9)).map(drop),
        block_on(archive.release(&scope, &log, 1)),
        block_on(archive.remove_log(&scope, &log)),
    ] {
        assert!(matches!(refused, Err(ArchiveError::ReadOnly { .. })), "{refused:?}");
    }
    assert_eq!(version(&path), 1);
    assert_eq!(fs::read(&path).unwrap(), before);

    // Another brings it up meanwhile: from then on its logs are seen here too.
    let writer = SqliteArchive::open(&path).unwrap();
    block_on(writer.append(&scope, &log, 0, None, &[b"event"], &[])).unwrap();
    assert_eq!(block_on(archive.read(&scope, &log, 0, 9)).unwrap(), [(0, b"event".to_vec())]);
    assert_eq!(block_on(archive.describe()).unwrap().schema, 2);
}

#[test]
fn of_many_processes_one_brings_it_up() {
    let (_folder, path) = place();
    store_of_schema_1(&path);
    let children: Vec<_> =
        (0..8).map(|process| child::command(&[], "open", process, &path).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let archive = SqliteArchive::open(&path).unwrap();
    assert_eq!(is_all_there(&archive).logs, 8);
    let logs = block_on(archive.logs(&Scope::local(), None, 99)).unwrap();
    assert!(logs.len() == 8 && logs.iter().all(|stat| (stat.events, stat.bytes) == (1, 5)), "{logs:?}");
}
