use std::fs;

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
    desk.run(&["store", "export", "out"]).fails(2, &["not empty", "--merge"]);
    desk.run(&["store", "export", "out", "--merge"]).ok();
}

#[test]
fn verify_finds_damage_and_names_it() {
    let desk = Desk::new();
    let view = desk.pipe(&["compress", "--max-bytes", "900"], log(5_000).as_bytes()).ok().out();
    assert!(desk.run(&["store", "verify"]).ok().out().starts_with("ok: 2 originals"));
    // Flips a byte in the middle of the stored chunk: behind the first pages, well inside compressed data.
    let path = desk.store();
    let mut bytes = fs::read(&path).unwrap();
    let magic = bytes.windows(4).rposition(|window| window == [0x28, 0xB5, 0x2F, 0xFD]).unwrap();
    bytes[magic + 40] ^= 0xFF;
    bytes[magic + 41] ^= 0xFF;
    fs::write(&path, bytes).unwrap();
    let done = desk.run(&["store", "verify", "--json"]);
    assert_eq!((done.code(), done.json()["ok"].as_bool()), (1, Some(false)));
    desk.run(&["store", "verify"]).fails(1, &["damaged"]);
    let _ = reference(&view);
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
    desk.run(&["gc", "--max-age", "soon"]).fails(2, &["no duration"]);
}
