//! `recto session export`.

use std::fs;

use crate::{
    desk::{Desk, log},
    sessions,
};

const HARD: [&str; 6] = ["--older-than", "2", "--above-tokens", "60", "--to-tokens", "40"];

/// Every corpus transcript, made smaller twice, is put back byte for byte; and without recto no note names a ref that recto put there.
#[test]
fn what_was_pruned_twice_comes_back_byte_for_byte() {
    for path in sessions::corpus() {
        let desk = Desk::new();
        let original = fs::read(&path).unwrap();
        desk.write("run.jsonl", &original);
        let all = "prune,decay,supersession,overlap,arguments";
        let mut first = vec!["session", "prune", "run.jsonl", "-o", "one.jsonl", "--policy", all];
        first.extend(HARD);
        desk.run(&first).ok();
        let second = [
            "session",
            "prune",
            "one.jsonl",
            "-o",
            "two.jsonl",
            "--older-than",
            "2",
            "--above-tokens",
            "30",
            "--to-tokens",
            "20",
        ];
        desk.run(&second).ok();
        desk.run(&["session", "export", "two.jsonl", "--originals", "-o", "back.jsonl"]).ok();
        assert!(fs::read(desk.path("back.jsonl")).unwrap() == original, "{}", path.display());
        desk.run(&["session", "export", "two.jsonl", "--without-recto", "-o", "plain.jsonl"]).ok();
        let count =
            |name: &str| fs::read_to_string(desk.path(name)).unwrap().matches("recto expand r:").count();
        assert_eq!(count("plain.jsonl"), count("run.jsonl"), "{}", path.display());
        let lines =
            |name: &str| fs::read(desk.path(name)).unwrap().iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines("plain.jsonl"), lines("run.jsonl"));
        desk.run(&["session", "export", "two.jsonl", "--events", "-o", "events.jsonl"]).ok();
        let events = recto::session::Log::from_jsonl(&fs::read_to_string(desk.path("events.jsonl")).unwrap());
        let mut events = events.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // The pruner's laws hold of it: a second scan appends nothing.
        let config = recto::session::PruneConfig::default();
        recto::session::prune_session(&mut events, &config).unwrap();
        let again = recto::session::prune_session(&mut events, &config).unwrap();
        assert!(again.rewritten.is_empty(), "{}", path.display());
    }
}

#[test]
fn without_recto_what_is_shown_stays() {
    let desk = Desk::new();
    desk.write("run.jsonl", sessions::claude(&log(900), "short").as_bytes());
    desk.run(&["session", "prune", "run.jsonl", "--in-place", "--policy", "prune"]).ok();
    let done = desk.run(&["session", "export", "run.jsonl", "--without-recto", "-o", "plain.jsonl"]).ok();
    insta::assert_snapshot!(desk.shown(&done), @r##"
---
written: plain.jsonl; 1 result without words of recto
exit code 0
"##);
    let (with, without) = (
        fs::read_to_string(desk.path("run.jsonl")).unwrap(),
        fs::read_to_string(desk.path("plain.jsonl")).unwrap(),
    );
    let at = with.find(": recto expand r:").unwrap();
    let end = at + with[at..].find(')').unwrap();
    assert_eq!(without, format!("{}{}", &with[..at], &with[end..]));
}

#[test]
fn what_this_archive_does_not_know_is_counted() {
    let desk = Desk::new();
    let note = "a\n… 3 lines #1 (source whole, 9 B: recto expand r:123456789012345#1)\n";
    let session = sessions::claude(note, "short");
    desk.write("run.jsonl", session.as_bytes());
    for form in ["--originals", "--without-recto"] {
        let name = format!("{form}.jsonl");
        let done = desk.run(&["session", "export", "run.jsonl", form, &format!("-o./{name}")]).ok();
        assert!(
            done.errors().contains("this archive does not know their refs: 1 result"),
            "{}",
            done.errors()
        );
        assert_eq!(fs::read_to_string(desk.path(&name)).unwrap(), session);
    }
    desk.run(&["session", "export", "run.jsonl", "--originals", "-o", "run.jsonl"])
        .fails(2, &["is there already"]);
    desk.run(&["session", "export", "run.jsonl", "-o", "x.jsonl"]).fails(2, &["--originals"]);
}
