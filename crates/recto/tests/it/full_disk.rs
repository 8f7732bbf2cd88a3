//! Disks that are full: a small file system of its own for the store, which root may make.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::desk::{Desk, Done, log, reference};

/// A disk at `disk` of a desk, unmounted at the end.
struct Disk<'d> {
    desk: &'d Desk,
}

impl<'d> Disk<'d> {
    /// `None`, and said so, where this process may not mount file systems.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn new(desk: &'d Desk, kib: u32) -> Option<Self> {
        let folder = desk.path("disk");
        fs::create_dir(&folder).unwrap();
        let size = format!("size={kib}k,mode=0700");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&folder).stderr(Stdio::null());
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(Self { desk });
        }
        eprintln!("skipped: this process may not mount file systems");
        None
    }

    fn folder(&self) -> PathBuf {
        self.desk.path("disk")
    }

    /// Leaves no byte of room.
    fn fill(&self) {
        let mut file = File::options().create(true).append(true).open(self.folder().join("filler")).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
        while file.write_all(&[0]).is_ok() {}
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.folder()).status();
    }
}

/// Text that does not compress, so that it takes its length on the disk.
fn noise(lines: u64) -> String {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    (0..lines)
        .map(|line| {
            let words = [0; 6].map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                format!("{:016x}", state ^ (state >> 29))
            });
            format!("{line} {}\n", words.join(" "))
        })
        .collect()
}

const STORE: &str = "disk/recto.db";

/// The file that stderr says all of it is in.
#[track_caller]
fn spilled(done: &Done) -> PathBuf {
    let errors = done.errors();
    let found = errors.lines().find_map(|line| line.split_once("the whole output is in "));
    assert!(found.is_some(), "no path in: {errors}");
    Path::new(found.unwrap().1).to_owned()
}

#[test]
fn compress_prints_the_source_whole_where_no_store_can_be_made() {
    let desk = Desk::new();
    let Some(disk) = Disk::new(&desk, 512) else { return };
    let text = log(2_000);
    desk.write("app.log", text.as_bytes());
    disk.fill();
    let compress = ["compress", "app.log", "--max-bytes", "900", "--store", STORE];
    let done = desk.run(&compress);
    assert_eq!(done.out(), text);
    done.fails(1, &["error: ", "no room left", "hint: name another store"]);
    let json = desk.run(&[&compress[..], &["--format", "json"]].concat());
    assert_eq!(
        (json.json()["method"].as_str(), json.json()["rendered"].as_str()),
        (Some("passthrough"), Some(&*text))
    );
    json.fails(1, &["no room left"]);
    assert_eq!(disk.names(), ["filler"], "nothing half made is left");
    // With room again the same line works.
    fs::remove_file(disk.folder().join("filler")).unwrap();
    let done = desk.run(&compress).ok();
    assert_eq!(desk.run(&["expand", &reference(&done.out()), "--store", STORE]).ok().out(), text);
}

#[test]
fn compress_prints_the_source_whole_where_a_store_is_full() {
    let desk = Desk::new();
    let Some(disk) = Disk::new(&desk, 2_048) else { return };
    let before = log(2_000);
    let name = reference(
        &desk.pipe(&["compress", "--max-bytes", "900", "--store", STORE], before.as_bytes()).ok().out(),
    );
    disk.fill();
    for text in [log(2_500), noise(1_000), noise(60_000)] {
        desk.write("app.log", text.as_bytes());
        let done = desk.run(&["compress", "app.log", "--max-bytes", "900", "--store", STORE]);
        assert!(done.out() == text, "{} of {} bytes", done.out().len(), text.len());
        done.fails(1, &["no room left", "hint: "]);
    }
    // What was stored before is all there, and the store goes on when there is room.
    assert_eq!(desk.run(&["expand", &name, "--store", STORE]).ok().out(), before);
    desk.run(&["store", "verify", "--store", STORE]).ok();
    fs::remove_file(disk.folder().join("filler")).unwrap();
    let text = log(2_500);
    let done = desk.pipe(&["compress", "--max-bytes", "900", "--store", STORE], text.as_bytes()).ok();
    assert_eq!(desk.run(&["expand", &reference(&done.out()), "--store", STORE]).ok().out(), text);
    desk.run(&["store", "verify", "--store", STORE]).ok();
}

#[test]
fn run_keeps_the_output_in_a_file_where_the_disk_is_full() {
    let desk = Desk::new();
    let Some(disk) = Disk::new(&desk, 512) else { return };
    let text = log(2_000);
    desk.write("app.log", text.as_bytes());
    let run = ["run", "--max-bytes", "900", "--store", STORE, "--shell", "cat app.log; exit 5"];
    let name =
        reference(&desk.run(&["compress", "app.log", "--max-bytes", "900", "--store", STORE]).ok().out());
    for has_store in [true, false] {
        if !has_store {
            for name in disk.names() {
                let path = disk.folder().join(name);
                fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)).unwrap();
            }
        }
        disk.fill();
        let done = desk.run(&run);
        assert_eq!(done.code(), 5, "{}", done.errors());
        assert!(done.out().len() <= 900 && !done.out().contains("r:"), "{}", done.out());
        assert!(done.out().contains("ERROR payment 4711"), "{}", done.out());
        assert!(done.errors().contains("no room left"), "{}", done.errors());
        assert_eq!(fs::read_to_string(spilled(&done)).unwrap(), text);
        if has_store {
            assert_eq!(desk.run(&["expand", &name, "--store", STORE]).ok().out(), text);
        }
        // Where the file cannot be either, all of it is printed.
        let done = desk.run(&[&["run", "--spill", "disk"], &run[1..]].concat());
        assert_eq!((done.code(), done.out() == text), (5, true), "{}", done.errors());
        assert!(done.errors().contains("everything is printed"), "{}", done.errors());
    }
}

#[test]
fn run_loses_nothing_when_the_disk_fills_while_the_command_prints() {
    let desk = Desk::new();
    let text = noise(40_000);
    desk.write("app.log", text.as_bytes());
    let Some(disk) = Disk::new(&desk, 2_048) else { return };
    let run = ["--max-bytes", "900", "--store", STORE, "--shell", "cat app.log; exit 6"];
    // To a file elsewhere; then to one on the same disk, which takes it as little.
    let done = desk.run(&[&["run"], &run[..]].concat());
    assert_eq!(done.code(), 6, "{}", done.errors());
    assert!(done.out().len() <= 900, "{}", done.out());
    assert!(done.errors().contains("no room left"), "{}", done.errors());
    assert!(fs::read_to_string(spilled(&done)).unwrap() == text, "not what was printed");
    let done = desk.run(&[&["run", "--spill", "disk"], &run[..]].concat());
    assert_eq!(done.code(), 6, "{}", done.errors());
    assert!(done.out() == text, "{} of {} bytes; {}", done.out().len(), text.len(), done.errors());
    assert!(!disk.names().iter().any(|name| name.starts_with("recto-run-")), "{:?}", disk.names());
}
