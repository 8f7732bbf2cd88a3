use std::{
    io::Read,
    os::unix::process::ExitStatusExt,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::desk::{Desk, Done, log, reference};

#[test]
fn exit_codes_are_the_commands_own() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["run", "--", "sh", "-c", "exit 3"]).code(), 3);
    assert_eq!(desk.run(&["run", "--", "true"]).code(), 0);
    assert_eq!(desk.run(&["run", "--shell", "exit 7"]).code(), 7);
    desk.run(&["run", "--", "no-such-command-here"]).fails(127, &["no-such-command-here"]);
    desk.write("plain", b"not a program");
    desk.run(&["run", "--", "./plain"]).fails(126, &["plain"]);
    desk.run(&["run", "--shell", "a", "b"]).fails(125, &["--shell takes the whole line"]);
    // None of these left a journal behind.
    assert!(desk.run(&["run", "--", "true"]).errors().is_empty());
}

#[test]
fn small_output_is_byte_identical_and_in_order() {
    let desk = Desk::new();
    let done = desk.run(&["run", "--shell", "echo one; echo two >&2; echo three; printf end"]).ok();
    assert_eq!((done.out().as_str(), done.errors().as_str()), ("one\ntwo\nthree\nend", ""));
    let done = desk.run(&["run", "--split", "--shell", "echo out; echo err >&2"]).ok();
    assert_eq!((done.out().as_str(), done.errors().as_str()), ("out\n", "err\n"));
    assert_eq!(desk.run(&["run", "--shell", r"printf '\377\000x'"]).ok().0.stdout, b"\xff\0x");
}

#[test]
fn large_output_is_viewed_and_kept() {
    let desk = Desk::new();
    let text = log(3_000);
    desk.write("app.log", text.as_bytes());
    let done = desk.run(&["run", "--max-tokens", "300", "--", "cat", "app.log"]).ok();
    assert!(done.out().contains("ERROR payment 4711") && done.out().len() < 2_000);
    assert_eq!(desk.run(&["expand", &reference(&done.out())]).ok().out(), text);
    let json = desk.run(&["run", "--json", "--max-tokens", "300", "--shell", "cat app.log; exit 4"]);
    assert_eq!((json.code(), json.json()["exitCode"].as_i64()), (4, Some(4)));
    assert!(json.json()["ref"].as_str().unwrap().starts_with("r:"));
}

#[test]
fn stdin_is_the_commands() {
    let desk = Desk::new();
    assert_eq!(desk.pipe(&["run", "--", "cat"], b"through").ok().out(), "through");
    assert_eq!(desk.run(&["run", "--", "cat"]).ok().out(), "");
}

fn start(desk: &Desk, arguments: &[&str]) -> Child {
    desk.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
}

/// Waits until a journal holds something.
fn wait_for_journal(desk: &Desk) -> serde_json::Value {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        if desk.store().exists() {
            let runs = desk.run(&["store", "runs", "--json"]);
            if runs.code() == 0
                && runs
                    .json()
                    .as_array()
                    .is_some_and(|runs| runs.iter().any(|run| run["bytes"].as_u64() > Some(0)))
            {
                return runs.json();
            }
        }
        assert!(Instant::now() < until, "no journal");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn dies_by_the_signal_and_keeps_what_was_printed() {
    for (signal, number) in [(Signal::INT, 2), (Signal::TERM, 15)] {
        let desk = Desk::new();
        let child = start(&desk, &["run", "--", "sh", "-c", "echo hi; exec sleep 30"]);
        wait_for_journal(&desk);
        send(&child, signal);
        let done = Done(child.wait_with_output().unwrap());
        assert_eq!(done.0.status.signal(), Some(number), "{}", done.errors());
        assert_eq!(done.out(), "hi\n");
        desk.run(&["store", "export", "out"]).ok();
        let digest = recto::archive::Digest::of(b"hi\n").to_string();
        assert_eq!(std::fs::read(desk.path("out").join(digest)).unwrap(), b"hi\n");
    }
}

#[test]
fn a_killed_recto_leaves_a_journal_that_is_adopted() {
    let desk = Desk::new();
    let mut child = start(&desk, &["run", "--", "sh", "-c", "echo precious; exec sleep 30"]);
    let runs = wait_for_journal(&desk);
    assert_eq!(runs[0]["state"], "live");
    send(&child, Signal::KILL);
    child.wait().unwrap();
    let runs = desk.run(&["store", "runs", "--json"]).ok().json();
    assert_eq!(runs[0]["state"], "abandoned");
    let name = desk.run(&["store", "adopt", runs[0]["id"].as_str().unwrap()]).ok().out();
    assert_eq!(desk.run(&["expand", name.trim()]).ok().out(), "precious\n");
}

#[test]
fn a_killed_command_is_told_apart() {
    let desk = Desk::new();
    let done = desk.run(&["run", "--", "sh", "-c", "echo x; kill -9 $$"]);
    assert_eq!((done.0.status.signal(), done.out().as_str()), (Some(9), "x\n"));
}

#[test]
fn time_runs_out() {
    let desk = Desk::new();
    let started = Instant::now();
    let done = desk.run(&["run", "--timeout", "300ms", "--", "sh", "-c", "echo before; exec sleep 30"]);
    assert_eq!((done.code(), done.out().as_str()), (124, "before\n"));
    assert!(done.errors().contains("--timeout") && started.elapsed() < Duration::from_secs(15));
}

#[test]
fn something_left_behind_does_not_hold_it_up() {
    let desk = Desk::new();
    let started = Instant::now();
    let done = desk.run(&["run", "--shell", "sleep 20 & echo done"]).ok();
    assert!(done.out() == "done\n" && done.errors().contains("still holds its output"), "{}", done.errors());
    assert!(started.elapsed() < Duration::from_secs(15));
}

#[test]
fn an_archive_that_takes_nothing_is_spilled() {
    let desk = Desk::new();
    desk.write("file", b"in the way");
    let text = log(1_000);
    desk.write("app.log", text.as_bytes());
    let arguments =
        ["run", "--store", "file/recto.db", "--max-bytes", "900", "--shell", "cat app.log; exit 5"];
    let done = desk.run(&arguments);
    assert_eq!(done.code(), 5);
    assert!(!done.out().contains("r:") && done.out().len() <= 901, "{}", done.out());
    let errors = done.errors();
    let path = errors.lines().find_map(|line| line.strip_prefix("the whole output: ")).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    assert_eq!(crate::desk::mode(path.as_ref()), 0o600);
    let spill = [&["run", "--spill", "file/none"], &arguments[1..]].concat();
    let done = desk.run(&spill);
    assert_eq!((done.code(), done.out()), (5, text));
}

#[test]
fn a_reader_that_goes_away_does_not_stop_the_command() {
    let desk = Desk::new();
    let mut child = start(&desk, &["run", "--shell", "seq 1 4000; touch finished"]);
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(child.wait().unwrap().success(), "{errors}");
    assert!(desk.path("finished").exists());
}

#[test]
fn two_hundred_megabytes_pass_in_bounded_memory() {
    let desk = Desk::new();
    let line = "x".repeat(99);
    let script = format!("yes {line} | head -c 200000000 | recto_child");
    let script = script.replace("recto_child", "cat");
    let mut command = desk.command(&["run", "--max-bytes", "2000", "--shell", &script]);
    let done = Done(command.output().unwrap()).ok();
    assert!(done.out().len() <= 2_001);
    let name = reference(&done.out());
    let stat = desk.run(&["expand", &name, "--bytes", "199999900:199999999", "--json"]).ok().json();
    assert_eq!(stat["original"]["bytes"].as_u64(), Some(200_000_000));
}
