//! Refs that collide, are cut short, or outlive what they named.

use rusqlite::Connection;

use crate::desk::{Desk, log, reference};

const BUDGET: [&str; 3] = ["compress", "--max-bytes", "900"];

fn compressed(desk: &Desk, text: &str) -> (String, String) {
    let view = desk.pipe(&BUDGET, text.as_bytes()).ok().out();
    let name = reference(&view);
    (view, name)
}

fn change(desk: &Desk, statement: &str, values: &[&str]) {
    let store = Connection::open(desk.store()).unwrap();
    let changed = store.execute(statement, rusqlite::params_from_iter(values)).unwrap();
    assert_eq!(changed, 1);
}

#[test]
fn a_taken_name_becomes_longer_and_the_notes_say_the_longer_one() {
    let texts = [log(600), log(700)];
    // The name that the second one would have, were it alone.
    let (alone, short) = compressed(&Desk::new(), &texts[1]);
    let desk = Desk::new();
    let (_, first) = compressed(&desk, &texts[0]);
    change(&desk, "UPDATE refs SET digits = ?1 WHERE digits = ?2", &[&short[2..], &first[2..]]);
    let (view, name) = compressed(&desk, &texts[1]);
    assert_eq!((name.len(), name.starts_with(&short)), (2 + 18, true));
    assert!(view.len() <= 900 && view != alone);
    assert_eq!(desk.run(&["expand", &name]).ok().out(), texts[1]);
    assert_eq!(desk.run(&["expand", &short]).ok().out(), texts[0], "the short one stays the first one's");
    // The map that is bound is that of the view with the longer name.
    let json = desk.pipe(&[&BUDGET[..], &["--format", "json"]].concat(), texts[1].as_bytes()).ok().json();
    assert_eq!((json["ref"].as_str(), json["rendered"].as_str()), (Some(name.as_str()), Some(view.as_str())));
    let span = &json["spanMap"]["spans"][0];
    assert_eq!(span["s"], 0);
    let start = usize::try_from(span["e"].as_u64().unwrap()).unwrap();
    let dropped = usize::try_from(json["spanMap"]["elisions"][0]["bytes"].as_u64().unwrap()).unwrap();
    let first = desk.run(&["expand", &format!("{name}#1")]).ok().out();
    assert_eq!(first, texts[1][start..start + dropped]);
}

#[test]
fn a_ref_may_be_cut_short_while_it_is_the_only_one() {
    let desk = Desk::new();
    let texts = [log(600), log(700)];
    let names: Vec<String> = texts.iter().map(|text| compressed(&desk, text).1).collect();
    for digits in [6, 9, 14] {
        assert_eq!(desk.run(&["expand", &names[0][..2 + digits]]).ok().out(), texts[0]);
        assert_eq!(desk.run(&["expand", &names[0][2..2 + digits]]).ok().out(), texts[0], "without r:");
    }
    desk.run(&["expand", &names[0][..2 + 5]]).fails(2, &["too short for a ref", "first 6 digits"]);
    for (name, digits) in names.iter().zip(["123456000000001", "123456000000002"]) {
        change(&desk, "UPDATE refs SET digits = ?1 WHERE digits = ?2", &[digits, &name[2..]]);
    }
    let done = desk.run(&["expand", "r:123456"]);
    assert!(done.0.stdout.is_empty());
    done.fails(2, &["begins several refs", "r:123456000000001, r:123456000000002", "give more digits"]);
    assert_eq!(desk.run(&["expand", "r:123456000000002"]).ok().out(), texts[1]);
}

#[test]
fn what_was_removed_says_when_and_by_which_rule() {
    let desk = Desk::new();
    let text = log(600);
    let (_, name) = compressed(&desk, &text);
    let why = "removed on 2026-11-30 by rule max-age 30d";
    change(&desk, "UPDATE holdings SET gone = ?1 WHERE kind = 0", &[why]);
    for asked in [name.clone(), format!("{name}#1")] {
        let done = desk.run(&["expand", &asked]);
        assert!(done.0.stdout.is_empty());
        done.fails(1, &["no longer kept", why]);
    }
    // Putting the same bytes again brings it back, under the same name.
    assert_eq!(compressed(&desk, &text).1, name);
    assert_eq!(desk.run(&["expand", &name]).ok().out(), text);
}

#[test]
fn a_whole_original_has_no_elisions() {
    let desk = Desk::new();
    let text = log(600);
    let (_, name) = compressed(&desk, &text);
    change(&desk, "UPDATE refs SET policy = NULL, map = NULL WHERE digits = ?1", &[&name[2..]]);
    assert_eq!(desk.run(&["expand", &name]).ok().out(), text);
    desk.run(&["expand", &format!("{name}#1")]).fails(2, &["names a whole original", "hint:"]);
}

#[test]
fn damaged_bytes_are_told_from_sound_ones() {
    let desk = Desk::new();
    let text = log(600);
    let (_, name) = compressed(&desk, &text);
    // The bytes of another original, of the same length, under this one's digest.
    let other = text.replace("4711", "4712");
    compressed(&desk, &other);
    let [digest, taken] = [&text, &other].map(|text| recto::archive::Digest::of(text.as_bytes()).0);
    let store = Connection::open(desk.store()).unwrap();
    store.execute("UPDATE objects SET sha256 = zeroblob(32) WHERE sha256 = ?1", [&digest[..]]).unwrap();
    let swapped =
        store.execute("UPDATE objects SET sha256 = ?1 WHERE sha256 = ?2", [&digest[..], &taken[..]]);
    assert_eq!(swapped.unwrap(), 1);
    desk.run(&["expand", &name]).fails(1, &["corrupt", "SHA-256"]);
}
