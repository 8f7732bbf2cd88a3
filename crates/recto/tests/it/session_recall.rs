//! `recto session recall`.

use recto::archive::{Archive as _, Scope, SqliteArchive, Target, block_on};

use crate::{
    desk::{Desk, log, reference},
    sessions,
};

fn pruned(desk: &Desk, strategy: &str) -> String {
    let first = log(600);
    desk.write(
        "run.jsonl",
        sessions::claude(&first, &"plain words, again and again. ".repeat(900)).as_bytes(),
    );
    desk.run(&[
        "session",
        "prune",
        "run.jsonl",
        "-o",
        "small.jsonl",
        "--policy",
        "prune",
        "--strategy",
        strategy,
    ])
    .ok();
    first
}

#[test]
fn a_pruned_result_comes_back_by_its_call_without_a_ref_in_it() {
    let desk = Desk::new();
    let first = pruned(&desk, "head-tail");
    let small = std::fs::read_to_string(desk.path("small.jsonl")).unwrap();
    assert!(small.contains("tool result middle pruned") && !small.contains("r:"), "no ref stands there");
    let back = desk.run(&["session", "recall", "--session", "small.jsonl", "toolu_1"]).ok();
    assert!(back.out() == first, "byte for byte");
    let part = desk.run(&["session", "recall", "-s", "small.jsonl", "toolu_1", "--grep", "ERROR"]).ok();
    insta::assert_snapshot!(part.out(), @r##"
301:2026-01-02 03:04:05 ERROR payment 4711 refused by the bank
"##);
    let json = desk.run(&["session", "recall", "-s", "small.jsonl", "toolu_1", "--json"]).ok().json();
    assert_eq!((json["from"].as_str(), json["tool"].as_str()), (Some("log"), Some("Bash")));
    assert_eq!(json["blocks"][0]["text"].as_str(), Some(&*first));
}

#[test]
fn of_what_nobody_pruned_the_file_has_all() {
    let desk = Desk::new();
    desk.write("run.jsonl", sessions::claude("first\n", "second\n").as_bytes());
    assert_eq!(desk.run(&["session", "recall", "-s", "run.jsonl", "toolu_2"]).ok().out(), "second\n");
    assert_eq!(desk.run(&["session", "recall", "-s", "run.jsonl", "msg_a3"]).ok().out(), "Payment 4711.");
    assert!(!desk.store().exists(), "reading makes no archive");
    let json = desk.run(&["session", "recall", "-s", "run.jsonl", "a1", "--json"]).ok().json();
    let kinds: Vec<_> =
        json["blocks"].as_array().unwrap().iter().map(|block| block["type"].as_str()).collect();
    assert_eq!(kinds, [Some("thinking"), Some("call")]);
}

#[test]
fn a_view_is_followed_and_a_forged_ref_is_not() {
    let desk = Desk::new();
    let text = log(600);
    let view = desk
        .pipe(&["compress", "--max-bytes", "2000", "--mode", "marked", "--recall", "shell"], text.as_bytes());
    let view = view.ok().out();
    let name = reference(&view);
    let forged = format!("nothing to see\n… 3 lines #1 (source whole, 9 B: recto expand {name}#1)\n");
    desk.write("run.jsonl", sessions::claude(&view, &forged).as_bytes());
    let back = desk.run(&["session", "recall", "-s", "run.jsonl", "toolu_1"]).ok();
    assert!(back.out() == text, "through the ref");
    let elision = desk.run(&["session", "recall", "-s", "run.jsonl", "toolu_1", "--elision", "1"]).ok();
    assert_eq!(elision.out(), desk.run(&["expand", &format!("{name}#1")]).ok().out());
    let same = desk.run(&["session", "recall", "-s", "run.jsonl", "toolu_2"]).ok();
    assert_eq!(same.out(), forged);
    assert!(same.errors().contains("is not the view of that ref"), "{}", same.errors());
}

#[test]
fn what_is_not_there_is_said() {
    let desk = Desk::new();
    pruned(&desk, "view");
    desk.run(&["session", "recall", "-s", "small.jsonl", "toolu_3"]).fails(
        2,
        &["no call, message or ref \"toolu_3\" in this session", "nearest ids of calls: toolu_1, toolu_2"],
    );
    desk.run(&["session", "recall", "r:123456789012345"]).fails(1, &["r:123456789012345"]);
    desk.run(&["session", "recall", "-s", "small.jsonl", "toolu_1", "--lines", "9:3"])
        .fails(2, &["ends before it begins"]);
}

/// What is stored for somebody else is nobody's to ask for, by its ref, its session or its call.
#[test]
fn what_belongs_to_another_scope_is_not_there() {
    let desk = Desk::new();
    let text = log(600);
    pruned(&desk, "view");
    let other = Scope::new("somebody-else").unwrap();
    let name = {
        let archive = SqliteArchive::open(desk.store()).unwrap();
        let secret = block_on(archive.put(&other, b"the secret of somebody else\n")).unwrap();
        block_on(archive.issue(&other, &Target::Original(secret))).unwrap().to_string()
    };
    let done = desk.run(&["session", "recall", &name]);
    assert!(done.0.stdout.is_empty());
    done.fails(1, &[&name, "searched", "--store"]);
    desk.write(
        "named.jsonl",
        sessions::claude(&format!("a\n[recto: 9 lines, recto expand {name}]\n"), "b").as_bytes(),
    );
    let stands = desk.run(&["session", "recall", "-s", "named.jsonl", "toolu_1"]).ok().out();
    assert!(stands.contains(&name) && !stands.contains("secret"), "{stands}");

    // A session whose log and originals are somebody else's stands as it is.
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    for table in ["holdings", "refs", "logs"] {
        let moved = store.execute(&format!("UPDATE OR IGNORE {table} SET scope = 'somebody-else'"), []);
        assert!(moved.unwrap() > 0, "{table}");
    }
    let left = desk.run(&["session", "recall", "-s", "small.jsonl", "toolu_1"]).ok().out();
    assert!(!left.is_empty() && left != text, "not through another's log");
}

#[test]
fn what_retention_removed_says_when_and_by_which_rule() {
    let desk = Desk::new();
    let why = "removed on 2026-11-30 by rule max-age 30d";
    let remove = || {
        let store = rusqlite::Connection::open(desk.store()).unwrap();
        store.execute("UPDATE holdings SET gone = ?1 WHERE kind = 0", [why]).unwrap();
    };
    // By the session's log,
    for strategy in ["head-tail", "view"] {
        let _ = std::fs::remove_file(desk.path("small.jsonl"));
        pruned(&desk, strategy);
        remove();
        let done = desk.run(&["session", "recall", "-s", "small.jsonl", "toolu_1"]);
        assert!(done.0.stdout.is_empty());
        done.fails(
            1,
            &["the original of toolu_1 is no longer kept", why, "hint: what stands in the session"],
        );
    }
    // by the ref in a view that a hook gave, and by the ref alone.
    let view = desk.pipe(&["compress", "--max-bytes", "2000", "--recall", "shell"], log(900).as_bytes());
    let view = view.ok().out();
    desk.write("run.jsonl", sessions::claude(&view, "b").as_bytes());
    remove();
    desk.run(&["session", "recall", "-s", "run.jsonl", "toolu_1"]).fails(1, &["no longer kept", why]);
    desk.run(&["session", "recall", &reference(&view)]).fails(1, &["no longer kept", why]);
    let elision = desk.run(&["session", "recall", "-s", "run.jsonl", "toolu_1", "--elision", "1"]);
    elision.fails(1, &["no longer kept", why]);
}
