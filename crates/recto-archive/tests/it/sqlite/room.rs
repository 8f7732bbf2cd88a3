//! Disks that are full, and stores that may only be read.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use recto_archive::conformance::{log_lines, noise};
use recto_archive::{
    Archive, ArchiveError, Digest, Mode, OpenOptions, Retention, Scope, SqliteArchive, Target, block_on,
};

use super::{beside, place};
use crate::child;

/// Puts until nothing more goes in, and checks that what was there before is still whole.
fn fill(archive: &SqliteArchive) {
    let scope = Scope::local();
    let mut kept: Vec<Digest> = Vec::new();
    let error = (0..1000).find_map(|seed| match block_on(archive.put(&scope, &noise(seed, 300_000))) {
        Ok(digest) => {
            kept.push(digest);
            None
        }
        Err(error) => Some(error),
    });
    assert!(matches!(error, Some(ArchiveError::Full { .. })), "{error:?}");
    assert!(!kept.is_empty());
    let big = block_on(archive.put(&scope, &noise(5000, 9_000_000)));
    assert!(matches!(big, Err(ArchiveError::Full { .. })), "{big:?}");

    // A run that no longer fits keeps what it flushed, and tells what it did not.
    let bytes = noise(77, 4_000_000);
    let (mut taken_bytes, mut run) = (0, None);
    if let Ok(mut writer) = block_on(archive.begin(&scope, "run")) {
        for piece in bytes.chunks(100_000) {
            taken_bytes += piece.len();
            if let Err(error) = writer.write(piece) {
                assert!(matches!(error, ArchiveError::Full { .. }), "{error}");
                break;
            }
        }
        let safe = block_on(archive.read_run(&scope, writer.run_id(), 0..u64::MAX)).unwrap();
        assert_eq!(safe.len() as u64, writer.flushed_bytes());
        assert!([&safe, writer.unflushed()].concat() == bytes[..taken_bytes]);
        run = Some(writer.run_id().clone());
    }
    for digest in &kept {
        let bytes = block_on(archive.get(&scope, digest, 0..u64::MAX)).unwrap();
        assert_eq!(Digest::of(&bytes), *digest);
    }
    assert!(block_on(archive.verify(&|_| {})).unwrap().is_sound());
    if let Some(run) = run {
        assert_eq!(block_on(archive.runs(&scope)).unwrap()[0].id, run);
    }
}

#[test]
fn a_store_at_its_limit_keeps_what_it_has() {
    let (_folder, path) = place();
    fill(&OpenOptions::new().max_pages(500).open(&path).unwrap());
    // With room again it goes on.
    let archive = SqliteArchive::open(&path).unwrap();
    block_on(archive.put(&Scope::local(), &noise(9999, 9_000_000))).unwrap();
}

/// A file system of its own, unmounted at the end; `None` where that is not allowed.
struct Mount<'p>(&'p Path);

impl<'p> Mount<'p> {
    fn new(arguments: &[&str], at: &'p Path) -> Option<Self> {
        let mount = Command::new("mount").args(arguments).arg(at).stderr(Stdio::null()).status();
        if mount.is_ok_and(|status| status.success()) {
            return Some(Self(at));
        }
        eprintln!("skipped: this process may not mount file systems");
        None
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l"]).arg(self.0).status();
    }
}

#[test]
fn a_full_disk_is_said_to_be_full() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_mount) = Mount::new(&["-t", "tmpfs", "-o", "size=4m", "tmpfs"], folder.path()) else { return };
    let archive = SqliteArchive::open(folder.path().join("recto.db")).unwrap();
    fill(&archive);
    fs::write(folder.path().join("rest"), vec![0; 1 << 20]).unwrap_or_default();
    let second = SqliteArchive::open(folder.path().join("second.db"));
    assert!(matches!(second, Err(ArchiveError::Full { .. })), "{second:?}");
}

#[test]
fn retention_makes_room_again() {
    let (_folder, path) = place();
    let clock = std::sync::Arc::new(recto_archive::clock::ManualClock::new(1 << 40));
    let options = OpenOptions::new().clock(clock.clone()).max_pages(500);
    let archive = options.open(&path).unwrap();
    let scope = Scope::local();
    let first = block_on(archive.put(&scope, &noise(0, 800_000))).unwrap();
    clock.advance(std::time::Duration::from_secs(1));
    block_on(archive.put(&scope, &noise(1, 800_000))).unwrap();
    assert!(matches!(block_on(archive.put(&scope, &noise(2, 800_000))), Err(ArchiveError::Full { .. })));
    clock.advance(std::time::Duration::from_secs(7200));
    let rules = Retention { max_bytes: Some(1_000_000), ..Retention::default() };
    assert_eq!(block_on(archive.gc(&rules, false)).unwrap().removed[0].digest, first);
    block_on(archive.put(&scope, &noise(2, 800_000))).unwrap();
}

/// What lies beside a store's main file.
#[derive(Clone, Copy)]
enum Beside {
    /// Nothing: all is in the main file.
    Nothing,
    /// The log with "kept" in it, as a copy of a store has it.
    Log,
    /// The log and its shared memory, as a writer leaves them.
    LogAndMemory,
}

/// Makes a store that holds "kept".
fn store_with_kept(path: &Path, beside_it: Beside) {
    let archive = SqliteArchive::open(path).unwrap();
    block_on(archive.put(&Scope::local(), b"kept")).unwrap();
    if matches!(beside_it, Beside::Nothing) {
        block_on(archive.gc(&Retention::default(), false)).unwrap();
    }
    drop(archive);
    let gone: &[&str] = match beside_it {
        Beside::Nothing => &["-wal", "-shm"],
        Beside::Log => &["-shm"],
        Beside::LogAndMemory => &[],
    };
    for suffix in gone {
        fs::remove_file(beside(path, suffix)).unwrap();
    }
}

#[test]
fn what_is_opened_for_reading_is_not_written() {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(&path).unwrap();
    let digest = block_on(archive.put(&Scope::local(), &log_lines(1, 100_000))).unwrap();
    let reader = OpenOptions::new().read_only(true).open(&path).unwrap();
    assert_eq!(block_on(reader.describe()).unwrap().mode, Mode::ReadOnly);
    assert_eq!(block_on(reader.get(&Scope::local(), &digest, 0..5)).unwrap(), b"2026-");
    // Others' writes are seen.
    let later = block_on(archive.put(&Scope::local(), b"later")).unwrap();
    assert_eq!(block_on(reader.get(&Scope::local(), &later, 0..5)).unwrap(), b"later");
    let name = block_on(archive.issue(&Scope::local(), &Target::Original(later))).unwrap();
    assert_eq!(block_on(reader.issue(&Scope::local(), &Target::Original(later))).unwrap(), name);
    for refused in [
        block_on(reader.put(&Scope::local(), b"x")).map(drop),
        block_on(reader.issue(&Scope::local(), &Target::Original(digest))).map(drop),
        block_on(reader.begin(&Scope::local(), "run")).map(drop),
        block_on(reader.gc(&Retention::default(), false)).map(drop),
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error, ArchiveError::ReadOnly { .. }), "{error}");
        assert!(error.to_string().contains("recto.db is read-only; make its file"), "{error}");
    }
    assert!(block_on(reader.gc(&Retention::default(), true)).is_ok());
}

/// On a file system that takes no writes, not even from root.
#[test]
fn a_store_on_a_read_only_file_system_is_read() {
    for (beside_it, mode) in [
        (Beside::Nothing, Mode::Immutable),
        (Beside::Log, Mode::Snapshot),
        (Beside::LogAndMemory, Mode::ReadOnly),
    ] {
        let (folder, path) = place();
        store_with_kept(&path, beside_it);
        let at = folder.path().to_str().unwrap();
        let Some(_mount) = Mount::new(&["--bind", at], folder.path()) else { return };
        let remount = Command::new("mount").args(["-o", "remount,ro,bind", at]).status().unwrap();
        assert!(remount.success());
        for read_only in [false, true] {
            let archive = OpenOptions::new().read_only(read_only).open(&path).unwrap();
            assert_eq!(block_on(archive.describe()).unwrap().mode, mode);
            let kept = block_on(archive.get(&Scope::local(), &Digest::of(b"kept"), 0..9)).unwrap();
            assert_eq!(kept, b"kept");
            let put = block_on(archive.put(&Scope::local(), b"x"));
            assert!(matches!(put, Err(ArchiveError::ReadOnly { .. })), "{put:?}");
            assert!(block_on(archive.health()).unwrap().notes.iter().any(|note| note.contains("read-only")));
        }
        let elsewhere = SqliteArchive::open(folder.path().join("new.db"));
        assert!(matches!(elsewhere, Err(ArchiveError::ReadOnly { .. })), "{elsewhere:?}");
    }
}

/// As a user who may read the files and write neither them nor their folder.
#[cfg(unix)]
#[test]
fn a_store_of_somebody_else_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let may = Command::new(nobody[0]).args(&nobody[1..]).arg("true").stderr(Stdio::null()).status();
    if !may.is_ok_and(|status| status.success()) {
        eprintln!("skipped: this process may not become another user");
        return;
    }
    for (beside_it, open_elsewhere, mode) in [
        (Beside::Nothing, false, "read-only (immutable)"),
        (Beside::Log, false, "read-only (temporary copy)"),
        (Beside::LogAndMemory, false, "read-only"),
        (Beside::Nothing, true, "read-only"),
    ] {
        let (folder, path) = place();
        store_with_kept(&path, beside_it);
        let live = open_elsewhere.then(|| SqliteArchive::open(&path).unwrap());
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        for file in ["", "-wal", "-shm"].map(|suffix| beside(&path, suffix)) {
            if file.exists() {
                fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
            }
        }
        let output = child::command(&nobody, "read", 0, &path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(&format!("\nmode {mode}\n")), "{said}");
        drop(live);
    }
}
