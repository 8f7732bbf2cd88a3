//! What lies in the file: laws that the trait does not show.

use recto_archive::conformance::noise;
use recto_archive::{Archive, ArchiveError, Retention, Scope, SqliteArchive, block_on};
use rusqlite::Connection;

use super::place;

fn count(path: &std::path::Path, sql: &str) -> u64 {
    Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A command that prints line by line, each made safe at once, leaves few chunks.
#[test]
fn many_small_flushes_make_few_chunks() {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(&path).unwrap();
    let mut writer = block_on(archive.begin(&Scope::local(), "slow")).unwrap();
    for line in 0..3_000 {
        writer.write(format!("line {line} of a command that takes its time\n").as_bytes()).unwrap();
        writer.flush().unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(count(&path, "SELECT count(*) FROM chunks"), 2);
}

/// A second copy that is too large to be deleted in passing is no original, and goes with the next removal.
#[test]
fn a_large_second_copy_goes_with_the_next_removal() {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(&path).unwrap();
    let bytes = noise(1, 40_000_000);
    for scope in ["one", "two"] {
        block_on(archive.put(&Scope::new(scope).unwrap(), &bytes)).unwrap();
    }
    let described = block_on(archive.describe()).unwrap();
    assert_eq!((described.originals, described.source_bytes), (1, 40_000_000));
    let notes = block_on(archive.health()).unwrap().notes;
    assert!(notes.len() == 1 && notes[0].contains("38 MiB"), "{notes:?}");
    block_on(archive.gc(&Retention::default(), false)).unwrap();
    assert!(block_on(archive.describe()).unwrap().occupied_bytes < 42_000_000);
    assert_eq!(block_on(archive.health()).unwrap().notes, [""; 0]);
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
}

/// Where locks were lost (a cleaner of temporary files took them), a writer learns that its run was ended, and harms
/// nothing.
#[test]
fn a_writer_whose_run_was_ended_is_told() {
    let (_folder, path) = place();
    let (archive, scope) = (SqliteArchive::open(&path).unwrap(), Scope::local());
    for more in [&b""[..], b"more"] {
        let mut writer = block_on(archive.begin(&scope, "run")).unwrap();
        let run = writer.run_id().clone();
        writer.write(&noise(1, 100_000)).unwrap();
        std::fs::remove_dir_all(super::beside(&path, "-runs")).unwrap();
        let adopted = block_on(archive.adopt(&scope, &run)).unwrap();
        writer.write(more).unwrap();
        let lost = writer.finish();
        assert!(matches!(lost, Err(ArchiveError::RunLost { .. })), "{lost:?}");
        assert!(block_on(archive.get(&scope, &adopted, 0..u64::MAX)).unwrap() == noise(1, 100_000));
    }
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
}
