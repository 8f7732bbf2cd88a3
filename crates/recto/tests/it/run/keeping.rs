//! Where output is kept, and what is said about it when it cannot be.

use std::{
    fs,
    io::Read,
    process::{Child, Stdio},
    time::Duration,
};

use super::{wait_for_journal, wait_until};
use crate::desk::{Desk, Done, log, mode, reference};

/// The file that stderr says all of it is in.
fn spilled(done: &Done) -> std::path::PathBuf {
    let errors = done.errors();
    let found = errors.lines().find_map(|line| line.split_once("the whole output is in "));
    assert!(found.is_some(), "no path in: {errors}");
    found.unwrap().1.into()
}

/// What the hint says to do is done, by a shell.
fn look_into(desk: &Desk, done: &Done, pattern: &str) -> String {
    let errors = done.errors();
    let (_, rest) = errors.split_once("look into it: `recto ").unwrap();
    let (command, _) = rest.split_once(" RE`").unwrap();
    let line = format!("{} {command} {pattern}", env!("CARGO_BIN_EXE_recto"));
    desk.run(&["run", "--no-store", "--shell", &line]).ok().out()
}

fn spills(desk: &Desk) -> usize {
    fs::read_dir(desk.path("."))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("recto-run-"))
        .count()
}

#[test]
fn an_archive_that_cannot_be_made_is_replaced_by_a_file() {
    let desk = Desk::new();
    desk.write("file", b"in the way");
    let text = log(1_000);
    desk.write("app.log", text.as_bytes());
    let arguments =
        ["run", "--store", "file/recto.db", "--max-bytes", "900", "--shell", "cat app.log; exit 5"];
    let done = desk.run(&arguments);
    assert_eq!(done.code(), 5);
    assert!(!done.out().contains("r:") && done.out().len() <= 900, "{}", done.out());
    assert!(done.errors().contains("hint: "), "{}", done.errors());
    assert_eq!(fs::read_to_string(spilled(&done)).unwrap(), text);
    assert_eq!(mode(&spilled(&done)), 0o600);
    assert_eq!(look_into(&desk, &done, "4711").lines().count(), 1);
    // Whatever the folder is called.
    desk.write("it's a $HOME/x", b"");
    let spill = [&["run", "--spill", "it's a $HOME"], &arguments[1..]].concat();
    assert!(look_into(&desk, &desk.run(&spill), "4711").contains("payment 4711"));
    // And if that cannot be either, nothing is left out.
    let spill = [&["run", "--spill", "file/none"], &arguments[1..]].concat();
    let done = desk.run(&spill);
    assert_eq!((done.code(), done.out()), (5, text));
    assert!(done.errors().contains("everything is printed"), "{}", done.errors());
}

#[test]
fn a_file_of_output_that_is_shown_whole_is_removed() {
    let desk = Desk::new();
    desk.write("file", b"in the way");
    let done = desk.run(&["run", "--store", "file/recto.db", "--shell", "echo short; exit 5"]);
    assert_eq!((done.code(), done.out().as_str()), (5, "short\n"));
    assert!(done.errors().contains("nothing is stored: "), "{}", done.errors());
    assert_eq!(spills(&desk), 0);
    // Printed where it belongs, too.
    let done = desk.run(&[
        "run",
        "--split",
        "--store",
        "file/recto.db",
        "--spill",
        "file/none",
        "--shell",
        "echo out; echo err >&2",
    ]);
    assert_eq!(done.out(), "out\n");
    assert!(done.errors().lines().any(|line| line == "err"), "{}", done.errors());
}

#[test]
fn an_archive_that_fails_in_the_middle_loses_nothing() {
    let desk = Desk::new();
    let (first, second) = (log(500), log(700));
    desk.write("first.log", first.as_bytes());
    desk.write("second.log", second.as_bytes());
    let script = "cat first.log; while [ ! -e go ]; do sleep 0.05; done; cat second.log; exit 6";
    let arguments = ["run", "--max-bytes", "900", "--shell", script];
    let child = desk.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_journal(&desk);
    let connection = rusqlite::Connection::open(desk.store()).unwrap();
    connection.execute_batch("PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE").unwrap();
    desk.write("go", b"");
    let done = Done(child.wait_with_output().unwrap());
    connection.execute_batch("ROLLBACK").unwrap();
    assert_eq!(done.code(), 6, "{}", done.errors());
    assert!(!done.out().contains("r:") && done.out().len() <= 900, "{}", done.out());
    // Either all of it went to a file, or all of it is in the journal.
    let errors = done.errors();
    let all = first + &second;
    assert!(errors.contains("the whole output is in /"), "{errors}");
    assert_eq!(fs::read_to_string(spilled(&done)).unwrap(), all);
}

#[test]
fn a_store_that_nobody_may_write_is_replaced_by_a_file() {
    let sandboxed = crate::read_only::Sandboxed::new();
    let text = log(900);
    sandboxed.desk.write("a.log", text.as_bytes());
    let run = ["run", "--max-bytes", "900", "--", "cat", "a.log"];
    let name = reference(&sandboxed.run(&run).ok().out());
    sandboxed.close();
    let done = sandboxed.run(&run).ok();
    assert!(!done.out().contains("r:") && done.out().len() <= 900, "{}", done.out());
    assert!(done.errors().contains("read-only"), "{}", done.errors());
    assert_eq!(fs::read_to_string(spilled(&done)).unwrap(), text);
    assert_eq!(sandboxed.run(&["expand", &name]).ok().out(), text);
}

#[test]
fn without_a_store_nothing_is_kept_and_that_is_said() {
    let desk = Desk::new();
    desk.write("app.log", log(1_000).as_bytes());
    let done = desk.run(&["run", "--no-store", "--max-bytes", "900", "--", "cat", "app.log"]).ok();
    assert!(!done.out().contains("r:") && done.out().len() <= 900, "{}", done.out());
    assert!(done.errors().contains("running the command again"), "{}", done.errors());
    assert!(!desk.store().exists() && spills(&desk) == 0);
    let done = desk.run(&["run", "--no-store", "--", "echo", "short"]).ok();
    assert_eq!((done.out().as_str(), done.errors().as_str()), ("short\n", ""));
}

/// Reads what a command prints, and the most memory that it took in bytes.
fn peak(mut child: Child) -> (Done, u64) {
    let status = format!("/proc/{}/status", child.id());
    let (mut out, mut errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes).unwrap();
        bytes
    });
    let errors = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        errors.read_to_end(&mut bytes).unwrap();
        bytes
    });
    let mut peak_bytes = 0;
    let status = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|peak| peak.trim().strip_suffix(" kB")).map_or(0, |kib| kib.parse().unwrap());
        peak_bytes = u64::max(peak_bytes, kib * 1024);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (stdout, stderr) = (out.join().unwrap(), errors.join().unwrap());
    (Done(std::process::Output { status, stdout, stderr }), peak_bytes)
}

fn flood(desk: &Desk, bytes: u64) -> (Done, u64) {
    let script = format!("yes {} | head -c {bytes}", "x".repeat(99));
    let arguments = ["run", "--max-bytes", "2000", "--shell", &script];
    peak(desk.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

#[test]
fn two_hundred_megabytes_pass_in_bounded_memory() {
    const BYTES: u64 = 200_000_000;
    let desk = Desk::new();
    let (done, peak_bytes) = flood(&desk, BYTES);
    let done = done.ok();
    assert!(done.out().len() <= 2_000);
    let name = reference(&done.out());
    let stat = desk.run(&["expand", &name, "--bytes", "199999900:199999999", "--json"]).ok().json();
    assert_eq!(stat["original"]["bytes"].as_u64(), Some(BYTES));
    assert!(peak_bytes < 3 * BYTES, "{peak_bytes}");
}

#[test]
fn more_than_a_view_is_made_of_takes_little_memory_and_is_a_line() {
    const BYTES: u64 = 300_000_000;
    let desk = Desk::new();
    let (done, peak_bytes) = flood(&desk, BYTES);
    let done = done.ok();
    let name = reference(&done.out());
    assert_eq!(done.out(), format!("[recto: output, 300.0 MB, recto expand {name}]\n"));
    assert!(done.errors().contains("268.4 MB") && done.errors().contains(&name), "{}", done.errors());
    assert!(peak_bytes < 64 << 20, "{peak_bytes}");
    let tail = desk.run(&["expand", &name, "--bytes", "299999990:300000000"]).ok();
    assert_eq!(tail.out(), "xxxxxxxxx\n");
}

#[test]
fn a_reader_that_goes_away_does_not_stop_the_command() {
    let desk = Desk::new();
    let arguments = ["run", "--shell", "seq 1 4000; touch finished"];
    let mut child = desk.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(child.wait().unwrap().success(), "{errors}");
    wait_until("it is finished", || desk.path("finished").exists());
}

#[test]
fn what_cannot_be_printed_is_rectos_failure() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let desk = Desk::new();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = desk.command(&["run", "--", "echo", "hi"]);
    let child = command.stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    Done(child.wait_with_output().unwrap()).fails(125, &["cannot write to stdout"]);
}
