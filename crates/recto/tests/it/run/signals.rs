//! Signals and ends: what happens to recto happens to the command, and the other way round.

use std::{
    io::Read,
    os::unix::process::ExitStatusExt,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::{wait_for_journal, wait_until};
use crate::desk::{Desk, Done, reference};

fn start(desk: &Desk, arguments: &[&str]) -> Child {
    desk.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
}

fn end(child: Child) -> Done {
    Done(child.wait_with_output().unwrap())
}

#[test]
fn dies_by_the_signal_and_keeps_what_was_printed() {
    for (signal, number) in [(Signal::INT, 2), (Signal::TERM, 15), (Signal::HUP, 1)] {
        let desk = Desk::new();
        let child = start(&desk, &["run", "--", "sh", "-c", "echo hi; exec sleep 30"]);
        wait_for_journal(&desk);
        send(&child, signal);
        let done = end(child);
        assert_eq!(done.0.status.signal(), Some(number), "{}", done.errors());
        assert_eq!(done.out(), "hi\n");
        desk.run(&["store", "export", "out"]).ok();
        let digest = recto::archive::Digest::of(b"hi\n").to_string();
        assert_eq!(std::fs::read(desk.path("out").join(digest)).unwrap(), b"hi\n");
    }
}

#[test]
fn a_command_that_minds_the_signal_ends_in_its_own_way() {
    let desk = Desk::new();
    let script = "trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.05; done";
    let child = start(&desk, &["run", "--shell", script]);
    wait_for_journal(&desk);
    send(&child, Signal::TERM);
    let done = end(child);
    // Told once.
    assert_eq!((done.code(), done.out().as_str()), (9, "ready\nbye\n"), "{}", done.errors());
}

#[test]
fn a_second_interrupt_kills() {
    let desk = Desk::new();
    let script = "trap 'echo no > told' INT; echo ready; while :; do sleep 0.05; done";
    let child = start(&desk, &["run", "--shell", script]);
    wait_for_journal(&desk);
    send(&child, Signal::INT);
    wait_until("the command was told", || desk.path("told").exists());
    send(&child, Signal::INT);
    let done = end(child);
    assert_eq!((done.0.status.signal(), done.out().as_str()), (Some(2), "ready\n"), "{}", done.errors());
}

#[test]
fn a_signal_that_is_to_be_ignored_is() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let desk = Desk::new();
    let recto = env!("CARGO_BIN_EXE_recto");
    let script = format!(
        "trap '' HUP; exec {recto} run --shell 'echo ready; while [ ! -e go ]; do sleep 0.05; done; echo end'"
    );
    let mut command = desk.command(&[]);
    let environment: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned())).collect();
    command = std::process::Command::new("sh");
    command.args(["-c", &script]).env_clear().envs(environment).current_dir(desk.path("."));
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_journal(&desk);
    send(&child, Signal::HUP);
    std::thread::sleep(Duration::from_millis(200));
    desk.write("go", b"");
    assert_eq!(end(child).ok().out(), "ready\nend\n");
}

#[test]
fn a_killed_recto_leaves_a_journal_that_is_adopted() {
    let desk = Desk::new();
    let mut child = start(&desk, &["run", "--", "sh", "-c", "echo precious; exec sleep 30"]);
    let runs = wait_for_journal(&desk);
    assert_eq!(runs[0]["state"], "live");
    assert_eq!(runs[0]["label"], "sh -c echo precious; exec sleep 30");
    send(&child, Signal::KILL);
    child.wait().unwrap();
    let runs = desk.run(&["store", "runs", "--json"]).ok().json();
    assert_eq!(runs[0]["state"], "abandoned");
    let table = desk.run(&["store", "runs"]).ok().out();
    assert!(
        table.contains("abandoned") && table.contains(" ago ") && table.contains("echo precious"),
        "{table}"
    );
    let name = desk.run(&["store", "adopt", runs[0]["id"].as_str().unwrap()]).ok().out();
    assert_eq!(desk.run(&["expand", name.trim()]).ok().out(), "precious\n");
    desk.run(&["store", "adopt", "nosuchrun"]).fails(1, &["nosuchrun"]);
}

#[test]
fn the_next_commands_adopt_what_a_killed_recto_left() {
    for next in [&["run", "--", "true"][..], &["gc"], &["store", "info"]] {
        let desk = Desk::new();
        let mut child = start(&desk, &["run", "--", "sh", "-c", "echo precious; exec sleep 30"]);
        wait_for_journal(&desk);
        send(&child, Signal::KILL);
        child.wait().unwrap();
        let done = desk.run(next).ok();
        assert!(!done.errors().contains("precious"), "a command line may hold secrets: {}", done.errors());
        assert_eq!(desk.run(&["expand", &reference(&done.errors())]).ok().out(), "precious\n");
        assert_eq!(desk.run(&["store", "runs", "--json"]).ok().json(), serde_json::json!([]));
        assert_eq!(desk.run(next).ok().errors(), "");
    }
}

#[test]
fn a_killed_command_is_told_apart() {
    let desk = Desk::new();
    let done = desk.run(&["run", "--", "sh", "-c", "echo x; kill -9 $$"]);
    assert_eq!((done.0.status.signal(), done.out().as_str()), (Some(9), "x\n"));
    let done = desk.run(&["run", "--json", "--", "sh", "-c", "echo x; kill -15 $$"]);
    assert_eq!((done.json()["signal"].as_i64(), done.json()["exitCode"].as_i64()), (Some(15), Some(143)));
}

#[test]
fn time_runs_out() {
    let desk = Desk::new();
    let started = Instant::now();
    let done = desk.run(&["run", "--timeout", "300ms", "--", "sh", "-c", "echo before; exec sleep 30"]);
    assert_eq!((done.code(), done.out().as_str()), (124, "before\n"));
    assert!(done.errors().contains("300ms (--timeout)") && started.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_command_that_minds_no_sigterm_is_killed() {
    let desk = Desk::new();
    let started = Instant::now();
    let script = "trap '' TERM; echo before; while :; do sleep 0.05; done";
    let done = desk.run(&["run", "--timeout", "300ms", "--shell", script]);
    assert_eq!((done.code(), done.out().as_str()), (124, "before\n"));
    assert!(started.elapsed() >= Duration::from_millis(2_300) && started.elapsed() < Duration::from_secs(20));
}

#[test]
fn time_runs_out_for_all_that_the_command_started() {
    let desk = Desk::new();
    let script = "sleep 300 & echo $! > pid; echo before; wait";
    let done = desk.run(&["run", "--timeout", "500ms", "--shell", script]);
    assert_eq!((done.code(), done.out().as_str()), (124, "before\n"));
    assert!(!done.errors().contains("still holds its output"), "{}", done.errors());
    let pid = std::fs::read_to_string(desk.path("pid")).unwrap().trim().parse().unwrap();
    // Nobody may have waited for it yet, in a container without an init.
    let is_gone = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        test_kill_process(Pid::from_raw(pid).unwrap()).is_err() || stat.contains(" Z ")
    };
    wait_until("the grandchild is gone", is_gone);
}

#[test]
fn time_that_runs_out_after_the_end_does_not_count() {
    let desk = Desk::new();
    let done = desk.run(&["run", "--timeout", "400ms", "--shell", "sleep 20 & echo done; exit 3"]);
    assert_eq!((done.code(), done.out().as_str()), (3, "done\n"), "{}", done.errors());
}

#[test]
fn something_left_behind_does_not_hold_it_up() {
    for left in ["sleep 20", "while :; do echo noise; sleep 0.1; done"] {
        let desk = Desk::new();
        let started = Instant::now();
        let mut child = start(&desk, &["run", "--shell", &format!("({left}) & echo $! > pid; echo done")]);
        let mut out = String::new();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        let done = end(child).ok();
        assert!(out.starts_with("done\n") || out.starts_with("noise\n"), "{out}");
        assert!(done.errors().contains("still holds its output"), "{}", done.errors());
        assert!(started.elapsed() < Duration::from_secs(15));
        let pid: i32 = std::fs::read_to_string(desk.path("pid")).unwrap().trim().parse().unwrap();
        // It is the test's own, by its number.
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
    }
}
