mod keeping;
mod signals;

use std::time::{Duration, Instant};

use crate::desk::{Desk, log, reference};

/// Waits for something that is about to be.
#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a journal holds something.
fn wait_for_journal(desk: &Desk) -> serde_json::Value {
    let runs = || desk.run(&["store", "runs", "--json"]);
    wait_until("a journal", || {
        let found = desk.store().exists().then(runs).filter(|found| found.code() == 0);
        found.is_some_and(|found| {
            found.json().as_array().unwrap().iter().any(|run| run["bytes"].as_u64() > Some(0))
        })
    });
    runs().json()
}

#[test]
fn exit_codes_are_the_commands_own() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["run", "--", "sh", "-c", "exit 3"]).code(), 3);
    assert_eq!(desk.run(&["run", "--", "true"]).code(), 0);
    assert_eq!(desk.run(&["run", "--shell", "exit 7"]).code(), 7);
    desk.run(&["run", "--", "no-such-command-here"]).fails(127, &["no-such-command-here"]);
    desk.write("plain", b"not a program");
    desk.run(&["run", "--", "./plain"]).fails(126, &["plain"]);
    desk.run(&["run", "--", "/"]).fails(126, &["cannot run /"]);
    desk.run(&["run", "--shell", "a", "b"]).fails(125, &["--shell takes the whole line"]);
    // None of these left a journal behind.
    assert!(desk.run(&["run", "--", "true"]).errors().is_empty());
    assert_eq!(desk.run(&["store", "runs", "--json"]).ok().json(), serde_json::json!([]));
}

#[test]
fn wrong_arguments_are_no_exit_code_of_a_command() {
    let desk = Desk::new();
    for arguments in [
        &["run", "--max-bytes", "x", "--", "true"][..],
        &["run", "--no-such-option", "--", "true"],
        &["run", "--json", "--split", "--", "true"],
        &["run", "--timeout", "soon", "--", "true"],
        &["run", "--type", "compress", "--", "true"],
        &["run", "--max-bytes"],
        &["--store", "a.db", "run", "--ratio", "much", "--", "true"],
        &["run", "--ratio", "7", "--", "true"],
        &["run"],
    ] {
        let done = desk.run(arguments);
        assert_eq!((done.code(), done.out().as_str()), (125, ""), "{arguments:?}: {}", done.errors());
        assert!(done.errors().starts_with("error: "), "{}", done.errors());
    }
    // What stands behind the command's name is its own.
    assert_eq!(desk.run(&["run", "echo", "-n", "--ratio", "7", "--", "-x"]).ok().out(), "--ratio 7 -- -x");
    assert_eq!(desk.run(&["run", "--", "echo", "--no-such-option"]).ok().out(), "--no-such-option\n");
    // Other commands, and a word that is none.
    for arguments in [
        &["compress", "--max-bytes", "x"][..],
        &["compress", "--query", "run", "--no"],
        &["rum"],
        &["--no"],
        &["--store"],
    ] {
        assert_eq!(desk.run(arguments).code(), 2, "{arguments:?}");
    }
    for arguments in [&["run", "--help"][..], &["help", "run"]] {
        assert!(desk.run(arguments).ok().out().contains("Usage: recto run"), "{arguments:?}");
    }
}

#[test]
fn small_output_is_byte_identical_and_in_order() {
    let desk = Desk::new();
    let done = desk.run(&["run", "--shell", "echo one; echo two >&2; echo three; printf end"]).ok();
    assert_eq!((done.out().as_str(), done.errors().as_str()), ("one\ntwo\nthree\nend", ""));
    let script = "i=0; while [ $i -lt 300 ]; do echo $i; i=$((i+1)); echo $i >&2; i=$((i+1)); done";
    let numbers: String = (0..300).map(|number| format!("{number}\n")).collect();
    assert_eq!(desk.run(&["run", "--shell", script]).ok().out(), numbers);
    let done = desk.run(&["run", "--split", "--shell", "echo out; echo err >&2"]).ok();
    assert_eq!((done.out().as_str(), done.errors().as_str()), ("out\n", "err\n"));
    let done = desk.run(&["run", "--", "true"]).ok();
    assert_eq!((done.out().as_str(), done.errors().as_str()), ("", ""));
}

#[test]
fn bytes_that_are_no_text_are_printed_if_they_fit() {
    let desk = Desk::new();
    for budget in [&[][..], &["--max-bytes", "3"], &["--max-tokens", "9"]] {
        let arguments = [&["run"], budget, &["--shell", r"printf '\377\000x'"]].concat();
        let done = desk.run(&arguments).ok();
        assert_eq!((done.0.stdout.as_slice(), done.errors().as_str()), (&b"\xff\0x"[..], ""), "{budget:?}");
    }
    let mut bytes = log(400).into_bytes();
    bytes[5_000] = 0xFF;
    desk.write("binary", &bytes);
    let done = desk.run(&["run", "--max-bytes", "900", "--", "cat", "binary"]).ok();
    assert!(done.errors().contains("not valid UTF-8 (first at byte 5000)"), "{}", done.errors());
    assert_eq!(desk.run(&["expand", &reference(&done.out())]).ok().0.stdout, bytes);
}

#[test]
fn large_output_is_viewed_and_kept() {
    let desk = Desk::new();
    let text = log(3_000);
    desk.write("app.log", text.as_bytes());
    let done = desk.run(&["run", "--max-tokens", "300", "--", "cat", "app.log"]).ok();
    assert!(done.out().contains("ERROR payment 4711") && done.out().len() < 2_000);
    assert_eq!(done.errors(), "");
    assert_eq!(desk.run(&["expand", &reference(&done.out())]).ok().out(), text);
    // The very view that `recto compress` makes, under the same name.
    let compressed = desk.run(&["compress", "app.log", "--max-tokens", "300"]).ok();
    assert_eq!(compressed.out(), done.out());
    let json = desk.run(&["run", "--json", "--max-tokens", "300", "--shell", "cat app.log; exit 4"]);
    assert_eq!((json.code(), json.json()["exitCode"].as_i64()), (4, Some(4)));
    assert_eq!(json.json()["ref"], reference(&done.out()));
    assert_eq!(json.json()["rendered"], done.out());
}

#[test]
fn output_that_does_not_end_with_a_line_end_stays_within_the_budget() {
    let desk = Desk::new();
    let text = log(400);
    desk.write("app.log", text.trim_end().as_bytes());
    for most in [200, 400, 900_usize] {
        let done = desk.run(&["run", "--max-bytes", &most.to_string(), "--", "cat", "app.log"]).ok();
        assert!(done.out().len() <= most, "{}", done.out());
    }
    let done = desk.run(&["run", "--max-bytes", "1", "--", "cat", "app.log"]).ok();
    assert_eq!(done.out(), "");
    assert_eq!(desk.run(&["expand", &reference(&done.errors())]).ok().out(), text.trim_end());
}

#[test]
fn streams_that_are_kept_apart_have_a_view_each() {
    let desk = Desk::new();
    let texts = [log(600), log(800)];
    desk.write("out.log", texts[0].as_bytes());
    desk.write("err.log", texts[1].as_bytes());
    let script = "cat out.log; cat err.log >&2; exit 2";
    let done = desk.run(&["run", "--split", "--max-bytes", "900", "--shell", script]);
    assert_eq!(done.code(), 2);
    for (shown, text) in [done.out(), done.errors()].iter().zip(&texts) {
        assert!(shown.len() <= 900, "{shown}");
        assert_eq!(&desk.run(&["expand", &reference(shown)]).ok().out(), text);
    }
}

#[test]
fn stdin_is_the_commands() {
    let desk = Desk::new();
    assert_eq!(desk.pipe(&["run", "--", "cat"], b"through").ok().out(), "through");
    assert_eq!(desk.run(&["run", "--", "cat"]).ok().out(), "");
    // A closed one does not become anything else that recto has open.
    let script = format!("{} run -- cat <&-", env!("CARGO_BIN_EXE_recto"));
    let mut command = std::process::Command::new("sh");
    let plain = desk.command(&[]);
    command.args(["-c", &script]).envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let done = crate::desk::Done(command.output().unwrap());
    assert_eq!(done.ok().out(), "");
}
