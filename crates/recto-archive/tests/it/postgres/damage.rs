//! Rows that are not what they were.

use recto_archive::conformance::log_lines;
use recto_archive::{Archive, ArchiveError, LogId, Scope, block_on};

use super::open;

/// Rows that contradict each other are damage, never a panic or other bytes; putting the bytes again heals it.
#[test]
fn wrong_rows_are_damage() {
    let Some((database, archive)) = open() else { return };
    let (scope, bytes) = (Scope::local(), log_lines(1, 2_500_000));
    for damage in [
        "DELETE FROM recto.chunks WHERE start = 0",
        "DELETE FROM recto.chunks WHERE start = 1048576",
        "DELETE FROM recto.chunks WHERE start = 2097152",
        "DELETE FROM recto.contents",
        "UPDATE recto.chunks SET length = length + 1 WHERE start = 1048576",
        "UPDATE recto.chunks SET length = 2147483647",
        "UPDATE recto.chunks SET length = -1",
        "UPDATE recto.chunks SET length = 0",
        "UPDATE recto.chunks SET frame = ''",
        "UPDATE recto.contents SET bytes = bytes - 1",
        "UPDATE recto.contents SET bytes = 1::bigint << 60",
        "UPDATE recto.chunks SET frame = (SELECT frame FROM recto.chunks WHERE start = 0 LIMIT 1) WHERE start = 1048576",
    ] {
        let digest = block_on(archive.put(&scope, &bytes)).unwrap();
        assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound(), "healed before {damage}");
        database.execute(damage);
        let error = block_on(archive.get(&scope, &digest, 0..u64::MAX)).unwrap_err();
        assert!(matches!(error, ArchiveError::Corrupt { .. }), "{damage}: {error}");
        if damage.starts_with("DELETE") {
            let part = block_on(archive.get(&scope, &digest, 9..2_499_999));
            assert!(matches!(part, Err(ArchiveError::Corrupt { .. })), "{damage}: no hole is passed over");
        }
        let report = block_on(archive.verify(&|_| {})).unwrap();
        assert_eq!(report.damaged.last().and_then(|damage| damage.digest), Some(digest), "{damage}");
    }
}

/// A damaged event is named; those around it can be read.
#[test]
fn wrong_events_are_damage() {
    let Some((database, archive)) = open() else { return };
    let scope = Scope::local();
    let events: Vec<Vec<u8>> = (0..10).map(|number| log_lines(number, 700)).collect();
    let events: Vec<&[u8]> = events.iter().map(Vec::as_slice).collect();
    for (number, damage) in [
        "DELETE FROM recto.events WHERE number = 5",
        "UPDATE recto.events SET body = '' WHERE number = 5",
        "UPDATE recto.events SET bytes = bytes + 1 WHERE number = 5",
        "UPDATE recto.events SET bytes = 1::bigint << 50 WHERE number = 5",
        "UPDATE recto.events SET sha256_64 = 0 WHERE number = 5",
        "UPDATE recto.events SET coding = 7 WHERE number = 5",
        "DELETE FROM recto.events WHERE number > 4",
    ]
    .into_iter()
    .enumerate()
    {
        let log = LogId::new(format!("log/{number}")).unwrap();
        block_on(archive.append(&scope, &log, 0, None, &events, &[])).unwrap();
        let only = format!("AND log = (SELECT id FROM recto.logs WHERE name = '{log}')");
        database.execute(&format!("{damage} {only}"));
        let read = |from, limit| block_on(archive.read(&scope, &log, from, limit));
        let before = read(0, 5).unwrap();
        assert!(before.iter().map(|(_, event)| event.as_slice()).eq(events[..5].iter().copied()));
        let error = read(5, 1).unwrap_err();
        assert!(
            matches!(error, ArchiveError::Corrupt { .. }) && error.to_string().contains("event 5"),
            "{error}"
        );
        if !damage.contains('>') {
            assert_eq!(read(6, 9).unwrap().len(), 4, "{damage}");
        }
        let report = block_on(archive.verify(&|_| {})).unwrap();
        assert_eq!(report.damaged.len(), 1, "{damage}: {:?}", report.damaged);
        let what = &report.damaged[0].what;
        assert!(what.contains(log.as_str()) && what.contains('5'), "{what}");
        assert_eq!(block_on(archive.append(&scope, &log, 10, None, &[b"on"], &[])).unwrap(), 11);
        block_on(archive.remove_log(&scope, &log)).unwrap();
    }
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
    assert_eq!(database.value("SELECT count(*) FROM recto.events"), "0");
}

/// A log whose own row is damaged is named too, and what it kept.
#[test]
fn wrong_rows_of_a_log_are_damage() {
    for (damage, why) in [
        ("UPDATE recto.logs SET name = 'l o g'", "\"l o g\" cannot name a log"),
        ("UPDATE recto.logs SET events = 1", "beyond its end, 1"),
        ("UPDATE recto.logs SET bytes = bytes + 1", "have 2 bytes, not 3"),
        ("DELETE FROM recto.logs", "2 events belong to no log"),
        ("UPDATE recto.holdings SET gone = 'x'", "keeps original"),
    ] {
        let Some((database, archive)) = open() else { return };
        let (scope, log) = (Scope::local(), LogId::new("log").unwrap());
        let kept = block_on(archive.put(&scope, b"kept")).unwrap();
        block_on(archive.append(&scope, &log, 0, None, &[b"a", b"b"], &[kept])).unwrap();
        database.execute(damage);
        let report = block_on(archive.verify(&|_| {})).unwrap();
        assert!(
            report.damaged.iter().any(|damage| damage.what.contains(why)),
            "{damage}: {:?}",
            report.damaged
        );
    }
}
