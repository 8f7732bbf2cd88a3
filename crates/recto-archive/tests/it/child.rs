//! The test binary, started again as another process: what it is to do is in one environment variable.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use recto_archive::{
    Archive, ArchiveError, Digest, LogId, OpenOptions, Scope, SqliteArchive, Target, block_on,
};

const TASK: &str = "RECTO_ARCHIVE_TEST_TASK";

/// Gives the command that does `task` with the store at `path`; `before` are programs that start it.
pub(crate) fn command(before: &[&str], task: &str, number: usize, path: &Path) -> Command {
    let this = std::env::current_exe().unwrap();
    let mut words = before.iter().map(Path::new).chain([this.as_path()]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args([
        "--exact",
        "child::does_its_task",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    command.env(TASK, format!("{task}|{number}|{}", path.display()));
    command.stdout(Stdio::piped());
    command
}

#[test]
#[ignore = "started by other tests, as their other process"]
#[expect(clippy::disallowed_methods, reason = "a child is told its task by its environment")]
fn does_its_task() {
    let Ok(task) = std::env::var(TASK) else { return };
    let [task, number, path] = task.splitn(3, '|').collect::<Vec<_>>()[..] else { panic!("{task}") };
    let (number, path) = (number.parse().unwrap(), Path::new(path));
    match task {
        "put" => puts_and_issues(number, path),
        "write" => writes_without_end(path),
        "append" => appends_without_end(number, path),
        "open" => opens_and_appends(number, path),
        "read" => reads_what_it_may_not_write(path),
        other => panic!("{other}"),
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\n{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The bytes of one of the 200 originals that each of the 8 processes puts; every fourth is put by all of them.
pub(crate) fn original(process: usize, number: usize) -> Vec<u8> {
    let owner = if number.is_multiple_of(4) { 99 } else { process };
    format!("original {number} of process {owner}\n").repeat(1 + number % 50).into_bytes()
}

fn puts_and_issues(process: usize, path: &Path) {
    let archive = SqliteArchive::open(path).unwrap();
    for number in 0..200 {
        let digest = block_on(archive.put(&Scope::local(), &original(process, number))).unwrap();
        block_on(archive.issue(&Scope::local(), &Target::Original(digest))).unwrap();
    }
}

/// The line that the endless writer writes at its turn.
pub(crate) fn line(turn: usize) -> String {
    format!("{turn} {}\n", "x".repeat(turn * 37 % 3000))
}

fn writes_without_end(path: &Path) {
    let archive = SqliteArchive::open(path).unwrap();
    let mut writer = block_on(archive.begin(&Scope::local(), "endless")).unwrap();
    say(&format!("run {}", writer.run_id()));
    for turn in 0.. {
        writer.write(line(turn).as_bytes()).unwrap();
        if turn % 5 == 0 {
            writer.flush().unwrap();
            say(&format!("flushed {}", writer.flushed_bytes()));
        }
    }
}

/// The log that many append to.
pub(crate) fn shared_log() -> LogId {
    LogId::new("shared").unwrap()
}

/// Number `turn` of the events of a writer: some are long enough to be compressed.
pub(crate) fn event(writer: usize, turn: usize) -> String {
    format!("{writer} {turn} {}", "event ".repeat(turn % 7 * 40))
}

/// Appends its next events to the shared log, tells each number once it is safe, and learns from the log where it was when it was
/// killed.
fn appends_without_end(writer: usize, path: &Path) {
    let (scope, log, prefix) = (Scope::local(), shared_log(), format!("{writer} "));
    let archive = OpenOptions::new().busy_timeout(Duration::from_secs(60)).open(path).unwrap();
    let (mut end, mut turn) = (0, 0);
    loop {
        let page = block_on(archive.read(&scope, &log, end, 500)).unwrap();
        let Some((last, _)) = page.last() else { break };
        end = last + 1;
        turn += page.iter().filter(|(_, event)| event.starts_with(prefix.as_bytes())).count();
    }
    loop {
        let batch: Vec<String> = (turn..turn + 1 + turn % 3).map(|turn| event(writer, turn)).collect();
        let events: Vec<&[u8]> = batch.iter().map(String::as_bytes).collect();
        match block_on(archive.append(&scope, &log, end, None, &events, &[])) {
            Ok(next) => {
                (end, turn) = (next, turn + batch.len());
                say(&format!("safe {turn}"));
            }
            Err(ArchiveError::Conflict { found, .. }) => end = found,
            Err(error) => panic!("{error}"),
        }
    }
}

/// One of several that open a store of an earlier form at once.
fn opens_and_appends(process: usize, path: &Path) {
    let archive = SqliteArchive::open(path).unwrap();
    assert_eq!(block_on(archive.describe()).unwrap().schema, 2);
    let log = LogId::new(format!("log/{process}")).unwrap();
    block_on(archive.append(&Scope::local(), &log, 0, None, &[b"first"], &[])).unwrap();
}

fn reads_what_it_may_not_write(path: &Path) {
    let archive = SqliteArchive::open(path).unwrap();
    let (scope, digest) = (Scope::local(), Digest::of(b"kept"));
    assert_eq!(block_on(archive.get(&scope, &digest, 0..99)).unwrap(), b"kept");
    let put = block_on(archive.put(&scope, b"new"));
    assert!(matches!(put, Err(ArchiveError::ReadOnly { .. })), "{put:?}");
    assert!(matches!(block_on(archive.begin(&scope, "run")), Err(ArchiveError::ReadOnly { .. })));
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
    say(&format!("mode {}", block_on(archive.describe()).unwrap().mode));
}
