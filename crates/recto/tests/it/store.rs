use std::fs;

use recto::archive::{Archive, Digest, LogId, Scope, SqliteArchive, block_on};

use crate::desk::{Desk, log, mode, reference};

#[test]
fn export_writes_every_original_under_its_digest() {
    let desk = Desk::new();
    let texts = [log(600), log(700)];
    for text in &texts {
        desk.pipe(&["compress", "--max-bytes", "900"], text.as_bytes()).ok();
    }
    let done = desk.run(&["store", "export", "out", "--json"]).ok().json();
    assert_eq!((done["originals"].as_u64(), done["refs"].as_u64()), (Some(2), Some(2)));
    for text in &texts {
        let digest = recto::archive::Digest::of(text.as_bytes()).to_string();
        assert_eq!(fs::read(desk.path("out").join(&digest)).unwrap(), text.as_bytes());
        assert_eq!(mode(&desk.path("out").join(&digest)), 0o600);
    }
    assert_eq!(fs::read_to_string(desk.path("out/refs.jsonl")).unwrap().lines().count(), 2);
    assert_eq!(fs::read_dir(desk.path("out/maps")).unwrap().count(), 2);
    for private in ["out", "out/maps"] {
        assert_eq!(mode(&desk.path(private)), 0o700);
    }
    assert_eq!(mode(&desk.path("out/refs.jsonl")), 0o600);
}

#[test]
fn an_export_goes_on_where_it_stopped() {
    let desk = Desk::new();
    let text = log(600);
    desk.pipe(&["compress", "--max-bytes", "900"], text.as_bytes()).ok();
    desk.run(&["store", "export", "out"]).ok();
    let place = desk.path("out").join(recto::archive::Digest::of(text.as_bytes()).to_string());
    let refs = || fs::read_to_string(desk.path("out/refs.jsonl")).unwrap();
    let before = refs();
    desk.run(&["store", "export", "out"]).fails(2, &["not empty", "--merge"]);
    // One that stopped: a file cut short, as by a disk that was full, and another store's ref.
    fs::write(&place, &text[..100]).unwrap();
    fs::write(desk.path("out/refs.jsonl"), format!("{{\"ref\":\"r:of another store\"}}\n{before}")).unwrap();
    desk.pipe(&["compress", "--max-bytes", "900"], log(700).as_bytes()).ok();
    let done = desk.run(&["store", "export", "out", "--merge", "--json"]).ok().json();
    assert_eq!((done["originals"].as_u64(), done["refs"].as_u64()), (Some(2), Some(2)));
    assert_eq!(fs::read_to_string(&place).unwrap(), text);
    let after = refs();
    assert_eq!(after.lines().count(), 3, "{after}");
    assert!(after.contains("of another store") && after.contains(&before), "{after}");
    let files = |folder| fs::read_dir(desk.path(folder)).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(files("out").chain(files("out/maps")).all(|name| !name.to_string_lossy().contains("partial")));
    // What is there is not written again.
    let written = fs::metadata(&place).unwrap().modified().unwrap();
    desk.run(&["store", "export", "out", "--merge"]).ok();
    assert_eq!(fs::metadata(&place).unwrap().modified().unwrap(), written);
    assert_eq!(refs(), after);
}

/// Flips two bytes in the middle of the largest original's last stored chunk.
fn damage(desk: &Desk) {
    // What was stored last is in the log still: this moves it into the file.
    desk.run(&["gc"]).ok();
    let path = desk.store();
    let mut bytes = fs::read(&path).unwrap();
    let magic = bytes.windows(4).rposition(|window| window == [0x28, 0xB5, 0x2F, 0xFD]).unwrap();
    bytes[magic + 40] ^= 0xFF;
    bytes[magic + 41] ^= 0xFF;
    fs::write(&path, bytes).unwrap();
}

#[test]
fn an_export_tells_what_is_damaged_and_brings_the_rest() {
    let desk = Desk::new();
    let texts = [log(600), log(5_000)];
    for text in &texts {
        desk.pipe(&["compress", "--max-bytes", "900"], text.as_bytes()).ok();
    }
    damage(&desk);
    let done = desk.run(&["store", "export", "out", "--json"]);
    let damaged = done.json()["damaged"].as_array().unwrap().len();
    assert!(damaged >= 1, "{}", done.out());
    let files = fs::read_dir(desk.path("out")).unwrap().count()
        + fs::read_dir(desk.path("out/maps")).unwrap().count();
    // Two originals and two maps, `maps` and `refs.jsonl`.
    assert_eq!(files, 6 - damaged);
    done.fails(1, &["not exported, as damaged", "recto store verify"]);
}

#[test]
fn verify_finds_damage_and_names_it() {
    let desk = Desk::new();
    let view = desk.pipe(&["compress", "--max-bytes", "900"], log(5_000).as_bytes()).ok().out();
    assert!(desk.run(&["store", "verify"]).ok().out().starts_with("ok: 2 originals"));
    damage(&desk);
    let done = desk.run(&["store", "verify", "--json"]);
    assert_eq!((done.code(), done.json()["ok"].as_bool()), (1, Some(false)));
    let name = reference(&view);
    assert_eq!(done.json()["damaged"][0]["refs"], serde_json::json!([name]), "{}", done.out());
    let done = desk.run(&["store", "verify"]);
    assert!(done.out().contains(&name), "{}", done.out());
    done.fails(1, &["damaged"]);
}

/// Appends to a log of the desk's archive, as programs do that keep one.
fn append(desk: &Desk, expected: u64, events: &[&[u8]], keeps: &[Digest]) {
    let (archive, log) = (SqliteArchive::open(desk.store()).unwrap(), LogId::new("session/1").unwrap());
    block_on(archive.append(&Scope::local(), &log, expected, None, events, keeps)).unwrap();
}

#[test]
fn logs_are_verified_and_exported() {
    let desk = Desk::new();
    let text = log(600);
    desk.pipe(&["compress", "--max-bytes", "900"], text.as_bytes()).ok();
    append(&desk, 0, &[b"{\"a\":1}", b"\xff\x00"], &[Digest::of(text.as_bytes())]);
    let about = desk.run(&["store", "info", "--json"]).ok().json();
    assert_eq!((about["logs"].as_u64(), about["events"].as_u64()), (Some(1), Some(2)));
    assert!(desk.run(&["store", "info"]).ok().out().contains("1, 2 events, 9 B"));
    assert!(desk.run(&["store", "verify"]).ok().out().contains(", 2 events in 1 log, all sound"));
    let kept = desk.run(&["gc", "--max-bytes", "0"]).ok().out();
    assert!(kept.starts_with("0 originals removed"), "{kept}");

    let place = desk.path("out/logs/session%2F1.jsonl");
    let exported = || fs::read_to_string(&place).unwrap();
    let done = desk.run(&["store", "export", "out", "--json"]).ok().json();
    assert_eq!((done["logs"].as_u64(), done["events"].as_u64()), (Some(1), Some(2)));
    let begun = "{\"log\":\"session/1\",\"version\":1}\n{\"number\":0,\"text\":\"{\\\"a\\\":1}\"}\n{\"number\":1,\"hex\":\"ff00\"}\n";
    assert_eq!(exported(), begun);
    assert_eq!(mode(&place), 0o600);
    append(&desk, 2, &[b"more"], &[]);
    assert!(desk.run(&["store", "export", "out", "--merge"]).ok().out().contains(", 3 events in 1 log, in "));
    assert_eq!(exported(), format!("{begun}{{\"number\":2,\"text\":\"more\"}}\n"));

    // A file that says something else is somebody's: it stays.
    fs::write(&place, "mine\n").unwrap();
    desk.run(&["store", "export", "out", "--merge"]).fails(1, &["holds something else than log session/1"]);
    assert_eq!(exported(), "mine\n");
}

#[test]
fn damage_of_a_log_is_named_and_the_rest_exported() {
    let desk = Desk::new();
    append(&desk, 0, &[b"a", b"b", b"c"], &[]);
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    store.execute("DELETE FROM events WHERE number = 1", []).unwrap();
    let done = desk.run(&["store", "verify", "--json"]);
    assert_eq!((done.code(), done.json()["ok"].as_bool()), (1, Some(false)));
    let damaged = &done.json()["damaged"][0];
    assert!(damaged["sha256"].is_null(), "{damaged}");
    assert!(damaged["what"].as_str().unwrap().contains("events 1 to 1 are missing"), "{damaged}");
    desk.run(&["store", "verify"]).fails(1, &["logs or the store itself in 1 places"]);
    desk.run(&["store", "export", "out"]).fails(1, &["1 of 3 events of log session/1", "event 1 is missing"]);
    let exported = fs::read_to_string(desk.path("out/logs/session%2F1.jsonl")).unwrap();
    assert_eq!(exported.lines().count(), 3, "{exported}");
    assert!(exported.contains("\"text\":\"c\""), "{exported}");
}

#[test]
fn info_and_gc_report() {
    let desk = Desk::new();
    desk.run(&["store", "info"]).fails(1, &["there is no archive"]);
    desk.pipe(&["compress", "--max-bytes", "900"], log(600).as_bytes()).ok();
    let about = desk.run(&["store", "info", "--json"]).ok().json();
    assert_eq!(about["mode"], "read-write");
    assert!(desk.run(&["store", "info"]).ok().out().contains("SQLite"));
    let gc = desk.run(&["gc", "--dry-run", "--json"]).ok().json();
    assert_eq!((gc["dryRun"].as_bool(), gc["freedBytes"].as_u64()), (Some(true), Some(0)));
    assert!(desk.run(&["gc"]).ok().out().starts_with("0 originals removed, 0 B freed, "));
    desk.run(&["gc", "--max-age", "soon"]).fails(2, &["no duration"]);
}

#[test]
fn gc_makes_no_archive() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["gc"]).ok().out(), "0 originals removed, 0 B freed, 0 B kept\n");
    assert!(!desk.store().exists());
}
