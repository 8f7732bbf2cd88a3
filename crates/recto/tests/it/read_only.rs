//! Stores that this user cannot write, as in a sandbox.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::desk::{Desk, Done, log, reference};

/// Somebody without rights, where the tests run with all of them.
const NOBODY: u32 = 65_534;

/// Runs the binary as somebody whom permissions hold back.
pub(crate) struct Sandboxed {
    pub(crate) desk: Desk,
    binary: PathBuf,
}

impl Sandboxed {
    pub(crate) fn new() -> Self {
        let desk = Desk::new();
        let binary = desk.path("recto");
        // The folder it was built in may be closed to others.
        fs::copy(env!("CARGO_BIN_EXE_recto"), &binary).unwrap();
        let sandboxed = Self { desk, binary };
        if is_root() {
            chown(sandboxed.folder(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        set_mode(&sandboxed.folder(), 0o755);
        sandboxed
    }

    fn folder(&self) -> PathBuf {
        self.binary.parent().unwrap().to_owned()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        // Takes the environment and folder of an ordinary run.
        let plain = self.desk.command(arguments);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            let id = NOBODY.to_string();
            command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]).arg(&self.binary);
            command
        } else {
            Command::new(&self.binary)
        };
        command
            .args(plain.get_args())
            .env_clear()
            .envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .current_dir(self.folder())
            .stdin(Stdio::null());
        Done(command.output().unwrap())
    }

    /// Takes the right to write the store, and its folder.
    pub(crate) fn close(&self) {
        let folder = self.desk.store().parent().unwrap().to_owned();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            set_mode(&path, if path.is_dir() { 0o555 } else { 0o444 });
        }
        set_mode(&folder, 0o555);
    }
}

impl Drop for Sandboxed {
    fn drop(&mut self) {
        if let Some(folder) = self.desk.store().parent()
            && folder.exists()
        {
            set_mode(folder, 0o755);
        }
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_store_that_cannot_be_written_is_read() {
    let sandboxed = Sandboxed::new();
    let texts = [log(900), log(950)];
    sandboxed.desk.write("a.log", texts[0].as_bytes());
    sandboxed.desk.write("b.log", texts[1].as_bytes());
    let view = sandboxed.run(&["compress", "a.log", "--max-bytes", "900"]).ok().out();
    let name = reference(&view);
    sandboxed.close();
    assert_eq!(sandboxed.run(&["expand", &name]).ok().out(), texts[0]);
    let found = sandboxed.run(&["expand", &name, "--grep", "payment"]).ok().out();
    assert!(found.contains("payment 4711"), "{found}");
    let piece = sandboxed.run(&["expand", &format!("{name}#1")]).ok().out();
    assert!(!piece.is_empty() && texts[0].contains(&piece));
}

/// As from a copy of the store, or from one of a system that crashed.
#[test]
fn a_log_without_its_index_is_read_where_nothing_can_be_written() {
    let sandboxed = Sandboxed::new();
    let text = log(900);
    sandboxed.desk.write("a.log", text.as_bytes());
    let name = reference(&sandboxed.run(&["compress", "a.log", "--max-bytes", "900"]).ok().out());
    let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", sandboxed.desk.store().display()));
    assert!(fs::metadata(beside("-wal")).unwrap().len() > 0, "what was stored is in the log");
    fs::remove_file(beside("-shm")).unwrap();
    sandboxed.close();
    assert_eq!(sandboxed.run(&["expand", &name]).ok().out(), text);
    let found = sandboxed.run(&["expand", &name, "--grep", "payment"]).ok().out();
    assert!(found.contains("payment 4711"), "{found}");
    assert!(!beside("-shm").exists());
}

#[test]
fn what_cannot_be_stored_is_printed_whole() {
    let sandboxed = Sandboxed::new();
    let texts = [log(900), log(950)];
    sandboxed.desk.write("a.log", texts[0].as_bytes());
    sandboxed.desk.write("b.log", texts[1].as_bytes());
    sandboxed.run(&["compress", "a.log", "--max-bytes", "900"]).ok();
    sandboxed.close();
    let done = sandboxed.run(&["compress", "b.log", "--max-bytes", "900"]);
    assert_eq!(done.out(), texts[1]);
    done.fails(1, &["read-only", "hint: name another store with `--store PATH`", "--no-store"]);
    let done = sandboxed.run(&["compress", "b.log", "--max-bytes", "900", "--format", "json"]);
    let json = done.json();
    assert_eq!((json["method"].as_str(), json["ref"].as_str()), (Some("passthrough"), None));
    assert_eq!(json["rendered"], texts[1]);
    done.fails(1, &["read-only"]);
    let done = sandboxed.run(&["compress", "b.log", "--max-bytes", "900", "--no-store"]).ok();
    assert!(done.out().len() <= 900 && !done.out().contains("r:"));
    let elsewhere = sandboxed.run(&["compress", "b.log", "--max-bytes", "900", "--store", "mine.db"]).ok();
    let name = reference(&elsewhere.out());
    assert_eq!(sandboxed.run(&["expand", &name, "--store", "mine.db"]).ok().out(), texts[1]);
}
