//! Stored bytes that are not what they were.

use std::sync::Arc;

use recto_archive::clock::ManualClock;
use recto_archive::conformance::{START_UNIX_MS, log_lines, noise};
use recto_archive::{
    Archive, ArchiveError, Digest, LogId, OpenOptions, Retention, Scope, SqliteArchive, Target, block_on,
};
use rusqlite::Connection;

use super::place;

/// Retention without rules removes nothing, and moves the log into the file.
fn move_log(archive: &SqliteArchive) {
    block_on(archive.gc(&Retention::default(), false)).unwrap();
}

/// One changed byte on the disk is found, its original named; the others can be read, and putting the bytes again
/// heals it.
#[test]
fn a_changed_byte_is_found_and_healed() {
    let (_folder, path) = place();
    let scope = Scope::local();
    let victim = noise(1, 3_000_000);
    let (digest, others) = {
        let archive = SqliteArchive::open(&path).unwrap();
        let others: Vec<Digest> =
            (10..20).map(|seed| block_on(archive.put(&scope, &noise(seed, 50_000))).unwrap()).collect();
        let digest = block_on(archive.put(&scope, &victim)).unwrap();
        move_log(&archive);
        (digest, others)
    };
    // Noise is stored as it is, so it can be found in the file, which is closed now.
    let mut file = std::fs::read(&path).unwrap();
    let needle = &victim[2_000_100..2_000_116];
    let at = file.windows(16).position(|window| window == needle).unwrap();
    file[at] ^= 1;
    std::fs::write(&path, file).unwrap();

    let clock = Arc::new(ManualClock::new(START_UNIX_MS * 2));
    let archive = OpenOptions::new().clock(clock).open(&path).unwrap();
    let report = block_on(archive.verify(&|_| {})).unwrap();
    let damaged: Vec<_> = report.damaged.iter().map(|damage| damage.digest).collect();
    assert_eq!((damaged, report.originals), (vec![Some(digest)], 11));
    let what = &report.damaged[0].what;
    assert!(what.contains(&digest.to_string()) && what.contains("bytes 1048576 to 2097152"), "{what}");

    let error = block_on(archive.get(&scope, &digest, 0..u64::MAX)).unwrap_err();
    assert!(matches!(error, ArchiveError::Corrupt { .. }), "{error}");
    assert!(block_on(archive.get(&scope, &digest, 0..1_000_000)).unwrap() == victim[..1_000_000]);
    for other in others {
        assert_eq!(block_on(archive.get(&scope, &other, 0..u64::MAX)).unwrap().len(), 50_000);
    }

    assert_eq!(block_on(archive.put(&scope, &victim)).unwrap(), digest);
    assert!(block_on(archive.get(&scope, &digest, 0..u64::MAX)).unwrap() == victim);
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
}

/// Rows that contradict each other are damage, never a panic or other bytes.
#[test]
fn wrong_rows_are_damage() {
    for damage in [
        "DELETE FROM chunks WHERE start = 0",
        "DELETE FROM chunks WHERE start = 1048576",
        "DELETE FROM chunks WHERE start = 2097152",
        "DELETE FROM objects",
        "UPDATE chunks SET length = length + 1 WHERE start = 1048576",
        "UPDATE chunks SET length = 1 << 40",
        "UPDATE chunks SET length = 0",
        "UPDATE chunks SET frame = x''",
        "UPDATE objects SET bytes = bytes - 1",
        "UPDATE objects SET bytes = 1 << 60",
        "UPDATE chunks SET frame = (SELECT frame FROM chunks WHERE start = 0) WHERE start = 1048576",
    ] {
        let (_folder, path) = place();
        let archive = SqliteArchive::open(&path).unwrap();
        let digest = block_on(archive.put(&Scope::local(), &log_lines(1, 2_500_000))).unwrap();
        Connection::open(&path).unwrap().execute_batch(damage).unwrap();
        let error = block_on(archive.get(&Scope::local(), &digest, 0..u64::MAX)).unwrap_err();
        assert!(matches!(error, ArchiveError::Corrupt { .. }), "{damage}: {error}");
        if damage.starts_with("DELETE") {
            let part = block_on(archive.get(&Scope::local(), &digest, 9..2_499_999));
            assert!(matches!(part, Err(ArchiveError::Corrupt { .. })), "{damage}: no hole is passed over");
        }
        let report = block_on(archive.verify(&|_| {})).unwrap();
        assert_eq!(report.damaged.last().and_then(|damage| damage.digest), Some(digest), "{damage}");
    }
}

/// Rows of logs that contradict each other are damage of that log, and the others can be read.
#[test]
fn wrong_rows_of_a_log_are_damage() {
    for (damage, told) in [
        ("DELETE FROM events WHERE number = 0", "events 0 to 0 are missing"),
        ("DELETE FROM events WHERE number IN (3, 4)", "events 3 to 4 are missing"),
        ("DELETE FROM events WHERE number > 290", "events 291 to 299 are missing"),
        ("DELETE FROM logs WHERE name = 'log'", "300 events belong to no log"),
        ("UPDATE logs SET events = 301 WHERE name = 'log'", "events 300 to 300 are missing"),
        ("UPDATE logs SET events = 299 WHERE name = 'log'", "beyond its end, 299"),
        ("UPDATE logs SET bytes = bytes + 1 WHERE name = 'log'", "its events have"),
        ("UPDATE events SET body = x'00' WHERE number = 0", "event 0 does not have its SHA-256"),
        ("UPDATE events SET body = x'00' WHERE number = 7", "event 7 does not decompress"),
        ("UPDATE events SET coding = 1 WHERE number = 0", "event 0 does not decompress"),
        ("UPDATE events SET coding = 2 WHERE number = 0", "event 0 has the unknown coding 2"),
        ("UPDATE events SET bytes = 1 << 40 WHERE number = 7", "event 7 claims 1099511627776 bytes"),
        ("UPDATE events SET bytes = bytes + 1 WHERE number = 7", "event 7 does not have its SHA-256"),
        ("UPDATE events SET bytes = bytes - 1 WHERE number = 7", "event 7 does not decompress"),
        ("UPDATE holdings SET gone = 'x'", "keeps original"),
    ] {
        let (_folder, path) = place();
        let (archive, scope) = (SqliteArchive::open(&path).unwrap(), Scope::local());
        let [log, other] = ["log", "other"].map(|name| LogId::new(name).unwrap());
        let kept = [block_on(archive.put(&scope, b"kept")).unwrap()];
        let long = "a long event ".repeat(100);
        let events: Vec<&[u8]> = (0..300)
            .map(|number| if number % 7 == 0 && number > 0 { long.as_bytes() } else { b"event" })
            .collect();
        block_on(archive.append(&scope, &log, 0, None, &events, &kept)).unwrap();
        block_on(archive.append(&scope, &other, 0, None, &[b"sound"], &[])).unwrap();
        let only_of_log = damage.replace("WHERE number", "WHERE log = 1 AND number");
        Connection::open(&path).unwrap().execute_batch(&only_of_log).unwrap();

        let report = block_on(archive.verify(&|_| {})).unwrap();
        assert_eq!(report.damaged.len(), 1, "{damage}: {:?}", report.damaged);
        assert!(report.damaged[0].what.contains(told), "{damage}: {}", report.damaged[0].what);
        if damage.contains("WHERE number") {
            let error = block_on(archive.read(&scope, &log, 0, 1000)).unwrap_err();
            assert!(matches!(error, ArchiveError::Corrupt { .. }), "{damage}: {error}");
            let error = error.to_string();
            assert!(error.contains("log log in ") && error.contains("recto.db"), "{error}");
            assert_eq!(block_on(archive.read(&scope, &log, 8, 100)).unwrap().len(), 100);
        }
        assert_eq!(block_on(archive.read(&scope, &other, 0, 9)).unwrap(), [(0, b"sound".to_vec())]);
        assert_eq!(report.events, if damage.contains("FROM logs") { 1 } else { report.events });
    }
}

/// Bytes changed anywhere in the file never cause a panic, and never other bytes than those that were put.
#[test]
fn no_change_of_the_file_gives_wrong_bytes() {
    let (_folder, path) = place();
    let scope = Scope::local();
    let bytes = [noise(1, 20_000), log_lines(2, 90_000)].concat();
    let log = LogId::new("log").unwrap();
    let events: Vec<Vec<u8>> = (0..40).map(|seed| log_lines(seed, 20 + seed as usize * 30)).collect();
    let (digest, name) = {
        let archive = SqliteArchive::open(&path).unwrap();
        let digest = block_on(archive.put(&scope, &bytes)).unwrap();
        for (number, event) in (0..).zip(&events) {
            block_on(archive.append(&scope, &log, number, None, &[event], &[digest])).unwrap();
        }
        let name = block_on(archive.issue(&scope, &Target::Original(digest))).unwrap();
        move_log(&archive);
        (digest, name)
    };
    let sound = std::fs::read(&path).unwrap();
    let mut refused = 0;
    for (turn, at) in (0..sound.len()).step_by(sound.len() / 150).enumerate() {
        let mut file = sound.clone();
        for byte in file.iter_mut().skip(at).take(1 + turn % 60) {
            *byte ^= 1 << (turn % 8);
        }
        std::fs::write(&path, &file).unwrap();
        let Ok(archive) = SqliteArchive::open(&path) else {
            refused += 1;
            continue;
        };
        match block_on(archive.get(&scope, &digest, 0..u64::MAX)) {
            Ok(got) => assert!(got == bytes, "changed at {at}"),
            Err(_) => refused += 1,
        }
        if let Ok(read) = block_on(archive.read(&scope, &log, 0, 100)) {
            let read: Vec<Vec<u8>> = read.into_iter().map(|(_, event)| event).collect();
            assert!(read.is_empty() || read == events, "changed at {at}");
        }
        let _ = block_on(archive.resolve(&scope, &name));
        let _ = block_on(archive.verify(&|_| {}));
        drop(archive);
        let _ = std::fs::remove_file(super::beside(&path, "-wal"));
        let _ = std::fs::remove_file(super::beside(&path, "-shm"));
    }
    assert!(refused > 20, "the changes met nothing: {refused}");
    std::fs::write(&path, &sound[..sound.len() / 2]).unwrap();
    if let Ok(archive) = SqliteArchive::open(&path) {
        assert!(block_on(archive.get(&scope, &digest, 0..u64::MAX)).is_err());
        assert!(!block_on(archive.verify(&|_| {})).unwrap().is_sound());
    }
}
