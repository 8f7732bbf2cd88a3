//! `recto session prune --in-place` among kills, other writers, and clients that write on.

use std::{fs, io::Write as _, process::Stdio, time::Duration};

use crate::{
    desk::{Desk, log},
    sessions,
};

const IN_PLACE: [&str; 6] = ["session", "prune", "run.jsonl", "--in-place", "--policy", "prune"];

/// A session of many results, and their texts.
fn large() -> String {
    let mut session = String::new();
    for number in 0..40 {
        session += &sessions::claude(&log(600), "short")
            .replace("toolu_", &format!("toolu_{number}_"))
            .replace("\"u1\"", &format!("\"u1-{number}\""));
    }
    session
}

fn is_whole(text: &str) -> bool {
    text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
}

#[test]
fn a_kill_leaves_the_old_file_or_the_new_one() {
    let original = large();
    let whole = {
        let desk = Desk::new();
        desk.write("run.jsonl", original.as_bytes());
        desk.run(&IN_PLACE).ok();
        fs::read_to_string(desk.path("run.jsonl")).unwrap()
    };
    assert_ne!(whole, original);
    for milliseconds in [5, 20, 40, 80, 160, 320] {
        let desk = Desk::new();
        desk.write("run.jsonl", original.as_bytes());
        let mut child = desk.command(&IN_PLACE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        let stands = fs::read_to_string(desk.path("run.jsonl")).unwrap();
        assert!(stands == original || stands == whole, "after {milliseconds} ms: {} bytes", stands.len());
        if stands == whole {
            assert_eq!(fs::read_to_string(desk.path("run.jsonl.recto-backup-1")).unwrap(), original);
        }
    }
}

#[test]
fn of_two_at_once_one_wins_and_nothing_is_lost() {
    for _ in 0..4 {
        let desk = Desk::new();
        let original = large();
        desk.write("run.jsonl", original.as_bytes());
        let run = || desk.command(&IN_PLACE).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let children = [run(), run()];
        let ends = children.map(|child| child.wait_with_output().unwrap());
        assert!(ends.iter().any(|end| end.status.success()));
        for end in ends.iter().filter(|end| !end.status.success()) {
            let said = String::from_utf8_lossy(&end.stderr);
            assert!(said.contains("another recto is writing") || said.contains("was changed"), "{said}");
        }
        assert!(is_whole(&fs::read_to_string(desk.path("run.jsonl")).unwrap()));
        desk.run(&["session", "export", "run.jsonl", "--originals", "-o", "back.jsonl"]).ok();
        assert!(fs::read_to_string(desk.path("back.jsonl")).unwrap() == original);
    }
}

#[test]
fn a_session_that_is_written_meanwhile_is_left_alone() {
    let desk = Desk::new();
    let original = large();
    let path = desk.write("run.jsonl", original.as_bytes());
    let child = desk.command(&IN_PLACE).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut added = String::new();
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let writer = std::thread::spawn(move || child.wait_with_output().unwrap());
    while !writer.is_finished() {
        let line = "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"a3\"}\n";
        file.write_all(line.as_bytes()).unwrap();
        added += line;
        std::thread::sleep(Duration::from_millis(1));
    }
    let end = writer.join().unwrap();
    let said = String::from_utf8_lossy(&end.stderr);
    assert!(!end.status.success() && said.contains("was changed while it was read"), "{said}");
    assert!(fs::read_to_string(&path).unwrap() == original + &added);
}
