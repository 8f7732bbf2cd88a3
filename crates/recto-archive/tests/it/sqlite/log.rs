//! The log of the newest writes: it outlives those who wrote it, and is moved into the file now and then.

use std::fs;
use std::path::Path;

use recto_archive::conformance::noise;
use recto_archive::{Archive, Digest, Retention, Scope, SqliteArchive, block_on};
use rusqlite::Connection;

use super::{beside, place};

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

/// Moving it takes several waits for the disk, which whoever puts one small thing must not pay for.
#[test]
fn whoever_goes_leaves_the_log() {
    let (_folder, path) = place();
    let scope = Scope::local();
    let mut kept = Vec::new();
    for seed in 0..5 {
        let archive = SqliteArchive::open(&path).unwrap();
        let before = length(&beside(&path, "-wal"));
        kept.push(block_on(archive.put(&scope, &noise(seed, 3_000))).unwrap());
        drop(archive);
        assert!(length(&beside(&path, "-wal")) > before);
    }
    let main = fs::read(&path).unwrap();
    let archive = SqliteArchive::open(&path).unwrap();
    for digest in &kept {
        let bytes = block_on(archive.get(&scope, digest, 0..u64::MAX)).unwrap();
        assert_eq!(Digest::of(&bytes), *digest);
    }
    drop(archive);
    assert_eq!(fs::read(&path).unwrap(), main, "nothing was moved");
}

#[test]
fn many_small_puts_do_not_let_it_grow_without_end() {
    let (_folder, path) = place();
    let mut moves = 0;
    for seed in 0..60 {
        let before = length(&path);
        let archive = SqliteArchive::open(&path).unwrap();
        block_on(archive.put(&Scope::local(), &noise(seed, 100_000))).unwrap();
        moves += u32::from(length(&path) > before);
        let log_bytes = length(&beside(&path, "-wal"));
        assert!(log_bytes < 2_500_000, "{log_bytes}");
    }
    assert!((2..=6).contains(&moves), "moved {moves} times, once for each 2 MiB");
}

#[test]
fn retention_moves_it_all() {
    let (_folder, path) = place();
    let digest = block_on(SqliteArchive::open(&path).unwrap().put(&Scope::local(), b"kept")).unwrap();
    block_on(SqliteArchive::open(&path).unwrap().gc(&Retention::default(), false)).unwrap();
    assert_eq!(length(&beside(&path, "-wal")), 0);
    // The file alone is the store, and it goes on from there.
    let copy = path.with_extension("copy");
    fs::copy(&path, &copy).unwrap();
    for path in [&copy, &path] {
        let archive = SqliteArchive::open(path).unwrap();
        assert_eq!(block_on(archive.get(&Scope::local(), &digest, 0..9)).unwrap(), b"kept");
        block_on(archive.put(&Scope::local(), b"more")).unwrap();
    }
}

#[test]
fn a_long_one_that_a_reader_held_is_moved_when_the_store_is_opened() {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(&path).unwrap();
    let reader = Connection::open(&path).unwrap();
    reader.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM objects").unwrap();
    let digest = block_on(archive.put(&Scope::local(), &noise(1, 20 << 20))).unwrap();
    drop(archive);
    // While it is in use it is left alone, and so is whoever opens the store.
    drop(SqliteArchive::open(&path).unwrap());
    assert!(length(&beside(&path, "-wal")) > 20 << 20);
    drop(reader);
    let archive = SqliteArchive::open(&path).unwrap();
    assert_eq!(length(&beside(&path, "-wal")), 0);
    assert!(length(&path) > 20 << 20);
    let bytes = block_on(archive.get(&Scope::local(), &digest, 0..u64::MAX)).unwrap();
    assert_eq!(Digest::of(&bytes), digest);
}
